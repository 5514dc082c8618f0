"""Measures of sampled judgments equal the field's programs, and estimate what they say that they estimate.

The golden numbers come from the arithmetic of sample_eval.pl in its two editions (TREC's of 2011, TRECVID's of 2012) and of
statAP_MQ_eval.pl, printed with 15 digits in place of their four, on collections drawn at random.
"""

import io
import json
import math
from collections import defaultdict
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.qrels.read import QrelsRules, read_qrels
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.strata import strata_of
from evaluation.engine.scoring import score_run, score_runs
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import (
    JUDGMENTS_SCHEMA,
    Collection,
    collections,
    make_judgments,
    make_run,
)

GOLDEN = json.loads((Path(__file__).parent / "golden" / "sampled_judgments.json").read_text(encoding="utf-8"))
EXACT = {"abs": 1e-9, "rel": 0}
# The priors of the estimated precision move it a little even where everything is judged.
PRIORS = {"abs": 1e-4, "rel": 0}
STRATUM_MEASURES = ("xinfAP", "infNDCG", "infP@5")
PROBABILITY_MEASURES = ("statAP", "statP@5", "statR@5", "statRprec", "statDCG@5")


def make_strata(*lines: tuple[str, str, int, int]) -> Judgments:
    """Judgments from lines of topic, docno, stratum, grade."""
    rows = [(topic, "0", docno, grade, stratum) for topic, docno, stratum, grade in lines]
    return Judgments.from_table(pl.DataFrame(rows, schema={**JUDGMENTS_SCHEMA, "stratum": pl.Int32}, orient="row"))


def make_drawn(*lines: tuple[str, str, int, float | None]) -> Judgments:
    """Judgments from lines of topic, docno, grade, probability."""
    rows = [(topic, "0", docno, grade, probability) for topic, docno, grade, probability in lines]
    return Judgments.from_table(
        pl.DataFrame(rows, schema={**JUDGMENTS_SCHEMA, "probability": pl.Float64}, orient="row")
    )


def golden_judgments(case) -> Judgments:
    read = read_qrels(io.BytesIO("\n".join(case["qrels"]).encode()), QrelsRules(sampling="any"))
    assert read.problems.ok, str(read.problems)
    return Judgments.from_table(read.table)


def golden_run(case) -> pl.DataFrame:
    lines = (line.split() for line in case["run"])
    return make_run(*((topic, docno, float(score)) for topic, docno, score in lines))


@pytest.mark.parametrize("case", GOLDEN["strata"])
@pytest.mark.parametrize(("edition", "norm", "ideal"), [("trec", "R", "rounded"), ("trecvid", "min", "exact")])
@compares_with("sample_eval")
def test_strata_give_the_numbers_of_both_editions_of_the_fields_program(case, edition, norm, ideal):
    limit = f"limit={case['limit']}"
    names = {
        "infAP": f"xinfAP({limit},norm={norm})",
        "infNDCG": f"infNDCG({limit},ideal={ideal})",
        "iP5": "iP5",
        "iP10": "infP@10",
    }
    scores = score_run(golden_run(case), golden_judgments(case), list(names.values()))
    for topic, expected in case["expected"][edition].items():
        for name, value in expected.items():
            ours = scores.of(names[name])[scores.topics.index(topic)]
            assert ours == pytest.approx(value, **EXACT), (topic, name)


@pytest.mark.parametrize("case", GOLDEN["prels"])
@compares_with("statAP_MQ_eval")
def test_probabilities_give_the_numbers_of_the_fields_program(case):
    names = {"AP": "statAP", "Rprec": "statRprec", "P5": "statP@5", "P10": "statP@10"}
    scores = score_run(golden_run(case), golden_judgments(case), list(names.values()))
    for topic, expected in case["expected"].items():
        for name, value in expected.items():
            ours = scores.of(names[name])[scores.topics.index(topic)]
            assert ours == pytest.approx(value, **EXACT), (topic, name)


