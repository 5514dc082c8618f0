"""What the operations about judgments take and answer."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.core.exceptions import ValidationError
from ninja import Field, Schema
from pydantic import AfterValidator, BeforeValidator

from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Moment, Text, one_of
from campaign.api.paging import Paging
from judging.core.grade_reading import LARGEST_GRADE, read_grade
from judging.judgments.selectors.own_documents import DOCUMENTS_AT_ONCE
from judging.judgments.selectors.versions import SeenVersions
from judging.models import Assignment, Judgment

ACTS_AT_ONCE = 100
PLAUSIBLE_YEARS = range(2000, 2101)


def _plausible(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise ValueError("The time has no zone. End it with Z for UTC.")
    if time.year not in PLAUSIBLE_YEARS:
        raise ValueError("The year lies outside 2000 to 2100.")
    return time


Docno = Annotated[Text, Field(min_length=1, max_length=200)]
MomentOfAct = Annotated[Moment, AfterValidator(_plausible)]
Grade = Annotated[int, BeforeValidator(read_grade), Field(ge=-LARGEST_GRADE, le=LARGEST_GRADE)]
Milliseconds = Annotated[int, Field(ge=0, le=LARGEST)]


class Paged(Paging):
    pass


class AssignmentOut(Schema):
    id: int = Field(description="Names it in addresses.")
    topic: str
    pool: int = Field(description="The version of the pool.")
    grows: bool = Field(
        description="Whether the pool grows while it is judged: documents are handed out a few at a time."
    )
    assigned_at: datetime
    finished_at: datetime | None
    handed_over_at: datetime | None = Field(description="Since when somebody else judges the rest.")


class DocumentsIn(Body):
    limit: int = Field(DOCUMENTS_AT_ONCE, ge=1, le=DOCUMENTS_AT_ONCE, description="How many at most.")


class DocumentToCompare(Schema):
    docno: str
    title: str
    text: str
    has_text: bool
    link: str = Field("", description="Where the text is kept, if the task names a place.")


class DocumentToJudge(DocumentToCompare):
    sha256: str = Field("", description="Of title and text: send it back as `text_sha256`. Empty without a text.")
    alike: list[str] = Field(description="Near-identical documents of yours that are judged together with it.")


class NextDocuments(Schema):
    documents: list[DocumentToJudge]
    left: int = Field(description="How many documents wait for you, these included.")
    saved: int = Field(description="How many you have judged.")


class ActIn(Body):
    uuid: UUID = Field(description="Made by you, one for each judgment; sent again it names the same judgment.")
    docno: Docno
    verdict: Literal["graded", "cannot_judge", "withdrawn", "draft"] = "graded"
    grade: Grade | None = Field(None, description="One of the task's grades, for the verdict graded.")
    answers: dict[Text, Any] = Field({}, description="What the judging mode asks besides the grade.")
    note: Text = ""
    reason: Text = Field("", description="Why it cannot be judged.")
    flagged: bool = False
    undoes: UUID | None = Field(
        None,
        description="A judgment of the same document that this one takes back: it states nothing of its own then.",
    )
    shown_at: MomentOfAct | None = None
    judged_at: MomentOfAct | None = Field(None, description="By your clock; left out: when it arrives.")
    active_ms: Milliseconds | None = None
    away_ms: Milliseconds | None = None
    text_sha256: Text = Field("", max_length=64)


class ActsIn(Body):
    judgments: list[ActIn] = Field(min_length=1, max_length=ACTS_AT_ONCE)


class ResultOut(Schema):
    uuid: UUID
    state: Literal["saved", "refused"]
    message: str = Field(description="Why it was refused, and what to do; empty for a saved one.")


def result_out(uuid: UUID, refusal: ValidationError | str | None) -> ResultOut:
    message = " ".join(refusal.messages) if isinstance(refusal, ValidationError) else refusal or ""
    return ResultOut(uuid=uuid, state="refused" if message else "saved", message=message)


class Saved(Schema):
    results: list[ResultOut] = Field(description="One for each judgment, in their order.")
    saved: int = Field(description="How many documents of the assignment you have judged.")
    total: int = Field(description="How many documents are yours, so far where the pool grows.")


class JudgmentFilter(Paging):
    topic: Text = Field("", max_length=200, description="Only of the topic of this number.")
    current: bool = Field(True, description="false: also judgments that were replaced or taken back.")


class JudgmentOut(Schema):
    uuid: UUID
    assignment: int
    topic: str
    docno: str
    assessor: str
    pass_number: int | None = Field(
        description="null except to organisers: judges do not learn whose opinion is the second."
    )
    verdict: str = one_of(Judgment.VERDICTS)
    grade: int | None
    details: dict[str, Any]
    note: str
    reason: str
    flagged: bool
    judged_at: datetime
    received_at: datetime
    input_method: str = one_of(["", *Judgment.INPUTS])
    previous: UUID | None = Field(description="The judgment of the same document that was current until this one.")
    undoes: UUID | None
    is_current: bool
    topic_version: int = Field(description="Of the topic's text that the assessor saw: 1, or higher after corrections.")
    document_version: int = Field(description="Of the document's text that the assessor saw.")


def assignment_out(assignment: Assignment) -> AssignmentOut:
    return AssignmentOut(
        id=assignment.pk,
        topic=assignment.topic.number,
        pool=assignment.pool.version,
        grows=assignment.pool.grows,
        assigned_at=assignment.assigned_at,
        finished_at=assignment.finished_at,
        handed_over_at=assignment.handed_over_at,
    )


def judgment_out(judgment: Judgment, *, seen: SeenVersions, to_organiser: bool = False) -> JudgmentOut:
    same = ("uuid", "docno", "verdict", "grade", "details", "note", "reason", "flagged", "judged_at")
    more = ("received_at", "input_method", "previous", "undoes", "is_current")
    return JudgmentOut(
        assignment=judgment.assignment_id,
        topic=judgment.topic.number,
        assessor=judgment.assessor.username,
        pass_number=judgment.pass_number if to_organiser else None,
        **({name: getattr(judgment, name) for name in (*same, *more)} | seen.of(judgment)),
    )
