"""Released qrels in the API, for users who see them on the pages."""

from datetime import datetime
from typing import Annotated

from django.http import FileResponse, HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.addresses import absolute
from campaign.api.auth import PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_task_or_404
from campaign.storage.reading import open_verified
from judging.models import Qrels
from judging.permissions import get_qrels_or_404
from judging.resolution import policy_in_words

router = Router(tags=["Results"])
Version = Annotated[int, Path(ge=1, le=LARGEST)]
TEXT = {"responses": {200: {"content": {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}}}}


class QrelsOut(Schema):
    version: int
    topics: int
    judgment_count: int
    relevant_count: int = Field(description="Documents of `lowest_relevant_grade` or above.")
    lowest_relevant_grade: int
    topics_not_scored: list[str] = Field(description="Judged topics on which runs are not scored.")
    policy: str = Field(description="How several judgments of a document became one grade.")
    sha256: str
    released_at: datetime
    published_at: datetime | None = Field(description="null: only organisers see it.")
    note: str
    url: str = Field(description="Its page.")


@router.get(f"{TASK}/qrels", response=Page[QrelsOut], summary="List released judgments", **PUBLIC)
def list_qrels(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[QrelsOut]:
    """The versions of a task's qrels that you may see, the oldest first."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    versions = Qrels.objects.visible_to(request.user).filter(task=task).select_related("task__campaign")
    return page_of(request, versions.order_by("version"), paging, _qrels)


@router.get(f"{TASK}/qrels/{{version}}/file", summary="Download judgments", openapi_extra=TEXT, **PUBLIC)
def download_qrels(request: HttpRequest, path: Path[TaskPath], version: Version) -> FileResponse:
    """The qrels file: topic, 0, docno, grade."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    qrels = get_qrels_or_404(request.user, task, version)
    name = f"{task.campaign.slug}-{task.slug}-qrels-v{version}.txt"
    file = open_verified(str(qrels.file.name), found_by="a download of qrels")
    return FileResponse(file, as_attachment=True, filename=name, content_type="text/plain; charset=utf-8")


def _qrels(qrels: Qrels) -> QrelsOut:
    return QrelsOut(
        version=qrels.version,
        topics=len(qrels.topics),
        judgment_count=qrels.judgment_count,
        relevant_count=qrels.relevant_count,
        lowest_relevant_grade=qrels.lowest_relevant_grade,
        topics_not_scored=qrels.topics_not_scored,
        policy=policy_in_words(qrels.policy),
        sha256=qrels.sha256,
        released_at=qrels.released_at,
        published_at=qrels.published_at,
        note=qrels.note,
        url=absolute(qrels.get_absolute_url()),
    )