EXAMPLE_STRATA = {
    topic: {docno: (number % 2, grade) for number, (docno, grade) in enumerate(grades.items())}
    for topic, grades in EXAMPLE.grades.items()
}
EXAMPLE_DRAW = {
    topic: {docno: (grade, 0.5) for docno, grade in grades.items()} for topic, grades in EXAMPLE.grades.items()
}

# The estimators again, slowly, document by document.


class PlainStrata:
    """One topic: `pool` is {docno: (stratum, grade)}, `ranking` the docnos, best first."""

    def __init__(self, pool, ranking, rel, limit):
        self.pool, self.ranking, self.rel = pool, ranking[:limit], rel
        self.pooled, self.sampled = {}, {}
        for stratum in sorted({stratum for stratum, _ in pool.values()}, key=str):
            grades = [grade for other, grade in pool.values() if other == stratum]
            self.pooled[stratum] = len(grades)
            self.sampled[stratum] = sum(grade >= 0 for grade in grades)

    def estimated_relevant_in(self, docs) -> float:
        total = 0.0
        for stratum in self.pooled:
            grades = [self.pool[doc][1] for doc in docs if doc in self.pool and self.pool[doc][0] == stratum]
            relevant = sum(grade >= max(self.rel, 0) for grade in grades)
            total += len(grades) * (relevant + 1e-5) / (sum(grade >= 0 for grade in grades) + 3e-5)
        return total

    def number_like(self, is_such) -> float:
        """Estimate a number of documents; in floating point as the field's program does, since it may be rounded."""
        total = 0.0
        for stratum in self.pooled:
            count = sum(is_such(grade) for other, grade in self.pool.values() if other == stratum and grade >= 0)
            total += count * self.pooled[stratum] / self.sampled[stratum]
        return total

    def ap(self) -> float:
        total = 0.0
        for above, doc in enumerate(self.ranking):
            stratum, grade = self.pool.get(doc, (None, -1))
            if grade >= max(self.rel, 0):
                precision = (1 + self.estimated_relevant_in(self.ranking[:above])) / (above + 1)
                total += precision * self.pooled[stratum] / self.sampled[stratum]
        relevant = self.number_like(lambda grade: grade >= self.rel)
        return total / relevant if relevant else 0.0

    def dcg(self) -> float:
        total = 0.0
        for stratum in self.pooled:
            here = [
                (doc, rank) for rank, doc in enumerate(self.ranking, 1) if self.pool.get(doc, (None,))[0] == stratum
            ]
            sampled = [(self.pool[doc][1], rank) for doc, rank in here if self.pool[doc][1] >= 0]
            if sampled:
                gains = sum(grade / math.log2(rank + 1) for grade, rank in sampled)
                total += len(here) * gains / len(sampled)
        return total

    def ndcg(self, limit, rounded) -> float:
        best, start = 0.0, 0.0
        for value in sorted({grade for _, grade in self.pool.values() if grade > 0}, reverse=True):
            count = self.number_like(lambda grade, value=value: grade == value)
            count = math.floor(count + 0.5) if rounded else count
            rank = start + 1
            while rank <= start + count:
                best += value / math.log2(rank + 1)
                if rank >= limit:
                    break
                rank += 1
            start += count
        return self.dcg() / best if best else 0.0


@st.composite
def stratified(draw):
    """A collection, and {topic: {docno: (stratum, grade)}} in which every stratum has a sampled document."""
    collection = draw(collections(grades=(-2, 3)))
    pools = {}
    for topic, grades in collection.grades.items():
        strata = {docno: draw(st.sampled_from([1, 2, 10])) for docno in grades}
        pools[topic] = {docno: (strata[docno], grade) for docno, grade in grades.items()}
        for stratum in set(strata.values()):
            docnos = [docno for docno in grades if strata[docno] == stratum]
            if all(grades[docno] < 0 for docno in docnos):
                pools[topic][docnos[0]] = (stratum, draw(st.integers(0, 3)))
    return collection, pools


