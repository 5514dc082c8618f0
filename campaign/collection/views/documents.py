from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.exports import docno_file
from campaign.collection.selectors.documents import require_document_reader, task_documents
from campaign.models import Document, Task
from campaign.permissions import get_or_404, get_task_or_404, is_organiser

PAGE = 50


@login_required
@require_safe
def document_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = _readable_task(request, campaign_slug, task_slug)
    search = request.GET.get("search", "").strip()[:200]
    page = Paginator(task_documents(task, search), PAGE).get_page(request.GET.get("page"))
    context = {
        "task": task,
        "page": page,
        "search": search,
        "organises": is_organiser(request.user, task.campaign),
    }
    return render(request, "campaign/collection/document_list.html", context)


@login_required
@require_safe
def document_detail(request: HttpRequest, campaign_slug: str, task_slug: str, docno: str) -> HttpResponse:
    task = _readable_task(request, campaign_slug, task_slug)
    document = get_or_404(Document.objects.filter(collection=task.collection_id), docno=docno)
    return render(request, "campaign/collection/document_detail.html", {"task": task, "document": document})


@login_required
@require_safe
def docno_download(request: HttpRequest, campaign_slug: str, task_slug: str) -> StreamingHttpResponse:
    task = _readable_task(request, campaign_slug, task_slug)
    if task.collection_id is None:
        raise Http404
    return docno_file(task)


def _readable_task(request: HttpRequest, campaign_slug: str, task_slug: str) -> Task:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    require_document_reader(request.user, task.campaign)
    return task
