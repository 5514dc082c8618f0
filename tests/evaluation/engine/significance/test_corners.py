"""The tests of pairs in the four cases of what unjudged documents are: a slow second implementation, and what follows."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.engine.analyses.bounds import unjudged_best
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_ranked
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.corners import AS_JUDGED, BOTH, FIRST, IS_BEST, SECOND, corners
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.families import all_pairs

DRAW = np.random.default_rng(7)
JUDGED = DRAW.uniform(0, 0.7, (5, 16)).round(2)
BEST = (JUDGED + DRAW.uniform(0, 0.3, (5, 16)) * np.array([[0], [1], [1], [0], [1]])).round(2)
CORRECTION = {name: "none" if test.holds_together else "holm" for name, test in TESTS.items()}


def plain_holm(p: list[float]) -> list[float]:
    found, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        found[place] = largest
    return found


def of_one_run(run: int) -> FloatArray:
    return np.array([BEST[other] if other == run else JUDGED[other] for other in range(len(JUDGED))])


def p_by_t_and_holm(values: FloatArray) -> list[float]:
    return plain_holm(
        [float(stats.ttest_rel(values[one], values[other]).pvalue) for one, other in all_pairs(5).tolist()]
    )


def test_p_of_each_corner_is_that_of_the_family_tested_anew_by_t_and_holm() -> None:
    found = corners(JUDGED, BEST, all_pairs(5), "t", "holm")
    for place, (one, other) in enumerate(all_pairs(5).tolist()):
        by_corner = [p_by_t_and_holm(values)[place] for values in (JUDGED, BEST, of_one_run(one), of_one_run(other))]
        assert found.p[:, place] == pytest.approx(by_corner, rel=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_in_each_corner_what_it_gives_of_the_whole_family(test: str) -> None:
    how = {"seed": 3, "resamples": 500 if TESTS[test].resamples else None}
    found = corners(JUDGED, BEST, all_pairs(5), test, CORRECTION[test], **how)  # type: ignore[arg-type]
    for place, (one, other) in enumerate(all_pairs(5).tolist()):
        for corner, values in (
            (AS_JUDGED, JUDGED),
            (BOTH, BEST),
            (FIRST, of_one_run(one)),
            (SECOND, of_one_run(other)),
        ):
            alone = compare(values, all_pairs(5), test, CORRECTION[test], **how)  # type: ignore[arg-type]
            assert found.p[corner, place] == pytest.approx(alone.p_corrected[place], rel=1e-9)
            assert found.direction[corner, place] == alone.direction[place]


@pytest.mark.parametrize("test", TESTS)
def test_where_nothing_is_unjudged_p_is_the_same_in_all_corners(test: str) -> None:
    values = np.where(np.arange(16) == 3, np.nan, JUDGED)
    found = corners(
        values, values.copy(), all_pairs(5), test, CORRECTION[test], resamples=200 if TESTS[test].resamples else None
    )
    assert (found.p == found.p[AS_JUDGED]).all()
    assert (found.direction == found.direction[AS_JUDGED]).all()


def test_a_decision_needs_p_and_the_number_of_the_same_run() -> None:
    judged = np.full((2, 12), 0.5) + np.array([[0.2], [0.0]]) + np.arange(12) / 1000 * np.array([[1], [0]])
    best = judged + np.array([[0.0], [0.5]])
    found = corners(judged, best, np.array([[0, 1]]), "t")
    numbers = np.array([judged.mean(axis=1), best.mean(axis=1)])
    assert found.decisions(numbers, 0.05)[:, 0].tolist() == [1, -1, 1, -1]
    assert not found.decisions(numbers, 0.0).any()
    assert found.decisions(-numbers, 0.05)[:, 0].tolist() == [0, 0, 0, 0], "numbers that say the opposite"
    assert IS_BEST[FIRST].tolist() == [1, 0]


def test_what_holds_in_four_corners_can_change_between_them_where_documents_of_some_topics_are_relevant() -> None:
    skewed = np.array([[0.6] * 12, [0.5] * 12]) + np.array([[0.0], [1.0]]) * DRAW.normal(0, 0.001, 12)
    raised = skewed + np.array([[0.0], [0.6]])
    corner = corners(skewed, raised, np.array([[0, 1]]), "t").p[:, 0]
    mixed = np.where(np.arange(12) < 3, raised, skewed)
    assert (corner < 0.001).all()
    assert compare(mixed, np.array([[0, 1]]), "t").p[0] > 0.5, "p between the corners is larger than in all of them"


TOPICS = [str(number) for number in range(1, 9)]
Ranking = dict[str, list[str]]
LISTS = st.fixed_dictionaries({t: st.permutations([f"d{n}" for n in range(8)]).map(lambda x: x[:4]) for t in TOPICS})
GRADES = st.fixed_dictionaries(
    {t: st.dictionaries(st.sampled_from([f"d{n}" for n in range(8)]), st.integers(0, 1), min_size=1) for t in TOPICS}
)


def values_of(ranking: Ranking, grades: dict[str, dict[str, int]]) -> tuple[FloatArray, FloatArray]:
    """P@3 by topic, as judged and with unjudged documents relevant."""
    rows = [(topic, "0", docno, grade) for topic, of_topic in grades.items() for docno, grade in of_topic.items()]
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    lines = [(topic, docno, -float(place)) for topic, docnos in ranking.items() for place, docno in enumerate(docnos)]
    run = pl.DataFrame(lines, schema=["topic", "docno", "score"], orient="row")
    ranked, measures = rank_run(run, Judgments.from_table(table)), [parse_measure("P@3")]
    best = unjudged_best(ranked, measures, 1)
    assert best is not None
    [judged] = score_ranked([ranked], measures)
    return judged.values[0], best.values[0]


def matrices(runs: list[Ranking], grades: dict[str, dict[str, int]]) -> tuple[FloatArray, FloatArray]:
    judged, best = zip(*(values_of(run, grades) for run in runs), strict=True)
    return np.array(judged), np.array(best)


@given(st.lists(LISTS, min_size=3, max_size=3), GRADES)
def test_judging_all_that_is_unjudged_leads_to_the_corner_of_its_grades_and_then_all_decisions_hold(
    runs: list[Ranking], grades: dict[str, dict[str, int]]
) -> None:
    """Of a measure without a recall base; before, each decision that all corners share is the one of afterwards."""
    pairs = all_pairs(3)
    before = corners(*matrices(runs, grades), pairs, "t", "holm")
    for corner, grade in ((AS_JUDGED, 0), (BOTH, 1)):
        all_judged = {t: {f"d{n}": grade for n in range(8)} | of_topic for t, of_topic in grades.items()}
        judged, best = matrices(runs, all_judged)
        after = corners(judged, best, pairs, "t", "holm")
        assert np.array_equal(judged, best)
        assert after.p[AS_JUDGED] == pytest.approx(before.p[corner], abs=1e-9)
        assert (after.p == after.p[AS_JUDGED]).all()
