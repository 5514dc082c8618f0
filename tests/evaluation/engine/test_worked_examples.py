"""Rankings with answers that can be checked by hand, as the field teaches them; 4 decimals."""

import numpy as np
import pytest

from evaluation.engine.analyses.curves import RECALL_LEVELS, interpolated_curve, recall_precision_points
from evaluation.engine.averaging import mean_over_topics, summarise
from evaluation.engine.gains import ideal_dcg
from evaluation.engine.measures.graded import dcg_to_cutoffs
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.evaluation.engine.comparisons import compares_with
from tests.evaluation.engine.random_collections import make_judgments, make_ranking, make_run

A = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1]
B = [0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
C = [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
D = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
GRADED = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
RETRIEVED = [f"d{number}" for number in (123, 84, 56, 6, 8, 9, 511, 129, 187, 25, 48, 250, 113, 3)]
FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}


def value_of(measure: str, grades: list[int], relevant_in_all: int | None = None) -> float:
    return score_run(*make_ranking(grades, relevant_in_all=relevant_in_all), [measure]).values[0, 0]


@pytest.mark.parametrize(
    ("ranking", "relevant_in_all", "expected"),
    [
        (A, 6, 0.7750),
        (B, 6, 0.5212),
        (C, 3, 0.5444),
        (D, 3, 0.4429),
        ([1, 1, 0, 0, 1, 0, 0, 1, 0, 0], 10, 0.31),
        ([1, 0, 1, 0, 1, 1, 0, 1], 5, 0.7117),
        ([1, 0, 1, 0, 1, 1, 0, 1], 10, 0.7117 / 2),
    ],
)
@compares_with("worked example")
def test_average_precision(ranking, relevant_in_all, expected):
    assert value_of("AP", ranking, relevant_in_all) == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize("relevant_in_all", [5, 10])
@compares_with("worked example")
def test_average_precision_over_what_is_retrieved_does_not_ask_how_much_there_is(relevant_in_all):
    ranking = [1, 0, 1, 0, 1, 1, 0, 1]
    assert value_of("APret", ranking, relevant_in_all) == pytest.approx(0.7117, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("ranking", "relevant_in_all", "by_hand", "by_the_standard_tool"),
    [(A, 6, 0.8212, 0.8212), (B, 6, 0.6000, 0.6000), (C, 3, 0.5636, 0.5667), (D, 3, 0.4545, 0.4545)],
)
def test_eleven_point_interpolated_average_precision(ranking, relevant_in_all, by_hand, by_the_standard_tool):
    """By hand, recall 0.7 of three relevant documents asks for all three of them: 2.1 rounded up. trec_eval adds
    0.9 in double precision and cuts off 2.9999999999999996 to two, and the measure follows it. Levels a hair higher keep
    clear of that rounding.
    """
    assert value_of("11pt_avg", ranking, relevant_in_all) == pytest.approx(by_the_standard_tool, **FOUR_DECIMALS)
    ranked = rank_run(*make_ranking(ranking, relevant_in_all=relevant_in_all))
    assert interpolated_curve(ranked)[:, 0].mean() == pytest.approx(by_the_standard_tool, **FOUR_DECIMALS)
    assert interpolated_curve(ranked, recall=RECALL_LEVELS + 1e-9)[:, 0].mean() == pytest.approx(
        by_hand, **FOUR_DECIMALS
    )


def test_interpolated_precision_at_eleven_recall_levels():
    expected = [1, 1, *[0.8333] * 7, 0.6, 0.6]
    assert interpolated_curve(rank_run(*make_ranking(A)))[:, 0] == pytest.approx(expected, **FOUR_DECIMALS)
    names = [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]
    assert score_run(*make_ranking(A), names).values[:, 0] == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("ranking", "relevant_in_all", "k", "over_r", "over_min"),
    [
        (A, 6, 5, (1 + 2 / 3 + 3 / 4 + 4 / 5) / 6, (1 + 2 / 3 + 3 / 4 + 4 / 5) / 5),
        (C, 3, 6, (1 + 2 / 6) / 3, (1 + 2 / 6) / 3),
    ],
)
@compares_with("worked example")
def test_average_precision_at_a_cutoff_has_two_normalisers_under_two_names(
    ranking, relevant_in_all, k, over_r, over_min
):
    run, judgments = make_ranking(ranking, relevant_in_all=relevant_in_all)
    scores = score_run(run, judgments, [f"map_cut_{k}", f"AP@{k}", f"AP(norm=min)@{k}"])
    assert scores.measures == (f"AP@{k}", f"AP@{k}", f"AP(norm=min)@{k}")
    assert scores.values[:, 0] == pytest.approx([over_r, over_r, over_min], **FOUR_DECIMALS)


