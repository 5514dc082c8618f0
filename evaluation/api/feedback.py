"""Topics for feedback, and the runs that rank: what is settled before a leaderboard is published."""

from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import ORGANISING, WRITING
from campaign.api.bodies import Body, ToConfirm, Unconfirmed
from campaign.api.fields import LARGEST, Text
from campaign.api.paths import RUN, TASK, RunPath, TaskPath
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, get_run_or_404, get_task_or_404, is_member, signed_in
from campaign.runs.api.schemas import Attempt, RunOut, run_out
from campaign.setup.selectors.score_visibility_in_words import shown_cautions, shown_in_words
from campaign.setup.services.tasks import UnconfirmedChangesError
from evaluation.forms import DrawFeedbackForm
from evaluation.services.feedback import drawn_topics, feedback_set
from evaluation.services.ranked_runs import ONLY_MEMBERS, run_rank

router = Router(tags=["Organising: scores"])
FEEDBACK = f"{TASK}/feedback-topics"


class FeedbackOut(Schema):
    topics: list[str] = Field(description="Those for feedback.")
    others: list[str] = Field(description="Those that rank.")
    shown_in_words: list[str] = Field(description="Who sees which scores, until when.")
    cautions: list[str]


class FeedbackIn(ToConfirm):
    topics: list[Text] | None = Field(None, description="These and no others. Or leave it out and have some drawn:")
    count: int | None = Field(None, ge=0, le=LARGEST, description="How many are drawn.")
    seed: Text = Field("1", max_length=DrawFeedbackForm.LONGEST_SEED, description="The same seed draws the same.")


class RankedIn(Body):
    is_ranked: bool = Field(description="false: it is scored, and listed below boards.")


@router.get(FEEDBACK, response=FeedbackOut, summary="Read the topics for feedback")
def read_feedback_topics(request: HttpRequest, path: Path[TaskPath]) -> FeedbackOut:
    """For organisers."""
    return _feedback(get_organised_task_or_404(request.user, path.campaign, path.task))


@router.put(FEEDBACK, response=FeedbackOut, summary="Choose the topics for feedback", **ORGANISING)
def set_feedback_topics(request: HttpRequest, path: Path[TaskPath], data: FeedbackIn) -> FeedbackOut:
    """Teams see scores over them during the round; no published mean holds them. After scores it has to be confirmed."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    if (data.topics is None) == (data.count is None):
        raise ValidationError({"topics": "Send either topics, or a count and a seed by which they are drawn."})
    chosen: dict[str, Any] = {"topics": data.topics or []}
    if data.count is not None:
        chosen = {"topics": drawn_topics([*_numbers(task)], data.count, data.seed), "seed": data.seed}
    try:
        feedback_set(actor=signed_in(request.user), task=task, is_confirmed=data.confirm, **chosen)
    except UnconfirmedChangesError as asked:
        raise Unconfirmed(asked.changes) from asked
    return _feedback(task)


@router.put(f"{RUN}/ranked", response=RunOut, summary="Say whether a run ranks", tags=["Runs"], **WRITING)
def rank_run(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt], data: RankedIn) -> RunOut:
    """For members of its team, until a leaderboard is published."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    run = get_run_or_404(request.user, task, path.tag, str(wanted.attempt or ""))
    if not is_member(request.user, run.team):
        raise PermissionDenied(ONLY_MEMBERS)
    return run_out(run_rank(actor=signed_in(request.user), run=run, is_ranked=data.is_ranked))


def _numbers(task: Task) -> dict[str, bool]:
    """The topics that are scored, with whether they are for feedback."""
    scored = task.topics.filter(removed_at__isnull=True).order_by("position")
    return dict(scored.values_list("number", "is_feedback"))


def _feedback(task: Task) -> FeedbackOut:
    numbers = _numbers(task)
    return FeedbackOut(
        topics=[number for number, is_feedback in numbers.items() if is_feedback],
        others=[number for number, is_feedback in numbers.items() if not is_feedback],
        shown_in_words=shown_in_words(task),
        cautions=shown_cautions(task),
    )
