"""Notices that events and time write."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.models import Campaign, Mail, Notice, Task
from campaign.models.mail import DEADLINE, MEMBER, PHASE, REMINDER, ROLE
from campaign.news.services.reminders import deadlines_remind
from campaign.setup.services.people import role_grant, role_revoke
from campaign.setup.services.tasks import task_advance, task_enter_phase, task_update
from campaign.teams.services.teams import team_join, team_leave, team_remove_member
from tests.campaign.teams.makers import Sent
from tests.factories import Cast

SOON = timezone.now().replace(microsecond=0) + timedelta(days=30)


def told(kind: str) -> list[Notice]:
    return list(Notice.objects.filter(kind=kind).order_by("pk"))


def test_a_moved_deadline_is_told_with_both_times_and_zones(cast: Cast) -> None:
    Task.objects.update(closes_at=SOON)
    with Sent() as sent:
        task_update(actor=cast.organiser, task=cast.task, closes_at=SOON + timedelta(days=1))
        task_update(actor=cast.organiser, task=cast.task, title="New", closes_at=SOON + timedelta(days=1))
    [notice] = told(DEADLINE)
    assert sent.addresses == sorted([cast.member.email, cast.other_member.email])
    assert notice.body.count("AoE (") == 2
    assert f"{SOON:%-d %b %Y, %H:%M} UTC)" in sent.mails[0].body
    assert f"{SOON + timedelta(days=1):%-d %b %Y, %H:%M} UTC)" in sent.mails[0].body


def test_a_deadline_is_not_moved_into_the_past_and_a_past_one_stays(cast: Cast) -> None:
    past = timezone.now() - timedelta(days=1, seconds=7)
    with pytest.raises(ValidationError, match="end the uploads by the phase"):
        task_update(actor=cast.organiser, task=cast.task, closes_at=past)
    Task.objects.update(closes_at=past)
    rounded = past.replace(second=0, microsecond=0)
    task_update(actor=cast.organiser, task=cast.task, title="Still past", closes_at=rounded)
    cast.task.refresh_from_db()
    assert (cast.task.title, cast.task.closes_at) == ("Still past", past)
    assert told(DEADLINE) == []


@pytest.mark.parametrize("hidden", ["draft", "set-up"])
def test_a_draft_and_a_task_in_its_set_up_tell_nobody(cast: Cast, hidden: str) -> None:
    Campaign.objects.update(opened_at=None if hidden == "draft" else timezone.now())
    Task.objects.update(phase=Task.RUNS if hidden == "draft" else Task.SETUP, closes_at=SOON)
    task_update(actor=cast.organiser, task=cast.task, closes_at=timezone.now() + timedelta(days=6))
    if hidden == "draft":
        task_enter_phase(actor=cast.organiser, task=cast.task, phase=Task.POOL)
    deadlines_remind()
    assert not Notice.objects.exists()
    assert not Mail.objects.exists()


def test_a_near_deadline_is_told_twice_and_never_more(cast: Cast) -> None:
    Task.objects.update(closes_at=SOON)
    for left, count in ((8, 0), (6.9, 1), (6.5, 1), (3, 1), (0.9, 2), (0.5, 2), (-1, 2)):
        deadlines_remind(SOON - timedelta(days=left))
        assert len(told(REMINDER)) == count, left
    assert "less than 24 hours" in told(REMINDER)[1].body


def test_a_moved_deadline_is_told_of_anew_but_not_on_the_same_day(cast: Cast) -> None:
    now = timezone.now()
    Task.objects.update(closes_at=now + timedelta(days=6.5))
    assert deadlines_remind() == 1
    task_update(actor=cast.organiser, task=cast.task, closes_at=now + timedelta(days=6))
    assert deadlines_remind() == 0
    Task.objects.update(closes_at=now + timedelta(days=6, hours=1), runs_closed_at=now)
    assert deadlines_remind() == 0


def test_a_deadline_that_was_moved_before_the_clock_was_set_back_is_reminded_of(cast: Cast) -> None:
    set_back = timezone.now() - timedelta(days=3)
    Task.objects.update(closes_at=SOON)
    task_update(actor=cast.organiser, task=cast.task, closes_at=set_back + timedelta(days=6.5))
    assert len(told(DEADLINE)) == 1
    assert deadlines_remind(set_back) == 1


@pytest.mark.parametrize("at_rest", ["closed_at", "archived_at"])
def test_a_deadline_of_a_campaign_at_rest_is_not_reminded_of(cast: Cast, at_rest: str) -> None:
    now = timezone.now()
    Task.objects.update(closes_at=now + timedelta(days=6.5))
    Campaign.objects.update(**{"closed_at": now, at_rest: now})
    assert deadlines_remind() == 0


def test_phases_are_told_of_and_a_published_board_with_its_phase_once(cast: Cast) -> None:
    task_advance(actor=cast.organiser, task=cast.task, phase=Task.JUDGING)
    task_advance(actor=cast.organiser, task=cast.task, phase=Task.POOL)
    assert [notice.title for notice in told(PHASE)] == [f"{cast.task}: phase Judging"]


def test_a_member_who_comes_goes_or_is_removed_is_told_of(cast: Cast) -> None:
    with Sent() as sent:
        team_join(actor=cast.stranger, key=cast.team.invitation_key)
        team_leave(actor=cast.stranger, team=cast.team)
        team_join(actor=cast.stranger, key=cast.team.invitation_key)
        team_remove_member(actor=cast.member, team=cast.team, user=cast.stranger)
    assert [message.to[0] for message in sent.mails] == [*[cast.member.email] * 3, cast.stranger.email]
    assert set(Mail.objects.values_list("kind", flat=True)) == {MEMBER}


def test_a_role_that_another_gives_or_takes_is_told_of(cast: Cast) -> None:
    who = {"actor": cast.organiser, "campaign": cast.campaign, "role": "assessor"}
    role_grant(**who, user=cast.stranger)
    role_revoke(**who, user=cast.stranger)
    subjects = list(Mail.objects.filter(kind=ROLE, recipient=cast.stranger).values_list("subject", flat=True))
    assert subjects == [f"You are no longer assessor of {cast.campaign}", f"You are assessor of {cast.campaign}"]
