"""Released qrels in the API, for users who see them on the pages."""

from datetime import datetime
from typing import Annotated

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.files import TEXT, ZIP, answers_with
from campaign.api.jobs import Waiting
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.api.problems import problem
from campaign.collection.selectors.texts import require_texts_downloader
from campaign.models import Job
from campaign.permissions import get_task_or_404
from campaign.storage.reading import open_verified
from campaign.web.links import absolute
from judging.core.resolution import policy_in_words
from judging.models import Qrels
from judging.permissions import get_qrels_or_404
from judging.qrels.exports import qrels_file_name
from judging.test_collections.exports import BeirArchive, module_file_name, module_source, said_of_texts, texts_job

router = Router(tags=["Results"])
Version = Annotated[int, Path(ge=1, le=LARGEST)]

PYTHON = answers_with("text/x-python; charset=utf-8")


class QrelsOut(Schema):
    version: int = Field(description="Counted through all sets of the task.")
    set: str = Field(description="What was judged: relevance, or the name of another set.")
    topics: int
    judgment_count: int
    relevant_count: int = Field(description="Documents of `lowest_relevant_grade` or above.")
    lowest_relevant_grade: int
    topics_not_scored: list[str] = Field(description="Judged topics on which runs are not scored.")
    source: str = Field(description="judged: here; imported: from a file; merged: both.")
    policy: str = Field(description="How several judgments of a document became one grade.")
    sha256: str
    subtopic_sha256: str = Field(description="Empty without judgments by subtopic.")
    sampled_by: str = Field(
        description="What the sample file has of each document: stratum or probability; empty without one."
    )
    sample_sha256: str = Field(description="Empty without a sample file.")
    twins_sha256: str = Field(description="Of the file of near-identical documents; empty without one.")
    released_at: datetime
    published_at: datetime | None = Field(description="null: only organisers see it.")
    note: str
    url: str = Field(description="Its page.")


@router.get(f"{TASK}/qrels", response=Page[QrelsOut], summary="List released judgments", **PUBLIC)
def list_qrels(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[QrelsOut]:
    """The versions of a task's qrels that you may see, the oldest first."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    versions = Qrels.objects.visible_to(request.user).filter(task=task).select_related("task__campaign")
    return page_of(request, versions.order_by("version"), paging, qrels_out)


@router.get(f"{TASK}/qrels/{{version}}/file", summary="Download judgments", openapi_extra=TEXT, **PUBLIC)
def download_qrels(request: HttpRequest, path: Path[TaskPath], version: Version) -> FileResponse:
    """The qrels file: topic, 0, docno, grade."""
    return _file(request, path, version, "file", "qrels")


@router.get(
    f"{TASK}/qrels/{{version}}/subtopics", summary="Download judgments by subtopic", openapi_extra=TEXT, **PUBLIC
)
def download_subtopic_qrels(request: HttpRequest, path: Path[TaskPath], version: Version) -> FileResponse:
    """The qrels file by subtopic: topic, subtopic, docno, grade. 404 without one."""
    return _file(request, path, version, "subtopic_file", "subtopic-qrels")


@router.get(f"{TASK}/qrels/{{version}}/sample", summary="Download a judged sample", openapi_extra=TEXT, **PUBLIC)
def download_sample_qrels(request: HttpRequest, path: Path[TaskPath], version: Version) -> FileResponse:
    """The file of the sample: topic, 0, docno, stratum, grade; or topic, 0, docno, grade, probability. 404 without one."""
    return _file(request, path, version, "sample_file", "sample-qrels")


@router.get(
    f"{TASK}/qrels/{{version}}/twins", summary="Download near-identical documents", openapi_extra=TEXT, **PUBLIC
)
def download_twins(request: HttpRequest, path: Path[TaskPath], version: Version) -> FileResponse:
    """The file of near-identical documents: topic, docno, the docno that stands for it. 404 where none stands for another."""
    return _file(request, path, version, "twins_file", "near-identical")


@router.get(f"{TASK}/qrels/{{version}}/beir", summary="Download a test collection", openapi_extra=ZIP, **PUBLIC)
def download_beir(request: HttpRequest, path: Path[TaskPath], version: Version) -> StreamingHttpResponse:
    """Documents, topics and qrels in the form of BEIR, for those who may download the texts."""
    qrels = _found(request, path, version)
    require_texts_downloader(request.user, qrels.task)
    archive = BeirArchive(qrels)
    headers = {**_attached(f"{archive.name}.zip"), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(archive, content_type="application/zip", headers=headers)


@router.get(
    f"{TASK}/qrels/{{version}}/ir-datasets",
    response={202: Waiting},
    summary="Download the module for ir_datasets",
    openapi_extra=PYTHON,
    **PUBLIC,
)
def download_irds(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], version: Version
) -> HttpResponse | Status[Waiting]:
    """A Python module that ir_datasets loads. 202 while the checksum of the documents is computed: ask again then.

    503 where it could not be computed: the first request after `Retry-After` tries it again.
    """
    qrels = _found(request, path, version)
    if job := texts_job(qrels.task):
        if job.state == Job.FAILED:
            return problem(request, 503, said_of_texts(job), headers={"Retry-After": "3600"})
        response["Location"] = absolute(request.path)  # ask there again
        return Status(202, Waiting(message=said_of_texts(job)))
    headers = _attached(module_file_name(qrels))
    return HttpResponse(module_source(qrels), content_type="text/x-python; charset=utf-8", headers=headers)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}


def _found(request: HttpRequest, path: TaskPath, version: int) -> Qrels:
    task = get_task_or_404(request.user, path.campaign, path.task)
    return get_qrels_or_404(request.user, task, version)


def _file(request: HttpRequest, path: TaskPath, version: int, field: str, kind: str) -> FileResponse:
    qrels = _found(request, path, version)
    stored = str(getattr(qrels, field).name)
    if not stored:
        raise Http404(f"{qrels} has no such file.")
    file = open_verified(stored, found_by="a download of qrels")
    name = qrels_file_name(qrels, kind, "txt")
    return FileResponse(file, as_attachment=True, filename=name, content_type="text/plain; charset=utf-8")


def qrels_out(qrels: Qrels) -> QrelsOut:
    return QrelsOut(
        version=qrels.version,
        set=qrels.set_in_words,
        topics=len(qrels.topics),
        judgment_count=qrels.judgment_count,
        relevant_count=qrels.relevant_count,
        lowest_relevant_grade=qrels.lowest_relevant_grade,
        topics_not_scored=qrels.topics_not_scored,
        source=qrels.source,
        policy=policy_in_words(qrels.policy),
        sha256=qrels.sha256,
        subtopic_sha256=qrels.subtopic_sha256,
        sampled_by=qrels.sampled_by,
        sample_sha256=qrels.sample_sha256,
        twins_sha256=qrels.twins_sha256,
        released_at=qrels.released_at,
        published_at=qrels.published_at,
        note=qrels.note,
        url=absolute(qrels.get_absolute_url()),
    )
