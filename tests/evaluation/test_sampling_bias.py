"""Estimates through the whole chain, from the draw to the engine: what is unbiased is so, and how the others err."""

import pytest

from benchmarks.estimation_errors import ESTIMATES, RELEVANT, Row
from benchmarks.made_up_collections import EIGHT_RUNS, FURTHER, SINGLE_RUNS
from benchmarks.sampling_bias import measure_bias
from tests.places import REPOSITORY

SEEDS = 12


@pytest.fixture(scope="module")
def measured() -> dict[tuple[int, str], Row]:
    return {
        (row.relevant, row.measure): row
        for relevant in RELEVANT[::2]
        for row in measure_bias(EIGHT_RUNS, relevant, SEEDS)
    }


@pytest.mark.parametrize("relevant", RELEVANT[::2])
def test_a_total_is_estimated_without_bias(measured: dict[tuple[int, str], Row], relevant: int) -> None:
    bias, margin = measured[relevant, "statP@10"].bias
    assert abs(bias) < 2 * margin


def test_ratios_are_biased_where_few_documents_are_relevant_and_hardly_where_many_are(
    measured: dict[tuple[int, str], Row],
) -> None:
    few, many = measured[5, "xinfAP"], measured[80, "xinfAP"]
    assert few.bias[0] > few.bias[1], "too high at R = 5"
    assert few.bias[0] / few.truth > 3 * abs(many.bias[0]) / many.truth
    assert measured[5, "infAP"].bias_with_relevant[0] > measured[5, "infAP"].bias[0]


def test_at_the_same_cost_strata_estimate_better_than_a_uniform_sample(
    measured: dict[tuple[int, str], Row],
) -> None:
    for relevant in RELEVANT[::2]:
        infap, xinfap = measured[relevant, "infAP"], measured[relevant, "xinfAP"]
        assert xinfap.root_mean_square < infap.root_mean_square
        assert infap.judged == pytest.approx(xinfap.judged, rel=0.05)


def test_of_one_run_alone_the_estimate_is_much_higher_because_it_divides_by_an_estimate() -> None:
    [xinfap, *_] = measure_bias(SINGLE_RUNS[1], 5, 30)
    assert xinfap.bias[0] - xinfap.bias[1] > 0.08
    assert xinfap.bias_undivided is not None
    assert abs(xinfap.bias_undivided[0]) < 0.03


def test_the_page_has_a_row_for_each_estimator_number_of_relevant_documents_and_setting() -> None:
    page = (REPOSITORY / "docs" / "reference" / "sampling-bias.md").read_text(encoding="utf-8")
    for relevant in RELEVANT:
        for measure in ESTIMATES:
            assert f"\n| {relevant} | {measure} | " in page
    for setting in (EIGHT_RUNS, *SINGLE_RUNS):
        assert f"\n## {setting.words}, rates `{setting.strata}`\n" in page
    for setting in FURTHER:
        assert f"\n| {setting.words} | `{setting.strata}` | " in page
