"""Qrels as organisers release them, from what was judged here or from a file."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, File, Form, Path, Query, Router, Schema, Status, UploadedFile

from campaign.api.auth import ORGANISING, ORGANISING_UPLOAD
from campaign.api.bodies import ToConfirm
from campaign.api.fields import Text
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import path_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.api.imports import IMPORTS, ImportOut, take_in
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.formats.qrels.grade_columns import GRADE_COLUMNS
from campaign.formats.qrels.repeats import REPEATED
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.web.links import absolute
from judging.api.qrels import QrelsOut, Version, qrels_out
from judging.core.resolution import LATEST, OVER, POLICIES
from judging.forms import ReleaseForm
from judging.permissions import get_qrels_or_404
from judging.progress.selectors.alarms import release_caution
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.import_forms import COMBINATIONS, QrelsImportForm
from judging.qrels.selectors.publication import showing_consequences
from judging.qrels.selectors.release_counts import drafted_counts
from judging.qrels.selectors.releasing import ReleaseQuestion, release_question
from judging.qrels.services.imports import (
    GRADE_COLUMN,
    GRADE_WORDS,
    LEAVE_OUT,
    LISTED_OPTION,
    QRELS_JOBS,
    REPEATED_OPTION,
)
from judging.qrels.services.merged_imports import ADJUDICATED, COMBINE, POLICY, SET
from judging.qrels.services.publication import qrels_show
from judging.qrels.services.releases import qrels_release
from pooling.models import Pool

router = Router(tags=["Organising: qrels"])
NO_POOL = "There is no pool yet, so there is nothing to release. Freeze a pool and have it judged, or import qrels."


def _option(kind: Any, description: str, **about: Any) -> Any:
    return kind, Field(default_factory=lambda: None, description=description, **about)


_options: dict[str, Any] = {
    SET: _option(Text, "The set that the file becomes the next version of. Left out: relevance."),
    COMBINE: _option(Text, "What becomes of judgments made here.", json_schema_extra={"enum": list(COMBINATIONS)}),
    POLICY: _option(Text, "Of a merge.", json_schema_extra={"enum": list(POLICIES)}),
    ADJUDICATED: _option(bool, "Of a merge: what adjudicators decided stands before the policy."),
    LEAVE_OUT: _option(bool, "Leave topics out of the scores that have no relevant document."),
    REPEATED_OPTION: _option(
        Text,
        "Which line counts of a topic and docno that come twice with different grades. Left out: refuse.",
        json_schema_extra={"enum": list(REPEATED)},
    ),
    LISTED_OPTION: _option(
        bool, "Two columns, or passages, list relevant documents: each gets the lowest grade that is relevant."
    ),
    GRADE_WORDS: _option(Text, "What words in place of grades stand for, such as E=3 S=2 C=1 I=0."),
    GRADE_COLUMN: _option(
        Text,
        "The column of the grade, in files with several grades for each document.",
        json_schema_extra={"enum": list(map(str, GRADE_COLUMNS))},
    ),
    MATCH_TOPICS: _option(bool, "Read 051 or MB051 as topic 51, where no other topic has these numerals."),
    "subtopics": _option(bool, "Of the judging mode with subtopics: the second column names the subtopic."),
    "new_set": _option(Text, "Another criterion, such as readability."),
}
QrelsImportIn = form_body("QrelsImportIn", QrelsImportForm, more=_options)
ReleaseIn = form_body("ReleaseIn", ReleaseForm, optional=True, base=ToConfirm)


class TopicDraft(Schema):
    topic: str
    judged: int
    grades: dict[str, int] = Field(description="Documents by grade; -1: not judged, -2: could not be judged.")


class DraftOut(Schema):
    pool: int
    policy: str
    pairs: int
    judged: int
    relevant: int
    unjudged: int
    cannot_judge: int
    unfinished: int = Field(description="Assignments.")
    topics: list[TopicDraft]
    topics_that_tell_nothing: dict[str, str] = Field(
        description="Without a relevant document, with the reason; they may be `not_scored`."
    )
    consequences: list[str]


class DraftWanted(Schema):
    policy: str = Field(LATEST, json_schema_extra={"enum": list(POLICIES)})
    adjudicated: bool = False


@router.get(f"{TASK}/qrels-draft", response=DraftOut, summary="Read what a release would hold")
def read_qrels_draft(request: HttpRequest, path: Path[TaskPath], wanted: Query[DraftWanted]) -> DraftOut:
    """For organisers: the judgments of the latest pool under a policy. Nothing is released."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pool = _pool(task)
    if wanted.policy not in POLICIES:
        raise ValidationError({"policy": f"There is no such policy. Policies: {', '.join(POLICIES)}."})
    draft = drafted_counts(pool, OVER + wanted.policy if wanted.adjudicated else wanted.policy)
    counted = ("pairs", "judged", "relevant", "unjudged", "cannot_judge", "unfinished", "topics_that_tell_nothing")
    topics = [
        TopicDraft(topic=number, judged=one.judged, grades={str(grade): count for grade, count in one.grades.items()})
        for number, one in draft.topics.items()
    ]
    return DraftOut(
        **{name: getattr(draft, name) for name in counted},
        pool=pool.version,
        policy=wanted.policy,
        topics=topics,
        consequences=_consequences(task, release_question(pool, wanted.policy, adjudicated=wanted.adjudicated)),
    )


