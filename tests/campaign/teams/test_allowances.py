"""More runs and later deadlines for one team."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.models import Allowance, AuditEvent, Campaign, Task
from campaign.setup.selectors.schedule import run_window
from campaign.teams.selectors.quotas import own_quotas
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.teams import team_join
from runpool.overview.selectors.home import next_steps_of
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.campaign.teams.makers import Sent, page
from tests.factories import Cast

NO_EXTRA_DAY = {"extra_attempts": "0", "extra_gib": "0"}
FIRE = "Fire in the machine room"


def give(cast: Cast, **values: object) -> Allowance:
    defaults = {"extra_runs": 0, "closes_at": None, "reason": FIRE}
    return allowance_give(actor=cast.organiser, task=cast.task, team=cast.team, **{**defaults, **values})


def test_a_team_with_extra_runs_submits_more_than_others_and_is_told_why(db: None) -> None:
    cast = make_ready_cast(max_runs_per_team=1)
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    submit(cast, "first")
    with pytest.raises(ValidationError, match="quota"):
        submit(cast, "second")
    with Sent() as sent:
        give(cast, extra_runs=1)
    assert submit(cast, "second").pk
    assert sent.addresses == sorted([cast.member.email, cast.stranger.email])
    assert all(FIRE in message.body and "Runs: 2" in message.body for message in sent.mails)
    event = AuditEvent.objects.get(verb="allow")
    assert (event.actor, event.campaign) == (cast.organiser, cast.campaign)
    assert (event.data["reason"], event.data["extra_runs"]) == (FIRE, ["0", "1"])


def test_a_team_with_its_own_deadline_submits_after_that_of_the_others(db: None) -> None:
    cast = make_ready_cast()
    now = timezone.now()
    Task.objects.update(closes_at=now - timedelta(minutes=1))
    cast.task.refresh_from_db()
    assert not any(todo.step.label == "Upload a run" for todo in next_steps_of(cast.member))
    give(cast, closes_at=now + timedelta(hours=1))
    assert submit(cast).pk
    other = {"team": cast.other_team, "actor": cast.other_member}
    with pytest.raises(ValidationError, match="deadline was"):
        submit(cast, "late", **other)
    [upload] = [todo for todo in next_steps_of(cast.member) if todo.step.label == "Upload a run"]
    assert upload.deadline == now + timedelta(hours=1)
    assert not any(todo.step.label == "Upload a run" for todo in next_steps_of(cast.other_member))


def test_where_there_is_no_deadline_the_end_of_a_teams_own_one_closes_nothing_for_it_alone(db: None) -> None:
    cast = make_ready_cast(closes_at=None)
    Allowance.objects.create(task=cast.task, team=cast.team, closes_at=timezone.now() - timedelta(hours=1))
    assert run_window(cast.task, cast.team).closes_at is None
    assert submit(cast).pk
    Task.objects.update(phase=Task.POOL)
    cast.task.refresh_from_db()
    with pytest.raises(ValidationError, match="deadline"):
        submit(cast, "late")


def test_the_deadline_is_entered_in_the_zone_of_the_campaign(cast: Cast) -> None:
    Campaign.objects.update(time_zone="Asia/Tokyo")
    address = page("team_allowances", cast.campaign, team_slug=cast.team.slug)
    form = {"task": cast.task.slug, "extra_runs": "2", **NO_EXTRA_DAY, "closes_at": "2099-03-01T09:00", "reason": FIRE}
    client = signed_in(cast.organiser)
    answer = client.post(address, form, follow=True).content.decode()
    assert Allowance.objects.get().closes_at == datetime(2099, 3, 1, 0, 0, tzinfo=UTC)
    assert 'value="2099-03-01T09:00"' in answer
    assert "0 of 7 runs used" in answer
    assert "2 extra runs" in client.get(page("registration_list", cast.campaign)).content.decode()


def test_the_form_refuses_what_makes_no_sense_and_says_why(cast: Cast) -> None:
    address = page("team_allowances", cast.campaign, team_slug=cast.team.slug)
    earlier = (cast.task.closes_at - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    for wrong, told in [
        ({"reason": ""}, "required"),
        ({"extra_runs": "-1"}, "greater than or equal to 0"),
        ({"extra_runs": "1001"}, "less than or equal to 1000"),
        ({"closes_at": "2001-01-01T00:00"}, "This time is in the past"),
        ({"closes_at": earlier}, "own deadline is not earlier"),
        ({"closes_at": "soon"}, "no date and time"),
        ({"closes_at": "2099-03-01"}, "a date without a time"),
    ]:
        form = {"task": cast.task.slug, "extra_runs": "1", **NO_EXTRA_DAY, "closes_at": "", "reason": FIRE, **wrong}
        answer = signed_in(cast.organiser).post(address, form)
        assert answer.status_code == 422
        assert told in answer.content.decode()
    assert not Allowance.objects.exists()


@pytest.mark.parametrize("moment", ["9999-12-31T23:59", "0001-01-01T00:00"])
def test_a_moment_at_the_ends_of_the_calendar_is_refused_in_words(cast: Cast, moment: str) -> None:
    told = {"task": cast.task.slug, "extra_runs": "0", **NO_EXTRA_DAY, "closes_at": moment, "reason": FIRE}
    answer = signed_in(cast.organiser).post(page("team_allowances", cast.campaign, team_slug=cast.team.slug), told)
    assert answer.status_code == 422
    assert "Choose a year" in answer.content.decode()


def test_an_allowance_is_taken_back_and_given_twice_only_once(cast: Cast) -> None:
    with Sent() as sent:
        for _ in range(2):
            give(cast, extra_runs=3)
        give(cast, extra_runs=0)
    assert Allowance.objects.get().extra_runs == 0
    assert AuditEvent.objects.filter(verb="allow").count() == len(sent.mails) == 2


def test_an_allowance_that_is_over_can_still_be_changed_in_its_runs(cast: Cast) -> None:
    give(cast, closes_at=timezone.now() + timedelta(days=9))
    over = timezone.now() - timedelta(hours=1)
    Allowance.objects.update(closes_at=over)
    assert give(cast, closes_at=over, extra_runs=1).extra_runs == 1


def test_only_teams_that_take_part_are_given_more(cast: Cast) -> None:
    cast.team.registrations.update(state="requested")
    with pytest.raises(ValidationError, match="does not take part"):
        give(cast, extra_runs=1)
    address = page("team_allowances", cast.campaign, team_slug=cast.team.slug)
    assert signed_in(cast.organiser).get(address).status_code == 404


def test_the_reason_is_part_of_it(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="Give the reason"):
        give(cast, extra_runs=1, reason="  ")


def test_the_page_of_the_registration_leads_a_team_with_its_own_deadline_to_the_upload(db: None) -> None:
    cast = make_ready_cast()
    now = timezone.now()
    Task.objects.update(closes_at=now - timedelta(minutes=1))
    register, upload = page("campaign_register", cast.campaign), cast.task.url("run_create")
    assert upload not in signed_in(cast.member).get(register).content.decode()
    give(cast, closes_at=now + timedelta(hours=1))
    assert upload in signed_in(cast.member).get(register).content.decode()


def test_quotas_of_a_page_ask_the_database_three_times_a_team(db: None, django_assert_num_queries) -> None:
    cast = make_ready_cast()
    give(cast, extra_runs=1)
    with django_assert_num_queries(4):
        [own] = own_quotas(cast.member, cast.task)
    assert own.most == cast.task.max_runs_per_team + 1
