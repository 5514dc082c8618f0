"""Who has a role in a campaign, who is invited to one, and the invited person's answer."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.accounts.selectors import has_confirmed
from campaign.models import Campaign, Role, RoleInvitation, User
from campaign.permissions import get_organised_campaign_or_404, is_organiser, signed_in
from campaign.setup.forms.people import OneOfForm, RoleForm
from campaign.setup.selectors.interests import conflicts_in
from campaign.setup.selectors.people import (
    campaign_roles,
    invitations_with_key,
    own_invitations,
    waiting_invitations,
)
from campaign.setup.services import people as services
from campaign.web.forms import act_and_tell, result_of

TOPICS_FOLLOW = " Topics that are assigned to you stand on your home page, and a mail tells you of them."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    if "revoke" in request.POST:
        return _revoke(request, campaign)
    if "withdraw" in request.POST or "again" in request.POST:
        return _withdraw_or_send(request, campaign)
    form = RoleForm(
        request.POST or None, actor=signed_in(request.user), initial={"role": request.GET.get("role", Role.ASSESSOR)}
    )
    if form.is_valid():
        if form.cleaned_data["confirmed"] is None and isinstance(form.cleaned_data["person"], User):
            return _ask_whether_that_is_who_is_meant(request, campaign, form)
        if _invited(request, campaign, form):
            return redirect("people", campaign_slug=campaign.slug)
    roles = campaign_roles(campaign)
    context = {
        "campaign": campaign,
        "roles": roles,
        "invitations": waiting_invitations(campaign),
        "form": form,
        "last": _last_organiser(roles),
        "conflicts": conflicts_in(campaign),
    }
    return render(request, "campaign/setup/people.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def role_answer(request: HttpRequest, invitation_id: int) -> HttpResponse:
    return _answer(request, own_invitations(signed_in(request.user)).filter(pk=invitation_id).first())


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def role_key(request: HttpRequest, key: str) -> HttpResponse:
    """The link of a mail: who opens it has read the mail, whatever the address of their account."""
    return _answer(request, invitations_with_key(key).first(), key)


def _answer(request: HttpRequest, invitation: RoleInvitation | None, key: str = "") -> HttpResponse:
    user = signed_in(request.user)
    answers = {"accept": services.invitation_accept, "decline": services.invitation_decline}
    answer = answers.get(request.POST.get("answer", ""))
    if invitation is not None and answer is not None:
        if invitation.campaign.archived_at and request.POST["answer"] == "accept":  # it stays open until the way back
            return render(request, "campaign/setup/at_rest.html", {"campaign": invitation.campaign}, status=403)
        try:
            answer(actor=user, invitation=invitation, key=key)
        except ValidationError:  # answered or withdrawn a moment ago
            invitation = None
        else:
            return _thanks(request, invitation)
    if invitation is None:
        return render(request, "campaign/setup/role_answer.html", {"invitation": None}, status=404)
    return render(request, "campaign/setup/role_answer.html", {"invitation": invitation, "inviter": _shown(invitation)})


def _thanks(request: HttpRequest, invitation: RoleInvitation) -> HttpResponse:
    campaign = invitation.campaign
    if request.POST["answer"] == "accept":
        follows = TOPICS_FOLLOW if invitation.role == Role.ASSESSOR else ""
        messages.success(request, f"You are {invitation.get_role_display()} of {campaign} now.{follows}")
        return redirect(campaign)
    messages.success(request, f"You have declined. {invitation.invited_by} hears of it by mail.")
    return redirect("home")


def _shown(invitation: RoleInvitation) -> dict[str, Any]:
    inviter = invitation.invited_by
    return {"name": str(inviter), "username": inviter.username, "is_confirmed": has_confirmed(inviter, inviter.email)}


def _ask_whether_that_is_who_is_meant(request: HttpRequest, campaign: Campaign, form: RoleForm) -> HttpResponse:
    person = form.cleaned_data["person"]
    context = {
        "campaign": campaign,
        "person": person,
        "typed": form.data["person"],
        "role": form.cleaned_data["role"],
        "role_words": form.invitation()["role"],
        "is_confirmed": has_confirmed(person, person.email),
        "verb": f"Invite {person}",
    }
    return render(request, "campaign/setup/role_confirm.html", context)


def _invited(request: HttpRequest, campaign: Campaign, form: RoleForm) -> bool:
    actor = signed_in(request.user)
    invited = result_of(form, lambda: services.role_invite(actor=actor, campaign=campaign, **form.invitation()))
    if invited is None:
        return False
    if invited.user is None:
        told = f"An invitation to be {invited.role} goes to {invited.email}. Its link works for 30 days."
    else:
        person, role = invited.user, invited.role
        told = f"{person} ({person.username}) is invited to be {role}, and is {role} after accepting."
    messages.success(request, told)
    return True


def _withdraw_or_send(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    withdraws = "withdraw" in request.POST
    form = OneOfForm({"row": request.POST["withdraw" if withdraws else "again"]}, rows=waiting_invitations(campaign))
    if form.is_valid():
        waiting: RoleInvitation = form.cleaned_data["row"]
        actor = signed_in(request.user)
        act = services.invitation_withdraw if withdraws else services.invitation_send_again
        who = waiting.user or waiting.email
        told = f"The invitation of {who} is withdrawn." if withdraws else f"The invitation of {who} is sent again."
        act_and_tell(request, lambda: act(actor=actor, invitation=waiting), told)
    else:
        messages.warning(request, "This invitation was answered or withdrawn already.")
    return redirect("people", campaign_slug=campaign.slug)


def _revoke(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = OneOfForm({"row": request.POST["revoke"]}, rows=campaign_roles(campaign))
    if form.is_valid():
        given: Role = form.cleaned_data["row"]
        actor, person, role = signed_in(request.user), given.user, given.role
        told = f"{person} is no longer {role} of this campaign."
        act_and_tell(
            request, lambda: services.role_revoke(actor=actor, campaign=campaign, user=person, role=role), told
        )
    else:
        messages.warning(request, "This role was taken away already.")
    if is_organiser(request.user, campaign):
        return redirect("people", campaign_slug=campaign.slug)
    return redirect("home")


def _last_organiser(roles: QuerySet[Role]) -> Role | None:
    organisers = [role for role in roles if role.role == Role.ORGANISER]
    return organisers[0] if len(organisers) == 1 else None
