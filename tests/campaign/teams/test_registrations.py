"""Teams come into a campaign: at once, or when an organiser has decided."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from campaign.models import AuditEvent, Campaign, Registration, Run, Task, Team
from campaign.permissions import is_participant
from campaign.runs.services.submission import run_withdraw
from campaign.teams.services.registrations import registration_decide, registration_withdraw, team_register
from campaign.teams.services.teams import team_join
from runpool.overview.selectors.home import next_steps_of
from runpool.overview.selectors.task import task_overview
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.campaign.teams.makers import Sent, make_asking_campaign, make_registration, owner, page
from tests.factories import Cast, make_received_run, make_task, make_team, make_user

APPROVED, REFUSED, REQUESTED = Registration.APPROVED, Registration.REFUSED, Registration.REQUESTED


def test_where_registration_is_open_a_team_takes_part_at_once_and_nobody_is_mailed(cast: Cast) -> None:
    team = make_team("Nova", members=(cast.stranger,))
    with Sent() as sent:
        registration = team_register(actor=cast.stranger, team=team, campaign=cast.campaign)
    assert (registration.state, sent.mails) == (APPROVED, [])
    assert is_participant(cast.stranger, cast.campaign)


def test_where_organisers_decide_a_team_waits_and_they_get_a_mail(db: None) -> None:
    campaign, organiser = make_asking_campaign()
    member = make_user()
    team = make_team("Nova", members=(member,))
    with Sent() as sent:
        answer = signed_in(member).post(page("campaign_register", campaign), {"team": team.pk}, follow=True)
    assert "waiting for approval" in answer.content.decode()
    assert not is_participant(member, campaign)
    assert sent.addresses == [organiser.email]
    assert page("registration_list", campaign) in sent.mails[0].body
    assert "Nova" in sent.mails[0].subject


def test_the_decision_reaches_owners_and_the_user_who_registered_with_the_note(db: None) -> None:
    campaign, organiser = make_asking_campaign()
    registration = make_registration(campaign, "Nova")
    plain = make_user()
    team_join(actor=plain, key=registration.team.invitation_key)
    Registration.objects.update(registered_by=plain)
    with Sent() as sent:
        for _ in range(2):
            registration_decide(actor=organiser, registration=registration, state=APPROVED, note=" Welcome & hello. ")
    assert sent.addresses == sorted([owner(registration.team).email, plain.email])
    assert all("Welcome & hello." in message.body for message in sent.mails)
    registration.refresh_from_db()
    assert (registration.state, registration.decided_by) == (APPROVED, organiser)
    assert AuditEvent.objects.filter(verb="decide").count() == 1
    assert is_participant(plain, campaign)


def test_a_refused_team_reads_why_and_asks_again_by_one_click(db: None) -> None:
    campaign, organiser = make_asking_campaign()
    registration = make_registration(campaign, "Nova")
    registration_decide(actor=organiser, registration=registration, state=REFUSED, note="Which university is this?")
    client = signed_in(owner(registration.team))
    register = page("campaign_register", campaign)
    assert "Which university is this?" in client.get(register).content.decode()
    with Sent() as sent:
        client.post(page("registration_ask", campaign, team_slug=registration.team.slug))
    registration.refresh_from_db()
    assert registration.state == REQUESTED
    assert sent.addresses == [organiser.email]
    assert AuditEvent.objects.filter(verb="ask again").count() == 1
    assert "waiting for approval" in client.get(register).content.decode()


def test_a_refused_team_does_not_come_in_by_asking_where_registration_has_become_open(db: None) -> None:
    campaign, _ = make_asking_campaign()
    registration = make_registration(campaign, state=REFUSED)
    Campaign.objects.update(registration=Campaign.OPEN)
    again = team_register(actor=owner(registration.team), team=registration.team, campaign=campaign)
    assert again.state == REQUESTED
    Registration.objects.update(state=REFUSED)
    with pytest.raises(ValidationError, match="nothing to withdraw"):
        registration_withdraw(actor=owner(registration.team), registration=registration)


def test_a_refused_team_that_takes_its_new_request_back_is_refused_still(cast: Cast) -> None:
    team = make_team("Nova", members=(cast.stranger,))
    registration = team_register(actor=cast.stranger, team=team, campaign=cast.campaign)
    registration_decide(actor=cast.organiser, registration=registration, state=REFUSED, note="No.")
    for _ in range(2):
        asked = team_register(actor=cast.stranger, team=team, campaign=cast.campaign)
        assert asked.state == REQUESTED
        registration_withdraw(actor=cast.stranger, registration=asked)
        assert Registration.objects.get(team=team, campaign=cast.campaign).state == REFUSED


def test_a_team_withdraws_its_registration_while_it_has_no_runs(db: None) -> None:
    cast = make_ready_cast()
    client, address = signed_in(cast.member), page("registration_withdraw", cast.campaign, team_slug=cast.team.slug)
    assert "Withdraw the registration" in client.get(address).content.decode()
    client.post(address)
    assert not cast.team.registrations.exists()
    team_register(actor=cast.member, team=cast.team, campaign=cast.campaign)
    run = submit(cast)
    run_withdraw(actor=cast.member, run=run)
    answer = client.post(address, follow=True).content.decode()
    assert "The team has submitted runs" in answer
    assert cast.team.registrations.exists()
    with pytest.raises(ValidationError, match="Only a member"):
        registration_withdraw(actor=cast.stranger, registration=cast.team.registrations.get())


def test_a_team_whose_runs_count_is_not_refused_over_them(db: None) -> None:
    cast = make_ready_cast()
    registration = cast.team.registrations.get()
    run = submit(cast)
    with pytest.raises(ValidationError, match="has 1 run that count"):
        registration_decide(actor=cast.organiser, registration=registration, state=REFUSED)
    run_withdraw(actor=cast.member, run=run)
    registration_decide(actor=cast.organiser, registration=registration, state=REFUSED)
    with pytest.raises(ValidationError, match="does not take part"):
        submit(cast)


def test_a_team_that_waits_for_approval_is_not_told_to_register(db: None) -> None:
    cast = make_ready_cast()
    cast.team.registrations.update(state=REQUESTED)
    with pytest.raises(ValidationError, match="An organiser has yet to approve it"):
        submit(cast)


@pytest.mark.parametrize("state", [REQUESTED, "sometimes", ""])
def test_a_decision_is_yes_or_no(db: None, state: str) -> None:
    campaign, organiser = make_asking_campaign()
    with pytest.raises(ValidationError, match="Choose whether"):
        registration_decide(actor=organiser, registration=make_registration(campaign), state=state)


@pytest.mark.parametrize("state", [REQUESTED, REFUSED])
def test_only_approved_teams_take_part_and_are_counted(cast: Cast, state: str) -> None:
    cast.other_team.registrations.update(state=state)
    assert not is_participant(cast.other_member, cast.campaign)
    assert task_overview(cast.organiser, cast.task).registered_teams == 1
    assert not task_overview(cast.other_member, cast.task).takes_part
    assert list(Team.objects.taking_part(cast.other_member, cast.campaign)) == []
    client = signed_in(cast.other_member)
    assert "1 team registered" in client.get(cast.campaign.get_absolute_url()).content.decode()
    assert client.get(cast.task.url("run_list")).status_code == 404
    assert client.get(cast.task.url("run_create"))["Location"].startswith(page("campaign_register", cast.campaign))
    upload = f'{cast.task.url("run_create")}"'
    assert upload not in client.get(page("campaign_register", cast.campaign)).content.decode()
    assert upload not in client.get(reverse("home")).content.decode()


def test_what_is_next_names_what_waits_for_whom(db: None) -> None:
    campaign, organiser = make_asking_campaign()
    make_task(campaign)
    waiting, refused = make_registration(campaign), make_registration(campaign, state=REFUSED)
    [decide] = [todo for todo in next_steps_of(organiser) if todo.step.label == "Decide on 1 team"]
    assert decide.text == "1 team waiting for your approval"
    assert signed_in(organiser).get(decide.step.url).status_code == 200
    assert [todo.text for todo in next_steps_of(owner(waiting.team))] == [
        f"{waiting.team} waits for the organisers’ approval"
    ]
    assert [todo.text for todo in next_steps_of(owner(refused.team))] == [f"{refused.team} was refused"]
    Registration.objects.update(state=APPROVED)
    assert [todo.text for todo in next_steps_of(owner(waiting.team))] == ["open for your runs"]


def test_the_organiser_chooses_the_way_of_registration_on_the_form(cast: Cast) -> None:
    client, address = signed_in(cast.organiser), page("campaign_edit", cast.campaign)
    assert "an organiser decides on each team" in client.get(address).content.decode()
    client.post(address, {"title": "Velo", "time_zone": "AoE", "registration": "approved"})
    assert Campaign.objects.get().registration == Campaign.APPROVED
    assert Registration.objects.approved().count() == 2


@pytest.mark.parametrize("name", ["registration_accept", "registration_ask", "registration_withdraw"])
def test_nobody_acts_for_a_team_of_others(cast: Cast, name: str) -> None:
    address = page(name, cast.campaign, team_slug=cast.other_team.slug)
    people = [cast.member, cast.organiser, cast.stranger]
    assert [signed_in(person).post(address).status_code for person in people] == [404] * 3


def test_what_comes_next_offers_the_upload_only_while_the_team_has_runs_left(client: Client, cast: Cast) -> None:
    client.force_login(cast.member)
    address = reverse("campaign_register", kwargs={"campaign_slug": cast.campaign.slug})
    upload = f'href="{cast.task.url("run_create")}"'
    assert upload in client.get(address).content.decode()
    make_received_run(cast.task, cast.team, "one", b"x", state=Run.VALID)
    Task.objects.update(max_runs_per_team=1)
    text = client.get(address).content.decode()
    assert upload not in text
    assert "quota used up" in text
