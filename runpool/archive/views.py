"""Archives of a campaign, for its organisers; archives that come in, for those who may found campaigns, each for their own."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.models import Archive, Campaign, Restoration
from campaign.permissions import get_or_404, get_organised_campaign_or_404, require_founder, signed_in
from campaign.storage.downloads import sign_in_first
from campaign.storage.quarantine import DamagedFileError
from campaign.web.forms import act_and_tell, is_done, result_of, status_of
from campaign.web.uploads import takes_files
from runpool.archive.exports import archive_answer
from runpool.archive.forms import ArchiveFileForm, ArchiveForm, RestorationForm
from runpool.archive.selectors import campaign_archives, own_restorations, restoration_job
from runpool.archive.services import requests


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def archive_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = ArchiveForm(request.POST or None, campaign=campaign)
    if is_done(
        form, lambda: requests.archive_request(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
    ):
        return redirect("archive_list", campaign_slug=campaign.slug)
    context = {**_archives(campaign), "form": form}
    return render(request, "runpool/archive/archive_list.html", context, status=status_of(form))


@login_required
@require_safe
def archive_state(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    return render(request, "runpool/archive/_archives.html", _archives(campaign))


def _archives(campaign: Campaign) -> dict[str, Any]:
    archives = campaign_archives(campaign)
    unfinished = any(shown.is_unfinished for shown in archives)
    return {"campaign": campaign, "archives": archives, "unfinished": unfinished, "days": settings.KEEP_ARCHIVES_DAYS}


@require_safe
def archive_download(request: HttpRequest, campaign_slug: str, archive_id: int) -> FileResponse | HttpResponse:
    if not request.user.is_authenticated:
        return sign_in_first(request, "archive_list", campaign_slug)
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    archive = get_or_404(Archive.objects.filter(campaign=campaign).select_related("campaign", "task"), pk=archive_id)
    try:
        return archive_answer(request, archive)
    except DamagedFileError as problem:
        messages.error(request, str(problem))
        return redirect("archive_list", campaign_slug=campaign.slug)


@takes_files
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def restoration_create(request: HttpRequest) -> HttpResponse:
    require_founder(request.user)
    form = ArchiveFileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    user = signed_in(request.user)
    if form.is_valid():
        file = form.cleaned_data["file"]
        if restoration := result_of(
            form, lambda: requests.restoration_receive(actor=user, file=file, file_name=file.name)
        ):
            return redirect("restoration_detail", restoration_id=restoration.pk)
    context = {"form": form, "earlier": own_restorations(user)}
    return render(request, "runpool/archive/restoration_create.html", context, status=status_of(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def restoration_detail(request: HttpRequest, restoration_id: UUID) -> HttpResponse:
    restoration = _own(request, restoration_id)
    form = RestorationForm(request.POST or None, initial={"slug": restoration.found.get("slug", "")})
    user = signed_in(request.user)
    if is_done(
        form, lambda: requests.restoration_confirm(actor=user, restoration=restoration, slug=form.cleaned_data["slug"])
    ):
        return redirect("restoration_detail", restoration_id=restoration.pk)
    context = {**_restoration(restoration), "form": form}
    return render(request, "runpool/archive/restoration_detail.html", context, status=status_of(form))


@login_required
@require_safe
def restoration_state(request: HttpRequest, restoration_id: UUID) -> HttpResponse:
    restoration = _own(request, restoration_id)
    context = _restoration(restoration)
    response = render(request, "runpool/archive/_restoration_state.html", {**context, "form": RestorationForm()})
    if not context["unfinished"]:  # the page has the form, or the problems
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def restoration_discard(request: HttpRequest, restoration_id: UUID) -> HttpResponse:
    restoration = _own(request, restoration_id)
    actor = signed_in(request.user)
    act_and_tell(
        request,
        lambda: requests.restoration_discard(actor=actor, restoration=restoration),
        f"{restoration.file_name} was discarded. Nothing was restored.",
    )
    return redirect("restoration_create")


def _own(request: HttpRequest, restoration_id: UUID) -> Restoration:
    visible = Restoration.objects.visible_to(request.user).select_related("campaign", "created_by")
    return get_or_404(visible, pk=restoration_id)


def _restoration(restoration: Restoration) -> dict[str, Any]:
    job = restoration_job(restoration)
    restoration.refresh_from_db(fields=["state", "found", "problems", "campaign", "slug"])
    waits = restoration.state in (Restoration.CHECKING, Restoration.RESTORING)
    unfinished = waits and job is not None and job.is_unfinished
    return {"restoration": restoration, "job": job, "unfinished": unfinished, "stuck": waits and not unfinished}
