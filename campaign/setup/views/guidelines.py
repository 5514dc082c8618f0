"""The page on which organisers correct the guidelines and the words of the grades."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.collection.forms import CorrectionForm
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.views.correcting import is_saved, status_of_correction
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.forms.guidelines import corrected_words, stored_guidelines
from campaign.setup.services.guideline_corrections import guidelines_correct


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_edit(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    settled = texts_are_settled(task)
    entries, seen = stored_guidelines(task)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        guidelines, grades = corrected_words(form)
        actor = signed_in(request.user)
        save = partial(guidelines_correct, actor=actor, task=task, guidelines=guidelines, grades=grades)
        if is_saved(form, save, partial(stored_guidelines, task), task):
            messages.success(request, "The guidelines are corrected.")
            return redirect(task)
    context = {"task": task, "form": form, "settled": settled}
    return render(request, "campaign/setup/guidelines_edit.html", context, status=status_of_correction(form))
