"""Estimates through the whole chain, from the draw to the engine: what is unbiased is so, and how the others err."""

import pytest

from benchmarks.sampling_bias import ESTIMATES, RELEVANT, Row, measure_bias
from tests.places import REPOSITORY

SEEDS = 5


@pytest.fixture(scope="module")
def measured() -> dict[tuple[int, str], Row]:
    return {(row.relevant, row.measure): row for relevant in RELEVANT[::2] for row in measure_bias(relevant, SEEDS)}


@pytest.mark.parametrize("relevant", RELEVANT[::2])
def test_a_total_is_estimated_without_bias(measured: dict[tuple[int, str], Row], relevant: int) -> None:
    bias, margin = measured[relevant, "statP@10"].bias
    assert abs(bias) < 2 * margin


def test_ratios_are_biased_where_few_documents_are_relevant_and_hardly_where_many_are(
    measured: dict[tuple[int, str], Row],
) -> None:
    for measure in ("xinfAP", "statAP"):
        few, many = measured[5, measure], measured[80, measure]
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


def test_the_page_has_a_row_for_each_estimator_and_number_of_relevant_documents() -> None:
    page = (REPOSITORY / "docs" / "reference" / "sampling-bias.md").read_text(encoding="utf-8")
    for relevant in RELEVANT:
        for measure in ESTIMATES:
            assert f"\n| {relevant} | {measure} | " in page
