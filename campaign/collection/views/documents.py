from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.selectors.documents import require_document_reader, task_documents
from campaign.models import Document, Task
from campaign.permissions import get_or_404, get_task_or_404, is_organiser

PAGE = 50


@login_required
@require_safe
def document_list(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = _readable_task(request, campaign, task)
    search = request.GET.get("search", "").strip()[:200]
    page = Paginator(task_documents(found, search), PAGE).get_page(request.GET.get("page"))
    context = {
        "task": found,
        "page": page,
        "search": search,
        "organises": is_organiser(request.user, found.campaign),
    }
    return render(request, "campaign/collection/document_list.html", context)


@login_required
@require_safe
def document_detail(request: HttpRequest, campaign: str, task: str, docno: str) -> HttpResponse:
    found = _readable_task(request, campaign, task)
    document = get_or_404(Document.objects.filter(collection=found.collection_id), docno=docno)
    return render(request, "campaign/collection/document_detail.html", {"task": found, "document": document})


def _readable_task(request: HttpRequest, campaign: str, task: str) -> Task:
    found = get_task_or_404(request.user, campaign, task)
    require_document_reader(request.user, found.campaign)
    return found
