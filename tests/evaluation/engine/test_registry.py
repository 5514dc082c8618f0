import re
from contextlib import suppress
from dataclasses import replace
from time import process_time

import ir_measures
import numpy as np
import pytest

from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.measures.parameters import LARGEST_WHOLE, MeasureNameError
from evaluation.engine.ranking import rank_run
from tests.evaluation.engine.random_collections import make_judgments, make_run, make_subtopic_judgments


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
        ("AP (rel=2)", "AP(rel=2)"),
        ("nDCG (gain=exponential) @ 10", "nDCG(gain=exponential)@10"),
        ("AP()", "AP"),
        ("dcg", "DCG"),
        ("ERR(max_grade=3)@20", "ERR(max_rel=3)@20"),
        ("nERR(max_grade=4)", "nERR"),
        ("SDCG(max_grade=2)@5", "SDCG(max_rel=2)@5"),
    ],
)
def test_names_and_aliases_are_read_into_canonical_names(written, canonical):
    measure = parse_measure(written)
    assert measure.name == str(measure) == canonical
    assert parse_measure(measure.name) == measure


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nDCG(judged_only=True)@10", "nDCG(judged_only=true)@10"),
        ("nDCG(judged_only=False)@10", "nDCG@10"),
        ("nDCG(gain='exponential')@20", "nDCG(gain=exponential)@20"),
        ("nDCG(dcg='exp-log2')@20", "nDCG(gain=exponential)@20"),
        ('nDCG(dcg="exp-log2", judged_only=True) @ 20', "nDCG(gain=exponential,judged_only=true)@20"),
        ("nDCG(dcg='log2')@20", "nDCG@20"),
        ("DCG(dcg=exp-log2)@20", "DCG(gain=exponential)@20"),
        ("SDCG(dcg='log2',min_rel=0,max_rel=3)@10", "SDCG(max_rel=3)@10"),
        ("BPM(min_rel=0, max_rel=3, T=2.0)@10", "BPM(T=2.0,max_rel=3)@10"),
        ("nDCG(gains={0: 0, 1: 1, 2: 3}, judged_only=True)@10", "nDCG(gain=0:0;1:1;2:3,judged_only=true)@10"),
        ("nDCG(gains={1:2.5})", "nDCG(gain=1:2.5)"),
        ("nDCG(cutoff=10)", "nDCG@10"),
        ("P(cutoff=10,rel=2)", "P(rel=2)@10"),
        ("IPrec(recall=0.1)", "IPrec@0.1"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(rel=2, relative=true)", "SetRelP(rel=2)"),
        ("SetP(relative=False)", "SetP"),
        ("NumRet", "num_ret"),
        ("NumRet(rel=1)", "num_rel_ret"),
        ("NumRet(rel=2)", "num_rel_ret(rel=2)"),
        ("BPref", "bpref"),
        ("α_nDCG@10", "alpha-nDCG@10"),
        ("α_DCG(alpha=0.3)@10", "alpha-DCG(alpha=0.3)@10"),
    ],
)
def test_the_spellings_of_ir_measures_are_read(written, canonical):
    assert parse_measure(written).name == canonical


def test_every_name_that_ir_measures_knows_is_read_but_the_number_of_queries():
    read = {"NumQ"}
    for name in ir_measures.measures.registry:
        for at in ("", "@10", "(max_rel=3)", "(max_rel=3)@10", "@0.5"):
            with suppress(MeasureNameError):
                parse_measure(name + at)
                read.add(name)
    assert read >= set(ir_measures.measures.registry)


def test_a_spelling_of_the_gains_is_not_overridden_by_a_default():
    assert parse_measure("nDCG(dcg='log2')@5", defaults={"gain": "exponential"}).name == "nDCG@5"
    assert parse_measure("nDCG(gains={1:3})@5", defaults={"gain": "exponential"}).name == "nDCG(gain=1:3)@5"
    assert parse_measure("nDCG@5", defaults={"gain": "exponential"}).name == "nDCG(gain=exponential)@5"
    assert parse_measure("NumRet", defaults={"rel": 2}).name == "num_ret"


