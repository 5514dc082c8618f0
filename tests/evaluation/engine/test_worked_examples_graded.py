"""Graded rankings with answers that can be checked by hand, as the field teaches them; 4 decimals."""

import numpy as np
import pytest

from evaluation.engine.gains import ideal_cg, ideal_dcg
from evaluation.engine.scoring import score_run
from tests.evaluation.engine.comparisons import compares_with
from tests.evaluation.engine.random_collections import make_judgments, make_ranking, make_run

GRADED = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
RANKS = range(1, 11)
FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}
EXPONENTIAL, LINEAR, BASE_2 = "gain=exponential", "gain=linear", "base=2"


def values_of(names: list[str], grades: list[int], relevant_in_all: int | None = None) -> list[float]:
    return score_run(*make_ranking(grades, relevant_in_all=relevant_in_all), names).values[:, 0].tolist()


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (EXPONENTIAL, [7, 8.8928, 12.3928, 12.3928, 12.3928, 12.7490, 13.7490, 14.6954, 16.8026, 16.8026]),
        (BASE_2, [3, 5, 6.8928, 6.8928, 6.8928, 7.2796, 7.9921, 8.6587, 9.6051, 9.6051]),
        (LINEAR, [3, 4.2619, 5.7619, 5.7619, 5.7619, 6.1181, 6.7847, 7.4157, 8.3188, 8.3188]),
    ],
)
@compares_with("worked example")
def test_dcg_at_every_rank(form, expected):
    assert values_of([f"DCG({form})@{k}" for k in RANKS], GRADED) == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("gain", "base", "expected"),
    [("exponential", None, 18.7711), ("linear", "2", 10.8841), ("linear", None, 9.0736)],
)
def test_the_dcg_of_the_ideal_ranking(gain, base, expected):
    _, judgments = make_ranking(GRADED)
    assert ideal_dcg(judgments, np.array([10]), gain, base)[0, 0] == pytest.approx(expected, **FOUR_DECIMALS)
    in_ideal_order = sorted(GRADED, reverse=True)
    assert in_ideal_order == [3, 3, 3, 2, 2, 2, 1, 0, 0, 0]
    form = f"gain={gain}" if base is None else f"gain={gain},base={base}"
    assert values_of([f"DCG({form})@10"], in_ideal_order) == pytest.approx([expected], **FOUR_DECIMALS)


@pytest.mark.parametrize(("form", "expected"), [(EXPONENTIAL, 0.8951), (BASE_2, 0.8825), (LINEAR, 0.9168)])
@compares_with("worked example")
def test_ndcg_at_10(form, expected):
    assert values_of([f"nDCG({form})@10"], GRADED) == pytest.approx([expected], **FOUR_DECIMALS)


@compares_with("worked example")
def test_ndcg_to_the_base_2_at_every_rank():
    expected = [1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7955, 0.8825, 0.8825]
    assert values_of([f"nDCG(base=2)@{k}" for k in RANKS], GRADED) == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize("ranking", [GRADED, sorted(GRADED), sorted(GRADED, reverse=True)])
@compares_with("worked example")
def test_the_cumulative_gain_of_all_documents_does_not_depend_on_their_order(ranking):
    assert values_of(["CG@10", "CG"], ranking) == [16.0, 16.0]
    assert ideal_cg(make_ranking(ranking)[1], np.array([10]))[0, 0] == 16.0


@pytest.mark.parametrize(("gains", "dcg", "ndcg"), [([2, 1, 2, 0], 4.2619, 0.9203), ([2, 2, 1, 0], 4.6309, 1.0)])
def test_the_smaller_ranking_to_the_base_2(gains, dcg, ndcg):
    assert values_of(["DCG(base=2)@4", "nDCG(base=2)@4"], gains) == pytest.approx([dcg, ndcg], **FOUR_DECIMALS)


