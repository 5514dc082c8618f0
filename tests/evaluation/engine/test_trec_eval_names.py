import pytest

from evaluation.engine.measures.names.trec_eval import read_trec_eval_names
from evaluation.engine.measures.parameters import MeasureNameError

OFFICIAL = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"]
ALL_OF_9 = {
    *OFFICIAL,
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "utility", "11pt_avg", "ndcg", "relative_P"),
    *("Rprec_mult", "success", "map_cut", "ndcg_cut", "ndcg_rel", "Rndcg", "binG", "G", "set_P", "set_recall"),
    *("set_relative_P", "set_map", "set_F", "num_nonrel_judged_ret"),
}
WITH_VALUES = {"iprec_at_recall", "P", "recall", "relative_P", "Rprec_mult", "success", "map_cut", "ndcg_cut", "unj"}


def read(*asked, defaults=None, reference="9", judgment_groups=False):
    return read_trec_eval_names(asked, defaults or {}, reference=reference, judgment_groups=judgment_groups)


def names(*asked, **options):
    return [measure.name for measure in read(*asked, **options)]


def canonical(*asked, **options):
    return {measure.name: str(measure.measure) for measure in read(*asked, **options)}


def roots(printed):
    return {next((root for root in WITH_VALUES if name.startswith(root + "_")), name) for name in printed}


