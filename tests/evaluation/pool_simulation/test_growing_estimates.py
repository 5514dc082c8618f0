"""Estimates from the control sample of growing pools: totals are unbiased, xinfAP is as biased as its division makes it."""

import pytest
from hypothesis import settings

from benchmarks.growing_bias import SETTINGS, measure_growing
from tests.draws import USUAL
from tests.places import REPOSITORY

SEEDS = 12 if settings().max_examples <= USUAL else 200


@pytest.mark.parametrize("stops_by", SETTINGS)
def test_the_policy_has_no_influence_on_the_estimated_number_of_relevant_documents(stops_by: str) -> None:
    row = measure_growing(stops_by, SEEDS)
    assert abs(row.total[0]) < 2.5 * row.total[1]
    assert row.undivided[0] < row.bias[0], "divided by the true number xinfAP would be less wrong"
    assert row.bias[0] < 0.06


def test_the_page_has_a_row_for_each_way_to_stop_over_two_thousand_topics() -> None:
    page = (REPOSITORY / "docs" / "reference" / "sampling-bias.md").read_text(encoding="utf-8")
    for stops_by in SETTINGS:
        assert f"\n| {stops_by} | 2,000 | " in page