def test_a_scale_that_starts_at_1_by_a_map_from_grades_to_gains():
    """Ratings 1 to 3, of which 1 says not relevant: grades 0 to 2. Nine documents in the collection are rated 3."""
    gains = [3, 2, 1, 1, 3, 1, 1, 2, 1, 1]
    judged = [("1", f"d{place}", gain - 1) for place, gain in enumerate(gains)]
    judged += [("1", f"x{number}", 2) for number in range(7)]
    run = make_run(*(("1", f"d{place}", float(-place)) for place in range(10)))
    form = "gain=0:1;1:2;2:3,base=2"
    values = score_run(run, make_judgments(*judged), [f"DCG({form})@10", f"nDCG({form})@10"]).values[:, 0]
    assert values == pytest.approx([9.4492, 0.6111], **FOUR_DECIMALS)
    ideal = ideal_dcg(make_judgments(*judged), np.array([10]), "0:1;1:2;2:3", "2")
    assert ideal[0, 0] == pytest.approx(15.4625, **FOUR_DECIMALS)


def test_average_precision_at_k_with_either_normaliser():
    """Relevant at ranks 1, 3 and 5 of 10 relevant ones in all: precisions 1, 2/3 and 3/5."""
    ranking = [1, 0, 1, 0, 1, 0]
    names = ["AP@5", "AP(norm=min)@5", "AP@3", "AP(norm=min)@3", "AP", "AP(norm=min)"]
    at_5, at_3 = 1 + 2 / 3 + 3 / 5, 1 + 2 / 3
    expected = [at_5 / 10, at_5 / 5, at_3 / 10, at_3 / 3, at_5 / 10, at_5 / 10]
    assert values_of(names, ranking, relevant_in_all=10) == pytest.approx(expected, abs=1e-12)
    few = values_of(["AP@5", "AP(norm=min)@5"], ranking, relevant_in_all=3)
    assert few == pytest.approx([at_5 / 3, at_5 / 3], abs=1e-12)


@compares_with("worked example")
def test_expected_reciprocal_rank_by_hand():
    """Grades 3, 0, 2, 4 on a scale to 4: a person is satisfied with 7/16, 0, 3/16 and 15/16."""
    first, third, fourth = 7 / 16, 3 / 16, 15 / 16
    at_1 = first
    at_3 = at_1 + (1 - first) * third / 3
    at_4 = at_3 + (1 - first) * (1 - third) * fourth / 4
    names = ["ERR@1", "ERR@2", "ERR@3", "ERR@4", "ERR"]
    assert values_of(names, [3, 0, 2, 4]) == pytest.approx([at_1, at_1, at_3, at_4, at_4], abs=1e-12)
    assert at_4 == pytest.approx(0.5798, **FOUR_DECIMALS)


def test_expected_reciprocal_rank_on_a_scale_of_its_own():
    """Binary relevance: each relevant document satisfies with 1/2."""
    assert values_of(["ERR(max_rel=1)@4"], [1, 0, 1, 1]) == pytest.approx([1 / 2 + 1 / 4 / 3 + 1 / 8 / 4], abs=1e-12)


@compares_with("worked example")
def test_q_measure_by_hand():
    """Gains 0, 3, 0, 1 of 3, 2, 1 in all: blended ratios (1+3)/(2+5) at rank 2 and (2+4)/(4+6) at rank 4."""
    run = make_run(("1", "n", 4.0), ("1", "a", 3.0), ("1", "m", 2.0), ("1", "c", 1.0))
    judgments = make_judgments(("1", "n", 0), ("1", "a", 3), ("1", "b", 2), ("1", "c", 1))
    values = score_run(run, judgments, ["Q", "Q@2", "Q(beta=2)"]).values[:, 0]
    assert values == pytest.approx(
        [(4 / 7 + 6 / 10) / 3, 4 / 7 / 2, ((1 + 6) / (2 + 10) + (2 + 8) / (4 + 12)) / 3], abs=1e-12
    )


@compares_with("worked example")
def test_rank_biased_precision_by_hand():
    """Relevant, unjudged, not relevant, relevant with persistence 1/2: the weights are 1/2, 1/4, 1/8 and 1/16."""
    run = make_run(*(("1", docno, -float(place)) for place, docno in enumerate("abcd")))
    judgments = make_judgments(("1", "a", 1), ("1", "c", 0), ("1", "d", 2))
    names = ["RBP(p=0.5)", "RBP_residual(p=0.5)", "RBP(p=0.5,max_rel=2)", "RBP(p=0.5)@3", "RBP_residual(p=0.5)@3"]
    values = score_run(run, judgments, names).values[:, 0]
    assert values == pytest.approx([9 / 16, 1 / 4 + 1 / 16, 1 / 4 + 1 / 16, 1 / 2, 1 / 4 + 1 / 8], abs=1e-12)
