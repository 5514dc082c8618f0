"""Two who do the same to a team at the same moment. Needs a database with several writers: PostgreSQL."""

from uuid import uuid4

import pytest
from django.db import connection

from campaign.models import Acceptance, Allowance, AuditEvent, Invitation, Mail, Notice, Registration, Run, User
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import notice_mail, notice_write
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import registration_decide, registration_withdraw, team_register
from campaign.teams.services.teams import (
    team_give_up_ownership,
    team_invite,
    team_join,
    team_make_owner,
    team_remove_member,
)
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.campaign.runs.makers import make_ready_cast, submit
from tests.campaign.teams.makers import make_agreement, make_asking_campaign
from tests.factories import Cast, make_user
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_ready_cast()


def make_second_owner(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    team_make_owner(actor=cast.member, team=cast.team, user=cast.stranger)


def owners(cast: Cast) -> list[User]:
    return list(User.objects.filter(memberships__team=cast.team, memberships__is_owner=True))


def test_an_invitation_that_several_take_at_once_lets_one_in(cast: Cast) -> None:
    people = [make_user() for _ in range(AT_ONCE)]
    key = team_invite(actor=cast.member, team=cast.team, email="new@example.org").key
    told = at_once(lambda number: team_join(actor=people[number], key=key))
    assert told.count("") == 1
    assert all("not valid any more" in message for message in told if message)
    assert cast.team.memberships.count() == 2


def test_one_address_invited_several_times_at_once_has_one_invitation(cast: Cast) -> None:
    told = at_once(lambda number: team_invite(actor=cast.member, team=cast.team, email="new@example.org"))
    assert told.count("") == 3
    assert Invitation.objects.count() == 1
    assert Mail.objects.count() == 3


def test_two_owners_who_give_up_at_once_leave_one(cast: Cast) -> None:
    make_second_owner(cast)
    people = [cast.member, cast.stranger]
    told = at_once(lambda number: team_give_up_ownership(actor=people[number], team=cast.team), times=2)
    assert told.count("") == 1
    assert len(owners(cast)) == 1


def test_two_owners_who_remove_each_other_at_once_leave_one(cast: Cast) -> None:
    make_second_owner(cast)
    people = [cast.member, cast.stranger]
    told = at_once(
        lambda number: team_remove_member(actor=people[number], team=cast.team, user=people[1 - number]), times=2
    )
    assert told.count("") == 1
    assert len(owners(cast)) == 1


def test_a_team_registered_several_times_at_once_asks_once(cast: Cast) -> None:
    campaign, organiser = make_asking_campaign()
    agreement = make_agreement(campaign, organiser)
    values = {"actor": cast.member, "team": cast.team, "campaign": campaign, "accepted": [agreement]}
    assert at_once(lambda number: team_register(**values)) == [""] * AT_ONCE
    assert campaign.registrations.count() == Acceptance.objects.count() == Mail.objects.count() == 1


def test_a_refused_team_that_asks_several_times_at_once_asks_once(cast: Cast) -> None:
    campaign, _ = make_asking_campaign()
    values = {"actor": cast.member, "team": cast.team, "campaign": campaign}
    team_register(**values)
    Registration.objects.filter(campaign=campaign).update(state=Registration.REFUSED)
    assert at_once(lambda number: team_register(**values)) == [""] * AT_ONCE
    assert AuditEvent.objects.filter(verb="ask again").count() == 1


def test_an_agreement_accepted_several_times_at_once_is_accepted_once(cast: Cast) -> None:
    agreement = make_agreement(cast.campaign, cast.organiser)
    values = {"actor": cast.member, "team": cast.team, "campaign": cast.campaign, "agreements": [agreement]}
    assert at_once(lambda number: agreements_accept(**values)) == [""] * AT_ONCE
    assert Acceptance.objects.count() == AuditEvent.objects.filter(verb="accept").count() == 1


def test_a_decision_made_several_times_at_once_is_mailed_once(cast: Cast) -> None:
    registration = cast.team.registrations.get()
    values = {"actor": cast.organiser, "registration": registration, "state": Registration.APPROVED, "note": "Hello"}
    assert at_once(lambda number: registration_decide(**values)) == [""] * AT_ONCE
    assert AuditEvent.objects.filter(verb="decide").count() == Mail.objects.count() == 1


@pytest.mark.parametrize("way", ["refuse", "withdraw"])
def test_a_run_and_the_end_of_its_teams_registration_exclude_each_other(cast: Cast, way: str) -> None:
    registration = cast.team.registrations.get()

    def act(number: int) -> object:
        if number:
            return submit(cast)
        if way == "withdraw":
            return registration_withdraw(actor=cast.member, registration=registration)
        return registration_decide(actor=cast.organiser, registration=registration, state=Registration.REFUSED)

    told = at_once(act, times=2)
    assert told.count("") == 1
    assert Run.objects.exists() is cast.team.registrations.approved().exists()


def test_a_mail_to_teams_sent_several_times_at_once_goes_out_once(cast: Cast) -> None:
    audience = Audience(cast.campaign, Notice.TEAMS, owners_only=True)
    values = {"actor": cast.organiser, "audience": audience, "title": "Hello", "body": "Words.", "batch": uuid4()}
    written: list[Notice] = []
    assert at_once(lambda number: written.append(notice_write(**values))) == [""] * AT_ONCE
    assert {notice.pk for notice in written} == {Notice.objects.get().pk}
    Mail.objects.all().delete()
    assert at_once(lambda number: notice_mail(written[0].pk)) == [""] * AT_ONCE
    assert Mail.objects.count() == written[0].people == 2


def test_an_allowance_given_several_times_at_once_is_one(cast: Cast) -> None:
    values = {"actor": cast.organiser, "task": cast.task, "team": cast.team, "closes_at": None, "reason": "Fire"}
    assert at_once(lambda number: allowance_give(extra_runs=2, **values)) == [""] * AT_ONCE
    assert Allowance.objects.count() == AuditEvent.objects.filter(verb="allow").count() == 1
