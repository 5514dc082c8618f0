"""PURE: several judgments of one document become one grade.

A frame of judgments has one row per current act: the key columns, `grade` (Int32, null for "cannot judge"), `pass_number`
(Int32), `judged_at` (any ordered type) and `act` (Int64, the order of arrival). A person has one row for each key.
"""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

UNJUDGED: Final = -1
CANNOT_JUDGE: Final = -2
LATEST: Final = "latest"
STRICT_MAJORITY: Final = "strict-majority"
VOTES_FOR_MAJORITY: Final = 3
UNION: Final = "union"
ADJUDICATED: Final = "adjudicated"
OVER: Final = f"{ADJUDICATED} over "
POLICIES: Final = {
    LATEST: "the latest grade of the first pass in which the document was graded",
    "single": "the grade of the only one who graded it; none where several did",
    "plurality": "the most frequent grade, however few gave it; of equally frequent ones the higher",
    STRICT_MAJORITY: "the grade that more than half gave, of at least three who graded; otherwise none",
    "median": "the median grade; of an even number of grades the lower of the middle two",
    "strictest": "the lowest grade that anybody gave",
    "most-generous": "the highest grade that anybody gave",
    UNION: "each subtopic the highest grade that anybody gave it, so that one tick is enough; the document the median grade",
}
LEFT_OUT: Final = "left out"
UNGRADED_AS: Final = {"-2": "written as -2", "-1": "written as -1, as if not judged", LEFT_OUT: "left out of the file"}
"""What may become of a pair that was judged only as one that could not be judged."""
UNJUDGED_AS: Final = {"-1": "written as -1", LEFT_OUT: "left out of the file"}
"""What may become of a pair that nobody judged, or that the policy leaves undecided."""


def policy_in_words(policy: str) -> str:
    """What a policy takes of several grades; other texts, such as "as imported", say it themselves.

    >>> policy_in_words("median"), policy_in_words("as imported")
    ('median: the median grade; of an even number of grades the lower of the middle two', 'as imported')
    """
    if policy.startswith(OVER):
        return f"the adjudicator's grade where there is one; otherwise {policy_in_words(policy.removeprefix(OVER))}"
    return f"{policy}: {POLICIES[policy]}" if policy in POLICIES else policy


def resolve(judgments: pl.DataFrame, policy: str, keys: Sequence[str] = ("topic", "docno")) -> pl.DataFrame:
    """One row (keys, grade) for each judged key, sorted by the keys.

    latest: the grade of the greatest (judged_at, act) among those of the lowest pass that has one: a later pass is a second
    opinion, which a policy weighs or leaves out, and never a correction of the first.
    single: the grade, if exactly one was given; otherwise the key is undecided, grade -1.
    plurality: the grade given most often; of equally frequent grades the higher. It is lenient with few votes: 0 and 3 give
    3, though no second assessor agrees.
    strict-majority: the grade that more than half of the assessors gave who gave one, if these were at least three;
    otherwise the key is undecided, grade -1, for a person to decide.
    median: the grade at place ceil(n / 2) of the n grades in ascending order, the lower of the middle two if n is even: a
    grade that somebody gave.
    strictest, most-generous: the smallest and the greatest grade.
    union: the greatest grade where the keys name a subtopic, otherwise as median.
    Only latest depends on times and on the order of arrival.
    Any grade outranks "cannot judge"; a key with "cannot judge" only gets -2.

    >>> rows = [("1", "a", 1, 1, 7, 1), ("1", "a", 1, 2, 8, 2), ("1", "a", 2, 1, 9, 3), ("1", "b", None, 1, 9, 4)]
    >>> numbers = {"grade": pl.Int32, "pass_number": pl.Int32, "judged_at": pl.Int64, "act": pl.Int64}
    >>> schema = {"topic": pl.String, "docno": pl.String, **numbers}
    >>> judgments = pl.DataFrame(rows, schema=schema, orient="row")
    >>> resolve(judgments, "latest").rows(), resolve(judgments, "plurality").rows()
    ([('1', 'a', 2), ('1', 'b', -2)], [('1', 'a', 1), ('1', 'b', -2)])
    """
    graded = _RESOLVERS[policy](judgments.filter(pl.col("grade").is_not_null()), list(keys))
    unable = judgments.select(keys).unique().join(graded, on=list(keys), how="anti")
    unable = unable.with_columns(grade=pl.lit(CANNOT_JUDGE, dtype=pl.Int32))
    return pl.concat([graded.select(*keys, "grade"), unable.select(*keys, "grade")]).sort(keys)


