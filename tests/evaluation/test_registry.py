from dataclasses import replace

import numpy as np
import pytest

from evaluation.measures.declaration import MeasureNameError
from evaluation.measures.registry import known_measures, parse_measure
from evaluation.ranking import rank_run
from tests.evaluation.collections_for_tests import make_judgments, make_run


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("AP", "AP"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("nDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("nDCG(gain=linear)@10", "nDCG@10"),
        ("nDCG(gain=exponential)@10", "nDCG(gain=exponential)@10"),
        ("P_10", "P@10"),
        ("recip_rank", "RR"),
        ("MRR@10", "RR@10"),
        ("recall_100", "R@100"),
        (" AP( rel = 2 ) ", "AP(rel=2)"),
        ("alpha-nDCG@10", "alpha-nDCG@10"),
        ("alpha_nDCG(alpha=0.9, rel=2)@20", "alpha-nDCG(alpha=0.9,rel=2)@20"),
        ("Judged@10", "Judged@10"),
        ("NumRet", "num_ret"),
        ("nDCG(judged_only=true)@10", "nDCG(judged_only=true)@10"),
        ("nDCG(judged_only=false)@10", "nDCG@10"),
    ],
)
def test_names_and_aliases_are_read_into_canonical_names(written, canonical):
    measure = parse_measure(written)
    assert measure.name == str(measure) == canonical
    assert parse_measure(measure.name) == measure


def test_a_relevance_level_holds_where_the_measure_has_one_and_the_name_sets_none():
    assert parse_measure("P@10", defaults={"rel": 2}).name == "P(rel=2)@10"
    assert parse_measure("P(rel=3)@10", defaults={"rel": 2}).name == "P(rel=3)@10"
    assert parse_measure("nDCG@10", defaults={"rel": 2}).name == "nDCG@10"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("nDGC@10", "Unknown measure nDGC@10. Near names: nDCG@10"),
        ("presicion@5", "Near names: P@5"),
        ("qqqqqq", "Known measures: AP, P, R"),
        ("", "Known measures"),
        ("P", "P needs a rank cut-off: write P@10"),
        ("P@0", "P@0: k=0: expected a whole number from 1"),
        ("P@", "expected a whole number"),
        ("P@1.5", "expected a whole number"),
        ("bpref@10", "bpref takes rel and judged_only, not k"),
        ("num_ret(rel=2)", "num_ret takes no parameters, not rel"),
        ("AP(rel=-1)", "expected a whole number from 0"),
        ("AP(2)", "write each parameter as name=value, not 2"),
        ("nDCG(gain=cubic)", "expected linear or exponential or gains of grades"),
        ("alpha-nDCG(alpha=1.5)@10", "expected a number from 0 to 1"),
        ("AP(judged_only=yes)", "judged_only=yes: expected true or false"),
        ("alpha-nDCG(alpha=nan)@10", "expected a number from 0 to 1"),
    ],
)
def test_a_name_that_cannot_be_read_is_answered_with_what_to_write(written, message):
    with pytest.raises(MeasureNameError) as problem:
        parse_measure(written)
    assert message in str(problem.value)


def test_every_measure_declares_itself_fully_and_its_names_are_its_own():
    names = [name for definition in known_measures() for name in (definition.name, *definition.aliases)]
    assert len(names) == len(set(names))
    for definition in known_measures():
        assert definition.description.endswith("."), definition.name
        assert definition.source
        assert definition.range[0] < definition.range[1]


def test_every_measure_computes_one_float_for_each_topic():
    judgments = make_judgments(("1", "a", 1), ("2", "b", 1))
    sampled = replace(judgments, stratum=np.array([1, 1]), probability=np.array([1.0, 0.5]))
    ranked = rank_run(make_run(("1", "a", 1.0)), sampled)
    for definition in known_measures():
        measure = parse_measure(definition.example)
        values = measure.compute(ranked)
        assert values.shape == (2,)
        assert values.dtype == float
