"""What ends with another RUNPOOL_SECRET_KEY, and what stays: the guide for operators names both."""

import re
from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.core.mail import EmailMessage
from django.core.signing import Signer
from django.test import Client, TestCase

from campaign.accounts.selectors import working_tokens
from campaign.mail import choices
from campaign.models import ApiToken, User
from campaign.models.mail import RUN
from campaign.setup.services.people import invitation_accept, role_invite
from tests.api.makers import make_token
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, confirm_address

PASSWORD = "a password of many letters"


@pytest.fixture
def person(cast: Cast) -> User:
    cast.member.set_password(PASSWORD)
    cast.member.save()
    return confirm_address(cast.member)


def link_of(outbox: list[EmailMessage]) -> str:
    [link] = re.findall(r"https?://\S+", str(outbox[-1].body).split("\n-- \n")[0])
    return re.sub(r"^https?://[^/]*", "", link)


def sent(address: str, values: dict[str, str], outbox: list[EmailMessage]) -> str:
    with TestCase.captureOnCommitCallbacks(execute=True):
        Client().post(address, values)
    return link_of(outbox)


@pytest.fixture
def another_key(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def change() -> None:
        settings.SECRET_KEY = "another text that nobody has guessed, of many letters"
        monkeypatch.setattr(choices, "SIGNER", Signer(salt=choices.SIGNER.salt))  # as a process that starts makes it

    return change


def test_sessions_and_links_of_mails_end_with_it(
    person: User, settings: LazySettings, mailoutbox: list[EmailMessage], another_key: Callable[[], None]
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    session = signed_in(person)
    reset = sent("/account/password/reset/", {"email": person.email}, mailoutbox)
    new = {"username": "nova", "email": "nova@example.org", "password1": PASSWORD, "password2": PASSWORD}
    confirmation = sent("/account/signup/", new, mailoutbox)
    off = choices.switch_off_address(person, RUN).rstrip("/").rpartition("/")[2]
    assert session.get("/account/settings/").status_code == 200
    assert choices.meant_by(off) == (person, RUN)
    for link in (reset, confirmation):
        assert "This link no longer works" not in Client().get(link, follow=True).content.decode()
    another_key()
    assert session.get("/account/settings/").status_code == 302
    assert choices.meant_by(off) is None
    for link in (reset, confirmation):
        assert "This link no longer works" in Client().get(link, follow=True).content.decode()


def test_passwords_tokens_and_invitations_go_on(cast: Cast, person: User, another_key: Callable[[], None]) -> None:
    token = make_token(person, ApiToken.SUBMIT)
    invitation = role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role="assessor")
    another_key()
    assert working_tokens().filter(user=person).exists()
    assert Client().get("/api/v1/me", HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 200
    assert Client().login(username=person.username, password=PASSWORD)
    assert invitation_accept(actor=cast.stranger, invitation=invitation).role == "assessor"
