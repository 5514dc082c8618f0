from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.core.resolution import LATEST, POLICIES, layered, resolve, with_unjudged

START = datetime(2026, 1, 1, tzinfo=UTC)


def acts(*rows: tuple[str, str, int | None, int], passes: Sequence[int] = ()) -> pl.DataFrame:
    """(topic, docno, grade, minute); all of the first pass, if nothing is said."""
    numbers = [*passes, *[1] * (len(rows) - len(passes))]
    return pl.DataFrame(
        [
            (t, d, g, number, START + timedelta(minutes=m), n)
            for n, ((t, d, g, m), number) in enumerate(zip(rows, numbers, strict=True))
        ],
        schema={
            "topic": pl.String,
            "docno": pl.String,
            "grade": pl.Int32,
            "pass_number": pl.Int32,
            "judged_at": pl.Datetime("us", "UTC"),
            "act": pl.Int64,
        },
        orient="row",
    )


def grades(frame: pl.DataFrame) -> dict[tuple[str, str], int]:
    return {(topic, docno): grade for topic, docno, grade in frame.iter_rows()}


def test_latest_takes_the_grade_given_last() -> None:
    assert grades(resolve(acts(("1", "A", 3, 5), ("1", "A", 1, 9), ("1", "A", 2, 7)), "latest")) == {("1", "A"): 1}


def test_a_second_pass_does_not_replace_the_first_by_being_later() -> None:
    judged = acts(("1", "A", 0, 1), ("1", "A", 1, 3), ("1", "A", 3, 9), passes=[1, 1, 2])
    assert grades(resolve(judged, "latest")) == {("1", "A"): 1}
    only_second = acts(("1", "A", None, 1), ("1", "A", 3, 9), passes=[1, 2])
    assert grades(resolve(only_second, "latest")) == {("1", "A"): 3}


def by_hand(policy: str, votes: Sequence[int]) -> int:
    """What each policy says of votes, written down in the plainest way; -1 where it decides nothing."""
    ordered, counted = sorted(votes), Counter(votes)
    if policy == "single":
        return votes[0] if len(votes) == 1 else -1
    if policy == "plurality":
        return max(grade for grade in counted if counted[grade] == max(counted.values()))
    if policy == "strict-majority":
        winners = [grade for grade in counted if 2 * counted[grade] > len(votes)]
        return winners[0] if winners and len(votes) >= 3 else -1
    if policy in ("median", "union"):
        return ordered[(len(ordered) - 1) // 2]
    return {"strictest": ordered[0], "most-generous": ordered[-1]}[policy]


@pytest.mark.parametrize("policy", sorted(set(POLICIES) - {LATEST}))
def test_every_policy_decides_all_votes_of_one_to_five_judges_as_by_hand(policy: str) -> None:
    tables = [votes for judges in range(1, 6) for votes in product(range(4), repeat=judges)]
    rows = [(str(n), "A", grade, -place) for n, votes in enumerate(tables) for place, grade in enumerate(votes)]
    found = grades(resolve(acts(*rows), policy))
    assert found == {(str(n), "A"): by_hand(policy, votes) for n, votes in enumerate(tables)}


ALL_VOTES = [votes for judges in range(2, 6) for votes in product(range(3), repeat=judges)]


@pytest.mark.parametrize("policy", ["median", "strict-majority"])
def test_an_adjudicated_grade_stands_before_all_votes_of_two_to_five_judges(policy: str) -> None:
    rows = [(str(n), docno, grade, 0) for n, votes in enumerate(ALL_VOTES) for docno in "AB" for grade in votes]
    base = resolve(acts(*rows), policy)
    decided = pl.DataFrame([(str(n), "A", n % 3) for n in range(len(ALL_VOTES))], schema=base.schema, orient="row")
    found = grades(layered(base, decided))
    expected = {(str(n), "A"): n % 3 for n in range(len(ALL_VOTES))}
    assert found == expected | {(str(n), "B"): by_hand(policy, votes) for n, votes in enumerate(ALL_VOTES)}


def test_by_union_a_subtopic_counts_when_any_of_two_to_five_judges_ticked_it() -> None:
    rows = [(str(n), "A", grade, 0) for n, votes in enumerate(ALL_VOTES) for grade in votes]
    ticks = acts(*rows).with_columns(subtopic=pl.lit("1"))
    found = resolve(ticks, "union", keys=["topic", "subtopic", "docno"])
    assert dict(found.select("topic", "grade").iter_rows()) == {str(n): max(votes) for n, votes in enumerate(ALL_VOTES)}


@given(st.lists(st.none() | st.integers(0, 3), min_size=2, max_size=5), st.permutations(range(5)))
def test_no_policy_but_latest_depends_on_the_order_of_arrival(votes, order) -> None:
    places = [place for place in order if place < len(votes)]
    first = acts(*(("1", "A", grade, minute) for minute, grade in enumerate(votes)))
    other = acts(*(("1", "A", votes[place], minute) for minute, place in enumerate(places)))
    for policy in set(POLICIES) - {LATEST}:
        assert grades(resolve(first, policy)) == grades(resolve(other, policy))


def test_majority_takes_the_grade_given_most_often() -> None:
    assert grades(resolve(acts(("1", "A", 0, 1), ("1", "A", 3, 2), ("1", "A", 0, 3)), "plurality")) == {("1", "A"): 0}


def test_of_equally_frequent_grades_the_majority_takes_the_higher() -> None:
    assert grades(resolve(acts(("1", "A", 2, 1), ("1", "A", 0, 2)), "plurality")) == {("1", "A"): 2}


@pytest.mark.parametrize("policy", ["latest", "plurality"])
def test_any_grade_outranks_cannot_judge(policy: str) -> None:
    assert grades(resolve(acts(("1", "A", 1, 1), ("1", "A", None, 2), ("1", "A", None, 3)), policy)) == {("1", "A"): 1}


@pytest.mark.parametrize("policy", ["latest", "plurality"])
def test_what_nobody_could_judge_and_what_nobody_judged_are_never_zero(policy: str) -> None:
    pooled = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["A", "B", "A"]})
    resolved = resolve(acts(("1", "A", None, 1)), policy)
    assert grades(with_unjudged(pooled, resolved)) == {("1", "A"): -2, ("1", "B"): -1, ("2", "A"): -1}