def test_nothing_asked_is_the_tools_official_list():
    levels = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
    cutoffs = [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert names() == names("official") == [*OFFICIAL, *levels, *cutoffs]


def test_nothing_asked_over_judgment_groups_is_what_is_averaged_over_them():
    printed = names(judgment_groups=True)
    assert printed == names("qrels_jg", judgment_groups=True)
    assert printed[:4] == ["runid", "num_q", "map_avgjg", "P_avgjg_5"]
    assert printed[-1] == "Rprec_mult_avgjg_2.00"


def test_all_trec_has_the_34_names_of_release_9():
    assert len(ALL_OF_9) == 34
    assert roots(names("all_trec")) == ALL_OF_9


def test_all_trec_of_release_10_has_two_more_and_leaves_out_rbp_which_is_undefined_there():
    assert roots(names("all_trec", reference="10")) == ALL_OF_9 | {"rbp_resid", "unj"}


def test_the_order_is_the_tools_whatever_the_order_asked():
    assert names("unj.5", "set_F", "ndcg", "P.3", "map", "runid") == ["runid", "map", "P_3", "ndcg", "set_F", "unj_5"]
    printed = names("all_trec")
    assert printed.index("recall_5") < printed.index("infAP") < printed.index("gm_bpref")
    assert printed.index("gm_bpref") < printed.index("Rprec_mult_0.20") < printed.index("utility")
    assert printed[-1] == "num_nonrel_judged_ret"


def test_the_parameters_of_a_name_are_ascending():
    assert names("P.50,3,10") == ["P_3", "P_10", "P_50"]
    assert names("iprec_at_recall.1,.05,0") == ["iprec_at_recall_0.00", "iprec_at_recall_0.05", "iprec_at_recall_1.00"]


def test_parameters_replace_the_usual_ones_also_where_a_nickname_asks_for_the_name():
    assert [name for name in names("official", "P.3") if name.startswith("P_")] == ["P_3"]
    assert [name for name in names("P.3", "official", "P") if name.startswith("P_")] == ["P_3"]


def test_a_name_asked_twice_with_different_parameters_gets_all_of_them():
    assert names("P.5", "P.3,5") == ["P_3", "P_5"]
    assert names("ndcg.1=2", "ndcg.1=3", "ndcg.1=2") == ["ndcg_1=2", "ndcg_1=3"]


def test_a_name_asked_twice_is_printed_once():
    assert names("map", "map") == ["map"]
    assert names("AP", "AP") == ["AP"]


@pytest.mark.parametrize(
    ("asked", "printed", "measure"),
    [
        ("num_ret", "num_ret", "num_ret"),
        ("map", "map", "AP"),
        ("map_cut.7", "map_cut_7", "AP@7"),
        ("gm_map", "gm_map", "GMAP"),
        ("recip_rank", "recip_rank", "RR"),
        ("P.5", "P_5", "P@5"),
        ("P.+05", "P_5", "P@5"),
        ("recall.10", "recall_10", "R@10"),
        ("ndcg", "ndcg", "nDCG"),
        ("ndcg_cut.10", "ndcg_cut_10", "nDCG@10"),
        ("ndcg.1=1,2=3,3=7", "ndcg_1=1,2=3,3=7", "nDCG(gain=1:1;2:3;3:7)"),
        ("ndcg.2=.5", "ndcg_2=.5", "nDCG(gain=2:0.5)"),
        ("bpref", "bpref", "bpref"),
        ("Rprec_mult.1.2", "Rprec_mult_1.20", "Rprec(mult=1.2)"),
        ("iprec_at_recall.0.105", "iprec_at_recall_0.10", "IPrec@0.105"),
        ("set_P", "set_P", "SetP"),
        ("set_recall", "set_recall", "SetR"),
        ("set_map", "set_map", "SetAP"),
        ("set_F.0.5", "set_F_0.5", "set_F(x=0.5)"),
        ("utility.2,-1,-.5,0", "utility_2,-1,-.5,0", "utility(a=2.0,c=-0.5)"),
        ("11pt_avg", "11pt_avg", "AP11"),
        ("11pt_avg.0.5,.25", "11pt_avg_0.5,.25", "AP11(recalls=0.25;0.5)"),
        ("success.3", "success_3", "Success@3"),
        ("unj.20", "unj_20", "unj@20"),
        ("rbp_resid.p=0.5", "rbp_resid_p=0.5", "rbp_resid(p=0.5)"),
        ("G.1=5", "G_1=5", "G(gain=1:5)"),
    ],
)
def test_the_tools_names_are_printed_as_the_tool_does_and_mean_a_measure(asked, printed, measure):
    assert canonical(asked) == {printed: measure}


def test_names_as_the_tool_prints_them_are_read_too():
    assert names("P_5", "P_10", "ndcg_cut_10", "iprec_at_recall_0.10", "Rprec_mult_1.20", "set_F_0.5", "ndcg_1=2") == [
        *("iprec_at_recall_0.10", "P_5", "P_10", "Rprec_mult_1.20", "ndcg_1=2", "ndcg_cut_10", "set_F_0.5"),
    ]


def test_canonical_names_follow_in_the_order_asked_and_are_printed_as_written():
    asked = ("nDCG(gain=exponential)@10", "P@5", "MAP", "AP( rel = 2 )")
    assert names(*asked, "P.5", "map") == ["map", "P_5", "nDCG(gain=exponential)@10", "P@5", "MAP", "AP(rel=2)"]
    assert canonical("MAP", "AP( rel = 2 )") == {"MAP": "AP", "AP(rel=2)": "AP(rel=2)"}


def test_an_underscore_begins_the_parameters_only_before_a_number():
    asked = ("P_IA@10", "P_IA(rel=2)@5", "ndcg_rel(gain=1:2)", "nDCG(gains={1:2,2:0.5})@5")
    assert canonical(*asked) == {
        "P_IA@10": "P-IA@10",
        "P_IA(rel=2)@5": "P-IA(rel=2)@5",
        "ndcg_rel(gain=1:2)": "ndcg_rel(gain=1:2)",
        "nDCG(gains={1:2,2:0.5})@5": "nDCG(gain=1:2;2:0.5)@5",
    }
    over_groups = ("P_avgjg@5", "Rprec_mult_avgjg(mult=0.5)")
    assert names(*over_groups, judgment_groups=True) == list(over_groups)


def test_the_number_of_queries_of_ir_measures_is_that_of_the_tool():
    assert read("NumQ") == read("num_q")


def test_the_discounted_cumulative_gain_of_the_tool_is_that_of_the_field():
    assert canonical("dcg", "DCG@5") == {"dcg": "DCG", "DCG@5": "DCG@5"}
    assert canonical("dcg.1=2") == {"dcg_1=2": "DCG(gain=1:2)"}


def test_the_relevance_level_and_the_collection_size_reach_the_measures_that_have_them():
    level = {"rel": 2, "N": 500}
    assert canonical("map", "P.5", "ndcg", "num_rel", "AP", "AP(rel=3)", defaults=level) == {
        "num_rel": "num_rel(rel=2)",
        "map": "AP(rel=2)",
        "P_5": "P(rel=2)@5",
        "ndcg": "nDCG",
        "AP": "AP(rel=2)",
        "AP(rel=3)": "AP(rel=3)",
    }
    assert canonical("utility", defaults=level) == {"utility": "utility(rel=2,N=500)"}


def test_what_is_no_number_of_a_topic_has_no_measure():
    runid, num_q, relstring = read("runid", "num_q", "relstring")
    assert (runid.measure, runid.shown, runid.form) == (None, "summary", "text")
    assert (num_q.measure, num_q.shown, num_q.form) == (None, "summary", "count")
    assert (relstring.measure, relstring.shown, relstring.form, relstring.length) == (None, "topic", "text", 10)
    assert [(measure.name, measure.length) for measure in read("relstring.20")] == [("relstring_20", 20)]


def test_the_summary_alone_shows_geometric_means_and_counts_are_whole():
    shown = {measure.name: (measure.shown, measure.form) for measure in read("all_trec", "GMAP", "AP", "NumRet")}
    assert {name for name, (where, _) in shown.items() if where == "summary"} == {
        *("runid", "num_q", "gm_map", "gm_bpref", "GMAP"),
    }
    assert {name for name, (_, form) in shown.items() if form == "count"} == {
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "NumRet"),
    }


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("P.5,5", "P.5,5: a value is given twice. Write P.5."),
        ("P.10,5,010", "P.10,5,010: a value is given twice. Write P.10,5."),
        ("iprec_at_recall.0.5,.50", "a value is given twice. Write iprec_at_recall.0.5."),
        ("ndcg.1=2,1=3", "a value is given twice. Write ndcg.1=2."),
        ("P.0", "P.0: a cut-off is a whole number from 1. Write P.5,10, for example."),
        ("P.-5", "a cut-off is a whole number from 1"),
        ("P.5x", "a cut-off is a whole number from 1"),
        ("P.", "P.: a cut-off is a whole number from 1"),
        ("P_0", "a cut-off is a whole number from 1"),
        ("P.5,", "a cut-off is a whole number from 1"),
        ("Rprec_mult.-1", "expected numbers from 0. Write Rprec_mult.0.25,0.5, for example."),
        ("iprec_at_recall.nan", "expected numbers from 0"),
        ("relstring.0", "expected the number of documents, from 1. Write relstring.20, for example."),
        ("ndcg.5", "expected a gain for each grade. Write ndcg.1=3.5,2=9, for example."),
        ("ndcg.-1=2", "expected a gain for each grade"),
        ("ndcg.1=high", "expected a gain for each grade"),
        ("utility.1,2", "expected four numbers"),
        ("set_F.2,3", "expected one number from 0. Write set_F.0.5, for example."),
        ("set_F.-1", "set_F.-1: set_F(x=-1): x=-1: expected a number from 0"),
        ("rbp_resid.0.5", "Write rbp_resid.p=0.9, for example."),
        ("rbp_resid.p=2", "rbp_resid.p=2: "),
        ("map.5", "map.5: map takes no parameters. Write map."),
        ("official.5", "official takes no parameters. Write official."),
        ("rbp", "Release 10.0 computes rbp from memory that it never sets"),
        ("prefs", "Preference judgments are not read here"),
        ("prefs_simp", "Preference judgments are not read here"),
        ("sucess", "Near names of trec_eval: success."),
        ("oficial", "Near names of trec_eval: official."),
        ("qqqqqq", "Unknown measure qqqqqq. Write AP, nDCG@10, P@10"),
        ("sucess@5", "Unknown measure sucess@5. Near names: Success@5. Near names of trec_eval: success."),
        ("recall@0", "recall@0: k=0: expected a whole number from 1."),
    ],
)
def test_a_name_that_cannot_be_read_says_what_to_write(asked, message):
    with pytest.raises(MeasureNameError) as problem:
        read("map", asked)
    assert message in str(problem.value)


@pytest.mark.parametrize("asked", ["map", "relstring", "AP", "official"])
def test_over_judgment_groups_only_their_averages_are_given(asked):
    with pytest.raises(MeasureNameError, match="Leave -R qrels_jg out, or write map_avgjg, P_avgjg, Rprec_mult_avgjg"):
        read("map_avgjg", asked, judgment_groups=True)


@pytest.mark.parametrize("asked", ["map_avgjg", "P_avgjg.3", "qrels_jg"])
def test_averages_over_judgment_groups_need_them(asked):
    with pytest.raises(MeasureNameError, match="is averaged over judgment groups: add -R qrels_jg"):
        read(asked)
