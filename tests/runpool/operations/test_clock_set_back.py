"""A site whose clock was ahead, and was set back: nothing waits for the old time, and nothing works longer than promised."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from campaign.accounts.reset_links import ResetTokens
from campaign.models import ApiToken, Archive, DataExport, Job, Restoration, RoleInvitation, Run
from campaign.runs.services.submission import run_withdraw
from campaign.web.daily_limits import require_few_rows
from judging.models import ModelAssessor
from runpool.account_data.selectors import asked_today
from runpool.management.commands.shorten_lifetimes import lifetimes_shorten
from runpool.operations.cleaning import clean_up, clean_when_due
from runpool.operations.health import CLEAN, VERIFY
from runpool.operations.verifications import verify_when_due
from tests.api.makers import make_token
from tests.campaign.accounts.test_passwords import links, reset_mail
from tests.campaign.runs.makers import make_ready_cast, submit
from tests.factories import Cast, confirm_address, make_user
from tests.judging.makers import make_model_assessor

DAYS = timedelta(days=40)
pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(settings: Any) -> Cast:
    settings.RUN_ATTEMPTS_PER_DAY = 2
    return make_ready_cast(max_runs_per_team=1)


def ahead() -> datetime:
    return timezone.now() + DAYS


@pytest.mark.parametrize(("name", "ask"), [(CLEAN, clean_when_due), (VERIFY, verify_when_due)])
def test_cleaning_and_verification_are_due_though_the_last_was_asked_for_in_the_future(
    name: str, ask: Callable[[], object]
) -> None:
    job = Job.objects.create(name=name, key="{}", state=Job.DONE)
    ask()
    assert Job.objects.filter(name=name).count() == 1
    Job.objects.filter(pk=job.pk).update(created_at=ahead())
    for _ in range(2):
        ask()
        assert Job.objects.filter(name=name).count() == 2


def test_what_was_made_in_the_future_uses_up_no_limit_of_a_day(cast: Cast) -> None:
    for tag in ("one", "two"):
        run_withdraw(actor=cast.member, run=submit(cast, tag))
    with pytest.raises(ValidationError, match="within 24 hours"):
        submit(cast, "three")
    Run.objects.update(submitted_at=ahead())
    submit(cast, "three")
    Archive.objects.create(campaign=cast.campaign, created_by=cast.organiser)
    asked = (Archive.objects.all(), "created_at", {"created_by": cast.organiser}, 1, "archives")
    with pytest.raises(ValidationError, match="limit of 1 archives within a day"):
        require_few_rows(*asked)
    Archive.objects.update(created_at=ahead())
    require_few_rows(*asked)
    DataExport.objects.create(user=cast.member)
    assert asked_today(cast.member) == 1
    DataExport.objects.update(requested_at=ahead())
    assert asked_today(cast.member) == 0


def test_with_a_clock_that_is_behind_the_cleaning_ends_nothing_that_is_good(cast: Cast) -> None:
    """To such a clock all that was made at the right time lies in the future."""
    make_token(cast.member)
    token = ApiToken.objects.get()
    ApiToken.objects.update(created_at=ahead(), expires_at=ahead() + DAYS)
    DataExport.objects.create(user=cast.member, file="exports/b", made_at=ahead())
    Archive.objects.create(campaign=cast.campaign, created_by=cast.organiser, file="archives/b", made_at=ahead())
    over = {"state": Restoration.DONE, "finished_at": ahead(), "size": 1, "created_by": cast.organiser}
    Restoration.objects.create(file="restorations/b", file_name="b.zip", **over)
    clean_up()
    assert ApiToken.objects.get(pk=token.pk).expires_at > ahead()
    for model in (DataExport, Archive, Restoration):
        assert model.objects.exclude(file="").count() == 1


def test_sessions_tokens_and_invitations_that_were_made_in_the_future_live_no_longer_than_promised(
    cast: Cast, settings: Any
) -> None:
    now = timezone.now()
    make_token(cast.member)
    of_now = ApiToken.objects.get()
    Session.objects.create(session_key="a" * 32, session_data="", expire_date=ahead() + timedelta(days=14))
    make_token(cast.organiser)
    token = ApiToken.objects.get(user=cast.organiser)
    life = token.expires_at - token.created_at
    ApiToken.objects.filter(pk=token.pk).update(created_at=ahead(), expires_at=ahead() + life)
    invited = {"campaign": cast.campaign, "role": "assessor", "invited_by": cast.organiser}
    RoleInvitation.objects.create(user=make_user(), invited_at=ahead(), **invited)
    assessor, _ = make_model_assessor(cast.task, cast.organiser)
    promised = assessor.token_expires_at
    ModelAssessor.objects.update(token_expires_at=promised + DAYS)
    call_command("shorten_lifetimes", stdout=(said := StringIO()))
    assert said.getvalue().strip().endswith("made in the future: 4")
    soon = timedelta(minutes=1)
    assert abs(Session.objects.get().expire_date - now - timedelta(seconds=settings.SESSION_COOKIE_AGE)) < soon
    token.refresh_from_db()
    assert abs(token.expires_at - now - life) < soon
    assert abs(RoleInvitation.objects.get().expires_at - now - timedelta(days=30)) < soon
    assert abs(ModelAssessor.objects.get().token_expires_at - promised) < soon
    assert ApiToken.objects.get(pk=of_now.pk).expires_at == of_now.expires_at
    assert lifetimes_shorten().endswith("made in the future: 0")


def test_a_link_for_a_new_password_that_was_made_in_the_future_opens_nothing(
    monkeypatch: pytest.MonkeyPatch, mailoutbox: list[EmailMessage]
) -> None:
    user = confirm_address(make_user())
    now = ResetTokens._now

    def form_of_link(by: timedelta) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(ResetTokens, "_now", lambda self: now(self) + by)
            [link] = links(reset_mail(user, mailoutbox))
        page = Client().get("/" + link.split("/", 3)[3], follow=True).content.decode()
        return 'name="password1"' in page

    assert [form_of_link(by) for by in (timedelta(), timedelta(minutes=5), DAYS)] == [True, True, False]
