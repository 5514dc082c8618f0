"""The page on which organisers correct the text of a document."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.collection.forms import CorrectionForm, Entry
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.documents import tasks_with
from campaign.collection.selectors.versions import text_version
from campaign.collection.services.document_corrections import document_correct
from campaign.collection.views.correcting import is_saved, status_of_correction
from campaign.models import Document
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text import limits


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_edit(request: HttpRequest, campaign_slug: str, task_slug: str, docno: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    documents = Document.objects.filter(collection=task.collection_id, has_text=True)
    document = get_or_404(documents, docno=docno)
    sharing = tasks_with(document)
    settled = any(map(texts_are_settled, sharing))
    context = {"task": task, "document": document, "settled": settled, "sharing": sharing}
    if len(document.text) > limits.EDITED_ON_A_PAGE:
        return render(request, "campaign/collection/document_edit.html", {**context, "limit": limits.EDITED_ON_A_PAGE})
    entries, seen = _stored(document)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        save = partial(document_correct, actor=signed_in(request.user), document=document, fields=form.texts())
        if is_saved(form, save, partial(_stored, document), document):
            messages.success(request, f"Document {docno} is corrected.")
            return redirect(task.url("document_detail", docno=docno))
    status = status_of_correction(form)
    return render(request, "campaign/collection/document_edit.html", {**context, "form": form}, status=status)


def _stored(document: Document) -> tuple[list[Entry], str]:
    now = Document.objects.get(pk=document.pk)
    entries = [
        Entry("title", "Title", now.title, limits.TITLE_OF_DOCUMENT),
        Entry("text", "Text", now.text, limits.EDITED_ON_A_PAGE, rows=20),
    ]
    return entries, text_version(now.title, now.text)
