"""The organiser's pages about the teams of a campaign: table, decisions, mail to a selection, allowances."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.accounts.selectors import reply_address
from campaign.models import Allowance, Campaign, Notice, Registration, Task, Team
from campaign.news.selectors.recipients import Audience, mailed
from campaign.news.services.notices import notice_write
from campaign.permissions import get_or_404, get_organised_campaign_or_404, signed_in
from campaign.setup.selectors.agreements import current_agreements
from campaign.setup.selectors.interests import conflicts_in
from campaign.teams.exports import csv_answer, teams_csv
from campaign.teams.forms.registrations import AllowanceForm, DecisionForm, SelectionForm, TeamFilterForm, TeamMailForm
from campaign.teams.selectors.quotas import quota
from campaign.teams.selectors.team_table import state_counts, team_rows
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import registration_decide
from campaign.text.plurals import number_of
from campaign.web.forms import is_done, result_of

TEAMS_ON_A_PAGE = 100


@login_required
@require_safe
def registration_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = TeamFilterForm(request.GET, campaign=campaign)
    page = Paginator(form.registrations(), TEAMS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "form": form,
        "page": page,
        "rows": team_rows(campaign, page.object_list),
        "tasks": campaign.tasks.order_by("pk"),
        "counts": state_counts(campaign),
        "conflicts": conflicts_in(campaign),
        "has_agreements": current_agreements(campaign).exists(),
    }
    return render(request, "campaign/teams/registration_list.html", context)


@login_required
@require_safe
def registration_csv(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """The context of the table with its filter, for all its pages."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    rows = team_rows(campaign, TeamFilterForm(request.GET, campaign=campaign).registrations())
    return csv_answer(teams_csv(campaign, rows), f"{campaign.slug}-teams.csv")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def registration_decide_page(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    initial = {"chosen": _chosen(request, campaign)}
    form = DecisionForm(request.POST or None, campaign=campaign, initial=initial)
    if form.is_valid():
        _decide(request, form)
        return redirect("registration_list", campaign_slug=campaign.slug)
    context = {"campaign": campaign, "form": form, "chosen": _shown(form, initial)}
    return render(request, "campaign/teams/registration_decide.html", context, status=422 if form.errors else 200)


def _decide(request: HttpRequest, form: DecisionForm) -> None:
    """One decision for each team; an error for one does not stop the others."""
    decided: list[str] = []
    values = {name: form.cleaned_data[name] for name in ("state", "note")}
    for registration in form.cleaned_data["chosen"]:
        try:
            registration_decide(actor=signed_in(request.user), registration=registration, **values)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        else:
            decided.append(str(registration.team))
    if decided:
        who = f"{decided[0]} is" if len(decided) == 1 else f"{len(decided)} teams are"
        messages.success(request, f"{who} {'approved' if values['state'] == Registration.APPROVED else 'refused'}.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def registration_mail(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """Write a notice to chosen teams, preview it with the number of recipients, send it."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    initial = {"chosen": _chosen(request, campaign)}
    form = TeamMailForm(request.POST or None, campaign=campaign, initial=initial)
    if form.is_valid() and "send" in request.POST and _send(request, campaign, form):
        return redirect("registration_list", campaign_slug=campaign.slug)
    preview = form.is_valid() and "edit" not in request.POST
    context = {"campaign": campaign, "form": form, "chosen": _shown(form, initial), "preview": preview}
    context["replies_to"] = reply_address(signed_in(request.user))
    if preview:
        context["people"] = mailed(_audience(request, campaign, form))
    return render(request, "campaign/teams/registration_mail.html", context, status=422 if form.errors else 200)


def _send(request: HttpRequest, campaign: Campaign, form: TeamMailForm) -> bool:
    data = form.cleaned_data
    values = {"title": data["subject"], "body": data["text"], "batch": data["batch"]}
    actor, audience = signed_in(request.user), _audience(request, campaign, form)
    notice = result_of(form, lambda: notice_write(actor=actor, audience=audience, **values))
    if notice is not None:
        messages.success(request, f"Sent to {number_of(notice.people, 'person,people')}.")
    return notice is not None


def _audience(request: HttpRequest, campaign: Campaign, form: TeamMailForm) -> Audience:
    teams = [registration.team for registration in form.cleaned_data["chosen"]]
    author = signed_in(request.user)
    return Audience(campaign, Notice.SELECTION, teams=teams, owners_only=form.owners_only, but=author)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_allowances(request: HttpRequest, campaign_slug: str, team_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    registration = get_or_404(campaign.registrations.approved().select_related("team"), team__slug=team_slug)
    tasks = list(campaign.tasks.select_related("campaign").order_by("pk"))
    chosen = next((task for task in tasks if task.slug == request.POST.get("task")), None)
    entries = [_allowance_entry(request, task, registration.team, is_asked=task == chosen) for task in tasks]
    for entry in entries:
        if entry["task"] == chosen and entry["form"].is_valid() and _allow(request, registration.team, entry):
            return redirect("team_allowances", campaign_slug=campaign.slug, team_slug=registration.team.slug)
    refused = any(entry["form"].errors for entry in entries)
    context = {"campaign": campaign, "team": registration.team, "entries": entries, "refused": refused}
    return render(request, "campaign/teams/team_allowances.html", context, status=422 if refused else 200)


def _allowance_entry(request: HttpRequest, task: Task, team: Team, *, is_asked: bool) -> dict[str, Any]:
    given = Allowance.objects.filter(task=task, team=team).first()
    initial = {name: getattr(given, name) for name in AllowanceForm.GIVEN} if given else {}
    data = request.POST if is_asked else None
    form = AllowanceForm(data, campaign=task.campaign, initial=initial, auto_id=f"id_{task.pk}_%s")
    return {"task": task, "form": form, "quota": quota(task, team), "given": given}


def _allow(request: HttpRequest, team: Team, entry: dict[str, Any]) -> bool:
    form: AllowanceForm = entry["form"]
    if not is_done(
        form, lambda: allowance_give(actor=signed_in(request.user), task=entry["task"], team=team, **form.cleaned_data)
    ):
        return False
    messages.success(request, f"Saved for {team} in {entry['task']}.")
    return True


def _chosen(request: HttpRequest, campaign: Campaign) -> list[Registration]:
    """The rows ticked in the table, or all that match its filter."""
    if "all" in request.GET:
        return list(TeamFilterForm(request.GET, campaign=campaign).registrations())
    form = SelectionForm({"chosen": ",".join(request.GET.getlist("chosen"))}, campaign=campaign)
    return list(form.cleaned_data["chosen"]) if form.is_valid() else []


def _shown(form: SelectionForm, initial: dict[str, Any]) -> list[Registration]:
    return list(form.cleaned_data.get("chosen", []) if form.is_bound else initial["chosen"])