def judgments_of(pools) -> Judgments:
    return make_strata(
        *((topic, docno, stratum, grade) for topic, pool in pools.items() for docno, (stratum, grade) in pool.items())
    )


@given(stratified(), st.sampled_from([1, 1, 2, 0]), st.sampled_from([1000, 2, 5]), st.booleans())
@examples(60)
@compares_with("second implementation", (EXAMPLE, EXAMPLE_STRATA), 1, 1000, True)
def test_strata_give_what_the_definitions_say_document_by_document(drawn, rel, limit, rounded):
    collection, pools = drawn
    ideal = "rounded" if rounded else "exact"
    names = [
        f"xinfAP(rel={rel},limit={limit},norm=R)",
        f"infNDCG(limit={limit},ideal={ideal})",
        f"infP(rel={rel})@1",
        f"infP(rel={rel})@4",
    ]
    scores = score_run(collection.run_table, judgments_of(pools), names)
    for column, topic in enumerate(scores.topics):
        ranking = collection.scoring_order(topic) if topic in collection.run else []
        plain = PlainStrata(pools[topic], ranking, rel, limit)
        whole = PlainStrata(pools[topic], ranking, rel, None)
        expected = [
            plain.ap(),
            plain.ndcg(limit, rounded),
            *(whole.estimated_relevant_in(ranking[:k]) / k for k in (1, 4)),
        ]
        assert scores.values[:, column] == pytest.approx(expected, **EXACT), topic


@given(stratified(), st.integers(1, 6))
@examples(25)
def test_more_relevant_documents_than_may_be_retrieved_scale_xinfap_by_their_number_over_the_limit(drawn, limit):
    collection, pools = drawn
    scores = score_run(
        collection.run_table, judgments_of(pools), [f"xinfAP(limit={limit})", f"xinfAP(limit={limit},norm=R)"]
    )
    for column, topic in enumerate(scores.topics):
        relevant = PlainStrata(pools[topic], [], 1, limit).number_like(lambda grade: grade >= 1)
        scaled, unscaled = scores.values[:, column]
        assert scaled == pytest.approx(unscaled * max(relevant, limit) / limit, **EXACT)


def fully_judged(draw_strata):
    """The strategy of a collection in which every document of the qrels is judged, with its strata."""
    return collections(grades=(0, 3)).flatmap(
        lambda collection: st.tuples(
            st.just(collection),
            st.fixed_dictionaries(
                {
                    topic: st.fixed_dictionaries(dict.fromkeys(grades, draw_strata))
                    for topic, grades in collection.grades.items()
                }
            ),
        )
    )


def standard_tool(collection: Collection, names: set[str]) -> dict[str, dict[str, float]]:
    return pytrec_eval.RelevanceEvaluator(collection.grades, names).evaluate(collection.run)


@given(fully_judged(st.sampled_from([1, 2, 3])))
@examples(40)
def test_where_every_document_is_sampled_the_estimates_are_the_standard_tools_values(drawn):
    collection, strata = drawn
    judgments = make_strata(
        *(
            (topic, docno, strata[topic][docno], grade)
            for topic, grades in collection.grades.items()
            for docno, grade in grades.items()
        )
    )
    names = ["infNDCG", "infNDCG(ideal=exact)", "xinfAP", "infP@2", "infP@10"]
    scores = score_run(collection.run_table, judgments, names)
    expected = standard_tool(collection, {"ndcg", "map", "P_2", "P_10"})
    for column, topic in enumerate(scores.topics):
        if topic not in collection.run:
            assert not scores.values[:, column].any()
            continue
        of_topic = expected[topic]
        assert scores.values[:2, column] == pytest.approx([of_topic["ndcg"]] * 2, **EXACT)
        near = [of_topic["map"], of_topic["P_2"], of_topic["P_10"]]
        assert scores.values[2:, column] == pytest.approx(near, **PRIORS)


