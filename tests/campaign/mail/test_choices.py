"""Switches of mails, the link that works without signing in, and the one mail a day."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from campaign.mail.choices import choice_of, choices_set, switch_off_address
from campaign.mail.digests import digest_send, digests_request, last_hour
from campaign.mail.services import mail_text, mail_user
from campaign.models import DigestEntry, Job, Mail, User
from campaign.models.mail import KINDS, NOTICE, RUN
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit_and_check
from tests.campaign.teams.makers import Sent
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def write(user: User, kind: str = NOTICE, **values: str) -> Mail | None:
    return mail_user(user=user, subject="Hello", body="Words.", kind=kind, **values)


def keep_for_digest(user: User, text: str, at: datetime) -> None:
    entry = DigestEntry.objects.create(user=user, text=text)
    DigestEntry.objects.filter(pk=entry.pk).update(created_at=at)


def test_each_kind_is_switched_by_its_person_and_mails_without_a_kind_are_not() -> None:
    user, other = make_user(), make_user()
    sent = {**dict.fromkeys(KINDS, "each"), NOTICE: "off"}
    assert signed_in(user).post("/account/mails/", sent).status_code == 302
    assert write(user) is None
    assert write(user, RUN) is not None
    assert write(user, "") is not None
    assert write(other) is not None
    assert 'value="off" selected' in signed_in(user).get("/account/mails/").content.decode()
    with pytest.raises(ValidationError, match="no choice"):
        choices_set(actor=user, choices={NOTICE: "daily"})


def test_the_link_of_a_mail_switches_its_kind_off_after_a_confirmation_only() -> None:
    user = make_user()
    mail = write(user)
    address = switch_off_address(user, NOTICE)
    assert mail is not None
    assert address in mail.body
    path = address[address.index("/account/") :]
    client = Client()
    assert "You get an email when an organiser writes a notice" in client.get(path).content.decode()
    assert choice_of(user, NOTICE) == "each"
    assert "no email any more" in client.post(path).content.decode()
    assert (choice_of(user, NOTICE), choice_of(user, RUN)) == ("off", "each")
    for wrong in (
        path.replace(NOTICE, RUN),
        "/account/emails/unsubscribe/x/",
        f"/account/emails/unsubscribe/{user.pk}.{NOTICE}/",
    ):
        assert client.get(wrong).status_code == 404


def test_checked_runs_of_a_day_are_one_mail_which_is_written_once() -> None:
    cast = make_ready_cast()
    choices_set(actor=cast.member, choices={RUN: "daily"})
    with Sent() as at_once:
        submit_and_check(cast, "one")
        submit_and_check(cast, "two", b"nonsense\n")
    assert at_once.mails == []
    assert digests_request() == 0
    DigestEntry.objects.update(created_at=timezone.now() - timedelta(days=1))
    keep_for_digest(cast.member, "later", timezone.now() + timedelta(hours=1))
    with Sent() as sent:
        assert digests_request() == 1
        assert digests_request() == 1
    assert digest_send(cast.member.pk) == 0
    [mail] = sent.mails
    assert mail.subject == "2 runs checked"
    assert "one (attempt 1) was accepted" in mail.body
    assert "two (attempt 1) was not accepted" in mail.body
    assert list(DigestEntry.objects.values_list("text", flat=True)) == ["later"]


def test_what_was_kept_before_the_clock_was_set_back_waits_for_no_morning() -> None:
    user = make_user()
    keep_for_digest(user, "kept", timezone.now() + timedelta(days=3))
    with Sent() as sent:
        assert digests_request() == 1
    assert [mail.subject for mail in sent.mails] == ["1 run checked"]


def test_a_worker_killed_before_the_end_loses_nothing() -> None:
    user = make_user()
    keep_for_digest(user, "kept", timezone.now() - timedelta(days=2))
    with patch("campaign.mail.digests.mail_user", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        digest_send(user.pk)
    assert DigestEntry.objects.count() == 1
    assert digest_send(user.pk) == 1
    assert (Mail.objects.count(), Job.objects.filter(name="send mail").count()) == (1, 1)


def test_the_text_of_a_mail_is_not_taken_for_safe_html() -> None:
    assert type(mail_text("digest", entries=["<b>"])) is str


def test_the_day_of_a_digest_begins_in_the_morning_of_its_reader() -> None:
    now = datetime(2026, 11, 23, 5, 30, tzinfo=UTC)
    assert last_hour(User(), now) == datetime(2026, 11, 22, 6, tzinfo=UTC)
    assert last_hour(User(time_zone="Europe/Zurich"), now) == datetime(2026, 11, 23, 5, tzinfo=UTC)
