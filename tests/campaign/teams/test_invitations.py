"""Invitations by mail, and what owners can do with members."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import AuditEvent, Invitation, Mail, Team, User
from campaign.teams.services.teams import (
    MOST_OPEN_INVITATIONS,
    invitation_send_again,
    invitation_withdraw,
    team_give_up_ownership,
    team_invite,
    team_join,
    team_make_owner,
    team_remove_member,
    team_update,
)
from tests.campaign.runs.makers import signed_in
from tests.campaign.teams.makers import Sent
from tests.factories import Cast, confirm_address

NEW = "new@example.org"


def page(name: str, team: Team, **kwargs: object) -> str:
    return reverse(name, kwargs={"team_slug": team.slug, **kwargs})


def link_in(text: str) -> str:
    [path] = re.findall(r"(/teams/join/\S+/)", text)
    return str(path)


def test_an_invitation_by_mail_leads_somebody_without_an_account_into_the_team(cast: Cast) -> None:
    with Sent() as sent:
        signed_in(cast.member).post(page("team_invite", cast.team), {"email": " New@Example.org "})
    assert sent.addresses == [NEW]
    assert cast.team.name in sent.mails[0].body
    link = link_in(sent.mails[0].body)
    assert link not in Mail.objects.get().body  # kept no longer than until it is sent
    client = Client()
    login = client.get(link)["Location"]
    login_page = client.get(login).content.decode()
    for sign_up in re.findall(r'href="(/[^"]*signup[^"]*)"', login_page):
        assert f'name="next" value="{link}"' in client.get(sign_up).content.decode()
    passwords = {"password1": "a long enough one", "password2": "a long enough one"}
    answer = client.post(
        reverse("account_signup"), {"username": "nova", "email": NEW, **passwords, "next": link}, follow=True
    )
    assert answer.redirect_chain[-1][0] == link
    assert "Join the team" in answer.content.decode()
    client.post(link)
    assert cast.team.memberships.filter(user__username="nova", is_owner=False).exists()


def test_the_log_in_leads_back_to_the_invitation(cast: Cast) -> None:
    team_invite(actor=cast.member, team=cast.team, email=cast.stranger.email)
    link = reverse("team_join", kwargs={"key": Invitation.objects.get().key})
    client = Client()
    assert f'name="next" value="{link}"' in client.get(client.get(link)["Location"]).content.decode()
    form = {"login": cast.stranger.username, "password": "a long password", "next": link}
    assert client.post(reverse("account_login"), form)["Location"] == link


def test_an_invitation_works_once(cast: Cast) -> None:
    key = team_invite(actor=cast.member, team=cast.team, email=NEW).key
    with Sent() as sent:
        team_join(actor=cast.stranger, key=key)
    assert sent.addresses == [cast.member.email]
    assert str(cast.stranger) in sent.mails[0].subject
    team_join(actor=cast.member, key=cast.team.invitation_key)
    with pytest.raises(ValidationError, match="not valid any more"):
        team_join(actor=cast.other_member, key=key)
    again = signed_in(cast.stranger).get(reverse("team_join", kwargs={"key": key}))
    assert again["Location"] == cast.team.get_absolute_url()
    used = Invitation.objects.get()
    assert (used.accepted_by, used.accepted_at is not None) == (cast.stranger, True)
    assert signed_in(cast.other_member).get(reverse("team_join", kwargs={"key": key})).status_code == 404


def test_whoever_was_invited_by_mail_and_takes_the_link_leaves_no_open_invitation(cast: Cast) -> None:
    confirm_address(cast.stranger)
    team_invite(actor=cast.member, team=cast.team, email=cast.stranger.email.upper())
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    assert not Invitation.objects.filter(accepted_at__isnull=True).exists()


def test_whoever_only_claims_an_address_neither_uses_up_nor_hinders_the_invitation_sent_there(cast: Cast) -> None:
    owner_address = "owner@example.org"
    User.objects.filter(pk=cast.stranger.pk).update(email=owner_address)
    cast.stranger.refresh_from_db()
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    invitation = team_invite(actor=cast.member, team=cast.team, email=owner_address)
    assert Invitation.objects.get(accepted_at__isnull=True) == invitation


def test_a_withdrawn_invitation_opens_nothing(cast: Cast) -> None:
    invitation = team_invite(actor=cast.member, team=cast.team, email=NEW)
    client = signed_in(cast.member)
    assert NEW in client.get(cast.team.get_absolute_url()).content.decode()
    client.post(page("invitation_withdraw", cast.team, invitation_id=invitation.pk))
    client.get(cast.team.get_absolute_url())  # says that it is withdrawn
    assert NEW not in client.get(cast.team.get_absolute_url()).content.decode()
    with pytest.raises(ValidationError, match="not valid any more"):
        team_join(actor=cast.stranger, key=invitation.key)
    with pytest.raises(ValidationError, match="not open any more"):
        invitation_withdraw(actor=cast.member, invitation=invitation)
    with pytest.raises(ValidationError, match="not open any more"):
        invitation_send_again(actor=cast.member, invitation=invitation)


@pytest.mark.sqlite("campaign.teams.services.teams._send")
def test_inviting_an_address_twice_sends_the_same_invitation_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sent() as sent:
        first = team_invite(actor=cast.member, team=cast.team, email=NEW)
        second = team_invite(actor=cast.member, team=cast.team, email=NEW.upper())
        signed_in(cast.member).post(page("invitation_send", cast.team, invitation_id=first.pk))
    assert first == second
    assert sent.addresses == [NEW] * 3
    assert len({link_in(message.body) for message in sent.mails}) == 1
    answer = signed_in(cast.member).post(page("team_invite", cast.team), {"email": NEW})
    assert answer.status_code == 422
    assert "enough mails for a day" in answer.content.decode()
    tomorrow = timezone.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    invitation_send_again(actor=cast.member, invitation=first)


def test_nobody_learns_here_whether_an_address_has_an_account(cast: Cast) -> None:
    client = signed_in(cast.member)
    answers = []
    for email in (cast.stranger.email, "nobody@example.org"):
        page_of_team = client.post(page("team_invite", cast.team), {"email": email}, follow=True).content.decode()
        told = re.findall(r'class="notice[^>]*>.*?<div>(.*?)</div>', page_of_team, re.DOTALL)
        answers.append([text.replace(email, "ADDRESS") for text in told])
    assert answers[0] == answers[1]
    assert answers[0]


@pytest.mark.parametrize("email", ["", "no address", "a@b@c", "x" * 250 + "@example.org"])
def test_what_is_no_address_is_refused_at_its_field(cast: Cast, email: str) -> None:
    answer = signed_in(cast.member).post(page("team_invite", cast.team), {"email": email})
    assert answer.status_code == 422
    assert not Invitation.objects.exists()
    with pytest.raises(ValidationError):
        team_invite(actor=cast.member, team=cast.team, email=email)


def test_a_member_is_not_invited_again(cast: Cast) -> None:
    confirm_address(cast.member)
    with pytest.raises(ValidationError, match="A member of the team has this address"):
        team_invite(actor=cast.member, team=cast.team, email=cast.member.email.upper())


def test_a_team_has_only_so_many_open_invitations(cast: Cast) -> None:
    Invitation.objects.bulk_create(
        Invitation(team=cast.team, email=f"{number}@example.org", invited_by=cast.member)
        for number in range(MOST_OPEN_INVITATIONS)
    )
    with pytest.raises(ValidationError, match="Withdraw some, or give out the link"):
        team_invite(actor=cast.member, team=cast.team, email=NEW)
    Invitation.objects.filter(email="0@example.org").update(accepted_by=cast.member, accepted_at=timezone.now())
    team_invite(actor=cast.member, team=cast.team, email=NEW)


def test_nobody_sends_invitations_to_the_whole_world(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaign.teams.services.teams.MOST_MAILS_A_DAY", 5)
    for number in range(5):
        invitation = team_invite(actor=cast.member, team=cast.team, email=f"guest{number}@example.org")
        invitation_withdraw(actor=cast.member, invitation=invitation)
    with pytest.raises(ValidationError, match="enough invitations"):
        team_invite(actor=cast.member, team=cast.team, email=NEW)
    monkeypatch.setattr("campaign.teams.services.teams.MOST_MAILS_A_DAY", 6)
    assert team_invite(actor=cast.member, team=cast.team, email=NEW).pk


def test_an_invitation_of_another_team_is_not_found(cast: Cast) -> None:
    foreign = team_invite(actor=cast.other_member, team=cast.other_team, email=NEW)
    for name in ("invitation_send", "invitation_withdraw"):
        assert signed_in(cast.member).post(page(name, cast.team, invitation_id=foreign.pk)).status_code == 404
    assert Invitation.objects.filter(pk=foreign.pk).exists()


@pytest.mark.sqlite("campaign.teams.services.teams.team_remove_member")
def test_who_was_removed_is_out_and_knows_no_way_back(cast: Cast) -> None:
    key = cast.team.invitation_key
    team_join(actor=cast.stranger, key=key)
    membership = cast.team.memberships.get(user=cast.stranger)
    client, address = signed_in(cast.member), page("team_remove", cast.team, member_id=membership.pk)
    assert "Remove the member" in client.get(address).content.decode()
    assert cast.team.memberships.count() == 2
    client.post(address)
    assert [membership.user for membership in cast.team.memberships.all()] == [cast.member]
    with pytest.raises(ValidationError, match="not valid any more"):
        team_join(actor=cast.stranger, key=key)
    assert client.get(address).status_code == 404


def test_invitations_that_a_removed_owner_sent_let_nobody_in(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    team_make_owner(actor=cast.member, team=cast.team, user=cast.stranger)
    back_door = team_invite(actor=cast.stranger, team=cast.team, email=NEW)
    others = team_invite(actor=cast.member, team=cast.team, email="other@example.org")
    team_remove_member(actor=cast.member, team=cast.team, user=cast.stranger)
    with pytest.raises(ValidationError, match="not valid any more"):
        team_join(actor=cast.stranger, key=back_door.key)
    assert list(cast.team.invitations.all()) == [others]


def test_owners_remove_others_and_leave_themselves(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    with pytest.raises(ValidationError, match="leave the team instead"):
        team_remove_member(actor=cast.member, team=cast.team, user=cast.member)
    with pytest.raises(ValidationError, match="Only an owner"):
        team_remove_member(actor=cast.stranger, team=cast.team, user=cast.member)
    with pytest.raises(ValidationError, match="no member"):
        team_remove_member(actor=cast.member, team=cast.team, user=cast.other_member)


def test_a_team_is_handed_over(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    with pytest.raises(ValidationError, match="make another member an owner first"):
        team_give_up_ownership(actor=cast.member, team=cast.team)
    team_make_owner(actor=cast.member, team=cast.team, user=cast.stranger)
    assert "Give up" in signed_in(cast.member).get(cast.team.get_absolute_url()).content.decode()
    signed_in(cast.member).post(page("team_give_up", cast.team))
    owners = User.objects.filter(memberships__team=cast.team, memberships__is_owner=True)
    assert list(owners) == [cast.stranger]
    assert "Give up" not in signed_in(cast.stranger).get(cast.team.get_absolute_url()).content.decode()
    with pytest.raises(ValidationError, match="Only an owner"):
        team_make_owner(actor=cast.member, team=cast.team, user=cast.member)


def test_an_owner_renames_the_team_and_its_address_stays(cast: Cast) -> None:
    slug = cast.team.slug
    form = {"name": " Nova ", "affiliation": "University of Somewhere"}
    answer = signed_in(cast.member).post(page("team_edit", cast.team), form, follow=True)
    cast.team.refresh_from_db()
    assert (cast.team.name, cast.team.affiliation, cast.team.slug) == ("Nova", "University of Somewhere", slug)
    assert "University of Somewhere" in answer.content.decode()
    assert AuditEvent.objects.get(verb="update").data["name"][1] == "Nova"
    taken = signed_in(cast.member).post(page("team_edit", cast.team), {"name": cast.other_team.name})
    assert taken.status_code == 422
    assert "Edit Nova" in taken.content.decode()
    with pytest.raises(ValidationError, match="Only an owner"):
        team_update(actor=cast.other_member, team=cast.team, name="Mine")


def test_addresses_are_seen_by_the_team_and_its_organisers_alone(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    seen = {
        person: f"mailto:{cast.member.email}" in signed_in(person).get(cast.team.get_absolute_url()).content.decode()
        for person in (cast.member, cast.stranger, cast.organiser)
    }
    assert all(seen.values())
    cast.team.registrations.update(state="refused")
    answer = signed_in(cast.organiser).get(cast.team.get_absolute_url())
    assert answer.status_code == 200
    assert cast.member.email not in answer.content.decode()
    assert cast.member.email in signed_in(cast.stranger).get(cast.team.get_absolute_url()).content.decode()
