from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Campaign, Role
from campaign.permissions import get_organised_campaign_or_404, is_organiser, signed_in
from campaign.setup.forms.people import RevokeForm, RoleForm
from campaign.setup.services.campaigns import role_grant, role_revoke


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    roles = campaign.roles.select_related("user").order_by("-role", "user__username")
    if "revoke" in request.POST:
        return _revoke(request, campaign, roles)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        person, role = form.cleaned_data["person"], form.cleaned_data["role"]
        role_grant(actor=signed_in(request.user), campaign=campaign, user=person, role=role)
        messages.success(request, f"{person} ({person.username}) is now {role} of this campaign.")
        return redirect("people", campaign_slug=campaign.slug)
    context = {"campaign": campaign, "roles": roles, "form": form, "last": _last_organiser(roles)}
    return render(request, "campaign/setup/people.html", context, status=422 if form.errors else 200)


def _revoke(request: HttpRequest, campaign: Campaign, roles: QuerySet[Role]) -> HttpResponse:
    form = RevokeForm(request.POST, roles=roles)
    if form.is_valid():
        given: Role = form.cleaned_data["revoke"]
        try:
            role_revoke(actor=signed_in(request.user), campaign=campaign, user=given.user, role=given.role)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        else:
            messages.success(request, f"{given.user} is no longer {given.role} of this campaign.")
    else:
        messages.warning(request, "This role was taken away already.")
    if is_organiser(request.user, campaign):
        return redirect("people", campaign_slug=campaign.slug)
    return redirect("home")


def _last_organiser(roles: QuerySet[Role]) -> Role | None:
    organisers = [role for role in roles if role.role == Role.ORGANISER]
    return organisers[0] if len(organisers) == 1 else None
