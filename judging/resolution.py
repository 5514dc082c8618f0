"""PURE: several judgments of one document become one grade.

A frame of judgments has one row per current act: the key columns, `grade` (Int32, null for "cannot judge"), `pass_number`
(Int32), `judged_at` (any ordered type) and `act` (Int64, the order of arrival).
"""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

UNJUDGED: Final = -1
CANNOT_JUDGE: Final = -2
LATEST: Final = "latest"
STRICT_MAJORITY: Final = "strict-majority"
VOTES_FOR_MAJORITY: Final = 3
POLICIES: Final = {
    LATEST: "the latest grade of the first pass in which the document was graded",
    "single": "the grade of the only one who graded it; none where several did",
    "plurality": "the most frequent grade, however few gave it; of equally frequent ones the higher",
    STRICT_MAJORITY: "the grade that more than half gave, of at least three who graded; otherwise none",
    "median": "the median grade; of an even number of grades the lower of the middle two",
    "strictest": "the lowest grade that anybody gave",
    "most-generous": "the highest grade that anybody gave",
}
FORMER_POLICIES: Final = {"majority": "plurality"}
"""Names of policies in qrels that were released under them, and the names of today."""


def policy_in_words(policy: str) -> str:
    """What a policy takes of several grades; other texts, such as "as imported", say it themselves.

    >>> policy_in_words("majority") == f"plurality: {POLICIES['plurality']} (called majority in earlier versions)"
    True
    """
    if policy in FORMER_POLICIES:
        name = FORMER_POLICIES[policy]
        return f"{name}: {POLICIES[name]} (called {policy} in earlier versions)"
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


def _lower_median() -> pl.Expr:
    return pl.col("grade").sort().get((pl.len() - 1) // 2)


def votes_per_key(judgments: pl.DataFrame, keys: Sequence[str] = ("topic", "docno")) -> dict[int, int]:
    """How many keys have so many grades: number of grades to number of keys, ascending; "cannot judge" is no grade.

    >>> frame = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "a", "b"], "grade": [2, 3, None]})
    >>> votes_per_key(frame)
    {2: 1}
    """
    graded = judgments.filter(pl.col("grade").is_not_null())
    counted = graded.group_by(list(keys)).len("votes").group_by("votes").len("keys").sort("votes")
    return dict(counted.iter_rows())


_RESOLVERS: Final[dict[str, Callable[[pl.DataFrame, list[str]], pl.DataFrame]]] = {
    LATEST: _latest,
    "single": _single,
    "plurality": _plurality,
    STRICT_MAJORITY: _strict_majority,
    "median": _median,
    "strictest": _strictest,
    "most-generous": _most_generous,
}