@given(fully_judged(st.just(1.0)))
@examples(40)
def test_where_every_probability_is_1_the_estimates_are_the_standard_tools_values(drawn):
    collection, probabilities = drawn
    judgments = make_drawn(
        *(
            (topic, docno, grade, probabilities[topic][docno])
            for topic, grades in collection.grades.items()
            for docno, grade in grades.items()
        )
    )
    names = ["statAP", "statRprec", "statP@1", "statP@3", "statR@3", "statR@100", "statDCG", "nDCG"]
    scores = score_run(collection.run_table, judgments, names)
    wanted = ("map", "Rprec", "P_1", "P_3", "recall_3", "recall_100")
    expected = standard_tool(collection, {*wanted, "ndcg"})
    for column, topic in enumerate(scores.topics):
        if topic not in collection.run:
            assert not scores.values[:, column].any()
            continue
        assert scores.values[:6, column] == pytest.approx([expected[topic][name] for name in wanted], **EXACT)
        gains = sorted(collection.grades[topic].values(), reverse=True)
        ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
        assert scores.values[6, column] == pytest.approx(expected[topic]["ndcg"] * ideal, **EXACT)


@st.composite
def drawn_with_probabilities(draw):
    collection = draw(collections(grades=(-2, 3)))
    pools = {
        topic: {
            docno: (grade, draw(st.sampled_from([None, 1.0, 0.5, 0.3, 0.01, 1e-6]))) for docno, grade in grades.items()
        }
        for topic, grades in collection.grades.items()
    }
    return collection, pools


@given(drawn_with_probabilities(), st.sampled_from([1, 1, 2, 0]))
@examples(60)
@compares_with("second implementation", (EXAMPLE, EXAMPLE_DRAW), 1)
def test_probabilities_give_what_the_definitions_say_document_by_document(drawn, rel):
    collection, pools = drawn
    judgments = make_drawn(
        *((topic, docno, grade, p) for topic, pool in pools.items() for docno, (grade, p) in pool.items())
    )
    stems = (f"statAP(rel={rel})", f"statRprec(rel={rel})", f"statP(rel={rel})@3", f"statR(rel={rel})@3", "statDCG@3")
    scores = score_run(collection.run_table, judgments, stems)
    for column, topic in enumerate(scores.topics):
        pool = pools[topic]
        ranking = collection.scoring_order(topic) if topic in collection.run else []
        expected = plain_statistics(pool, ranking, rel, 3)
        assert scores.values[:, column] == pytest.approx(expected, abs=1e-9, rel=1e-12), topic


def plain_statistics(pool, ranking, rel, k) -> list[float]:
    worth = {doc: 1 / p for doc, (grade, p) in pool.items() if p is not None and grade >= max(rel, 0)}
    relevant = sum(worth.values())
    if not relevant:
        ap = r_precision = recall = 0.0
    else:
        ap = sum(
            worth[doc] * (1 + sum(worth.get(other, 0) for other in ranking[:above])) / (above + 1)
            for above, doc in enumerate(ranking)
            if doc in worth
        )
        ap /= relevant
        cutoff = math.floor(relevant + 0.5)
        found = sum(worth.get(doc, 0) for doc in ranking[:cutoff])
        r_precision = found / (cutoff if len(ranking) >= cutoff else relevant)
        recall = sum(worth.get(doc, 0) for doc in ranking[:k]) / relevant
    precision = sum(worth.get(doc, 0) for doc in ranking[:k]) / k
    gains = {doc: grade / p for doc, (grade, p) in pool.items() if p is not None and grade > 0}
    dcg = sum(gains.get(doc, 0) / math.log2(rank + 1) for rank, doc in enumerate(ranking[:k], 1))
    return [ap, r_precision, precision, recall, dcg]


PROBABILITIES = {"a": 0.5, "b": 0.25, "c": 1.0, "d": 0.8, "e": 0.6}
TRUTH = {"a": 2, "b": 1, "c": 0, "d": 1, "e": 3}


