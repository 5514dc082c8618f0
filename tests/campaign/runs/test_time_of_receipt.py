"""What counts for the deadline is when the last byte had arrived, however long the file waits afterwards."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.accounts.services.tokens import token_create
from campaign.models import ApiToken, Mail, Run, Task
from campaign.runs.services import submission
from tests.campaign.runs.makers import RANKING, make_ready_cast, post_run, submit
from tests.factories import Cast, run_lines

CONTENT = run_lines(RANKING, "bm25")


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast()


@pytest.fixture
def deadline(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> datetime:
    """A deadline that passes while the file is being stored."""
    deadline = cast.task.closes_at
    assert deadline is not None
    real_store = submission.store

    def store_slowly(*args: Any, **values: Any) -> Any:
        monkeypatch.setattr(timezone, "now", lambda: deadline + timedelta(minutes=5))
        return real_store(*args, **values)

    monkeypatch.setattr(submission, "store", store_slowly)
    monkeypatch.setattr(timezone, "now", lambda: deadline - timedelta(seconds=1))
    return deadline


def post_by_api(cast: Cast) -> Any:
    until = timezone.now() + timedelta(days=1)
    _, text = token_create(actor=cast.member, name="laptop", scope=ApiToken.SUBMIT, expires_at=until)
    return Client(headers={"authorization": f"Bearer {text}"}).post(
        f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/runs",
        {"team": cast.team.slug, "file": SimpleUploadedFile("bm25.txt", CONTENT)},
    )


def test_a_file_that_arrived_in_time_by_the_page_is_taken_though_the_deadline_passes_meanwhile(
    cast: Cast, deadline: datetime
) -> None:
    assert post_run(cast, CONTENT).status_code == 303
    assert Run.objects.get().submitted_at == deadline - timedelta(seconds=1)
    assert f"{deadline - timedelta(seconds=1):%Y-%m-%d %H:%M:%S} UTC" in Mail.objects.latest("-pk").body


def test_a_file_that_arrived_in_time_by_the_api_is_taken_though_the_deadline_passes_meanwhile(
    cast: Cast, deadline: datetime
) -> None:
    assert post_by_api(cast).status_code == 201
    assert Run.objects.get().submitted_at == deadline - timedelta(seconds=1)


def test_a_file_whose_last_byte_came_late_is_refused_with_both_times(cast: Cast) -> None:
    cast.campaign.time_zone = "Europe/Zurich"
    cast.campaign.save()
    Task.objects.update(closes_at=datetime(2026, 3, 1, 11, 59, 58, tzinfo=UTC))
    cast.task.refresh_from_db()
    with pytest.raises(ValidationError) as refusal:
        submit(cast, received_at=datetime(2026, 3, 1, 12, 0, 1, tzinfo=UTC))
    [told] = refusal.value.messages
    assert told.startswith(
        "The deadline was 1 Mar 2026, 12:59:58 Europe/Zurich, and the last byte of your file arrived at "
    )
    assert "arrived at 1 Mar 2026, 13:00:01 Europe/Zurich. Ask the organisers" in told
    assert not Run.objects.exists()


def test_the_uploads_of_a_team_wait_for_each_other_during_a_handful_of_queries_only(cast: Cast) -> None:
    with CaptureQueriesContext(connection) as captured:
        submit(cast)
    statements = [query["sql"] for query in captured]
    begin = next(place for place, sql in enumerate(statements) if sql.startswith("SAVEPOINT"))
    end = next(place for place, sql in enumerate(statements) if sql.startswith("RELEASE"))
    under_lock = statements[begin + 1 : end]
    assert len(under_lock) <= 13, "\n".join(under_lock)
    assert any("campaign_registration" in sql for sql in under_lock[:1])
