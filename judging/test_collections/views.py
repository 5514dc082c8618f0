"""The files of a task in one place, and a version of its qrels as a test collection for other tools."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from campaign.collection.selectors.documents import may_read_documents
from campaign.collection.selectors.texts import (
    WHO_MAY,
    has_texts,
    may_download_texts,
    require_texts_downloader,
)
from campaign.formats.document_files import DOCUMENT_FILES
from campaign.models import Job
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser
from judging.judgments.exports import history_csv, history_jsonl
from judging.models import Judgment, Qrels
from judging.permissions import get_qrels_or_404
from judging.test_collections.exports import (
    BeirArchive,
    dataset_of,
    module_file_name,
    module_source,
    said_of_texts,
    texts_job,
)

HISTORY_FILES = {
    "csv": (history_csv, "text/csv; charset=utf-8"),
    "jsonl": (history_jsonl, "application/x-ndjson; charset=utf-8"),
}


@require_safe
def file_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    has_documents = task.collection is not None
    takes_texts = may_download_texts(request.user, task)
    versions = Qrels.objects.visible_to(request.user).filter(task=task).select_related("task__campaign")
    newest = {qrels.set_name: qrels for qrels in versions.order_by("version")}
    organises = is_organiser(request.user, task.campaign)
    context = {
        "task": task,
        "has_topics": task.topics.exists(),
        "has_documents": has_documents,
        "has_texts": has_documents and has_texts(task),
        "takes_docnos": takes_texts or may_read_documents(request.user, task.campaign),
        "takes_texts": takes_texts,
        "why_no_texts": WHO_MAY[task.texts_for],
        "document_files": DOCUMENT_FILES.values(),
        "collections": [(qrels, dataset_of(qrels), module_file_name(qrels)) for qrels in newest.values()],
        "organises": organises,
        "has_judgments": organises and Judgment.objects.of_task(task.pk).exists(),
    }
    return render(request, "judging/test_collections/file_list.html", context)


@require_safe
def beir_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponseBase:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    if not may_download_texts(request.user, task) and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    require_texts_downloader(request.user, task)
    archive = BeirArchive(qrels)
    headers = {**_attached(f"{archive.name}.zip"), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(archive, content_type="application/zip", headers=headers)


@require_safe
def irds_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """It holds the SHA-256 of all texts, which is computed when somebody first asks for it."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    if job := texts_job(qrels.task):
        tell = messages.error if job.state == Job.FAILED else messages.info
        tell(request, said_of_texts(job))
        return redirect(task.url("file_list"))
    headers = _attached(module_file_name(qrels))
    return HttpResponse(module_source(qrels), content_type="text/x-python; charset=utf-8", headers=headers)


@login_required
@require_safe
def history_download(request: HttpRequest, campaign_slug: str, task_slug: str, extension: str) -> StreamingHttpResponse:
    """Every act of every assessor, under their names: for organisers only."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    lines, content_type = HISTORY_FILES[extension]
    headers = _attached(f"{task.campaign.slug}-{task.slug}-judgments.{extension}")
    return StreamingHttpResponse(lines(task), content_type=content_type, headers=headers)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