def expected_over_all_samples(measure) -> float:
    """The mean of a function of the values (statAP, statP@3, statP@6, statDCG) over all independent samples."""
    run = make_run(*(("1", docno, -float(rank)) for rank, docno in enumerate("xadcbe")))
    mean = 0.0
    for chosen in product([True, False], repeat=len(TRUTH)):
        chance, lines = 1.0, [("1", "always", 0, 1.0)]
        for (docno, grade), taken in zip(TRUTH.items(), chosen, strict=True):
            chance *= PROBABILITIES[docno] if taken else 1 - PROBABILITIES[docno]
            lines += [("1", docno, grade, PROBABILITIES[docno])] if taken else []
        if chance:
            values = score_run(run, make_drawn(*lines), ["statAP", "statP@3", "statP@6", "statDCG"]).values[:, 0]
            mean += chance * measure(*values)
    return mean


def test_precision_dcg_and_the_sum_of_precisions_are_unbiased_over_all_independent_samples_and_their_ratio_is_not():
    run = make_run(*(("1", docno, -float(rank)) for rank, docno in enumerate("xadcbe")))
    truth = make_judgments(*(("1", docno, grade) for docno, grade in TRUTH.items()))
    ap, precision, in_all, dcg = score_run(run, truth, ["AP", "P@3", "P@6", "DCG"]).values[:, 0]
    assert expected_over_all_samples(lambda _ap, at_3, _at_6, _dcg: at_3) == pytest.approx(precision, **EXACT)
    assert expected_over_all_samples(lambda _ap, _at_3, at_6, _dcg: at_6) == pytest.approx(in_all, **EXACT)
    assert expected_over_all_samples(lambda _ap, _at_3, _at_6, sampled_dcg: sampled_dcg) == pytest.approx(dcg, **EXACT)
    # Six documents are retrieved, all relevant ones among them: 6 times statP@6 is the estimated number of relevant.
    sum_of_precisions = expected_over_all_samples(lambda stat_ap, _at_3, at_6, _dcg: stat_ap * 6 * at_6)
    assert sum_of_precisions == pytest.approx(ap * 6 * in_all, **EXACT)
    assert abs(expected_over_all_samples(lambda stat_ap, _at_3, _at_6, _dcg: stat_ap) - ap) > 0.01


def test_the_estimated_number_of_relevant_documents_is_unbiased_over_all_samples_of_the_strata():
    pool = {"a": (1, 1), "b": (1, 0), "c": (1, 2), "d": (2, 1), "e": (2, 0), "f": (2, 0), "g": (2, 1)}
    strata = defaultdict(list)
    for docno, (stratum, _) in pool.items():
        strata[stratum].append(docno)
    estimates = []
    for sample in product(*(combinations(docnos, 2) for docnos in strata.values())):
        taken = {docno for docnos in sample for docno in docnos}
        judgments = make_strata(
            *(("1", docno, stratum, grade if docno in taken else -1) for docno, (stratum, grade) in pool.items())
        )
        estimates.append(strata_of(judgments).estimate(judgments.grade >= 1).sum())
    assert np.mean(estimates) == pytest.approx(4.0, **EXACT)
    assert len(set(estimates)) > 1


@compares_with("worked example")
def test_a_hand_made_sample_of_two_strata():
    """The pool is a, b (stratum 1, all sampled) and c, d, e, f (stratum 2, c and d sampled): each stands for 2."""
    judgments = make_strata(
        ("1", "a", 1, 2), ("1", "b", 1, 0), ("1", "c", 2, 1), ("1", "d", 2, 0), ("1", "e", 2, -1), ("1", "f", 2, -1)
    )
    run = make_run(("1", "a", 5.0), ("1", "e", 4.0), ("1", "x", 3.0), ("1", "c", 2.0))
    values = score_run(run, judgments, ["xinfAP", "infNDCG", "infP@2"]).values[:, 0]
    # R = 1 + 2. Above c stand a (1 of 1 relevant), e (unsampled: a third) and x, which nobody pooled: 0.
    at_c = (1 + 1.00001 / 1.00003 + 1 / 3) / 4
    assert values[0] == pytest.approx((1 * 1 + 2 * at_c) / 3, **EXACT)
    # Of stratum 2 two documents are retrieved, one of them sampled: the gain of c counts twice.
    dcg = 2 / math.log2(2) + 2 * 1 / math.log2(5)
    assert values[1] == pytest.approx(dcg / (2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)), **EXACT)
    assert values[2] == pytest.approx((1.00001 / 1.00003 + 1 / 3) / 2, **EXACT)