def test_a_relevance_level_holds_where_the_measure_has_one_and_the_name_sets_none():
    assert parse_measure("P@10", defaults={"rel": 2}).name == "P(rel=2)@10"
    assert parse_measure("P(rel=3)@10", defaults={"rel": 2}).name == "P(rel=3)@10"
    assert parse_measure("nDCG@10", defaults={"rel": 2}).name == "nDCG@10"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("nDGC@10", "Unknown measure nDGC@10. Near names: nDCG@10"),
        ("presicion@5", "Near names: P@5"),
        ("AP(rel=2)x", "Unknown measure AP(rel=2)x. Near names: AP."),
        ("map(rel=2)(rel=1)", "Unknown measure map(rel=2)(rel=1). Near names: AP."),
        ("p(rel=2)x@5", "Near names: P@10."),
        ("bpreff@10", "Near names: bpref, gm_bpref"),
        ("", "The name of a measure is missing. Write AP, nDCG@10"),
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
        ("Q(beta=inf)", "beta=inf: expected a number from 0"),
        ("AP(rel=2,rel=1)", "AP(rel=2,rel=1): rel is given twice."),
        ("P(k=5)@10", "P(k=5)@10: k is given twice."),
        ("P(cutoff=5)@10", "P(cutoff=5)@10: k is given twice."),
        ("nDCG(gain=linear,dcg='exp-log2')", "gain is given twice."),
        ("SetP(relative=True,relative=False)", "relative is given twice."),
        ("SetP(relative=maybe)", "SetP(relative=maybe): relative=maybe: expected true or false."),
        ("num_ret(cutoff=2)", "num_ret takes no parameters, not cutoff"),
        ("nDCG(dcg='ln')", "dcg=ln: expected log2 or exp-log2."),
        ("SDCG(dcg='exp-log2',max_rel=2)@5", "not dcg."),
        ("SDCG(min_rel=1,max_rel=2)@5", "not min_rel."),
        ("nDCG(gains={0:0,1:1)", "write each parameter as name=value, not 1:1."),
        ("nDCG@5,10", "nDCG@5,10: one cut-off for each name: nDCG@5, nDCG@10."),
        ("P(rel=2)@5, 10", "one cut-off for each name: P(rel=2)@5, P(rel=2)@10."),
        ("IPrec@0.1,0.2", "one value after @ for each name: IPrec@0.1, IPrec@0.2."),
        ("P@" + "5," * 900 + "5", "P@5, P@5, and so on."),
        ("P@" + "5" * 3_000, "55…: a measure has at most 2,000 characters, this has 3,002."),
        ("P@5,", "k=5,: expected a whole number from 1"),
        ("RBP(p=.8", "RBP(p=.8: the closing parenthesis is missing."),
        ("RBP p=.8)", "RBP p=.8): the opening parenthesis is missing."),
        ("utility(a=1e13)", "a=1e13: expected a number."),
    ],
)
def test_a_name_that_cannot_be_read_is_answered_with_what_to_write(written, message):
    with pytest.raises(MeasureNameError) as problem:
        parse_measure(written)
    assert message in str(problem.value)


def test_the_answer_to_a_long_list_of_cut_offs_is_not_much_longer_than_the_list():
    """With the parameters before each of them, 40 kB became a sentence of 200 MB."""
    with pytest.raises(MeasureNameError) as problem:
        parse_measure("P(" + "x" * 900 + "=1)@" + "5," * 500 + "5")
    assert len(str(problem.value)) < 12_000


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("mrr", "RR"),
        ("mrr@10", "RR@10"),
        ("mAP", "AP"),
        ("mAP(rel=2)@5", "AP(rel=2)@5"),
        ("p@5", "P@5"),
        ("p", "P@10"),
        ("NDCG_CUT_20", "nDCG@20"),
        ("ndcg_cut@20", "nDCG@20"),
        ("hit@10", "Success@10"),
        ("Hits@10", "Success@10"),
        ("HR@5", "Success@5"),
        ("hit-rate", "Success@10"),
        ("F1", "SetF"),
        ("F(beta=2)", "SetF(beta=2)"),
        ("F-measure", "SetF"),
        ("P10", "P@10"),
        ("ndcg10", "nDCG@10"),
        ("NDCG-10", "nDCG@10"),
        ("Recall100", "R@100"),
        ("p10(rel=2)", "P(rel=2)@10"),
        ("HR10", "Success@10"),
        ("P0", "P@10"),
    ],
)
def test_what_differs_by_case_or_is_another_word_has_one_near_name_that_can_be_read(written, near):
    with pytest.raises(MeasureNameError) as problem:
        parse_measure(written)
    assert str(problem.value) == f"Unknown measure {written}. Near names: {near}."
    parse_measure(near)


