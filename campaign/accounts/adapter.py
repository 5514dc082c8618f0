"""What this site does otherwise than django-allauth: its mails, and how failed sign-ins are limited."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from campaign.accounts.client_address import client_address
from campaign.accounts.selectors import has_confirmed, names_of, user_of_login, users_who_confirmed, working_tokens
from campaign.mail.services import mail_address
from campaign.models import User
from campaign.models.fields import require_unlike
from campaign.models.lookalikes import folded, skeleton, tidy
from campaign.models.saving import checked_again
from campaign.models.user import USER_NAME_NOT_FREE
from campaign.permissions import signed_in
from campaign.web.links import absolute

KNOWN_BROWSER = "known_browser"
"""A signed cookie of a browser in which somebody signed in: guesses from elsewhere must not keep that person out."""
KNOWN_FOR_SECONDS = 365 * 24 * 3600
ALLAUTH = "allauth.account"
WITHOUT_ADDRESS = (
    "Nobody signs in here without a confirmed email address, and this account has none. "
    "Ask the operator of this site to give it yours."
)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = {**DefaultAccountAdapter.error_messages, "username_taken": USER_NAME_NOT_FREE}

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def is_safe_url(self, url: str | None) -> bool:
        """Whether the address in `next` is one of this site."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:  # no address at all, such as http://[
            return False

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name = str(super().clean_username(tidy(username), shallow))
        try:
            require_unlike(User(username=name), "username_skeleton", USER_NAME_NOT_FREE)
        except ValidationError as problem:
            raise ValidationError(problem.messages) from problem
        return name

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        with checked_again(lambda: self.clean_username(user.username)):
            saved: User = super().save_user(request, user, form, commit)
        return saved

    # Mails lead to the site's own address: the header Host is written by whoever asks for the mail.

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """By our own post, as a row and a job: a mail server that is away or slow is nothing that a request waits for."""
        own = {name: _on_this_site(value) if name.endswith("_url") else value for name, value in context.items()}
        site = {"name": settings.SITE_NAME, "domain": urlsplit(absolute("")).netloc}
        written = self.render_mail(template_prefix, email, {**own, "email": email, "current_site": site})
        with transaction.atomic():
            mail_address(address=email, subject=written.subject, body=str(written.body), is_secret=True)

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: EmailConfirmation, signup: bool) -> None:
        """Whoever has confirmed the address is told of it instead: nobody else can confirm it."""
        claimed = emailconfirmation.email_address
        if users_who_confirmed(claimed.email).exclude(pk=claimed.user_id).exists():
            self.send_account_already_exists_mail(claimed.email)
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def format_email_subject(self, subject: str) -> str:
        return f"[{settings.SITE_NAME}] {subject}"

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: EmailConfirmation) -> str:
        return _on_this_site(super().get_email_confirmation_url(request, emailconfirmation))

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _on_this_site(super().get_reset_password_from_key_url(key))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """To the tokens that still work, if there are any: somebody who knew the password may have made one."""
        if not working_tokens().filter(user=signed_in(request.user)).exists():
            return str(super().get_password_change_redirect_url(request))
        messages.warning(request, "These tokens still work. Revoke those that you do not know.")
        return reverse("token_list")

    # Failures are counted for each name and address together (ACCOUNT_RATE_LIMITS), so that nobody can lock others out. allauth
    # has no public setting of what they are counted by, nor of what a reset clears: hence two methods with names of its own.

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return f"{_name_of(credentials)}|{client_address(request)}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        super().pre_authenticate(request, **credentials)
        self._guesses_of_all = None
        if _is_known_browser(request, credentials):
            return
        name = _name_of(credentials)
        self._guesses_of_all = ratelimit.consume(request, app=ALLAUTH, action="login_failed_by_all", key=name)
        if not self._guesses_of_all:
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Without mail only an address that somebody vouched for signs in: else a second account that claims a registered
        one, and cannot sign in by it, would tell that it is registered.
        """
        user: User | None = super().authenticate(request, **credentials)
        if user is not None and self._guesses_of_all:
            self._guesses_of_all.rollback()
        login = _login_of(credentials)
        is_claimed = "@" in login and user is not None and not has_confirmed(user, login)
        return None if is_claimed and settings.ACCOUNT_EMAIL_VERIFICATION == "none" else user

    def respond_email_verification_sent(self, request: HttpRequest, user: AbstractBaseUser | None) -> HttpResponse:
        """An account that has no address has got no mail; only who knows its password learns it."""
        if user is None or EmailAddress.objects.filter(user=user).exists():
            answer: HttpResponse = super().respond_email_verification_sent(request, user)
            return answer
        messages.error(request, WITHOUT_ADDRESS)
        return redirect(settings.LOGIN_URL)

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Called when a password was reset: whoever reads the account's mail is its owner, by whichever name."""
        user = user_of_login(_login_of(credentials))
        for login in names_of(user) if user else [_login_of(credentials)]:
            super()._delete_login_attempts_cached_email(request, username=login)
            ratelimit.clear(request, app=ALLAUTH, action="login_failed_by_all", key=skeleton(login))

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **about: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **about)
        response.set_signed_cookie(
            KNOWN_BROWSER,
            str(user.pk),
            max_age=KNOWN_FOR_SECONDS,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
        return response


def _on_this_site(url: str) -> str:
    parts = urlsplit(url)
    return absolute(parts.path + (f"?{parts.query}" if parts.query else ""))


def _name_of(credentials: dict[str, Any]) -> str:
    """The name as it was typed, in one form for all that would be taken for the same.

    Counted by account, the names of one account would share a limit: anybody could find out which address belongs to whom.
    """
    return skeleton(_login_of(credentials))


def _login_of(credentials: dict[str, Any]) -> str:
    return tidy(str(credentials.get("username") or credentials.get("email") or ""))


def _is_known_browser(request: HttpRequest, credentials: dict[str, Any]) -> bool:
    """By a name that is the account's own: an address that it only claims is guessed at without end where nobody else has it."""
    login = _login_of(credentials)
    user = user_of_login(login)
    if user is not None and "@" in login and not has_confirmed(user, login) and folded(login) != folded(user.username):
        return False
    known = request.get_signed_cookie(KNOWN_BROWSER, default="", max_age=KNOWN_FOR_SECONDS)
    return user is not None and known == str(user.pk)