@compares_with("worked example")
def test_a_hand_made_draw_with_probabilities():
    judgments = make_drawn(("1", "a", 1, 0.5), ("1", "b", 0, 0.1), ("1", "c", 3, 0.25), ("1", "d", 2, None))
    run = make_run(("1", "a", 4.0), ("1", "d", 3.0), ("1", "b", 2.0), ("1", "c", 1.0))
    names = ["statAP", "statP@1", "statP@4", "statR@2", "statRprec", "statDCG"]
    expected = [(2 * 1 + 4 * (1 + 2) / 4) / 6, 2.0, 1.5, 2 / 6, 1.0, 2 + 12 / math.log2(5)]
    assert score_run(run, judgments, names).values[:, 0] == pytest.approx(expected, **EXACT)


def test_grades_are_ordered_as_numbers_where_the_fields_program_orders_them_as_text():
    """sample_eval.pl puts grade 2 before grade 10 in its ideal ranking, and gives this perfect ranking 1.3553."""
    judgments = make_strata(("1", "a", 1, 10), ("1", "b", 1, 2))
    run = make_run(("1", "a", 2.0), ("1", "b", 1.0))
    assert score_run(run, judgments, ["infNDCG"]).values[0, 0] == pytest.approx(1.0, **EXACT)


def test_a_gain_of_each_grade_orders_and_weighs_the_ideal_ranking():
    judgments = make_strata(("1", "a", 1, 1), ("1", "b", 1, 2), ("1", "c", 1, -1), ("1", "d", 1, -1))
    run = make_run(("1", "b", 3.0), ("1", "a", 2.0))
    values = score_run(run, judgments, ["infNDCG(gain=exponential)", "infNDCG(gain=1:5;2:0)"]).values[:, 0]
    exponential = (3 + 1 / math.log2(3)) / (3 + 3 / math.log2(3) + 1 / 2 + 1 / math.log2(5))
    assert values[0] == pytest.approx(exponential, **EXACT)
    assert values[1] == pytest.approx((5 / math.log2(3)) / (5 + 5 / math.log2(3)), **EXACT)


@given(stratified(), st.permutations([1, 2, 10]))
@examples(25)
def test_the_numbers_of_the_strata_mean_nothing(drawn, renamed):
    collection, pools = drawn
    new = dict(zip([1, 2, 10], renamed, strict=True))
    # infNDCG is left out: it rounds a sum over strata, and the order of summation may decide the last bit.
    names = ["xinfAP", "infP@3"]
    pools_renamed = {
        topic: {docno: (new[stratum] + 5, grade) for docno, (stratum, grade) in pool.items()}
        for topic, pool in pools.items()
    }
    before = score_run(collection.run_table, judgments_of(pools), names).values
    after = score_run(collection.run_table, judgments_of(pools_renamed), names).values
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)


def test_runs_scored_together_and_alone_have_the_same_values():
    judgments = make_strata(("1", "a", 1, 2), ("1", "b", 2, 1), ("1", "c", 2, -1), ("2", "a", 7, 1), ("2", "b", 7, 0))
    drawn = make_drawn(("1", "a", 2, 0.5), ("1", "b", 1, 0.1), ("2", "a", 1, 0.3), ("2", "b", 0, 1.0))
    runs = [
        make_run(("1", "c", 3.0), ("1", "b", 2.0), ("2", "b", 1.0), ("2", "a", 0.5)),
        make_run(("2", "a", 2.0), ("2", "x", 3.0)),
        make_run(("1", "a", 1.0), ("1", "b", 1.0), ("1", "c", 1.0)),
    ]
    for sample, names in ((judgments, STRATUM_MEASURES), (drawn, PROBABILITY_MEASURES)):
        together = [scores.values for scores in score_runs(runs, sample, names)]
        for run, values in zip(runs, together, strict=True):
            np.testing.assert_allclose(values, score_run(run, sample, names).values, rtol=0, atol=1e-12)


