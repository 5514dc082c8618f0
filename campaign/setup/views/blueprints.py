"""A campaign's set-up as a file, out and in; and a campaign that starts from another."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from campaign.formats.blueprint_files import toml_text
from campaign.models import Campaign
from campaign.permissions import get_organised_campaign_or_404, require_founder, signed_in
from campaign.setup.forms.blueprints import BlueprintForm, CopyForm
from campaign.setup.next_year import a_year_later, with_dates
from campaign.setup.selectors.blueprints import Outline, blueprint_of, people_of
from campaign.setup.services.blueprints import campaign_build, campaign_try, invited, left_out
from campaign.web.forms import result_of


@login_required
@require_safe
def campaign_blueprint(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    name = content_disposition_header(as_attachment=True, filename=f"{campaign.slug}.toml") or ""
    content = toml_text(blueprint_of(campaign))
    return HttpResponse(content, content_type="application/toml; charset=utf-8", headers={"Content-Disposition": name})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_from_file(request: HttpRequest) -> HttpResponse:
    """Checked first, by making all of it and undoing it; created when that is confirmed."""
    require_founder(request.user)
    form = BlueprintForm(request.POST, request.FILES) if request.method == "POST" else BlueprintForm()
    outline: Outline | None = None
    if form.is_valid():
        try:
            made = _made(request, form)
        except ValidationError as problem:
            form.add_error(None, problem.messages)
        else:
            if isinstance(made, Campaign):
                messages.success(request, f"{made} is created.")
                return redirect(made)
            outline = made
    status = 422 if form.is_bound and form.errors else 200
    context = {"form": form.shown_again() if form.is_bound else form, "outline": outline, "refused": status == 422}
    return render(request, "campaign/setup/campaign_from_file.html", context, status=status)


def _made(request: HttpRequest, form: BlueprintForm) -> Campaign | Outline:
    give_role = invited if form.cleaned_data["invites"] else left_out
    make = campaign_build if "create" in request.POST else campaign_try
    made: Campaign | Outline = make(
        actor=signed_in(request.user), blueprint=form.cleaned_data["blueprint"], give_role=give_role
    )
    return made


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_copy(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    source = get_organised_campaign_or_404(request.user, campaign_slug)
    require_founder(request.user)
    form = CopyForm(request.POST or None, source=source)
    blueprint = blueprint_of(source)
    build = partial(campaign_build, actor=signed_in(request.user), give_role=invited)
    if campaign := result_of(form, lambda: build(blueprint=_copied(source, blueprint, form.cleaned_data))):
        messages.success(request, f"{campaign} is created, as a draft that only you see. Check its dates and texts.")
        return redirect(campaign)
    context = {"form": form, "campaign": source, "dates": _proposed(blueprint)}
    return render(request, "campaign/setup/campaign_copy.html", context, status=422 if form.errors else 200)


def _copied(source: Campaign, blueprint: dict[str, Any], chosen: dict[str, Any]) -> dict[str, Any]:
    tasks = with_dates(blueprint.get("tasks", []), shifted=chosen["dates"] == CopyForm.SHIFTED)
    people = people_of(source) if chosen["invites"] else {}
    return {**blueprint, "title": chosen["title"], "slug": chosen["slug"], "tasks": tasks, **people}


def _proposed(blueprint: dict[str, Any]) -> list[dict[str, Any]]:
    """Of each task, as clocks of the campaign's zone show it: what is, and what would be."""
    names = ("opens_at", "closes_at")
    return [
        {
            "title": task["title"],
            "before": [task.get(name) for name in names],
            "after": [a_year_later(task[name]) if name in task else None for name in names],
        }
        for task in blueprint.get("tasks", [])
    ]
