"""Several sets of judgments: against plain loops over dictionaries."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

from evaluation.engine.analyses.rank_correlation import tau_ap
from evaluation.engine.reliability.sets_of_judgments import UNION, common_judgments, orders_compared
from tests.draws import examples

SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
JUDGED = st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abcde")), st.integers(-2, 3), max_size=10)


def table(judged: dict[tuple[str, str], int]) -> pl.DataFrame:
    return pl.DataFrame([(*pair, grade) for pair, grade in judged.items()], schema=SCHEMA, orient="row")


@given(st.lists(JUDGED, min_size=2, max_size=3), st.integers(1, 3))
@examples(60)
def test_only_documents_that_all_judge_are_kept_and_the_union_has_the_highest_grade(
    drawn: list[dict[tuple[str, str], int]], level: int
) -> None:
    names = "ABC"[: len(drawn)]
    found = common_judgments({name: table(judged) for name, judged in zip(names, drawn, strict=True)}, level)
    kept = sorted(pair for pair in drawn[0] if all(judged.get(pair, -1) >= 0 for judged in drawn))
    for name, judged in zip(names, drawn, strict=True):
        assert found.tables[name].rows() == [(t, "0", d, judged[t, d]) for t, d in kept]
    highest = {pair: max(judged[pair] for judged in drawn) for pair in kept}
    assert found.tables[UNION].rows() == [(t, "0", d, highest[t, d]) for t, d in kept]
    assert (found.documents, found.topics) == (len(kept), len({topic for topic, _ in kept}))
    assert found.relevant_in_any == sum(any(judged[pair] >= level for judged in drawn) for pair in kept)
    assert found.relevant_in_all == sum(all(judged[pair] >= level for judged in drawn) for pair in kept)


def test_of_several_subtopics_the_highest_grade_counts() -> None:
    rows = [("1", "1", "a", 0), ("1", "2", "a", 2)]
    of_subtopics = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    found = common_judgments({"A": of_subtopics, "B": table({("1", "a"): 1})})
    assert found.tables["A"].rows() == [("1", "0", "a", 2)]


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 7))
@examples(30)
def test_every_two_orders_are_compared_as_by_loops(seed: int, sets: int, runs: int) -> None:
    means = np.random.default_rng(seed).integers(0, 5, (sets, runs)) / 7
    found = orders_compared(means)
    assert [(one.first, one.second) for one in found] == [(i, j) for i in range(sets) for j in range(i + 1, sets)]
    for one in found:
        first, second = means[one.first], means[one.second]
        falls = rankdata(-second, method="min") - rankdata(-first, method="min")
        assert one.tau == pytest.approx(kendalltau(first, second).statistic, nan_ok=True)
        assert one.tau_ap == pytest.approx(tau_ap(first, second))
        assert (one.largest_fall, falls[one.falling_run]) == (falls.max(), falls.max())


def test_one_set_alone_and_a_set_called_union_are_refused() -> None:
    one = table({("1", "a"): 1})
    with pytest.raises(ValueError, match="two sets"):
        common_judgments({"A": one})
    with pytest.raises(ValueError, match="union"):
        common_judgments({"A": one, UNION: one})