@given(stratified(), drawn_with_probabilities())
@examples(25)
def test_every_estimate_is_a_finite_number_from_0(stratified_case, drawn_case):
    for (collection, pools), make, names in (
        (stratified_case, make_strata, (*STRATUM_MEASURES, "xinfAP(judged_only=true)")),
        (drawn_case, make_drawn, (*PROBABILITY_MEASURES, "statAP(judged_only=true)")),
    ):
        lines = ((topic, docno, *pool[docno]) for topic, pool in pools.items() for docno in pool)
        values = score_run(collection.run_table, make(*lines), names).values
        assert np.isfinite(values).all()
        assert (values >= 0).all()


def test_an_empty_sample_of_a_stratum_is_an_error_of_the_estimates_only():
    """sample_eval.pl drops such a stratum silently, and with it every relevant document that it holds."""
    judgments = make_strata(("1", "a", 1, 1), ("2", "a", 1, 1), ("2", "b", 3, -1), ("2", "c", 3, -1), ("3", "d", 4, -2))
    run = make_run(("1", "a", 1.0), ("2", "a", 1.0), ("2", "b", 2.0))
    assert score_run(run, judgments, ["P@1", "AP"]).values[0].tolist() == [1.0, 0.0, 0.0]
    for name in STRATUM_MEASURES:
        with pytest.raises(
            JudgmentError, match=r"Topic 2, stratum 3: the sample is empty, .*\(2 in the qrels\)"
        ) as error:
            score_run(run, judgments, [name])
        assert "1 more" in str(error.value)
        assert "Judge a sample of every stratum" in str(error.value)


@pytest.mark.parametrize("name", STRATUM_MEASURES)
def test_estimates_from_strata_ask_for_strata(name):
    with pytest.raises(
        JudgmentError, match=r"no strata\. Give qrels of five columns: topic, 0, docno, stratum and grade"
    ):
        score_run(make_run(("1", "a", 1.0)), make_judgments(("1", "a", 1)), [name])


@pytest.mark.parametrize("name", PROBABILITY_MEASURES)
def test_estimates_from_probabilities_ask_for_probabilities(name):
    with pytest.raises(JudgmentError, match=r"no probabilities\. Give qrels of five columns: topic, 0, docno, grade"):
        score_run(make_run(("1", "a", 1.0)), make_judgments(("1", "a", 1)), [name])


@pytest.mark.parametrize("probability", [0.0, -0.5, 1.5, float("inf")])
def test_a_probability_that_is_none_is_named_with_its_document(probability):
    judgments = make_drawn(("1", "a", 1, 0.5), ("1", "b", 0, probability))
    with pytest.raises(JudgmentError, match="Topic 1: the probability of document b is"):
        score_run(make_run(("1", "a", 1.0)), judgments, ["statAP"])


@pytest.mark.parametrize(("column", "values"), [("stratum", [1, 2]), ("probability", [0.5, 0.25])])
def test_a_document_that_two_subtopics_put_into_two_samples_is_refused(column, values):
    table = pl.DataFrame([("1", "1", "a", 1), ("1", "2", "a", 0)], schema=JUDGMENTS_SCHEMA, orient="row")
    with pytest.raises(JudgmentError, match=f"document a has more than one {column}"):
        Judgments.from_table(table.with_columns(pl.Series(column, values)))
    same = Judgments.from_table(table.with_columns(pl.Series(column, values[:1] * 2)))
    assert getattr(same, column).tolist() == values[:1]
