from dataclasses import asdict

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from campaign.forms import act_and_tell
from campaign.models import Job, User
from campaign.operations import readiness, selectors
from campaign.operations.services import job_send_again
from campaign.operations.verifications import verification_request
from campaign.permissions import get_or_404, signed_in

JOBS_ON_A_PAGE = 50


@login_required
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    _superuser_or_404(request)
    counts = selectors.job_counts()
    state = request.GET.get("state", Job.FAILED if counts[Job.FAILED] else Job.QUEUED)
    if state not in Job.STATES:
        raise Http404
    page = Paginator(selectors.jobs_in(state), JOBS_ON_A_PAGE).get_page(request.GET.get("page"))
    tabs = [(name, label, counts[name]) for name, label in Job.STATES.items()]
    context = {"tabs": tabs, "state": state, "page": page, "health": selectors.health()}
    context |= {"damage": selectors.damage_in_words(), "cleaning": selectors.last_cleaning()}
    context |= {"verification": selectors.last_verification(), "is_verifying": selectors.verification_under_way()}
    return render(request, "campaign/operations/operations.html", context)


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


def _superuser_or_404(request: HttpRequest) -> User:
    user = signed_in(request.user)
    if not user.is_superuser:
        raise Http404
    return user


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """For monitoring, without login. 503 only where this server cannot do its work: others may be no better off.

    A late queue, damaged files and a nearly full disk are reported but are no failure: another server could do no better,
    and everything that they do not touch still works.
    """
    measured = selectors.health()
    status = 503 if measured.status == "failing" else 200
    return JsonResponse({"status": measured.status, **asdict(measured)}, status=status)


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """This process answers. Nothing else is asked: a process is not to be ended because the database is away."""
    return JsonResponse({"status": readiness.OK})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Each part of the site with its remedy, or the one named by `?part=`; 503 where one of them is failing."""
    found = readiness.parts(selectors.health())
    wanted = request.GET.get("part")
    if wanted is not None:
        names = ", ".join(part.name for part in found)
        found = [part for part in found if part.name == wanted]
        if not found:
            return JsonResponse({"error": f"There is no such part. The parts are: {names}."}, status=404)
    status = readiness.worst(found)
    answer = {"status": status, "parts": [asdict(part) for part in found]}
    return JsonResponse(answer, status=503 if status == readiness.FAILING else 200)