@given(
    st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from("AB"), st.none() | st.integers(0, 3), st.integers(0, 50)),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
    st.sampled_from(["latest", "plurality"]),
)
def test_the_order_of_the_rows_does_not_matter_and_every_grade_was_given(rows, random, policy) -> None:
    frame = acts(*rows)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=random.randrange(10**6)) if rows else frame
    found = grades(resolve(frame, policy))
    assert grades(resolve(shuffled, policy)) == found
    assert set(found) == {(topic, docno) for topic, docno, _, _ in rows}
    for (topic, docno), grade in found.items():
        given_grades = {g for t, d, g, _ in rows if (t, d) == (topic, docno) and g is not None}
        assert grade in given_grades or (grade == -2 and not given_grades)


def decided(policy: str, *given_grades: int) -> int:
    rows = [("1", "A", grade, minute) for minute, grade in enumerate(given_grades)]
    return grades(resolve(acts(*rows), policy))["1", "A"]


@pytest.mark.parametrize(
    ("given_grades", "plurality", "strict_majority", "median"),
    [
        ((0, 3), 3, -1, 0),
        ((0, 0, 1, 2, 3), 0, -1, 1),
        ((2, 2), 2, -1, 2),
        ((0, 2, 2), 2, 2, 2),
        ((2, 2, 3, 3), 3, -1, 2),
    ],
)
def test_the_most_frequent_grade_is_no_majority_and_the_median_is_neither(
    given_grades: tuple[int, ...], plurality: int, strict_majority: int, median: int
) -> None:
    found = [decided(policy, *given_grades) for policy in ("plurality", "strict-majority", "median")]
    assert found == [plurality, strict_majority, median]


def test_a_pair_without_a_majority_is_not_one_that_could_not_be_judged() -> None:
    rows = [("1", "A", 0, 1), ("1", "A", 3, 2), ("1", "A", None, 3), ("1", "B", None, 4)]
    assert grades(resolve(acts(*rows), "strict-majority")) == {("1", "A"): -1, ("1", "B"): -2}
