from dataclasses import asdict
from typing import Any, NamedTuple, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from campaign.models import Job, SlowRequest, User
from campaign.permissions import get_or_404, signed_in
from campaign.queue import open_jobs
from campaign.queue.broker import broker_answers
from campaign.text.plurals import number_of
from campaign.version import VERSION
from campaign.web.forms import act_and_tell
from runpool.backup.drill import last_drill
from runpool.operations import readiness
from runpool.operations.health import (
    cleanings,
    damage_in_words,
    database_bytes,
    last_cleaning,
    last_verification,
    site_health,
    verification_under_way,
)
from runpool.operations.metrics.exposition import CONTENT_TYPE, may_read_metrics, metrics_text
from runpool.operations.services import failed_jobs_send_again, job_send_again
from runpool.operations.slow_requests import SLOW_SECONDS
from runpool.operations.tallies import steps_of_the_sweep, storage_use, sweeps_that_sent
from runpool.operations.verifications import verification_request
from runpool.operations.workers import queues_without, workers_that_answer

M = TypeVar("M", bound=Model)
ROWS_ON_A_PAGE = 50
SECONDS_OF_A_PAGE = 1.0


@login_required
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    _superuser_or_404(request)
    counts = {state: open_jobs.count_up_to(state) for state in Job.STATES if state != Job.DONE}
    state = request.GET.get("state", Job.FAILED if counts[Job.FAILED] else Job.QUEUED)
    if state not in Job.STATES:
        raise Http404
    before = _number(request.GET.get("before"))
    page = page_of(open_jobs.jobs_in(state), before)
    tabs = [(name, label, counts.get(name)) for name, label in Job.STATES.items()]
    context: dict[str, Any] = {"tabs": tabs, "most": open_jobs.MOST_COUNTED, "state": state, "jobs": page.rows}
    context |= {"before": before, "older": page.older}
    context |= {"health": site_health(), "queues": open_jobs.queue_lines()}
    context |= {"damage": damage_in_words(), "cleaning": last_cleaning()}
    context |= {"verification": last_verification(), "is_verifying": verification_under_way()}
    return render(request, "runpool/operations/operations.html", context)


@login_required
@require_safe
def operations_storage(request: HttpRequest) -> HttpResponse:
    _superuser_or_404(request)
    before = _number(request.GET.get("before"))
    page = page_of(cleanings(), before)
    context: dict[str, Any] = {"cleanings": page.rows, "before": before, "older": page.older, "use": storage_use()}
    context |= {"health": site_health(), "database_bytes": database_bytes(), "steps": steps_of_the_sweep()}
    context |= {"drill": last_drill()}
    return render(request, "runpool/operations/storage.html", context | {"sweeps": sweeps_that_sent()})


@login_required
@require_safe
def operations_workers(request: HttpRequest) -> HttpResponse:
    """A fragment for the page of operations, which comes after it: workers are given time to answer."""
    _superuser_or_404(request)
    found = workers_that_answer(SECONDS_OF_A_PAGE) if broker_answers() else None
    context = {"workers": found, "queues_without": queues_without(found) if found is not None else []}
    whole = not request.htmx  # type: ignore[attr-defined]
    return render(request, f"runpool/operations/{'workers' if whole else '_workers'}.html", context)


@login_required
@require_safe
def operations_slow(request: HttpRequest) -> HttpResponse:
    _superuser_or_404(request)
    before = _number(request.GET.get("before"))
    page = page_of(SlowRequest.objects.all(), before)
    context: dict[str, Any] = {"requests": page.rows, "before": before, "older": page.older}
    context |= {"seconds": SLOW_SECONDS, "kept": SlowRequest.KEPT}
    return render(request, "runpool/operations/slow_requests.html", context)


@login_required
@require_POST
def operation_verify(request: HttpRequest) -> HttpResponse:
    actor = _superuser_or_404(request)
    act_and_tell(
        request, lambda: verification_request(actor=actor), "The site will be verified; what is found shows here."
    )
    return redirect("operations")


@login_required
@require_POST
def operation_send(request: HttpRequest, job_id: int) -> HttpResponse:
    actor = _superuser_or_404(request)
    job = get_or_404(Job.objects.all(), pk=job_id)
    act_and_tell(request, lambda: job_send_again(actor=actor, job=job), f"{job.name} was sent again.")
    return redirect(f"{reverse('operations')}?state={job.state}")


@login_required
@require_POST
def operation_send_failed(request: HttpRequest) -> HttpResponse:
    actor = _superuser_or_404(request)
    try:
        sent, unsent = failed_jobs_send_again(actor=actor)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
        return redirect(f"{reverse('operations')}?state={Job.FAILED}")
    messages.success(request, f"{number_of(sent, 'failed job')} sent again.")
    if unsent:
        messages.error(
            request, f"This version of the site has no such jobs, or not with these arguments: {', '.join(unsent)}."
        )
    return redirect(f"{reverse('operations')}?state={Job.FAILED}")


class PageOfRows(NamedTuple):
    """`older`: the number that leads to the rows before these; None where there are none."""

    rows: list[Any]
    older: int | None


def page_of(rows: "QuerySet[M]", before: int | None) -> PageOfRows:
    """The newest rows before this one: no page costs more than the first."""
    part = rows.filter(pk__lt=before) if before else rows
    found = list(part[: ROWS_ON_A_PAGE + 1])
    shown = found[:ROWS_ON_A_PAGE]
    return PageOfRows(shown, shown[-1].pk if len(found) > ROWS_ON_A_PAGE else None)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _superuser_or_404(request: HttpRequest) -> User:
    user = signed_in(request.user)
    if not user.is_superuser:
        raise Http404
    return user


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """For monitoring, without login: the figures behind `readyz`, with its status.

    503 only where this server cannot do its work. A late queue, damaged files and a nearly full disk degrade the site but are no
    failure: another server could do no better, and everything that they do not touch still works.
    """
    measured = site_health()
    status = readiness.worst(readiness.parts(measured))
    return JsonResponse({"status": status, **asdict(measured)}, status=503 if status == readiness.FAILING else 200)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus. Whoever may not read it learns no more than of any other page that is not there."""
    if not may_read_metrics(request):
        raise Http404
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE)


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """This process answers. Nothing else is asked: a process is not to be ended because the database is away."""
    return JsonResponse({"status": readiness.OK})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Each part of the site with its remedy, or the one named by `?part=`; 503 where one of them is failing.

    With `?fail_on=degraded` also where one is degraded, for monitors that look at the code alone.
    """
    fail_on = request.GET.get("fail_on", readiness.FAILING)
    if fail_on not in readiness.NOT_WELL:
        return JsonResponse({"error": f"fail_on is one of: {', '.join(readiness.NOT_WELL)}."}, status=400)
    found = readiness.parts(site_health())
    wanted = request.GET.get("part")
    if wanted is not None:
        names = ", ".join(part.name for part in found)
        found = [part for part in found if part.name == wanted]
        if not found:
            return JsonResponse({"error": f"There is no such part. The parts are: {names}."}, status=404)
    status = readiness.worst(found)
    answer = {"status": status, "version": VERSION, "parts": [asdict(part) for part in found]}
    return JsonResponse(answer, status=503 if status in (readiness.FAILING, fail_on) else 200)
