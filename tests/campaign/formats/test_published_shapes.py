"""Files in the shapes of campaigns come in, or are refused with the cause; the page says what the preview says."""

import pytest

from tests.campaign.formats.published_shapes import QRELS, RUNS, TOPICS, Shape, judgments_in, rows, run_in, topics_in
from tests.places import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "published-files.md"


@pytest.mark.parametrize("shape", TOPICS, ids=lambda shape: f"{shape.campaign}: {shape.shape}")
def test_topics_in_the_shape_of_a_campaign_are_read_or_refused_as_listed(shape: Shape) -> None:
    topics, problems = topics_in(shape.text)
    assert topics == shape.read
    assert problems.ok == bool(shape.read)


@pytest.mark.parametrize("shape", QRELS, ids=lambda shape: f"{shape.campaign}: {shape.shape}")
def test_qrels_in_the_shape_of_a_campaign_are_read_or_refused_as_listed(shape: Shape) -> None:
    judgments, problems = judgments_in(shape.text)
    assert judgments == shape.read
    assert problems.ok == bool(shape.read)


@pytest.mark.parametrize("shape", RUNS, ids=lambda shape: f"{shape.campaign}: {shape.shape}")
def test_runs_in_the_shape_of_a_campaign_are_read_or_refused_as_listed(shape: Shape) -> None:
    lines, problems = run_in(shape.text)
    assert lines == shape.read
    assert problems.ok == bool(shape.read)


def test_the_page_of_shapes_says_of_each_what_the_preview_says() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(("| topics |", "| qrels |", "| runs |"))] == list(rows())
