"""A score that comes in after a publication is shown to nobody but the organisers until the next snapshot, in any format."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from campaign.models import Task
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.api.makers import make_token
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast

Commit = Callable[..., Any]
PAGES = [
    *("leaderboard_detail", "leaderboard_csv", "leaderboard_json", "leaderboard_compare", "leaderboard_topics"),
    *("leaderboard_pairs", "leaderboard_heatmap", "leaderboard_measures", "leaderboard_tables", "leaderboard_changes"),
]


@pytest.fixture
def published(cast: Cast, django_capture_on_commit_callbacks: Commit) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    return cast


def rescore(cast: Cast, commit: Commit) -> None:
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))


def by_api(cast: Cast, user: Any, tag: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {make_token(user, name=uuid4().hex)}"}
    url = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/runs/{tag}/scores"
    answer: dict[str, Any] = Client().get(url, headers=headers).json()
    return answer


@pytest.mark.django_db
def test_a_run_that_came_late_has_no_score_for_its_team_until_the_next_board(
    published: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_valid_run(published.task, published.team, "tardy", {"1": ["a", "c"], "2": ["y"], "3": ["z"]})
    rescore(published, django_capture_on_commit_callbacks)
    own = published.task.url("run_scores", tag="tardy")
    assert "1.0000" in page(published.organiser, own)
    assert "1.0000" not in page(published.member, own)
    assert by_api(published, published.member, "tardy")["is_visible"] is False
    assert by_api(published, published.organiser, "tardy")["measures"][0]["value"] == 1.0
    for name in PAGES:
        assert "tardy" not in page(published.member, published.task.url(name, number=1)), name
    assert status(published.member, published.task.url("leaderboard_run", number=1, tag="tardy")) == 404
    leaderboard_publish(actor=published.organiser, task=published.task)
    assert "1.0000" in page(published.member, own)
    assert by_api(published, published.member, "tardy")["is_visible"] is True


@pytest.mark.django_db
def test_scores_by_other_measures_than_the_published_ones_stay_with_the_organisers(
    published: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    Task.objects.filter(pk=published.task.pk).update(measures=["P@5"])
    rescore(published, django_capture_on_commit_callbacks)
    own = published.task.url("run_scores", tag="poor")
    assert "P@5" in page(published.organiser, own)
    shown = page(published.other_member, own)
    assert "P@5" not in shown
    assert "AP" in shown
    answer = by_api(published, published.other_member, "poor")
    board = json.loads(page(None, published.task.url("leaderboard_json", number=1)))
    [of_run] = [run for run in board["runs"] if run["tag"] == "poor"]
    assert [one["measure"] for one in answer["measures"]] == ["AP", "RR"]
    assert list(answer["measures"][0]["topics"].values()) == of_run["values"]["AP"]
    assert answer["measures"][0]["value"] == of_run["cells"]["AP"]["mean"]
