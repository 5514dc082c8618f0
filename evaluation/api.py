"""Scores and leaderboards in the API: what may be seen is decided by the same selectors as on the pages."""

import json
import math
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.addresses import absolute
from campaign.api.auth import PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import RUN, TASK, RunPath, TaskPath
from campaign.permissions import get_or_404, get_run_or_404, get_task_or_404, is_organiser
from evaluation.exports import leaderboard_json
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors import run_evaluation

router = Router(tags=["Results"])
Number = Annotated[int, Path(ge=1, le=LARGEST)]


class MeasureOut(Schema):
    measure: str
    value: float | None = Field(description="Over the topics that have a value; null: not defined.")
    topics: dict[str, float | None] = Field(
        description="By topic number. A topic that the run misses has the measure's worst value; null: it is left out."
    )


class ScoresOut(Schema):
    is_visible: bool = Field(description="false: nothing is published yet, and `measures` is empty.")
    qrels: int | None = Field(description="The version of the qrels.")
    topics_answered: int | None
    scored_at: datetime | None
    measures: list[MeasureOut]


class LeaderboardOut(Schema):
    number: int
    qrels: int
    measures: list[str]
    published_at: datetime
    note: str
    sha256: str
    url: str = Field(description="Its page.")


@router.get(f"{RUN}/scores", response=ScoresOut, summary="Read a run's scores")
def read_scores(request: HttpRequest, path: Path[RunPath]) -> ScoresOut:
    """For its team once the organisers have published them, for organisers as soon as they exist."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    run = get_run_or_404(request.user, task, path.tag)
    evaluation = run_evaluation(run, published_only=not is_organiser(request.user, task.campaign))
    if evaluation is None:
        return ScoresOut(is_visible=False, qrels=None, topics_answered=None, scored_at=None, measures=[])
    return ScoresOut(
        is_visible=True,
        qrels=evaluation.qrels.version,
        topics_answered=evaluation.topics_answered,
        scored_at=evaluation.scored_at,
        measures=_measures(evaluation),
    )


@router.get(f"{TASK}/leaderboards", response=Page[LeaderboardOut], summary="List leaderboards", **PUBLIC)
def list_leaderboards(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[LeaderboardOut]:
    """The published snapshots of a task, the oldest first."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    published = Leaderboard.objects.visible_to(request.user).filter(task=task).defer("rows")
    published = published.select_related("task__campaign", "qrels").order_by("number")
    return page_of(request, published, paging, _leaderboard)


@router.get(f"{TASK}/leaderboards/{{number}}", response=dict[str, Any], summary="Read a leaderboard", **PUBLIC)
def read_leaderboard(request: HttpRequest, path: Path[TaskPath], number: Number) -> dict[str, Any]:
    """The whole snapshot with every run's values per topic: enough to compute each of its numbers again."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    visible = Leaderboard.objects.visible_to(request.user).select_related("task__campaign", "qrels")
    snapshot: dict[str, Any] = json.loads(leaderboard_json(get_or_404(visible, task=task, number=number)))
    return snapshot


def _measures(evaluation: Evaluation) -> list[MeasureOut]:
    topics = evaluation.qrels.topics
    return [
        MeasureOut(
            measure=measure,
            value=_finite(evaluation.means[measure]),
            topics={topic: _finite(value) for topic, value in zip(topics, values, strict=True)},
        )
        for measure, values in zip(evaluation.measures, evaluation.matrix().tolist(), strict=True)
    ]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _leaderboard(leaderboard: Leaderboard) -> LeaderboardOut:
    return LeaderboardOut(
        number=leaderboard.number,
        qrels=leaderboard.qrels.version,
        measures=leaderboard.measures,
        published_at=leaderboard.published_at,
        note=leaderboard.note,
        sha256=leaderboard.sha256,
        url=absolute(leaderboard.get_absolute_url()),
    )
