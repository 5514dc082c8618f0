"""Measures averaged over judgment groups: each group judges alone, as one of several assessors does."""

import numpy as np
import pytest
import pytrec_eval_ext
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_ranked, score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE_WITH_SUBTOPICS, compares_with
from tests.evaluation.engine.random_collections import Collection, collections, make_run, make_subtopic_judgments

CUTOFFS = [1, 2, 3, 10, 100]
MULTIPLES = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]
ASKED = {"map", f"P.{','.join(map(str, CUTOFFS))}", f"Rprec_mult.{','.join(map(str, MULTIPLES))}"}
# What the tool calls the measure of one group, and the mean over groups.
OF_GROUP = {
    "map": "map_avgjg",
    **{f"P_{k}": f"P_avgjg_{k}" for k in CUTOFFS},
    **{f"Rprec_mult_{multiple:.2f}": f"Rprec_mult_avgjg_{multiple:.2f}" for multiple in MULTIPLES},
}
BLANK = "\N{SYMBOL FOR SPACE}"


def mean_over_groups(collection: Collection, level: int, judged_only: bool) -> dict[str, dict[str, float]]:
    """Every judgment group is given to release 9.0.8 as a topic of its own.

    A group without any grade from 0 is kept from it, since it then reads memory it never wrote, and counts 0.
    """
    run, qrels = {}, {}
    for topic, docs in collection.qrels.items():
        for group in {group for grades in docs.values() for group in grades}:
            if topic in collection.run:
                run[topic + BLANK + group] = collection.run[topic]
            qrels[topic + BLANK + group] = {docno: grades[group] for docno, grades in docs.items() if group in grades}
    known = {topic: docs for topic, docs in qrels.items() if max(docs.values()) >= 0}
    found = {}
    if run and known:
        found = pytrec_eval_ext.RelevanceEvaluator(
            query_relevance=known, measures=ASKED, relevance_level=level, judged_docs_only_flag=judged_only
        ).evaluate(run)
    means = {}
    for topic in collection.qrels:
        groups = [name for name in qrels if name.split(BLANK)[0] == topic]
        means[topic] = {
            mean: sum(found.get(group, {}).get(name, 0.0) for group in groups) / len(groups)
            for name, mean in OF_GROUP.items()
        }
    return means


@given(collections(subtopics=["1", "2", "b", "10"]), st.sampled_from([1, 1, 2]), st.booleans(), st.booleans())
@examples(50)
@compares_with("trec_eval", EXAMPLE_WITH_SUBTOPICS, 1, False, False)
def test_a_mean_over_judgment_groups_is_the_mean_of_the_groups_own_values(collection, level, judged_only, by_name):
    """Unjudged documents are taken out either by the measure's parameter or from the run: both mean the same."""
    expected = mean_over_groups(collection, level, judged_only)
    defaults = {"rel": level, "judged_only": judged_only and by_name}
    measures = [parse_measure(name, defaults=defaults) for name in OF_GROUP.values()]
    ranked = rank_run(collection.run_table, collection.judgments)
    [scores] = score_ranked([ranked], measures, lambda run: run.judged_only() if judged_only else run)
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(OF_GROUP.values()):
            assert scores.values[row, column] == pytest.approx(expected[topic][name], abs=1e-9, rel=0), (name, topic)


JUDGMENTS = make_subtopic_judgments(
    *(("1", "x", "a", 1), ("1", "x", "b", 0), ("1", "x", "c", 2), ("1", "y", "a", 0), ("1", "y", "d", 1)),
    *(("1", "z", "b", 0), ("1", "z", "e", -1), ("2", "x", "a", -1), ("2", "y", "a", 1)),
)
RUN = make_run(
    *(("1", "b", 6.0), ("1", "a", 5.0), ("1", "q", 4.0), ("1", "d", 3.0), ("1", "e", 2.0), ("1", "c", 1.0)),
    *(("2", "q", 2.0), ("2", "a", 1.0)),
)


NAMES = [
    *("map_avgjg", "P_avgjg_1", "P_avgjg_2", "P_avgjg_3"),
    *("Rprec_mult_avgjg_0.5", "Rprec_mult_avgjg", "Rprec_mult_avgjg_2"),
]


@pytest.mark.parametrize(
    ("judged_only", "topic_1", "topic_2"),
    [
        (False, [0.2222, 0, 0.1667, 0.1111, 0, 0.1667, 0.0833], [0.25, 0, 0.25, 0.1667, 0, 0, 0.25]),
        (True, [0.3611, 0, 0.3333, 0.3333, 0, 0.1667, 0.3333], [0.5, 0.5, 0.25, 0.1667, 0.5, 0.5, 0.25]),
    ],
)
def test_the_values_are_those_that_release_9_0_4_prints(judged_only, topic_1, topic_2):
    """Group z has no relevant document and counts 0; what x judged and y did not is unjudged for y."""
    measures = [parse_measure(name, defaults={"judged_only": judged_only}) for name in NAMES]
    values = score_run(RUN, JUDGMENTS, measures).values
    np.testing.assert_allclose(values[:, 0], topic_1, atol=0.5e-4, rtol=0)
    np.testing.assert_allclose(values[:, 1], topic_2, atol=0.5e-4, rtol=0)


def test_a_topic_that_the_run_misses_counts_zero():
    values = score_run(make_run(("2", "a", 1.0)), JUDGMENTS, NAMES).values
    assert not values[:, 0].any()
    assert values[0, 1] == 0.5


def test_with_one_judgment_group_only_the_values_are_those_of_the_plain_measures():
    judgments = make_subtopic_judgments(
        *(("1", "0", docno, grade) for docno, grade in {"a": 1, "b": 0, "c": 2, "d": 1}.items())
    )
    names = ["map_avgjg", "AP", "P_avgjg_2", "P@2", "Rprec_mult_avgjg_0.5", "Rprec(mult=0.5)"]
    values = score_run(RUN, judgments, names).values[:, 0]
    assert values[::2].tolist() == values[1::2].tolist()
