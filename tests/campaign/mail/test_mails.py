"""Mails are rows first: written with what makes them necessary, sent once by a job."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.test import TestCase
from django.utils import timezone

from campaign.mail.jobs import send_mail
from campaign.mail.services import mail_address, mail_text, mail_user
from campaign.models import Job, Mail
from campaign.queue.jobs import JobFailed, JobPostponed, Progress
from tests.factories import make_user


class RefusingBackend(BaseEmailBackend):
    def send_messages(self, email_messages: list[Any]) -> int:
        raise SMTPRecipientsRefused({"nobody@example.org": (550, b"no such user")})


class AbsentBackend(BaseEmailBackend):
    def send_messages(self, email_messages: list[Any]) -> int:
        raise SMTPServerDisconnected("gone")


def write(**values: Any) -> Mail:
    return mail_address(address="ann@example.org", subject="Your run", body="It came in.", **values)


@pytest.mark.django_db
def test_a_mail_is_sent_after_the_transaction_that_wrote_it() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        written = write()
        assert mail.outbox == []
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == (["ann@example.org"], "Your run")
    assert sent.body.startswith("It came in.")
    written.refresh_from_db()
    assert written.sent_at is not None


@pytest.mark.django_db
def test_nothing_is_sent_when_the_transaction_fails() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        write()
        transaction.set_rollback(True)
    assert mail.outbox == []
    assert not Mail.objects.exists()


@pytest.mark.django_db
def test_a_job_that_runs_twice_sends_once() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        written = write()
    send_mail.body(Progress(0, 0), mail_id=written.pk)
    assert len(mail.outbox) == 1


@pytest.mark.django_db
def test_a_user_without_an_address_gets_none() -> None:
    user = make_user("ann")
    user.email = ""
    assert mail_user(user=user, subject="x", body="y") is None


@pytest.mark.django_db
def test_a_subject_is_one_line_whatever_names_hold() -> None:
    assert (
        mail_address(address="a@example.org", subject="a\r\nBcc: b@example.org", body="").subject
        == "a Bcc: b@example.org"
    )


@pytest.mark.django_db
def test_an_address_that_is_refused_fails_for_good_and_says_so(settings: Any) -> None:
    settings.EMAIL_BACKEND = "tests.campaign.mail.test_mails.RefusingBackend"
    with TestCase.captureOnCommitCallbacks(execute=True):
        written = write()
    job = Job.objects.get(name="send mail")
    assert job.state == Job.FAILED
    assert "ann@example.org" in job.message
    written.refresh_from_db()
    assert written.sent_at is None


@pytest.mark.django_db
def test_a_mail_server_that_is_away_is_tried_again_and_the_mail_is_not_lost(settings: Any) -> None:
    settings.EMAIL_BACKEND = "tests.campaign.mail.test_mails.AbsentBackend"
    written = write()
    with pytest.raises(JobPostponed, match="gone"):
        send_mail.body(Progress(0, 0), mail_id=written.pk)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    send_mail.body(Progress(0, 0), mail_id=written.pk)
    assert len(mail.outbox) == 1


@pytest.mark.django_db
def test_a_mail_waits_for_its_server_for_two_days_and_then_fails_with_the_reason(settings: Any) -> None:
    settings.EMAIL_BACKEND = "tests.campaign.mail.test_mails.AbsentBackend"
    with TestCase.captureOnCommitCallbacks(execute=True):
        written = write()
    job = Job.objects.get(name="send mail")
    assert (job.state, job.attempts) == (Job.QUEUED, 0)
    assert "tried again" in job.message
    Mail.objects.update(created_at=timezone.now() - timedelta(days=3))
    with pytest.raises(JobFailed, match="gone"):
        send_mail.body(Progress(0, 0), mail_id=written.pk)


@pytest.mark.django_db
def test_the_text_of_a_secret_mail_is_kept_until_it_is_sent_and_no_longer() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        written = write(is_secret=True)
        assert "It came in." in Mail.objects.get().body
    assert "It came in." in str(mail.outbox[0].body)
    written.refresh_from_db()
    assert "It came in." not in written.body
    assert written.sent_at is not None


def test_the_words_of_a_mail_are_plain_text() -> None:
    assert "O'Neil & Sons" in mail_text("team_invitation", team="O'Neil & Sons", actor="Ann", link="x")
