"""Preferences in the API, for assessors: what the desk for pairs does, through the same services."""

from typing import Annotated, Literal
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import JUDGING
from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Text
from campaign.api.limits import JUDGING as LIMIT
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.selectors.displays import Display
from campaign.permissions import signed_in
from judging.api.shapes import (
    ACTS_AT_ONCE,
    DocumentToCompare,
    Milliseconds,
    MomentOfAct,
    ResultOut,
    result_out,
)
from judging.models import Judgment, PreferenceAssignment
from judging.permissions import get_judged_task_or_404, get_preferences_or_404
from judging.preferences.desk_page import documents
from judging.preferences.selectors import Standing, preference_assignments_of, standing_of
from judging.preferences.services import Answered, preference_undo, preferences_record, require_comparing

router = Router(tags=["Judging"])
COMPARISON = f"{TASK}/comparisons/{{comparison}}"
Key = Annotated[int, Path(ge=1, le=LARGEST)]
NOTHING_TO_UNDO = "There is no answer of yours to take back in this topic."


class ComparisonOut(Schema):
    id: int = Field(description="Names it in addresses.")
    topic: str
    documents: int
    answers: int = Field(description="Pairs that you have answered.")
    pairs_left: int = Field(description="At most so many pairs are still to come.")


class PreferenceOut(Schema):
    uuid: UUID
    left: str = Field(description="A docno.")
    right: str
    answer: str


class NextPair(Schema):
    left: DocumentToCompare | None = Field(description="null: all are compared.")
    right: DocumentToCompare | None
    answers: int = Field(description="Pairs that you have answered.")
    pairs_left: int = Field(description="At most so many pairs are still to come, this one included.")


class PreferenceIn(Body):
    uuid: UUID = Field(description="Made by you, one for each answer; sent again it names the same answer.")
    left: Text = Field("", max_length=200, description="Docnos, on the sides on which they were given.")
    right: Text = Field("", max_length=200)
    answer: Literal["left", "right", "equal", ""] = Field("", description="Which is better.")
    undoes: UUID | None = Field(
        None, description="An answer that this one takes back; left, right and answer are empty."
    )
    note: Text = ""
    shown_at: MomentOfAct | None = None
    answered_at: MomentOfAct | None = Field(None, description="By your clock; left out: when it arrives.")
    active_ms: Milliseconds | None = None
    away_ms: Milliseconds | None = None


class PreferencesSent(Body):
    preferences: list[PreferenceIn] = Field(min_length=1, max_length=ACTS_AT_ONCE)


class PreferencesSaved(Schema):
    results: list[ResultOut] = Field(description="One for each answer, in their order.")
    answers: int = Field(description="Pairs that you have answered.")
    pairs_left: int


@router.get(f"{TASK}/comparisons", response=Page[ComparisonOut], summary="List my topics to compare")
def list_comparisons(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[ComparisonOut]:
    """The topics whose documents you compare two at a time. For assessors and organisers."""
    task = get_judged_task_or_404(request.user, path.campaign, path.task)
    own = preference_assignments_of(signed_in(request.user), task).prefetch_related("acts").order_by("pk")
    return page_of(request, own, paging, _comparison)


@router.post(f"{COMPARISON}/next-pair", response=NextPair, summary="Take the next pair", **JUDGING)
def next_pair(request: HttpRequest, path: Path[TaskPath], comparison: Key) -> NextPair:
    """The two documents to compare next, with their texts; another one after each answer."""
    own = _own(request, path, comparison)
    standing = standing_of(own)
    pair = list(standing.state.open[0]) if standing.state.open else []
    shown: list[DocumentToCompare | None] = [_document(row) for row in documents(own, pair)]
    left, right = shown or (None, None)
    return NextPair(left=left, right=right, answers=len(standing.answers), pairs_left=standing.state.left)


@router.post(f"{COMPARISON}/preferences", response=PreferencesSaved, summary="Submit preferences", **JUDGING)
def submit_preferences(
    request: HttpRequest, path: Path[TaskPath], comparison: Key, sent: PreferencesSent
) -> PreferencesSaved:
    """Store answers to pairs, each with a result of its own: a refused one holds up none of the others.

    Send one again under its UUID if you do not know whether it arrived: the first stays and is not stored twice.
    """
    own = _own(request, path, comparison)
    LIMIT.require_for(request, len(sent.preferences))
    acts = [Answered(**one.model_dump(), input_method=Judgment.SCRIPT) for one in sent.preferences]
    outcomes = preferences_record(assessor=signed_in(request.user), assignment=own, sent=acts)
    results = [result_out(act.uuid, outcome.refusal) for act, outcome in zip(acts, outcomes, strict=True)]
    standing = standing_of(own)
    return PreferencesSaved(results=results, answers=len(standing.answers), pairs_left=standing.state.left)


@router.post(f"{COMPARISON}/undo", response=PreferenceOut, summary="Take my last preference back", **JUDGING)
def undo_preference(request: HttpRequest, path: Path[TaskPath], comparison: Key) -> PreferenceOut:
    """Take back your last answer of this topic. To take back a certain one, submit an answer whose `undoes` is its UUID."""
    own = _own(request, path, comparison)
    undone = preference_undo(
        assessor=signed_in(request.user), assignment=own, uuid=uuid4(), input_method=Judgment.SCRIPT
    )
    if undone is None:
        raise ValidationError(NOTHING_TO_UNDO)
    return PreferenceOut(uuid=undone.uuid, left=undone.left, right=undone.right, answer=undone.answer)


def _own(request: HttpRequest, path: TaskPath, key: int) -> PreferenceAssignment:
    assignment = get_preferences_or_404(request.user, path.campaign, path.task, key)
    require_comparing(assignment)
    return assignment


def _comparison(assignment: PreferenceAssignment) -> ComparisonOut:
    standing = Standing(assignment, assignment.acts.all())
    return ComparisonOut(
        id=assignment.pk,
        topic=assignment.topic.number,
        documents=len(assignment.documents),
        answers=len(standing.answers),
        pairs_left=standing.state.left,
    )


def _document(row: Display) -> DocumentToCompare:
    return DocumentToCompare(**{**row, "link": row.get("link", "")})  # type: ignore[arg-type]  # of a TypedDict