@compares_with("worked example")
def test_the_ranking_of_numbered_documents():
    relevant = [f"d{number}" for number in (3, 5, 9, 25, 39, 44, 56, 71, 89, 123)]
    run = make_run(*(("1", docno, float(-place)) for place, docno in enumerate(RETRIEVED)))
    judgments = make_judgments(*(("1", docno, 1) for docno in relevant))
    scores = score_run(run, judgments, ["AP", "Rprec"])
    assert scores.values[:, 0] == pytest.approx([0.2924, 0.4], **FOUR_DECIMALS)
    fewer = make_judgments(*(("1", f"d{number}", 1) for number in (3, 56, 129)))
    assert score_run(run, fewer, ["Rprec"]).values[0, 0] == pytest.approx(0.3333, **FOUR_DECIMALS)
    pairs = {1: (0.1, 1), 3: (0.2, 0.6667), 6: (0.3, 0.5), 10: (0.4, 0.4), 14: (0.5, 0.3571)}
    for k, (recall, precision) in pairs.items():
        at_k = score_run(run, judgments, [f"R@{k}", f"P@{k}"]).values[:, 0]
        assert at_k == pytest.approx([recall, precision], **FOUR_DECIMALS)
    recalls, precisions = recall_precision_points(rank_run(run, judgments)).of(0)
    assert recalls == pytest.approx([recall for recall, _ in pairs.values()], **FOUR_DECIMALS)
    assert precisions == pytest.approx([precision for _, precision in pairs.values()], **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("measure", "ranking", "relevant_in_all", "expected"),
    [
        ("P", A, 6, [1, 0.5, 0.6667, 0.75, 0.8, 0.8333, 0.7143, 0.625, 0.5556, 0.6]),
        ("R", A, 6, [0.1667, 0.1667, 0.3333, 0.5, 0.6667, 0.8333, 0.8333, 0.8333, 0.8333, 1]),
        ("P", [1, 0, 1, 0, 1, 1, 0, 1], 5, [1, 0.5, 0.6667, 0.5, 0.6, 0.6667, 0.5714, 0.625]),
    ],
)
@compares_with("worked example")
def test_precision_and_recall_at_every_rank(measure, ranking, relevant_in_all, expected):
    names = [f"{measure}@{k}" for k in range(1, len(expected) + 1)]
    values = score_run(*make_ranking(ranking, relevant_in_all=relevant_in_all), names).values[:, 0]
    assert values == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("measure", "rankings", "expected"),
    [
        ("AP", (A, C), 0.6597),
        ("AP", (B, D), 0.4820),
        ("RR", ([1], [0, 1], [0, 0, 0, 1]), 0.5833),
        ("RR", ([0, 1], [0, 1, 1], [0, 1]), 0.5),
    ],
)
@compares_with("worked example")
def test_means_over_topics(measure, rankings, expected):
    values = np.array([value_of(measure, ranking) for ranking in rankings])
    assert mean_over_topics(values) == pytest.approx(expected, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("gain", "dcg", "ideal", "ndcg"),
    [
        (
            "exponential",
            [7, 8.8928, 12.3928, 12.3928, 12.3928, 12.7490, 13.7490, 14.6954, 16.8026, 16.8026],
            18.7711,
            0.8951,
        ),
        ("linear", [3, 4.2619, 5.7619, 5.7619, 5.7619, 6.1181, 6.7847, 7.4157, 8.3188, 8.3188], 9.0736, 0.9168),
    ],
)
@compares_with("worked example")
def test_discounted_cumulative_gain_at_every_rank(gain, dcg, ideal, ndcg):
    run, judgments = make_ranking(GRADED)
    ranked = rank_run(run, judgments)
    ranks = np.arange(1, 11)
    assert dcg_to_cutoffs(ranked, ranks, gain)[:, 0] == pytest.approx(dcg, **FOUR_DECIMALS)
    assert ideal_dcg(judgments, ranks, gain)[-1, 0] == pytest.approx(ideal, **FOUR_DECIMALS)
    assert value_of(f"nDCG(gain={gain})@10", GRADED) == pytest.approx(ndcg, **FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("SetP", 0.8),
        ("SetR", 0.6667),
        ("SetF", 0.7273),
        ("SetF(beta=2)", 0.6897),
        ("SetF(beta=0.5)", 0.7692),
        ("E", 0.2727),
        ("E(beta=1)", 0.2727),
        ("Fallout(N=100)", 0.0227),
        ("FPR(N=100)", 0.0227),
        ("Specificity(N=100)", 0.9773),
        ("NPV(N=100)", 0.9556),
        ("FDR", 0.2),
        ("SetAccuracy(N=100)", 0.94),
    ],
)
@compares_with("worked example")
def test_set_measures_of_eight_relevant_among_ten_retrieved_of_a_hundred(measure, expected):
    """tp = 8, fp = 2, fn = 4, tn = 86."""
    assert value_of(measure, [1, 1, 1, 0, 1, 1, 1, 0, 1, 1], 12) == pytest.approx(expected, **FOUR_DECIMALS)


