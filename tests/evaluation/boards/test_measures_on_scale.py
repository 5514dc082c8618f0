import pytest

from campaign.setup.forms.task_form import MeasuresField
from campaign.setup.scale_cautions import scale_cautions, scale_remarks
from evaluation.boards.measures_on_scale import GradeScale, name_problems
from evaluation.boards.pool_fit import WHETHER_DEEPER, fits_pool, pool_cautions
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from pooling.core.preview.exactness import PoolReach


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("foo@10", "Unknown measure foo@10"),
        ("ncdg@10", "nDCG@10"),
        ("num_q", "counts the topics"),
        ("micro_P", "SetP instead of micro_P"),
        ("P", "P needs a rank cut-off"),
        ("RBP(q=1)", "takes p"),
    ],
)
def test_a_name_that_no_board_can_show_is_refused_with_what_is_meant(name: str, meant: str) -> None:
    [problem] = name_problems(["AP", name])
    assert problem.startswith(name) or name in problem
    assert meant in problem


def test_one_measure_under_two_names_is_refused() -> None:
    assert name_problems(["nDCG@10", "ndcg_cut_10", "AP", "AP"]) == [
        "nDCG@10 and ndcg_cut_10 are the same measure: leave one out.",
        "AP is named twice: leave one out.",
    ]


@pytest.mark.parametrize(
    "names",
    [["AP", "AP(rel=1)"], ["ERR@20", "ERR(max_rel=1)@20"], ["nDCG@10", "nDCG(gain=linear)@10"], ["RR", "RR(rel=3)"]],
)
def test_names_that_differ_by_what_the_scale_gives_are_two_measures(names: list[str]) -> None:
    """As on a scale from 0 to 3 with gains of its own, of which grades are relevant from 2."""
    scale = GradeScale({0: 0, 1: 1, 2: 3, 3: 10}, lowest_relevant=2)
    assert len({scale.measure(name).name for name in names}) == 2
    assert name_problems(names, lowest_relevant=2) == []


def test_two_names_that_are_one_measure_by_the_lowest_relevant_grade_are_refused() -> None:
    said = "AP and AP(rel=2) are the same measure: leave one out."
    assert name_problems(["AP", "AP(rel=2)"], lowest_relevant=2) == [said]
    assert name_problems(["AP", "AP(rel=2)"], lowest_relevant=1) == []


def test_every_name_that_is_listed_is_read_from_the_form_as_one_word() -> None:
    names = [definition.example for definition in known_measures()]
    names += ["iprec_at_recall_0.00", "RBP(p=0.8,rel=2)", "nDCG(gain={0: 0, 1: 3})@10", "RBP (p=0.8)", "nDCG @ 10"]
    assert MeasuresField().clean(", ".join(names)) == names
    assert MeasuresField().clean("\n".join(names)) == names


def test_a_task_gives_its_measures_the_lowest_relevant_and_the_highest_grade() -> None:
    scale = GradeScale({0: 0, 1: 1, 2: 3, 3: 7}, lowest_relevant=2)
    names = ["P@5", "nDCG", "NERR8@10", "RBP", "num_rel", "Judged@10", "StRecall@10", "xinfAP", "statAP", "infNDCG"]
    assert [scale.measure(name).name for name in names] == [
        *("P(rel=2)@5", "nDCG(gain=exponential)", "NERR8(max_rel=3)@10"),
        *("RBP(rel=2)", "num_rel(rel=2)", "Judged@10", "StRecall@10"),
        *("xinfAP(rel=2)", "statAP(rel=2)", "infNDCG(gain=exponential)"),
    ]


def test_a_grade_that_is_relevant_without_a_gain_is_said_and_one_with_a_gain_that_is_not() -> None:
    scale = [{"value": 0, "label": "no"}, {"value": 1, "label": "some", "gain": 0.0}, {"value": 2, "label": "all"}]
    assert "Grade 1 counts as relevant" in scale_cautions(scale, 1)[0]  # type: ignore[arg-type]
    assert scale_cautions(scale, 2) == []  # type: ignore[arg-type]
    scale[1]["gain"] = 1.0
    assert "Grade 1 has a gain" in scale_remarks(scale, 2)[0]  # type: ignore[arg-type]


def test_what_takes_a_sample_for_a_whole_pool_is_named_and_what_estimates_from_it_is_not() -> None:
    names = ["AP", "P@10", "P@20", "nDCG@10", "xinfAP", "infNDCG", "Judged@20"]
    [said] = pool_cautions([parse_measure(name) for name in names], PoolReach(10, "stratum"))
    assert said.startswith(
        "AP, P@20, nDCG@10: the pool is a sample, and documents that were not drawn count as not relevant."
    )
    assert said.endswith("Estimates from the sample: xinfAP, infNDCG and infP.")
    assert not pool_cautions([parse_measure("statAP")], PoolReach(0, "probability"), remedies=False)


def test_what_needs_all_relevant_documents_or_deeper_ranks_does_not_fit_a_pool_of_depth_10() -> None:
    names = ["AP", "R@100", "bpref", "nDCG@10", "P@10", "P@20", "RR@10", "ERR@10", "Judged@20", "num_ret"]
    fit = [name for name in names if fits_pool(parse_measure(name), PoolReach(10))]
    assert fit == ["P@10", "RR@10", "ERR@10", "Judged@20", "num_ret"]
    said = pool_cautions([parse_measure(name) for name in names], PoolReach(10))
    assert said[0].startswith("AP, R@100, bpref, nDCG@10: measured against all relevant documents")
    assert said[1].startswith("P@20: documents after rank 10 count")


@pytest.mark.parametrize("depth", [10, 100, 1000])
def test_no_depth_makes_recall_fit_and_what_the_judged_pool_found_is_named_as_evidence(depth: int) -> None:
    [said] = pool_cautions([parse_measure(name) for name in ("AP", "R@10", "P@10")], PoolReach(depth))
    assert said.startswith("AP, R@10: measured against all relevant documents of a topic, of which a pool of depth")
    assert said.endswith(WHETHER_DEEPER)
    assert "last part still brings" in WHETHER_DEEPER


def test_estimators_fit_the_pools_that_are_sampled_as_they_read_them() -> None:
    measures = [parse_measure(name) for name in ("xinfAP", "infNDCG", "statAP", "P@10", "AP")]
    fits = {
        sampling: [measure.name for measure in measures if fits_pool(measure, PoolReach(10, sampling))]
        for sampling in ("", "stratum", "probability")
    }
    assert fits == {"": ["P@10"], "stratum": ["xinfAP", "infNDCG", "P@10"], "probability": ["statAP", "P@10"]}
    [recall, estimator] = pool_cautions(measures, PoolReach(10, "stratum"))
    assert recall.startswith("AP: the pool is a sample, and documents that were not drawn count as not relevant.")
    assert recall.endswith("Estimates from the sample: xinfAP, infNDCG and infP.")
    assert estimator.startswith("statAP: estimated from a sample with inclusion probabilities, which this pool is not.")


def test_where_no_rank_is_judged_whole_every_cutoff_is_too_deep() -> None:
    [said] = pool_cautions([parse_measure("P@1")], PoolReach(0), remedies=False)
    assert said.startswith("P@1: documents that are not in the pool count as not relevant")
    assert not said.endswith("every run.")
