"""The release of what single assessors judged, each into a set of qrels of its own."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import User
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.plurals import number_of
from campaign.web.forms import result_of
from judging.forms import AssessorsReleaseForm
from judging.models import Qrels
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.selectors.qrels_sets import AssessorSet, assessor_sets
from judging.qrels.services.releases import qrels_release
from pooling.models import Pool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_release_assessors(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool, sets = pool_numbered(task), assessor_sets(task)
    data = request.POST if request.method == "POST" else None
    form = AssessorsReleaseForm(data, sets={str(one.person.pk): _in_words(one) for one in sets})
    if pool is not None and form.is_valid():
        chosen = [one.person for one in sets if str(one.person.pk) in form.cleaned_data["assessors"]]
        note = form.cleaned_data["note"]
        if released := result_of(form, lambda: _release(signed_in(request.user), pool, chosen, note)):
            named = ", ".join(str(qrels) for qrels in released)
            messages.success(request, f"Released: {named}. Every valid run is scored with each of them.")
            return redirect(task.url("qrels_list"))
    context = {"task": task, "pool": pool, "form": form, "sets": sets}
    return render(request, "judging/qrels_release_assessors.html", context, status=422 if form.errors else 200)


def _in_words(one: AssessorSet) -> str:
    graded = f"{number_of(one.documents, 'graded document')} of {number_of(one.topics, 'topic')}"
    return f"{one.person}, as {one.set_name}: {graded}"


@transaction.atomic
def _release(actor: User, pool: Pool, people: Sequence[User], note: str) -> list[Qrels]:
    return [qrels_release(actor=actor, task=pool.task, pool=pool, assessor=person, note=note) for person in people]
