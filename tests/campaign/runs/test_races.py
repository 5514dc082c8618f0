"""Uploads at the same moment. Needs a database with several writers: PostgreSQL."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction

from campaign.models import AuditEvent, Job, Run, Task, Team, User
from campaign.runs.services.submission import run_submit, run_withdraw
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.campaign.runs.makers import RANKING, make_ready_cast
from tests.factories import Cast, run_lines
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_ready_cast(max_runs_per_team=2)


def upload(cast: Cast, team: Team, actor: User, tag: str, comment: str = "", **values: Any) -> Run:
    file = ContentFile(f"# {comment}\n".encode() + run_lines(RANKING, tag))
    return run_submit(actor=actor, task=cast.task, team=team, tag=tag, file=file, file_name=f"{tag}.txt", **values)


def assert_stored_and_checked(count: int) -> None:
    assert list(Run.objects.values_list("state", flat=True)) == [Run.VALID] * count
    assert AuditEvent.objects.filter(verb="submit").count() == count
    assert Job.objects.filter(state=Job.DONE, name="check run").count() == count


def test_of_uploads_of_one_tag_at_once_one_wins_and_the_others_are_told(cast: Cast) -> None:
    sides = [(cast.team, cast.member), (cast.other_team, cast.other_member)]
    told = at_once(lambda number: upload(cast, *sides[number % 2], "same"))
    assert told.count("") == 1
    assert all("This tag is not free in this task" in message for message in told if message)
    assert_stored_and_checked(1)


def test_uploads_at_once_cannot_exceed_the_quota(cast: Cast) -> None:
    told = at_once(lambda number: upload(cast, cast.team, cast.member, f"run{number}"))
    assert told.count("") == 2
    assert all("used up its quota, 2 of 2" in message for message in told if message)
    assert_stored_and_checked(2)


def test_of_twenty_uploads_of_one_team_at_once_exactly_the_quota_is_taken(cast: Cast) -> None:
    Task.objects.update(max_runs_per_team=13)
    cast.task.refresh_from_db()
    told = at_once(lambda number: upload(cast, cast.team, cast.member, f"run{number}"), times=20)
    assert told.count("") == 13
    assert all("used up its quota, 13 of 13" in message for message in told if message)
    assert_stored_and_checked(13)


def test_an_upload_does_not_wait_for_one_of_another_team(cast: Cast) -> None:
    def upload_at_once(number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        upload(cast, cast.other_team, cast.other_member, f"other{number}")

    with transaction.atomic():
        upload(cast, cast.team, cast.member, "slow")
        assert at_once(upload_at_once, times=2) == ["", ""]


def test_a_run_withdrawn_several_times_at_once_is_withdrawn_once(cast: Cast) -> None:
    run = upload(cast, cast.team, cast.member, "bm25")
    told = at_once(lambda number: run_withdraw(actor=cast.member, run=Run.objects.get(pk=run.pk)))
    assert told.count("") == 1
    assert AuditEvent.objects.filter(verb="withdraw").count() == 1


def test_replacements_at_once_leave_one_run_that_counts_and_none_that_is_lost(cast: Cast) -> None:
    upload(cast, cast.team, cast.member, "bm25")
    told = at_once(lambda number: upload(cast, cast.team, cast.member, "bm25", str(number), replace=True))
    assert told.count("") == AT_ONCE
    assert Run.objects.counting().count() == 1
    assert Run.objects.filter(state=Run.VALID).get().attempt == AT_ONCE + 1
    assert Run.objects.filter(state=Run.WITHDRAWN).count() == AT_ONCE
    assert AuditEvent.objects.filter(verb="replace").count() == AT_ONCE


def test_a_replacement_and_a_withdrawal_at_once_leave_at_most_one_run(cast: Cast) -> None:
    run = upload(cast, cast.team, cast.member, "bm25")

    def act(number: int) -> object:
        if number % 2:
            return upload(cast, cast.team, cast.member, "bm25", str(number), replace=True)
        return run_withdraw(actor=cast.member, run=Run.objects.get(pk=run.pk))

    at_once(act)
    run.refresh_from_db()
    assert run.state == Run.WITHDRAWN
    assert Run.objects.counting().count() == 1