@router.post(f"{TASK}/qrels", response={201: QrelsOut}, summary="Release judgments", **ORGANISING)
def release_qrels(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: ReleaseIn,  # type: ignore[valid-type]
) -> Status[QrelsOut]:
    """The judgments of the latest pool as the next version; every valid run is scored by it."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pool = _pool(task)
    sent = data.model_dump(exclude_unset=True, exclude={"confirm"})  # type: ignore[attr-defined]
    asked = release_question(pool, sent.get("policy", LATEST), adjudicated=sent.get("adjudicated", True))
    values = accepted(as_sent(lambda typed: _form(typed, task, asked), sent))
    data.require(_consequences(task, asked))  # type: ignore[attr-defined]
    qrels = qrels_release(actor=signed_in(request.user), task=task, pool=pool, **values)
    names = {**path_of(task), "version": qrels.version}
    response["Location"] = absolute(reverse("api:download_qrels", kwargs=names))
    return Status(201, qrels_out(qrels))


@router.post(f"{TASK}/qrels/{{version}}/show", response=QrelsOut, summary="Show judgments to everybody", **ORGANISING)
def show_qrels(request: HttpRequest, path: Path[TaskPath], version: Version, data: ToConfirm) -> QrelsOut:
    """Everybody who sees the task can read this version then, without a leaderboard. This cannot be undone."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    qrels = get_qrels_or_404(request.user, task, version)
    if qrels.published_at is None:
        data.require(showing_consequences(qrels))
    qrels_show(actor=signed_in(request.user), qrels=qrels)
    qrels.refresh_from_db(fields=["published_at"])
    return qrels_out(qrels)


@router.post(f"{IMPORTS}/qrels", response={202: ImportOut}, summary="Send judgments", **ORGANISING_UPLOAD)
def import_qrels(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[QrelsImportIn],  # type: ignore[valid-type]
    file: File[UploadedFile],
) -> Status[ImportOut]:
    """Topic, 0, docno and grade on each line. The check counts what it holds; it is released when you confirm the import."""
    return take_in(request, response, path, QrelsImportForm, data, file, QRELS_JOBS)


def _pool(task: Task) -> Pool:
    pool = pool_numbered(task)
    if pool is None:
        raise ValidationError(NO_POOL)
    return pool


def _consequences(task: Task, asked: ReleaseQuestion) -> list[str]:
    caution = release_caution(task)
    return [*([caution] if caution else []), *asked.consequences, *moves_on(task, Task.SCORES)]


def _form(typed: Any, task: Task, asked: ReleaseQuestion) -> ReleaseForm:
    return ReleaseForm(
        typed,
        doubtful=asked.topics_that_tell_nothing,
        most_votes=asked.most_votes,
        decisions=asked.decisions,
        subtopics=task.mode.needs_subtopics,
    )
