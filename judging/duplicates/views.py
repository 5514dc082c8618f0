"""Near-identical documents of a pool: how far the search is, what was found, and how they are judged."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Job
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.web.forms import result_of, status_of
from judging.duplicates.selectors import Found, found_in, with_members
from judging.duplicates.services import handling_choose
from judging.forms import HandlingForm
from pooling.models import DuplicateSearch, Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.duplicates import classes_of, latest_search, search_of
from pooling.services.duplicates import search_request

CLASSES_ON_A_PAGE = 25
AGAIN = "again"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_duplicates(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    if request.method == "POST" and AGAIN in request.POST:
        return _look_again(request, pool)
    job = latest_search(pool)  # before the search: a finished job has written it before
    if request.htmx:  # type: ignore[attr-defined]
        return _searching(request, pool, job)
    search = search_of(pool)
    found = found_in(pool, search) if search else None
    form = _form(request, search, found)
    if form is not None and form.is_bound and form.is_valid() and _chosen(request, form, pool):
        return redirect(_url(pool))
    context = {**_context(request, pool, search), "found": found, "job": _shown(job, search), "form": form}
    return render(request, "judging/pool_duplicates.html", context, status=status_of(form) if form else 200)


def _context(request: HttpRequest, pool: Pool, search: DuplicateSearch | None) -> dict[str, Any]:
    leaders = classes_of(pool).filter(docno=F("representative"))
    page = Paginator(leaders, CLASSES_ON_A_PAGE).get_page(request.GET.get("page"))
    return {
        "task": pool.task,
        "pool": pool,
        "search": search,
        "page": page,
        "classes": with_members(pool, list(page.object_list)) if search else [],
        "may_look": search is None or search.handling != DuplicateSearch.ONE,
    }


def _form(request: HttpRequest, search: DuplicateSearch | None, found: Found | None) -> HandlingForm | None:
    """Nothing can be chosen as long as nothing is found."""
    if search is None or found is None or not found.members:
        return None
    costs = {handling: found.cost(handling) for handling in DuplicateSearch.HANDLINGS}
    return HandlingForm(request.POST or None, costs=costs, initial={"handling": search.handling})


def _chosen(request: HttpRequest, form: HandlingForm, pool: Pool) -> bool:
    search = result_of(form, lambda: handling_choose(actor=signed_in(request.user), pool=pool, **form.cleaned_data))
    if search is not None:
        messages.success(request, f"Near-identical documents: {search.get_handling_display()}.")
    return search is not None


def _look_again(request: HttpRequest, pool: Pool) -> HttpResponse:
    try:
        with transaction.atomic():
            search_request(pool)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    return redirect(_url(pool))


def _searching(request: HttpRequest, pool: Pool, job: Job | None) -> HttpResponse:
    response = render(request, "judging/_duplicates_search.html", {"task": pool.task, "pool": pool, "job": job})
    if job is not None and job.state == Job.DONE:
        response["HX-Refresh"] = "true"
    return response


def _shown(job: Job | None, search: DuplicateSearch | None) -> Job | None:
    """The job that looks now, or that failed without a later one."""
    if job is None or job.state == Job.DONE:
        return None
    done_since = search is not None and job.state == Job.FAILED and search.found_at > job.created_at
    return None if done_since else job


def _url(pool: Pool) -> str:
    return pool.task.url("pool_duplicates", version=pool.version)
