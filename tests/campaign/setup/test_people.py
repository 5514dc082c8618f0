"""Roles: who is meant by a name, and the way from an invitation to a right."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.services import lookups
from campaign.accounts.services.lookups import NOT_FOUND
from campaign.models import AuditEvent, Campaign, Mail, Role, RoleInvitation, User
from campaign.models.role_invitation import INVITED_FOR
from campaign.permissions import is_assessor, is_organiser
from campaign.setup.services.people import (
    expired_invitations_remove,
    invitation_accept,
    invitation_decline,
    invitation_send_again,
    invitation_withdraw,
    role_grant,
    role_invite,
    role_revoke,
)
from campaign.teams.services.teams import team_found, team_invite
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, confirm_address, make_campaign, make_user


def people_page(cast: Cast) -> str:
    return reverse("people", kwargs={"campaign_slug": cast.campaign.slug})


def look_up(cast: Cast, person: str, role: str = Role.ASSESSOR, **more: object) -> HttpResponse:
    values = {"person": person, "role": role, **more}
    answer: HttpResponse = signed_in(cast.organiser).post(people_page(cast), values, follow=True)
    return answer


def invited(cast: Cast, role: str = Role.ASSESSOR) -> RoleInvitation:
    return role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=role)


def by_mail(cast: Cast, email: str = "new@example.org") -> RoleInvitation:
    return role_invite(actor=cast.organiser, campaign=cast.campaign, email=email, role=Role.ASSESSOR)


def answer_page(invitation: RoleInvitation) -> str:
    return reverse("role_answer", kwargs={"invitation_id": invitation.pk})


def test_the_organiser_sees_who_it_is_before_anybody_is_invited(cast: Cast) -> None:
    confirm_address(cast.stranger)
    shown = look_up(cast, cast.stranger.username.upper())
    text = shown.content.decode()
    assert cast.stranger.username in text
    assert cast.stranger.email in text
    assert "confirmed by its owner" in text
    assert not RoleInvitation.objects.exists()
    look_up(cast, cast.stranger.username, confirmed=cast.stranger.pk)
    assert RoleInvitation.objects.get().user == cast.stranger
    assert not Role.objects.filter(user=cast.stranger).exists()


def test_an_address_that_nobody_confirmed_is_shown_as_such(cast: Cast) -> None:
    assert "not confirmed" in look_up(cast, cast.stranger.username).content.decode()


def test_what_is_not_found_gets_one_answer_whatever_the_reason(cast: Cast) -> None:
    make_user("gone", is_active=False)
    for text in ("nobody", "gone", "a\0b"):
        answer = look_up(cast, text)
        assert answer.status_code == 422
        told = [error for errors in answer.context["form"].errors.values() for error in errors]
        assert told == [NOT_FOUND] or "\0" in text


def test_an_address_is_invited_in_the_same_words_whether_or_not_it_has_an_account(cast: Cast) -> None:
    claimed = make_user("claimant")
    EmailAddress.objects.create(user=claimed, email=claimed.email, verified=False)
    confirmed = confirm_address(make_user())
    for address in ("nobody@example.org", claimed.email, confirmed.email.upper()):
        said = [str(message) for message in look_up(cast, address).context["messages"]]
        assert said == [f"An invitation to be assessor goes to {address.lower()}. Its link works for 30 days."]
    assert RoleInvitation.objects.filter(user=None).exclude(key="").count() == 3
    assert look_up(cast, "not an@address").status_code == 422


def test_the_link_of_the_mail_works_once_for_whoever_signs_in_by_it(cast: Cast) -> None:
    invitation = by_mail(cast)
    page = reverse("role_key", kwargs={"key": invitation.key})
    assert page in Mail.objects.get(address=invitation.email).body
    for entrance in ("account_login", "account_signup"):
        assert "Your invitation comes next." in Client().get(reverse(entrance), {"next": page}).content.decode()
        team = reverse("team_join", kwargs={"key": "abc"})
        assert "Your invitation comes next." in Client().get(reverse(entrance), {"next": team}).content.decode()
        assert "Your invitation" not in Client().get(reverse(entrance), {"next": "/"}).content.decode()
    assert Client().get(page).status_code == 302
    newcomer = make_user()
    client = signed_in(newcomer)
    assert "Be assessor of" in client.get(page).content.decode()
    told = client.post(page, {"answer": "accept"}, follow=True).content.decode()
    assert "Topics that are assigned to you stand on your home page" in told
    assert is_assessor(newcomer, cast.campaign)
    assert client.post(page, {"answer": "accept"}).status_code == 404


def test_an_invitation_by_mail_waits_for_whoever_confirms_the_address(cast: Cast) -> None:
    newcomer = make_user("new")
    invitation = by_mail(cast, newcomer.email)
    assert signed_in(newcomer).get(answer_page(invitation)).status_code == 404
    confirm_address(newcomer)
    steps = [todo.step.url for todo in signed_in(newcomer).get("/").context["todos"]]
    assert steps == [answer_page(invitation)]
    signed_in(newcomer).post(answer_page(invitation), {"answer": "accept"})
    assert is_assessor(newcomer, cast.campaign)


def test_an_invitation_is_open_for_thirty_days_and_can_be_sent_again(cast: Cast) -> None:
    invitation = by_mail(cast)
    RoleInvitation.objects.update(invited_at=timezone.now() - INVITED_FOR)
    page = reverse("role_key", kwargs={"key": invitation.key})
    assert signed_in(cast.stranger).get(page).status_code == 404
    with pytest.raises(ValidationError, match="not open any more"):
        invitation_accept(actor=cast.stranger, invitation=invitation, key=invitation.key)
    signed_in(cast.organiser).post(people_page(cast), {"again": invitation.pk})
    assert signed_in(cast.stranger).get(page).status_code == 200
    RoleInvitation.objects.update(invited_at=timezone.now() - INVITED_FOR)
    assert "1 invitation" in expired_invitations_remove()


def test_a_script_may_invite_one_person_to_many_campaigns_and_roles_in_a_day(cast: Cast) -> None:
    campaigns = [campaign_of(cast) for _ in range(4)]
    for campaign in campaigns:
        for role in (Role.ORGANISER, Role.ASSESSOR):
            role_invite(actor=cast.organiser, campaign=campaign, user=cast.stranger, role=role)
    assert Mail.objects.filter(recipient=cast.stranger).count() == RoleInvitation.objects.count() == 8


def test_the_same_invitation_is_sent_three_times_a_day_whoever_sends_it(cast: Cast) -> None:
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.member, role=Role.ORGANISER)
    for actor in (cast.organiser, cast.member, cast.organiser):
        made = role_invite(actor=actor, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
        invitation_withdraw(actor=actor, invitation=made)
    with pytest.raises(ValidationError, match="invited to be assessor here often enough"):
        role_invite(actor=cast.member, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)


def test_one_inviter_sends_a_person_twenty_mails_a_day_and_keeps_nobody_else_from_inviting_them(cast: Cast) -> None:
    last = use_up_mails_to(cast, {"user": cast.stranger}, {"email": "new@example.org"})
    with pytest.raises(ValidationError, match=r"You have sent new@example\.org enough invitations"):
        role_invite(actor=cast.organiser, campaign=last, email="new@example.org", role=Role.ASSESSOR)
    waits = role_invite(actor=cast.organiser, campaign=last, user=cast.stranger, role=Role.ASSESSOR)
    assert Mail.objects.filter(recipient=cast.stranger).count() == 20
    assert signed_in(cast.stranger).get(answer_page(waits)).status_code == 200
    role_grant(actor=cast.organiser, campaign=last, user=cast.member, role=Role.ORGANISER)
    role_invite(actor=cast.member, campaign=last, email="new@example.org", role=Role.ASSESSOR)
    role_invite(actor=cast.member, campaign=last, user=cast.stranger, role=Role.ORGANISER)
    assert Mail.objects.filter(recipient=cast.stranger).count() == 21


@pytest.mark.parametrize("spelt", ["N.e.w@Example.ORG", "new+again@example.org", "\uff4eew@example.org"])
def test_another_spelling_of_an_address_gets_no_further_invitations(cast: Cast, spelt: str) -> None:
    last = use_up_mails_to(cast, {"email": "new@example.org"})
    with pytest.raises(ValidationError, match="enough invitations for a day"):
        role_invite(actor=cast.organiser, campaign=last, email=spelt, role=Role.ASSESSOR)
    team = team_found(actor=cast.organiser, name="Of the organiser")
    with pytest.raises(ValidationError, match="enough mails for a day"):
        team_invite(actor=cast.organiser, team=team, email=spelt)
    role_invite(actor=cast.organiser, campaign=last, email="newer@example.org", role=Role.ASSESSOR)


def use_up_mails_to(cast: Cast, *people: dict[str, Any]) -> Campaign:
    """Have the organiser send each as many invitations as a day allows; a campaign in which they are not invited."""
    for _ in range(10):
        campaign = campaign_of(cast)
        for role in (Role.ORGANISER, Role.ASSESSOR):
            for person in people:
                role_invite(actor=cast.organiser, campaign=campaign, role=role, **person)
    return campaign_of(cast)


def campaign_of(cast: Cast) -> Campaign:
    campaign = make_campaign()
    role_grant(actor=cast.organiser, campaign=campaign, user=cast.organiser, role=Role.ORGANISER)
    return campaign


def test_a_campaign_is_handed_over_when_the_other_accepts_and_not_before(cast: Cast) -> None:
    shown = look_up(cast, cast.stranger.username, "in place").content.decode()
    assert "You stop being an organiser" in shown
    look_up(cast, cast.stranger.username, "in place", confirmed=cast.stranger.pk)
    assert is_organiser(cast.organiser, cast.campaign)
    invitation_accept(actor=cast.stranger, invitation=RoleInvitation.objects.get())
    assert is_organiser(cast.stranger, cast.campaign)
    assert not is_organiser(cast.organiser, cast.campaign)
    assert "in your place" in Mail.objects.get(recipient=cast.organiser).subject
    with pytest.raises(ValidationError, match="needs an organiser"):
        role_revoke(actor=cast.stranger, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)


def test_names_are_looked_up_so_often_and_no_more(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "MOST_AN_HOUR", 2)
    for number in range(2):
        assert NOT_FOUND in look_up(cast, f"nobody{number}").content.decode()
    assert "Go on in an hour" in look_up(cast, cast.stranger.username).content.decode()


def test_a_name_that_changed_hands_between_look_and_confirmation_invites_nobody(cast: Cast) -> None:
    answer = look_up(cast, cast.stranger.username, confirmed=cast.member.pk)
    assert answer.status_code == 422
    assert not RoleInvitation.objects.exists()


@pytest.mark.parametrize("role", [Role.ASSESSOR, Role.ORGANISER])
def test_an_invitation_gives_no_right_and_names_the_person_nowhere_else(cast: Cast, role: str) -> None:
    draft = make_campaign("secret-draft", is_open=False)
    role_grant(actor=cast.organiser, campaign=draft, user=cast.organiser, role=Role.ORGANISER)
    role_invite(actor=cast.organiser, campaign=draft, user=cast.stranger, role=role)
    assert not is_organiser(cast.stranger, draft)
    assert not is_assessor(cast.stranger, draft)
    client = signed_in(cast.stranger)
    assert client.get(draft.get_absolute_url()).status_code == 404
    page = client.get("/").content.decode()
    assert f'href="{draft.get_absolute_url()}"' not in page
    assert "Accept or decline" in page


def test_the_invited_person_gets_a_mail_and_a_step_on_the_home_page_and_accepts(cast: Cast) -> None:
    invitation = invited(cast)
    mail = Mail.objects.get(recipient=cast.stranger)
    assert answer_page(invitation) in mail.body
    client = signed_in(cast.stranger)
    steps = [todo.step for todo in client.get("/").context["todos"]]
    assert [(step.label, step.url) for step in steps] == [("Accept or decline", answer_page(invitation))]
    page = client.get(answer_page(invitation)).content.decode()
    assert cast.organiser.username in page
    client.post(answer_page(invitation), {"answer": "accept"})
    assert is_assessor(cast.stranger, cast.campaign)
    assert not RoleInvitation.objects.exists()
    again = client.post(answer_page(invitation), {"answer": "accept"})
    assert again.status_code == 404
    assert "not open any more" in again.content.decode()


def test_declining_gives_no_role_and_tells_the_inviter(cast: Cast) -> None:
    invitation = invited(cast, Role.ORGANISER)
    answer = signed_in(cast.stranger).post(answer_page(invitation), {"answer": "decline"}, follow=True)
    assert answer.status_code == 200
    assert not Role.objects.filter(user=cast.stranger).exists()
    assert "declined" in Mail.objects.get(recipient=cast.organiser).subject


def test_a_post_without_an_answer_asks_again(cast: Cast) -> None:
    invitation = invited(cast)
    assert signed_in(cast.stranger).post(answer_page(invitation), {"answer": "perhaps"}).status_code == 200
    assert RoleInvitation.objects.exists()


def test_nobody_answers_for_another(cast: Cast) -> None:
    invitation = invited(cast)
    for person in (cast.organiser, cast.member):
        assert signed_in(person).post(answer_page(invitation), {"answer": "accept"}).status_code == 404
    with pytest.raises(ValidationError):
        invitation_accept(actor=cast.member, invitation=invitation)
    assert not Role.objects.filter(user__in=[cast.member, cast.stranger]).exists()


def test_people_lists_who_is_invited_apart_and_withdraws(cast: Cast) -> None:
    invitation, client = invited(cast), signed_in(cast.organiser)
    page = client.get(people_page(cast)).content.decode()
    assert "<strong>1 person</strong> invited" in page
    assert "<strong>2 roles</strong>" in page
    told = [client.post(people_page(cast), {"withdraw": invitation.pk}, follow=True).content.decode() for _ in range(2)]
    assert "is withdrawn" in told[0]
    assert "answered or withdrawn already" in told[1]
    with pytest.raises(ValidationError, match="not open any more"):
        invitation_accept(actor=cast.stranger, invitation=invitation)


def test_inviting_twice_sends_one_mail_and_whoever_has_the_role_is_not_invited(cast: Cast) -> None:
    assert invited(cast) == invited(cast)
    assert Mail.objects.filter(recipient=cast.stranger).count() == 1
    with pytest.raises(ValidationError, match="already"):
        role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.assessor, role=Role.ASSESSOR)


@pytest.mark.sqlite("campaign.setup.services.people._has_many_mails")
def test_withdrawing_and_inviting_again_does_not_flood_a_mailbox(cast: Cast) -> None:
    for _ in range(3):
        invitation_withdraw(actor=cast.organiser, invitation=invited(cast))
    with pytest.raises(ValidationError, match="tomorrow"):
        invited(cast)


def test_a_role_that_a_command_gives_closes_the_invitation(cast: Cast) -> None:
    invited(cast)
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    assert not RoleInvitation.objects.exists()


def test_nobody_comes_in_by_the_hand_of_an_organiser_who_is_out(cast: Cast) -> None:
    second = make_user()
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=second, role=Role.ORGANISER)
    invitation = role_invite(actor=second, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)
    role_revoke(actor=cast.organiser, campaign=cast.campaign, user=second, role=Role.ORGANISER)
    with pytest.raises(ValidationError):
        invitation_accept(actor=cast.stranger, invitation=invitation)
    with pytest.raises(PermissionDenied, match="Only an organiser"):
        role_invite(actor=second, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)


@pytest.mark.parametrize("lost", ["is_superuser", "is_active"])
def test_nobody_comes_in_by_the_hand_of_an_operator_who_is_none_any_more(cast: Cast, lost: str) -> None:
    operator = make_user(is_superuser=True)
    invitation = role_invite(actor=operator, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)
    assert signed_in(cast.stranger).get(answer_page(invitation)).status_code == 200
    User.objects.filter(pk=operator.pk).update(**{lost: False})
    assert signed_in(cast.stranger).post(answer_page(invitation), {"answer": "accept"}).status_code == 404
    with pytest.raises(ValidationError, match="not open any more"):
        invitation_accept(actor=cast.stranger, invitation=invitation)
    assert not Role.objects.filter(user=cast.stranger).exists()
    invitation_send_again(actor=cast.organiser, invitation=invitation)
    invitation_accept(actor=cast.stranger, invitation=invitation)
    assert is_organiser(cast.organiser, cast.campaign)


@pytest.mark.parametrize("lost", ["is_superuser", "is_active"])
def test_whoever_an_operator_invited_who_is_none_any_more_is_invited_anew_by_mail(cast: Cast, lost: str) -> None:
    operator = make_user(is_superuser=True)
    role_invite(actor=operator, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    User.objects.filter(pk=operator.pk).update(**{lost: False})
    invitation = invited(cast)
    assert invitation == RoleInvitation.objects.get()
    assert invitation.invited_by == cast.organiser
    assert Mail.objects.filter(recipient=cast.stranger).count() == 2
    invitation_accept(actor=cast.stranger, invitation=invitation)
    assert is_assessor(cast.stranger, cast.campaign)


def test_people_says_of_an_invitation_that_nobody_can_accept_that_it_is_not_open(cast: Cast) -> None:
    operator = make_user(is_superuser=True)
    role_invite(actor=operator, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    told, client = "not open: the inviter is no longer an organiser; send it again", signed_in(cast.organiser)
    assert told not in client.get(people_page(cast)).content.decode()
    User.objects.filter(pk=operator.pk).update(is_superuser=False)
    assert told in client.get(people_page(cast)).content.decode()
    client.post(people_page(cast), {"again": RoleInvitation.objects.get().pk})
    assert told not in client.get(people_page(cast)).content.decode()


def test_people_says_of_an_expired_invitation_that_it_is_not_open(cast: Cast) -> None:
    invitation = invited(cast)
    RoleInvitation.objects.filter(pk=invitation.pk).update(invited_at=timezone.now() - INVITED_FOR)
    assert (
        "not open: 30 days are over; send it again" in signed_in(cast.organiser).get(people_page(cast)).content.decode()
    )


def test_a_hand_over_that_another_sends_again_for_who_is_out_takes_no_role_from_them(cast: Cast) -> None:
    operator = make_user(is_superuser=True)
    role_grant(actor=operator, campaign=cast.campaign, user=operator, role=Role.ORGANISER)
    invitation = role_invite(
        actor=operator, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER, in_place=True
    )
    User.objects.filter(pk=operator.pk).update(is_active=False)
    invitation_send_again(actor=cast.organiser, invitation=invitation)
    invitation_accept(actor=cast.stranger, invitation=RoleInvitation.objects.get())
    assert is_organiser(cast.organiser, cast.campaign)


def test_an_invitation_to_an_archived_campaign_says_so_and_stays_open(cast: Cast) -> None:
    invitation = invited(cast)
    Campaign.objects.update(closed_at=timezone.now(), archived_at=timezone.now())
    answer = signed_in(cast.stranger).post(answer_page(invitation), {"answer": "accept"})
    assert (answer.status_code, "archive" in answer.content.decode()) == (403, True)
    assert not Role.objects.filter(user=cast.stranger).exists()
    Campaign.objects.update(archived_at=None)
    assert signed_in(cast.stranger).post(answer_page(invitation), {"answer": "accept"}).status_code == 302
    assert Role.objects.filter(user=cast.stranger).exists()


def test_what_happens_to_an_invitation_is_written_down(cast: Cast) -> None:
    invitation_decline(actor=cast.stranger, invitation=invited(cast))
    invitation_accept(actor=cast.stranger, invitation=invited(cast))
    verbs = AuditEvent.objects.filter(campaign=cast.campaign).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["invite to role", "decline role", "invite to role", "grant"]


def test_a_visitor_signs_in_first(cast: Cast) -> None:
    assert Client().get(answer_page(invited(cast))).status_code == 302


def test_an_organiser_removed_while_the_request_was_on_its_way_changes_nothing(cast: Cast) -> None:
    waiting = role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    removed = cast.member
    for act in (
        lambda: role_revoke(actor=removed, campaign=cast.campaign, user=cast.organiser, role=Role.ORGANISER),
        lambda: invitation_withdraw(actor=removed, invitation=waiting),
        lambda: role_invite(actor=removed, campaign=cast.campaign, user=removed, role=Role.ORGANISER),
    ):
        with pytest.raises(PermissionDenied, match="Only an organiser"):
            act()
    assert Role.objects.filter(user=cast.organiser, role=Role.ORGANISER).exists()
    assert RoleInvitation.objects.filter(pk=waiting.pk).exists()