def test_a_name_that_is_near_none_is_answered_with_a_handful_of_examples():
    with pytest.raises(MeasureNameError) as problem:
        parse_measure("qqqqqq")
    assert str(problem.value) == (
        "Unknown measure qqqqqq. Write AP, nDCG@10, P@10, RR, R@100, bpref, ERR@20 or RBP(p=0.8), for example; "
        "all of them are in the reference of measures."
    )
    for name in re.split(", | or ", str(problem.value).partition("Write ")[2].partition(", for example")[0]):
        parse_measure(name)


def test_names_that_differ_by_case_alone_are_names_of_one_measure():
    meant = {}
    for definition in known_measures():
        for name in (definition.name, *definition.aliases):
            assert meant.setdefault(name.lower(), definition.name) == definition.name


def test_bounds_that_nobody_reaches_are_not_told():
    expected = {p.expects for definition in known_measures() for p in definition.own_parameters}
    assert {"expected a number", "expected a number from 0", "expected a whole number from 0"} <= expected
    assert not any("e+" in text for text in expected)


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


def test_every_cut_off_that_is_read_can_be_computed_however_large():
    judgments = make_subtopic_judgments(("1", "1", "a", 1), ("1", "2", "a", 1), ("1", "2", "b", 0), ("2", "1", "b", 1))
    ranked = rank_run(make_run(("1", "a", 2.0), ("1", "x", 1.0)), judgments)
    with_cutoff = [definition for definition in known_measures() if definition.after_at == "k" and not definition.needs]
    assert len(with_cutoff) > 30
    for definition in with_cutoff:
        highest = int(definition.parameter("k").maximum or LARGEST_WHOLE)
        example = definition.example.partition("@")[0]
        low, high = definition.range
        values = parse_measure(f"{example}@{highest}").compute(ranked)
        assert ((low <= values) & (values <= high)).all(), definition.name
        with pytest.raises(MeasureNameError, match="expected a whole number from 1"):
            parse_measure(f"{example}@{highest + 1}")


@pytest.mark.parametrize("name", ["DCG(base=1.00000000000000000001)", "DCG(base=1)", f"nDCG(gain=1:{'9' * 320})"])
def test_a_number_that_no_double_can_hold_apart_or_at_all_is_refused(name):
    with pytest.raises(MeasureNameError, match="expected"):
        parse_measure(name)


def test_a_family_that_gives_one_value_for_all_cutoffs_is_an_error_and_no_wrong_number():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 1))
    ranked = rank_run(make_run(("1", "a", 2.0), ("2", "b", 1.0)), judgments)
    precision = parse_measure("P@5").definition
    broken = replace(precision, compute=lambda ranked, **parameters: precision.compute(ranked, **parameters)[0])
    with pytest.raises(ValueError, match=r"P gives \(2,\), not \(n_values, n_groups\)"):
        replace(parse_measure("P@5"), definition=broken).compute(ranked)


def test_a_name_of_many_blanks_is_refused_at_once() -> None:
    """By the processor's time; divided in every way, 2,000 blanks took 40 seconds, and a task takes 10,000 characters."""
    for name in ("a" + " " * 9_000 + "(", "a" + " " * 9_000 + "(x)(y)", " " * 9_000 + "a)"):
        began = process_time()
        with pytest.raises(MeasureNameError):
            parse_measure(name)
        assert process_time() - began < 2


def test_a_name_of_many_commas_is_refused_at_once() -> None:
    """By the processor's time; where each comma looked for the next brace, 100,000 took minutes."""
    for name in (f"nDCG({',' * 100_000})", f"nDCG(gain={{{',' * 100_000})", f"nDCG({',x' * 50_000}}})"):
        began = process_time()
        with pytest.raises(MeasureNameError):
            parse_measure(name + "@x")
        assert process_time() - began < 2
