"""Answers to one invitation, one address for two, limits, and a task that moves, at once. Needs several writers: PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from campaign.log.audit import ARCHIVE, UNARCHIVE, audit
from campaign.models import AuditEvent, Mail, Role, RoleInvitation, Task
from campaign.setup.services import agreements, tasks
from campaign.setup.services.campaigns import campaign_create
from campaign.setup.services.lifecycle import ACTS
from campaign.setup.services.people import (
    invitation_accept,
    invitation_decline,
    invitation_withdraw,
    role_grant,
    role_invite,
)
from campaign.setup.services.rounds import round_add
from campaign.setup.services.tasks import task_advance, task_create
from campaign.web.cache import count_up
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.factories import Cast, make_cast
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def invite(cast: Cast) -> RoleInvitation:
    return role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)


def test_inviting_at_once_sends_one_mail(cast: Cast) -> None:
    assert at_once(lambda number: invite(cast)) == [""] * AT_ONCE
    assert RoleInvitation.objects.count() == 1
    assert Mail.objects.count() == 1


def test_accepting_at_once_gives_the_role_once(cast: Cast) -> None:
    invitation = invite(cast)
    told = at_once(lambda number: invitation_accept(actor=cast.stranger, invitation=invitation))
    assert told.count("") == 1
    assert Role.objects.filter(user=cast.stranger).count() == 1
    assert AuditEvent.objects.filter(verb="grant").count() == 1


def test_a_campaign_that_is_closed_archived_and_taken_back_by_several_at_once_is_so_once(cast: Cast) -> None:
    for act, verb in (("close", "close"), ("archive", ARCHIVE), ("unarchive", UNARCHIVE), ("reopen", "reopen")):
        assert (
            at_once(lambda number, act=act: ACTS[act](actor=cast.organiser, campaign=cast.campaign)) == [""] * AT_ONCE
        )
        assert AuditEvent.objects.filter(verb=verb).count() == 1


def test_an_address_that_several_ask_for_at_once_goes_to_one_and_the_others_are_refused_as_later_ones(
    cast: Cast,
) -> None:
    new = {"actor": cast.organiser, "slug": "asked-for", "title": "Asked for"}
    acts: list[Callable[[], object]] = [
        lambda: campaign_create(**new),
        lambda: task_create(**new, campaign=cast.campaign),
        lambda: round_add(**new, task=cast.task, round_kind=Task.TEST),
    ]
    for act in acts[:2]:
        told = at_once(lambda number, act=act: act(), times=4)
        with pytest.raises(ValidationError) as later:
            act()
        assert sorted(told) == sorted(["", *[" ".join(later.value.messages)] * 3])
    Task.objects.filter(slug="asked-for").update(slug="moved")
    assert at_once(lambda number: acts[2](), times=4).count("") == 1


def test_limits_hold_for_those_who_come_at_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreements, "MOST_AGREEMENTS", 2)
    monkeypatch.setattr(tasks, "MOST_TASKS", 3)
    new = {"actor": cast.organiser, "campaign": cast.campaign, "title": "Another"}
    assert at_once(lambda number: agreements.agreement_create(**new, text="Text.")).count("") == 2
    assert at_once(lambda number: task_create(**new, slug=f"another-{number}")).count("") == 2
    assert (cast.campaign.agreements.count(), cast.campaign.tasks.count()) == (2, 3)


def test_of_accepting_declining_and_withdrawing_at_once_one_counts(cast: Cast) -> None:
    invitation = invite(cast)
    acts = [
        lambda: invitation_accept(actor=cast.stranger, invitation=invitation),
        lambda: invitation_decline(actor=cast.stranger, invitation=invitation),
        lambda: invitation_withdraw(actor=cast.organiser, invitation=invitation),
    ]
    told = at_once(lambda number: acts[number % len(acts)]())
    assert told.count("") == 1
    has_role = Role.objects.filter(user=cast.stranger).exists()
    assert has_role == AuditEvent.objects.filter(verb="grant").exists()
    assert not RoleInvitation.objects.exists()


def test_a_command_that_gives_the_role_while_the_person_accepts_disturbs_nobody(cast: Cast) -> None:
    invitation = invite(cast)
    given = {"actor": cast.organiser, "campaign": cast.campaign, "user": cast.stranger, "role": Role.ASSESSOR}
    acts = [lambda: invitation_accept(actor=cast.stranger, invitation=invitation), lambda: role_grant(**given)]
    at_once(lambda number: acts[number]() and None, times=2)
    assert Role.objects.filter(user=cast.stranger).count() == 1
    assert not RoleInvitation.objects.exists()


def test_no_count_is_lost_to_another_at_the_same_moment(cast: Cast) -> None:
    at_once(lambda number: [count_up("together", 60) for _ in range(5)])
    counted = caches["default"].get("together")
    caches["default"].delete("together")  # a flush between tests leaves the cache alone
    assert counted == 5 * AT_ONCE


def test_who_moves_a_task_to_another_phase_keeps_nobody_waiting_whose_rows_refer_to_it(cast: Cast) -> None:
    """Where both also wait for the same job, neither would ever go on: PostgreSQL ends one of them as a deadlock."""

    def note_elsewhere() -> None:
        try:
            with transaction.atomic():
                connection.cursor().execute("SET LOCAL lock_timeout = '3s'")
                audit(cast.organiser, "asked for scores", cast.task, campaign=cast.campaign)
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor(1) as elsewhere:
        task_advance(actor=cast.organiser, task=cast.task, phase=Task.JUDGING)
        elsewhere.submit(note_elsewhere).result()
