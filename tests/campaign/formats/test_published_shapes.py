"""Files in the shapes of campaigns come in, or are refused with the cause; the page says what the preview says."""

import pytest

from tests.campaign.formats.published_shapes import (
    DOCUMENTS,
    QRELS,
    RUNS,
    TOPICS,
    Shape,
    documents_in,
    judgments_in,
    rows,
    run_in,
    topics_in,
)
from tests.places import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "published-files.md"


@pytest.mark.parametrize("shape", TOPICS, ids=lambda shape: f"{shape.campaign}: {shape.shape}")
def test_topics_in_the_shape_of_a_campaign_are_read_or_refused_as_listed(shape: Shape) -> None:
    topics, problems = topics_in(shape.text)
    assert topics == shape.read
    assert problems.ok == bool(shape.read)


@pytest.mark.parametrize("shape", DOCUMENTS, ids=lambda shape: f"{shape.campaign}: {shape.shape}")
def test_documents_in_the_shape_of_a_campaign_are_read_or_refused_as_listed(shape: Shape) -> None:
    documents, problems = documents_in(shape.text)
    assert documents == shape.read
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
    table = lines[: lines.index("## Every file that a person may send")]
    assert [
        line for line in table if line.startswith(("| topics |", "| documents |", "| qrels |", "| runs |"))
    ] == list(rows())