def with_unjudged(pooled: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    """The resolved grades, and -1 for every pooled (topic, docno) without one: never silently 0.

    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> pooled = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]})
    >>> with_unjudged(pooled, pl.DataFrame([("1", "a", 2)], schema=schema, orient="row")).rows()
    [('1', 'a', 2), ('1', 'b', -1)]
    """
    rest = pooled.select("topic", "docno").unique().join(resolved, on=["topic", "docno"], how="anti")
    rest = rest.with_columns(grade=pl.lit(UNJUDGED, dtype=pl.Int32))
    return pl.concat([resolved.select("topic", "docno", "grade"), rest]).sort("topic", "docno")


def layered(base: pl.DataFrame, decided: pl.DataFrame) -> pl.DataFrame:
    """The grades of `base`, but those of `decided` for the (topic, docno) that it holds; both (topic, ..., docno, grade).

    Sorted by all columns before the grade. What was decided of a pair outranks every row of the pair.

    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> base = pl.DataFrame([("1", "a", 2), ("1", "b", 0)], schema=schema, orient="row")
    >>> layered(base, pl.DataFrame([("1", "b", 3)], schema=schema, orient="row")).rows()
    [('1', 'a', 2), ('1', 'b', 3)]
    """
    rest = base.join(decided, on=["topic", "docno"], how="anti")
    return pl.concat([rest, decided.select(base.columns)]).sort([name for name in base.columns if name != "grade"])


def as_released(table: pl.DataFrame, cannot_judge_as: str = "-2", unjudged_as: str = "-1") -> pl.DataFrame:
    """The table (..., grade) with the pairs that have no grade as `UNGRADED_AS` and `UNJUDGED_AS` say.

    >>> table = pl.DataFrame({"docno": ["a", "b", "c"], "grade": [2, -1, -2]})
    >>> as_released(table, cannot_judge_as="-1", unjudged_as="left out").rows()
    [('a', 2), ('c', -1)]
    """
    grade, left_out = pl.col("grade"), pl.lit(None, dtype=pl.Int32)
    unable = left_out if cannot_judge_as == LEFT_OUT else pl.lit(int(cannot_judge_as), dtype=pl.Int32)
    without = left_out if unjudged_as == LEFT_OUT else pl.lit(int(unjudged_as), dtype=pl.Int32)
    told = pl.when(grade == CANNOT_JUDGE).then(unable).when(grade == UNJUDGED).then(without).otherwise(grade)
    return table.with_columns(grade=told).drop_nulls("grade")


def first_of_each_person(acts: pl.DataFrame) -> pl.Series:
    """Which acts count, Boolean (n,): of each person's acts on a pair, that of the first pass in which it was graded.

    `acts`: topic, docno, grade (null for "cannot judge"), pass_number and `person` (any type). A repeat is no second vote.

    >>> schema = ["topic", "docno", "grade", "pass_number", "person"]
    >>> rows = [("1", "a", None, 1, 7), ("1", "a", 2, 2, 7), ("1", "a", 3, 3, 7), ("1", "a", 0, 2, 8)]
    >>> first_of_each_person(pl.DataFrame(rows, schema=schema, orient="row")).to_list()
    [False, True, False, True]
    """
    graded = pl.when(pl.col("grade").is_null()).then(None).otherwise("pass_number")
    of_person = ("topic", "docno", "person")
    first = pl.coalesce(graded.min().over(of_person), pl.col("pass_number").min().over(of_person))
    return acts.select(pl.col("pass_number") == first).to_series()


def _latest(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    first_pass = graded.filter(pl.col("pass_number") == pl.col("pass_number").min().over(keys))
    return first_pass.sort("judged_at", "act").group_by(keys).agg(pl.col("grade").last())


def _single(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    given = graded.group_by(keys).agg(pl.col("grade").first(), of_all=pl.len())
    alone = pl.when(pl.col("of_all") == 1).then("grade").otherwise(pl.lit(UNJUDGED, dtype=pl.Int32))
    return given.with_columns(grade=alone)


def _plurality(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    votes = graded.group_by([*keys, "grade"]).agg(votes=pl.len())
    return votes.sort("votes", "grade").group_by(keys, maintain_order=True).agg(pl.col("grade").last())


def _strict_majority(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    # More than half gave it: then the median is it, and it alone is so frequent.
    middle = graded.group_by(keys).agg(
        _lower_median().alias("grade"),
        of_it=(pl.col("grade") == _lower_median()).sum(),
        of_all=pl.len(),
    )
    decided = (2 * pl.col("of_it") > pl.col("of_all")) & (pl.col("of_all") >= VOTES_FOR_MAJORITY)
    return middle.with_columns(grade=pl.when(decided).then("grade").otherwise(pl.lit(UNJUDGED, dtype=pl.Int32)))


def _median(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return graded.group_by(keys).agg(_lower_median().alias("grade"))


def _strictest(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return graded.group_by(keys).agg(pl.col("grade").min())


def _most_generous(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return graded.group_by(keys).agg(pl.col("grade").max())


def _union(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return _most_generous(graded, keys) if "subtopic" in keys else _median(graded, keys)


def _lower_median() -> pl.Expr:
    return pl.col("grade").sort().get((pl.len() - 1) // 2)


def votes_by_topic(judgments: pl.DataFrame) -> dict[str, dict[int, int]]:
    """By topic, how many documents have so many grades: number of grades to number of documents; "cannot judge" is no grade.

    >>> frame = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "a", "b"], "grade": [2, 3, None]})
    >>> votes_by_topic(frame)
    {'1': {2: 1}}
    """
    graded = judgments.filter(pl.col("grade").is_not_null())
    counted = graded.group_by("topic", "docno").len("votes").group_by("topic", "votes").len("documents")
    found: dict[str, dict[int, int]] = {}
    for topic, votes, documents in counted.sort("topic", "votes").iter_rows():
        found.setdefault(topic, {})[votes] = documents
    return found


_RESOLVERS: Final[dict[str, Callable[[pl.DataFrame, list[str]], pl.DataFrame]]] = {
    LATEST: _latest,
    "single": _single,
    "plurality": _plurality,
    STRICT_MAJORITY: _strict_majority,
    "median": _median,
    "strictest": _strictest,
    "most-generous": _most_generous,
    UNION: _union,
}
