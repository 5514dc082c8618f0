"""What a new password ends, and where the mails of the sign-in lead."""

import re
import socket

from django.conf import LazySettings
from django.core.mail import EmailMessage
from django.test import Client, TestCase

from campaign.accounts.selectors import working_tokens
from campaign.models import Job, Mail, User
from tests.api.makers import make_token
from tests.campaign.runs.makers import signed_in
from tests.factories import confirm_address, make_user

NEW = "another long password"
SITE = "https://runs.example.org"


def reset_mail(user: User, mailoutbox: list[EmailMessage], **headers: str) -> str:
    with TestCase.captureOnCommitCallbacks(execute=True):
        Client().post("/account/password/reset/", {"email": user.email}, **headers)
    return str(mailoutbox[-1].body)


def reset_password(user: User, settings: LazySettings, mailoutbox: list[EmailMessage]) -> None:
    [link] = links(reset_mail(user, mailoutbox))
    client = Client()
    page = client.get(link.removeprefix(settings.SITE_URL), follow=True)
    done = client.post(page.redirect_chain[-1][0], {"password1": NEW, "password2": NEW}, follow=True)
    assert "The password is changed" in done.content.decode()


def links(text: str) -> list[str]:
    return re.findall(r"https?://\S+", text.split("\n-- \n")[0])


def test_the_reset_mail_leads_to_the_sites_own_address(
    db: None, settings: LazySettings, mailoutbox: list[EmailMessage]
) -> None:
    settings.SITE_URL = SITE
    settings.ALLOWED_HOSTS = ["*"]
    user = confirm_address(make_user())
    known = reset_mail(user, mailoutbox, HTTP_HOST="testserver:6666")
    assert [link.startswith(f"{SITE}/account/") for link in links(known)] == [True]
    unknown = reset_mail(User(email="nobody@example.org"), mailoutbox, HTTP_HOST="evil.example.net")
    for text in (known, unknown, *(mail.subject for mail in mailoutbox)):
        assert "6666" not in text
        assert "evil" not in text


def test_the_mails_of_a_sign_up_lead_to_the_sites_own_address(
    db: None, settings: LazySettings, mailoutbox: list[EmailMessage]
) -> None:
    settings.SITE_URL, settings.ACCOUNT_EMAIL_VERIFICATION = SITE, "mandatory"
    settings.ALLOWED_HOSTS = ["*"]
    known = confirm_address(make_user())
    for name, email in (("nova", "nova@example.org"), ("nora", known.email)):
        values = {"username": name, "email": email, "password1": NEW, "password2": NEW}
        with TestCase.captureOnCommitCallbacks(execute=True):
            Client().post("/account/signup/", values, HTTP_HOST="evil.example.net")
    assert len(mailoutbox) == 2
    for mail in mailoutbox:
        assert links(str(mail.body))
        assert all(link.startswith(SITE) for link in links(str(mail.body)))
        assert "evil" not in f"{mail.subject}{mail.body}"


def test_a_mail_server_that_is_away_keeps_nobody_from_the_next_page(db: None, settings: LazySettings) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        settings.EMAIL_HOST, settings.EMAIL_PORT = free.getsockname()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    known = confirm_address(make_user())
    values = {"username": "nova", "email": "nova@example.org", "password1": NEW, "password2": NEW}
    with TestCase.captureOnCommitCallbacks(execute=True):
        signed_up = Client().post("/account/signup/", values, follow=True)
        reset = Client().post("/account/password/reset/", {"email": known.email}, follow=True)
    assert (signed_up.status_code, reset.status_code) == (200, 200)
    assert {mail.address: mail.sent_at for mail in Mail.objects.all()} == {"nova@example.org": None, known.email: None}
    assert [job.state for job in Job.objects.all()] == [Job.QUEUED, Job.QUEUED]


def test_a_link_that_opens_an_account_is_forgotten_when_its_mail_is_sent(
    db: None, settings: LazySettings, mailoutbox: list[EmailMessage]
) -> None:
    [link] = links(reset_mail(confirm_address(make_user()), mailoutbox))
    assert link.removeprefix(settings.SITE_URL) not in Mail.objects.get().body


def test_a_sign_up_with_a_registered_address_is_answered_as_any_other(db: None, settings: LazySettings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    known = confirm_address(make_user())
    answers = []
    for name, email in (("nova", "nova@example.org"), ("nora", known.email)):
        values = {"username": name, "email": email, "password1": NEW, "password2": NEW}
        answer = Client().post("/account/signup/", values, follow=True)
        text = answer.content.decode().replace(email, "ADDRESS")
        answers.append((answer.redirect_chain, re.sub(r'value="[^"]*"|csrf[^>]*>|nonce-[^ ]*', "", text)))
    assert answers[0] == answers[1]


def test_a_reset_ends_the_wait_after_wrong_passwords_for_each_name_of_the_account(
    db: None, settings: LazySettings, mailoutbox: list[EmailMessage]
) -> None:
    user = confirm_address(make_user())
    for login in (user.username, user.email) * 6:
        Client().post("/account/login/", {"login": login, "password": "wrong"})
    reset_password(user, settings, mailoutbox)
    for login in (user.username, user.email):
        assert Client().post("/account/login/", {"login": login, "password": NEW}).status_code == 302


def test_a_reset_ends_sessions_and_tokens(db: None, settings: LazySettings, mailoutbox: list[EmailMessage]) -> None:
    user = confirm_address(make_user())
    session, token = signed_in(user), make_token(user)
    reset_password(user, settings, mailoutbox)
    assert session.get("/account/settings/").status_code == 302
    assert not working_tokens().filter(user=user).exists()
    assert Client().get("/api/v1/me", HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 401


def test_a_change_ends_other_sessions_and_shows_the_tokens_that_go_on(db: None) -> None:
    user = make_user()
    here, elsewhere = signed_in(user), signed_in(user)
    make_token(user)
    values = {"oldpassword": "a long password", "password1": NEW, "password2": NEW}
    answer = here.post("/account/password/change/", values, follow=True)
    assert answer.redirect_chain[-1][0] == "/account/tokens/"
    assert "These tokens still work" in answer.content.decode()
    assert elsewhere.get("/account/settings/").status_code == 302