def test_macro_and_micro_precision_of_five_small_and_five_large_topics():
    sizes = {**{f"{number}": (1, 1) for number in range(5)}, **{f"{number}": (99, 198) for number in range(5, 10)}}
    run = make_run(*((topic, f"d{place}", -1.0 * place) for topic, (_, ret) in sizes.items() for place in range(ret)))
    judgments = make_judgments(
        *((topic, f"d{2 * place}", 1) for topic, (relevant, _) in sizes.items() for place in range(relevant))
    )
    macro, micro = summarise(score_run(run, judgments, ["SetP", "micro_P"]))
    assert (macro, micro) == pytest.approx((0.75, 0.5025), **FOUR_DECIMALS)
    assert micro == pytest.approx(500 / 995, abs=1e-12)


def test_an_empty_result_set_is_nearly_perfect_by_accuracy_alone():
    judgments = make_judgments(*(("1", f"d{number}", 1) for number in range(5)))
    scores = score_run(make_run(), judgments, ["SetAccuracy(N=1000)", "SetR", "SetP"])
    assert scores.values[:, 0] == pytest.approx([0.995, 0.0, 0.0], abs=1e-12)


def test_a_missed_topic_counts_zero_unless_only_answered_topics_are_asked_for():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 1), ("3", "a", 1), ("3", "b", 1))
    scores = score_run(make_run(("1", "a", 1.0), ("2", "x", 2.0), ("2", "a", 1.0)), judgments, ["RR", "num_rel"])
    assert summarise(scores).tolist() == [0.5, 4.0]
    assert summarise(scores, over="answered").tolist() == [0.75, 2.0]


def test_the_mean_over_no_topic_is_zero():
    scores = score_run(make_run(), make_judgments(("1", "a", 1)), ["AP", "num_ret"])
    assert summarise(scores, over="answered").tolist() == [0.0, 0.0]
