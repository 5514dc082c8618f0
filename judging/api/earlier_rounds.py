"""What earlier rounds judged, which a residual round leaves out."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Path, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.jobs import JobOut, asked_for
from campaign.api.paths import TASK, TaskPath
from campaign.models import JudgedBefore, Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, signed_in
from campaign.setup.selectors.rounds import earlier_rounds
from judging.qrels.services.earlier_rounds import judged_before_request

router = Router(tags=["Organising: tasks"])
JUDGED_BEFORE = f"{TASK}/judged-before"


class JudgedBeforeOut(Schema):
    earlier_rounds: int
    fixed_at: datetime | None = Field(description="null: not fixed yet; the round cannot open before.")
    pairs: int = Field(description="Of topic and docno, that leave runs and qrels of this round.")
    topics: int = Field(description="Topics of this round with such a pair.")
    changed: int = Field(description="Pairs that are judged anew, since the text of the document has changed.")
    sha256: str = Field(description="Of the file of the pairs.")
    sources: list[dict[str, Any]] = Field(description="By earlier round: its judgments, and its newest qrels.")


@router.get(JUDGED_BEFORE, response=JudgedBeforeOut, summary="Read what earlier rounds judged")
def read_judged_before(request: HttpRequest, path: Path[TaskPath]) -> JudgedBeforeOut:
    """What earlier rounds judged, as it was fixed for this residual round; 404 for a task that is none."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    if task.round_kind != Task.RESIDUAL:
        raise Http404
    fixed = JudgedBefore.objects.filter(task=task).first()
    same = ("fixed_at", "pairs", "topics", "changed", "sha256", "sources")
    values = {name: getattr(fixed or _NOT_FIXED, name) for name in same}
    return JudgedBeforeOut(earlier_rounds=len(earlier_rounds(task)), **values)


_NOT_FIXED = JudgedBefore(pairs=0, topics=0)


@router.post(JUDGED_BEFORE, response={202: JobOut}, summary="Fix what earlier rounds judged", **ORGANISING)
def fix_judged_before(request: HttpRequest, response: HttpResponse, path: Path[TaskPath]) -> Status[JobOut]:
    """In the set-up of a residual round; what was fixed before is replaced. A round can open once this is done."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return asked_for(response, task, judged_before_request(actor=signed_in(request.user), task=task))
