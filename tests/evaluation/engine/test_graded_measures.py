"""Graded measures equal gdeval (through ir_measures) and a plain second implementation, topic by topic."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.gains import gain_name
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.engine.scoring import score_run, score_runs
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.ir_measures_oracle import ir_measures_values
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_ranking, make_run

EXACT = {"abs": 1e-9, "rel": 0}
FIVE_DECIMALS = {"abs": 0.5e-5 + 1e-9, "rel": 0}
CUTOFFS = (1, 2, 3, 5, 100, None)
GAINS: dict[str, Callable[[int], float]] = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2**grade - 1,
    "0:1;2:7.5;3:.5": lambda grade: {0: 1, 2: 7.5, 3: 0.5}.get(grade, grade),
    "1:-2;3:0;4:-.25": lambda grade: {1: -2, 3: 0, 4: -0.25}.get(grade, grade),
}
DISCOUNTS: dict[str | None, Callable[[int], float]] = {
    None: lambda rank: math.log2(rank + 1),
    "2": lambda rank: 1 if rank < 2 else math.log(rank, 2),
    "10": lambda rank: 1 if rank < 10 else math.log10(rank),
    "1.5": lambda rank: 1 if rank < 1.5 else math.log(rank, 1.5),
    "e": lambda rank: 1 if rank < math.e else math.log(rank),
}


class Topic:
    """The grades of one topic: down the ranking (None for unjudged documents), and in the ideal order."""

    def __init__(self, collection: Collection, topic: str) -> None:
        judged = {docno: grade for docno, grade in collection.grades[topic].items() if grade >= 0}
        ranking = collection.scoring_order(topic) if topic in collection.run else []
        self.ranked = [judged.get(docno) for docno in ranking]
        self.judged = list(judged.values())

    def gains(self, gain: str) -> list[float]:
        return [0 if grade is None else GAINS[gain](grade) for grade in self.ranked]

    def ideal_gains(self, gain: str) -> list[float]:
        return sorted((GAINS[gain](grade) for grade in self.judged if GAINS[gain](grade) > 0), reverse=True)


def plain_dcg(gains: list[float], k: int | None, base: str | None) -> float:
    return sum(gain / DISCOUNTS[base](rank) for rank, gain in enumerate(gains[:k], start=1))


def plain_q(topic: Topic, k: int | None, gain: str, beta: float) -> float:
    gains, ideal = topic.gains(gain), topic.ideal_gains(gain)
    gains = [max(found, 0) for found in gains]
    total = 0.0
    for rank, found in enumerate(gains[:k], start=1):
        if found > 0:
            relevant = sum(above > 0 for above in gains[:rank])
            total += (relevant + beta * sum(gains[:rank])) / (rank + beta * sum(ideal[:rank]))
    divisor = len(ideal) if k is None else min(k, len(ideal))
    return total / divisor if divisor else 0.0


def plain_err(grades: list[int | None], k: int | None, max_rel: int) -> float:
    going_on, total = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        stop = (2 ** min(max(grade or 0, 0), max_rel) - 1) / 2**max_rel
        total += going_on * stop / rank
        going_on *= 1 - stop
    return total


def named(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


def assert_equal_on_every_topic(collection: Collection, plain: Callable[[Topic, int | None], float], name: str):
    scores = score_run(collection.run_table, collection.judgments, [named(name, k) for k in CUTOFFS])
    for column, topic in enumerate(scores.topics):
        grades = Topic(collection, topic)
        for row, k in enumerate(CUTOFFS):
            expected = plain(grades, k)
            assert scores.values[row, column] == pytest.approx(expected, abs=1e-9, rel=1e-12), (name, k, topic)


def value_of(measure: str, grades: list[int], relevant_in_all: int | None = None) -> float:
    return score_run(*make_ranking(grades, relevant_in_all=relevant_in_all), [measure]).values[0, 0]


@given(collections(), st.sampled_from(list(GAINS)), st.sampled_from(list(DISCOUNTS)))
@examples(60)
@compares_with("second implementation", EXAMPLE, "linear", None)
def test_dcg_and_ndcg_in_every_form_equal_a_plain_loop_over_ranks(collection, gain, base):
    written = f"(gain={gain})" if base is None else f"(gain={gain},base={base})"

    def normalised(topic: Topic, k: int | None) -> float:
        ideal = plain_dcg(topic.ideal_gains(gain), k, base)
        return plain_dcg(topic.gains(gain), k, base) / ideal if ideal else 0.0

    assert_equal_on_every_topic(collection, lambda topic, k: plain_dcg(topic.gains(gain), k, base), "DCG" + written)
    assert_equal_on_every_topic(collection, normalised, "nDCG" + written)


@given(collections(), st.sampled_from(list(GAINS)))
@examples(40)
@compares_with("second implementation", EXAMPLE, "linear")
def test_cumulative_gain_equals_a_plain_sum(collection, gain):
    def normalised(topic: Topic, k: int | None) -> float:
        ideal = sum(topic.ideal_gains(gain)[:k])
        return sum(topic.gains(gain)[:k]) / ideal if ideal else 0.0

    assert_equal_on_every_topic(collection, lambda topic, k: sum(topic.gains(gain)[:k]), f"CG(gain={gain})")
    assert_equal_on_every_topic(collection, normalised, f"nCG(gain={gain})")


@given(collections(), st.sampled_from(list(GAINS)), st.sampled_from([1.0, 0.0, 0.1, 30.0]))
@examples(40)
@compares_with("second implementation", EXAMPLE, "linear", 1.0)
def test_q_measure_equals_a_plain_loop_over_ranks(collection, gain, beta):
    assert_equal_on_every_topic(
        collection, lambda topic, k: plain_q(topic, k, gain, beta), f"Q(beta={beta},gain={gain})"
    )


@given(collections(grades=(-2, 6)), st.sampled_from([1, 3, 4, 6]))
@examples(40)
@compares_with("second implementation", EXAMPLE, 4)
def test_expected_reciprocal_rank_equals_a_plain_loop_over_ranks(collection, max_rel):
    def normalised(topic: Topic, k: int | None) -> float:
        ideal = plain_err(sorted(topic.judged, reverse=True), k, max_rel)
        return plain_err(topic.ranked, k, max_rel) / ideal if ideal else 0.0

    assert_equal_on_every_topic(
        collection, lambda topic, k: plain_err(topic.ranked, k, max_rel), f"ERR(max_rel={max_rel})"
    )
    assert_equal_on_every_topic(collection, normalised, f"nERR(max_rel={max_rel})")


@given(collections(grades=(-2, 6)))
@examples(40)
@compares_with("second implementation", EXAMPLE)
def test_graded_average_precision_equals_a_plain_sum_over_thresholds(collection):
    highest = max((grade for grades in collection.grades.values() for grade in grades.values()), default=0)

    def plain(topic: Topic, k: int | None) -> float:
        total, wanted = 0.0, 0
        for threshold in range(1, highest + 1):
            relevant = [grade is not None and grade >= threshold for grade in topic.ranked]
            total += sum(sum(relevant[:rank]) / rank for rank, is_hit in enumerate(relevant[:k], 1) if is_hit)
            wanted += sum(grade >= threshold for grade in topic.judged)
        return total / wanted if wanted else 0.0

    assert_equal_on_every_topic(collection, plain, "GAP")


@given(collections(grades=(-1, 1)))
@examples(30)
def test_graded_average_precision_of_two_grades_is_average_precision(collection):
    scores = score_run(collection.run_table, collection.judgments, ["GAP", "AP", "GAP@3", "AP@3"])
    assert scores.values[0] == pytest.approx(scores.values[1])
    assert scores.values[2] == pytest.approx(scores.values[3])


GDEVAL_NAMES = {f"nDCG(dcg='exp-log2')@{k}": f"nDCG(gain=exponential)@{k}" for k in (1, 3, 20)} | {
    f"ERR@{k}": f"ERR@{k}" for k in (1, 3, 20)
}


@given(collections())
@examples(10)
@compares_with("gdeval", EXAMPLE)
def test_exponential_ndcg_and_err_equal_gdeval_to_the_decimals_that_it_prints(collection):
    """gdeval takes numbers as topics only, and says nothing of topics without relevant documents."""
    numbers = {topic: str(number) for number, topic in enumerate(sorted({*collection.run, *collection.qrels}), start=1)}
    numbered = Collection(
        {numbers[topic]: docs for topic, docs in collection.run.items()},
        {numbers[topic]: docs for topic, docs in collection.qrels.items()},
    )
    expected = ir_measures_values(list(GDEVAL_NAMES), numbered)
    scores = score_run(numbered.run_table, numbered.judgments, list(GDEVAL_NAMES.values()))
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(GDEVAL_NAMES):
            assert scores.values[row, column] == pytest.approx(expected[topic, name], **FIVE_DECIMALS), (name, topic)


@given(collections())
@examples(25)
def test_q_measure_without_gains_is_average_precision(collection):
    pairs = [("Q(beta=0)", "AP"), ("Q(beta=0)@3", "AP(norm=min)@3"), ("Q(beta=0)@5", "AP(norm=min)@5")]
    scores = score_run(collection.run_table, collection.judgments, [name for pair in pairs for name in pair])
    np.testing.assert_allclose(scores.values[0::2], scores.values[1::2], rtol=0, atol=1e-12)


@given(collections())
@examples(25)
def test_normalised_measures_stay_between_0_and_1(collection):
    names = ["nDCG@3", "nDCG(base=2)", "nCG@2", "Q", "Q@2", "ERR@10", "nERR@3", "nDCG(gain=exponential,base=10)@4"]
    values = score_run(collection.run_table, collection.judgments, names).values
    assert values.min() >= 0.0
    assert values.max() <= 1.0 + 1e-12


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
@examples(25)
def test_the_ideal_ranking_has_the_highest_value_whatever_the_form(grades):
    names = ["nDCG@5", "nDCG(base=2)", "nDCG(gain=exponential,base=10)@3", "nCG@4", "Q", "Q@3", "nERR@5"]
    as_drawn = score_run(*make_ranking(grades), names).values[:, 0]
    best_first = score_run(*make_ranking(sorted(grades, reverse=True)), names).values[:, 0]
    assert best_first == pytest.approx([1.0 if any(grades) else 0.0] * len(names), **EXACT)
    assert (as_drawn <= best_first + 1e-12).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.sampled_from([2, 0.5]))
@examples(25)
def test_ndcg_does_not_depend_on_the_unit_of_the_gains(grades, unit):
    scaled = ";".join(f"{grade}:{grade * unit}" for grade in range(1, 5))
    scores = score_run(*make_ranking(grades), [f"nDCG(gain={scaled})@7", "nDCG@7"]).values[:, 0]
    assert scores[0] == pytest.approx(scores[1], **EXACT)


ONE_OF_EACH = [
    *("CG@3", "DCG(base=2)@3", "nCG@2", "nDCG@3", "nDCG(gain=0:1;2:5)", "Q", "Q(gain=exponential)@3", "ERR", "nERR@2"),
    *("RBP", "RBP(max_rel=4)@3", "RBP_residual", "INST(max_rel=4)", "INSQ(max_rel=4)", "BPM(max_rel=4)@3"),
    *("SDCG(max_rel=4)@3", "NERR8(max_rel=4)@3", "NERR9(max_rel=4)@3", "NERR10(max_rel=4)", "NERR11(max_rel=4)"),
    *("Compat", "Compat(normalize=false)"),
]


@given(st.lists(collections(), min_size=1, max_size=3), st.integers(1, 4))
@examples(20)
def test_runs_scored_together_have_the_values_that_they_have_alone(drawn, times):
    judgments = drawn[0].judgments
    tables = [collection.run_table for collection in drawn] * times
    together = list(score_runs(tables, judgments, ONE_OF_EACH))
    for table, scores in zip(tables, together, strict=True):
        alone = score_run(table, drawn[0].judgments, ONE_OF_EACH)
        np.testing.assert_allclose(scores.values, alone.values, rtol=0, atol=1e-12)


def test_a_discount_spares_the_ranks_below_its_base():
    grades = [1] * 12
    assert value_of("DCG(base=10)@9", grades) == 9.0
    assert value_of("DCG(base=10)@10", grades) == pytest.approx(10.0, **EXACT)
    assert value_of("DCG(base=10)@11", grades) == pytest.approx(10.0 + 1 / math.log10(11), **EXACT)
    assert value_of("DCG(base=e)@3", grades) == pytest.approx(2.0 + 1 / math.log(3), **EXACT)


@compares_with("ntcireval")
def test_values_of_ntcireval_for_the_example_of_its_documentation():
    """Judged: three documents of grade 3, three of 2, four of 1, one of 0; gains 1, 2, 3; printed to 4 decimals."""
    judged = [("1", f"dummy{n:02d}", grade) for n, grade in enumerate([3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0], start=1)]
    run = make_run(*(("1", f"dummy{n}", -float(place)) for place, n in enumerate(("11", "01", "12", "04"))))
    expected = {
        "RR": 0.5,
        "AP": 0.1,
        "AP(norm=min)@2": 0.25,
        "Q": 0.0967,
        "Q@1000": 0.0967,
        "Q@2": 0.25,
        "nDCG(base=2)@1000": 0.3380,
        "nDCG(base=2)@2": 0.5,
        "nDCG@1000": 0.2760,
        "nDCG@2": 0.3869,
        "RBP(p=0.95,max_rel=3)": 0.0761,
    }
    values = score_run(run, make_judgments(*judged), list(expected)).values[:, 0]
    assert values == pytest.approx(list(expected.values()), abs=0.5e-4, rel=0)


def test_a_negative_gain_can_take_ndcg_below_0_and_never_enters_the_ideal_ranking():
    assert value_of("DCG(gain=1:-2)@2", [1, 2]) == pytest.approx(-2 + 2 / math.log2(3), **EXACT)
    assert value_of("nDCG(gain=1:-2)", [1, 2]) == pytest.approx((-2 + 2 / math.log2(3)) / 2, **EXACT)
    assert value_of("nDCG(gain=1:-2;2:0)", [1, 2]) == 0.0


def test_a_gain_of_grade_0_is_for_judged_documents_only():
    judgments = make_judgments(("1", "a", 0), ("1", "b", 1), ("1", "c", -1))
    run = make_run(("1", "c", 4.0), ("1", "x", 3.0), ("1", "a", 2.0), ("1", "b", 1.0))
    assert score_run(run, judgments, ["CG(gain=0:1;1:5)"]).values[0, 0] == 6.0


def test_a_grade_above_the_highest_counts_as_the_highest():
    assert value_of("ERR(max_rel=2)@5", [3, 0, 7]) == value_of("ERR(max_rel=2)@5", [2, 0, 2])


def test_a_grade_beyond_what_powers_of_two_can_hold_gives_a_number():
    for name in ("nDCG(gain=exponential)@5", "Q(gain=exponential)", "nERR@5"):
        assert value_of(name, [5000, 0, 2000]) == pytest.approx(value_of(name, [1000, 0, 1000]), rel=1e-9), name


def test_topics_without_answer_or_without_relevant_documents_score_0():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 0), ("3", "a", -1))
    names = [f"{name}{at}" for name in ("CG", "DCG", "nCG", "nDCG", "Q", "ERR", "nERR") for at in ("", "@5")]
    scores = score_run(make_run(("2", "a", 1.0), ("3", "a", 1.0)), judgments, names)
    np.testing.assert_array_equal(scores.values, 0.0)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nDCG(base=2)@10", "nDCG(base=2)@10"),
        ("nDCG(base=e)", "nDCG(base=e)"),
        ("DCG(gain=exponential,base=1.5)@5", "DCG(gain=exponential,base=1.5)@5"),
        ("nDCG(gain=0:1;1:-.5;2:7.25)@3", "nDCG(gain=0:1;1:-.5;2:7.25)@3"),
        ("Q-measure", "Q"),
        ("Q(beta=1)@10", "Q@10"),
        ("ERR(max_rel=4)@20", "ERR@20"),
    ],
)
def test_the_names_of_graded_measures_say_their_form(written, canonical):
    assert parse_measure(written).name == canonical
    assert parse_measure(canonical).name == canonical


@pytest.mark.parametrize(
    "written", ["nDCG(base=1)", "nDCG(base=0.5)@3", "nDCG(base=1.0)", "DCG(base=x)", "DCG(base=-2)"]
)
def test_a_base_that_is_no_base_is_refused(written):
    with pytest.raises(MeasureNameError, match="expected a number above 1, or e"):
        parse_measure(written)


@pytest.mark.parametrize("written", ["nDCG(gain=1:x)", "nDCG(gain=-1:2)", "CG(gain=1:2;)", "DCG(gain=1:-)"])
def test_gains_that_cannot_be_read_are_refused(written):
    with pytest.raises(MeasureNameError, match="expected linear or exponential or gains of grades"):
        parse_measure(written)


@pytest.mark.parametrize(
    ("gains", "name"),
    [
        ({-1: 0.0, 0: 0.0, 1: 1.0}, "linear"),
        ({-1: 5.0, 0: 0.0, 1: 1.0, 2: 3.0}, "exponential"),
        ({0: 0.5, 1: 1.0, 2: -1.5}, "0:0.5;2:-1.5"),
    ],
)
def test_the_gains_of_a_grade_scale_are_named_so_that_the_name_can_be_read(gains, name):
    assert gain_name(gains) == name
    assert parse_measure(f"nDCG(gain={name})").given["gain"] == name
