from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp, csp_update
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.forms.models import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from campaign.collection.exports import docno_file, document_file
from campaign.collection.selectors.displays import display_of
from campaign.collection.selectors.documents import (
    MOST_TITLES_SEARCHED,
    listed_documents,
    require_document_reader,
    titles_are_searched,
)
from campaign.collection.selectors.errata import versions_of
from campaign.collection.selectors.texts import may_download_texts, require_texts_downloader
from campaign.formats.document_files import DOCUMENT_FILES
from campaign.formats.pages import framed_page
from campaign.models import Correction, Document, Task
from campaign.permissions import get_or_404, get_task_or_404, is_organiser
from campaign.text import limits

PAGE = 50
HARMLESS = {
    "sandbox": True,
    "default-src": [NONE],
    "style-src": [UNSAFE_INLINE],
    "img-src": ["data:"],
    "form-action": [NONE],
    "base-uri": [NONE],
    "frame-ancestors": [SELF],
}
"""The policy of a raw page, also where it is opened by itself: an origin of its own, no script, nothing loaded."""
WITH_FRAME = {"frame-src": [SELF]}
"""What the policy of a page with a frame for raw pages says besides; the frame cannot go to other hosts either."""


@login_required
@require_safe
def document_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = _readable_task(request, campaign_slug, task_slug)
    search = request.GET.get("search", "").strip()[: limits.SEARCH]
    after = request.GET.get("after", "")[: limits.SEARCH]
    context = {
        "task": task,
        "page": listed_documents(task, search=search, after=after, limit=PAGE),
        "search": search,
        "after": after,
        "searches_titles": titles_are_searched(task),
        "most_titles": MOST_TITLES_SEARCHED,
        "organises": is_organiser(request.user, task.campaign),
    }
    return render(request, "campaign/collection/document_list.html", context)


@login_required
@require_safe
@csp_update(WITH_FRAME)  # type: ignore[arg-type]
def document_detail(request: HttpRequest, campaign_slug: str, task_slug: str, docno: str) -> HttpResponse:
    task = _readable_task(request, campaign_slug, task_slug)
    document = get_or_404(Document.objects.filter(collection=task.collection_id), docno=docno)
    display = display_of(task, model_to_dict(document))
    context = {
        "task": task,
        "document": document,
        "display": display,
        "organises": is_organiser(request.user, task.campaign),
        "versions": versions_of(task, [Correction.DOCUMENT], docno),
    }
    return render(request, "campaign/collection/document_detail.html", context)


@login_required
@require_safe
@xframe_options_sameorigin
@csp(HARMLESS)  # type: ignore[arg-type]
def document_page(request: HttpRequest, campaign_slug: str, task_slug: str, docno: str) -> HttpResponse:
    """The raw page of a document, for a frame of another page."""
    task = _readable_task(request, campaign_slug, task_slug)
    documents = Document.objects.filter(collection=task.collection_id, has_text=True)
    document = get_or_404(documents if task.documents_shown_as == Task.FRAME else documents.none(), docno=docno)
    return HttpResponse(framed_page(document.text), headers={"X-DNS-Prefetch-Control": "off"})


@require_safe
def docno_download(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponseBase:
    """For who may read single documents, and for who may have all of them."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    if not may_download_texts(request.user, task):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        require_document_reader(request.user, task.campaign)
    if task.collection_id is None:
        raise Http404
    return docno_file(task)


@require_safe
def document_download(request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str) -> HttpResponseBase:
    """For whom the task says; who is not signed in may have the right after it."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    if not may_download_texts(request.user, task) and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    require_texts_downloader(request.user, task)
    if task.collection_id is None or file_format not in DOCUMENT_FILES:
        raise Http404
    return document_file(task, task.collection_id, DOCUMENT_FILES[file_format])


def _readable_task(request: HttpRequest, campaign_slug: str, task_slug: str) -> Task:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    require_document_reader(request.user, task.campaign)
    return task
