"""Assignments and judgments in the API: what the desk does, through the same services."""

from functools import partial
from typing import Annotated

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from ninja import Path, Query, Router

from campaign.api.auth import JUDGING
from campaign.api.fields import LARGEST
from campaign.api.limits import JUDGING as LIMIT
from campaign.api.paging import Page, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import is_assessor, is_organiser, signed_in
from judging.api.shapes import (
    ActIn,
    ActsIn,
    AssignmentOut,
    DocumentsIn,
    DocumentToJudge,
    JudgmentFilter,
    JudgmentOut,
    NextDocuments,
    Paged,
    Saved,
    assignment_out,
    judgment_out,
    result_out,
)
from judging.checkouts.services import claims_take
from judging.desk.services.judgments import Act, judgment_undo
from judging.desk.services.submissions import judgments_submit
from judging.judgments.selectors.own_documents import assignments_of, documents, items, judgments_visible_to
from judging.judgments.selectors.versions import SeenVersions
from judging.models import Assignment, Judgment
from judging.permissions import get_assignment_or_404, get_judged_task_or_404, require_assessor

router = Router(tags=["Judging"])
ASSIGNMENT = f"{TASK}/assignments/{{assignment}}"
Key = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get(f"{TASK}/assignments", response=Page[AssignmentOut], summary="List my assignments")
def list_assignments(request: HttpRequest, path: Path[TaskPath], paging: Query[Paged]) -> Page[AssignmentOut]:
    """The topics that you judge in this task. For assessors and organisers; an organiser without topics gets an empty list."""
    task = get_judged_task_or_404(request.user, path.campaign, path.task)
    own = assignments_of(signed_in(request.user), task).order_by("pk")
    return page_of(request, own, paging, assignment_out)


@router.post(f"{ASSIGNMENT}/next-documents", response=NextDocuments, summary="Take the next documents", **JUDGING)
def next_documents(request: HttpRequest, path: Path[TaskPath], assignment: Key, wanted: DocumentsIn) -> NextDocuments:
    """The first documents of an assignment that you have not judged, in judging order, with their texts.

    Of a pool that grows you then hold these: nobody else is given them in the same pass, as long as you act.
    """
    own = _own(request, path, assignment)
    LIMIT.require_for(request, wanted.limit)
    claims_take(own)
    found = items(own)
    waiting = [item.docno for item in found if not item.is_judged]
    texts = documents(own, waiting[: wanted.limit])
    return NextDocuments(
        documents=[DocumentToJudge(**{**row, "link": row.get("link", "")}) for row in texts],
        left=len(waiting),
        saved=len(found) - len(waiting),
    )


@router.post(f"{ASSIGNMENT}/judgments", response=Saved, summary="Submit judgments", **JUDGING)
def submit_judgments(request: HttpRequest, path: Path[TaskPath], assignment: Key, sent: ActsIn) -> Saved:
    """Store judgments, at most 100 at once, each with a result of its own: a refused one holds up none of the others.

    Send one again under its UUID if you do not know whether it arrived: the first stays and is not stored twice. The UUID of a
    judgment with another content is refused.
    """
    own = _own(request, path, assignment)
    LIMIT.require_for(request, len(sent.judgments))
    acts = [_act(act) for act in sent.judgments]
    outcomes = judgments_submit(assessor=signed_in(request.user), assignment=own, acts=acts)
    results = [result_out(act.uuid, outcome.refusal) for act, outcome in zip(acts, outcomes, strict=True)]
    found = items(own)
    return Saved(results=results, saved=sum(item.is_judged for item in found), total=len(found))


@router.post(f"{ASSIGNMENT}/undo", response=JudgmentOut, summary="Undo my last judgment", **JUDGING)
def undo_judgment(request: HttpRequest, path: Path[TaskPath], assignment: Key) -> JudgmentOut:
    """Take back your last judgment of this assignment: what counted before it counts again.

    To take back a certain one, submit a judgment of the same document whose `undoes` is its UUID.
    """
    own = _own(request, path, assignment)
    undone = judgment_undo(assessor=signed_in(request.user), assignment=own, input_method=Judgment.SCRIPT)
    if undone is None:
        raise ValidationError("There is no judgment of yours to undo in this assignment.")
    return judgment_out(undone, seen=SeenVersions(own.pool.task, [undone.topic.number, undone.docno]))


@router.get(f"{TASK}/judgments", response=Page[JudgmentOut], summary="List judgments")
def list_judgments(request: HttpRequest, path: Path[TaskPath], wanted: Query[JudgmentFilter]) -> Page[JudgmentOut]:
    """Assessors get their own judgments, organisers those of all assessors of the task; the oldest first."""
    task = get_judged_task_or_404(request.user, path.campaign, path.task)
    user = signed_in(request.user)
    organises = is_organiser(user, task.campaign)
    if not organises and not is_assessor(user, task.campaign):
        raise PermissionDenied(
            f"You are no assessor of {task.campaign} any more: ask the organisers if this is a mistake."
        )
    found = judgments_visible_to(user, task, organises=organises)
    if wanted.topic:
        found = found.filter(topic__number=wanted.topic)
    if wanted.current:
        found = found.filter(is_current=True)
    out = partial(judgment_out, seen=SeenVersions(task), to_organiser=organises)
    return page_of(request, found.order_by("pk"), wanted, out)


def _own(request: HttpRequest, path: TaskPath, key: int) -> Assignment:
    assignment = get_assignment_or_404(request.user, path.campaign, path.task, key)
    require_assessor(assignment)
    return assignment


def _act(sent: ActIn) -> Act:
    values = sent.model_dump(exclude={"uuid", "docno"})
    return Act(sent.uuid, sent.docno, **values, input_method=Judgment.SCRIPT)
