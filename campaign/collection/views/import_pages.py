"""What the pages of an import do whatever it holds; judging's pages of qrels imports are made of the same pieces."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaign.collection.selectors.imports import import_progress
from campaign.collection.services.imports import import_discard
from campaign.models import Import
from campaign.permissions import signed_in


def show_import(request: HttpRequest, import_: Import, template: str, **more: object) -> HttpResponse:
    progress = import_progress(import_)
    context = {
        "task": import_.task,
        "import": import_,
        "job": progress.job,
        "unfinished": progress.is_unfinished,
        "stuck": progress.is_stuck,
        **more,
    }
    return render(request, template, context)


def discard_import(request: HttpRequest, import_: Import, *, page: str, then: str, verdict: str) -> HttpResponse:
    """Give it up and go on to `then`; back to its own `page` with the reason if that is not possible."""
    try:
        import_discard(actor=signed_in(request.user), import_=import_)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
        return redirect(page)
    messages.success(request, f"{import_.file_name} was discarded. {verdict}")
    return redirect(then)
