"""Tokens: made and revoked on a page of the account, stored as a hash, shown once."""

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.services.tokens import MOST_TOKENS, token_create, token_revoke
from campaign.models import ApiToken, AuditEvent, User
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import signed_in
from tests.factories import make_user

TEXT = re.compile(r"rp_[A-Za-z0-9_-]{43}")


@pytest.fixture
def mona(db: None) -> User:
    return make_user("mona")


def post(user: User, **values: Any) -> Any:
    form = {"name": "laptop", "scope": "submit", "lifetime": "30", **values}
    return signed_in(user).post(reverse("token_list"), form)


def test_a_token_is_shown_once_and_kept_as_a_hash(mona: User) -> None:
    page = post(mona)
    [text] = set(TEXT.findall(page.content.decode()))
    token = ApiToken.objects.get()
    assert token.token_sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert token.start == text[:8]
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert "RUNPOOL_TOKEN" in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    again = signed_in(mona).get(reverse("token_list")).content.decode()
    assert text not in again
    assert text[:8] in again
    assert ask("me", text).json()["username"] == "mona"


def test_sending_the_form_again_makes_no_second_token(mona: User) -> None:
    assert post(mona).status_code == 200
    again = post(mona)
    assert again.status_code == 422
    assert "working token of this name" in again.content.decode()
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"scope": "all"},
        {"lifetime": "9000"},
        {"lifetime": "date"},
        {"lifetime": "date", "until": "2020-01-01"},
        {"lifetime": "date", "until": "9999-12-31"},
        {"lifetime": "date", "until": "soon"},
    ],
)
def test_a_form_that_makes_no_sense_makes_no_token(mona: User, wrong: dict[str, str]) -> None:
    assert post(mona, **wrong).status_code == 422
    assert not ApiToken.objects.exists()


def test_a_token_until_a_date_works_through_that_day(mona: User) -> None:
    day = (timezone.now() + timedelta(days=10)).date()
    post(mona, lifetime="date", until=day.isoformat())
    assert ApiToken.objects.get().expires_at.isoformat().startswith(f"{day}T23:59:59")


def test_an_expired_a_revoked_and_an_inactive_users_token_do_not_work(mona: User) -> None:
    text, other = make_token(mona, name="one"), make_token(mona, name="two")
    assert ask("me", text).status_code == 200
    ApiToken.objects.filter(name="one").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert ask("me", text).status_code == 401
    token_revoke(actor=mona, token=ApiToken.objects.get(name="two"))
    assert ask("me", other).status_code == 401
    third = make_token(mona, name="three")
    User.objects.update(is_active=False)
    assert ask("me", third).status_code == 401


def test_revoking_asks_first_and_is_written_down(mona: User) -> None:
    text = make_token(mona, name="laptop")
    address = reverse("token_revoke", kwargs={"token_id": ApiToken.objects.get().pk})
    assert "refused from now on" in signed_in(mona).get(address).content.decode()
    assert ask("me", text).status_code == 200
    signed_in(mona).post(address)
    assert ask("me", text).status_code == 401
    signed_in(mona).post(address)
    assert list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True)) == ["create token", "revoke token"]
    assert text not in str(list(AuditEvent.objects.values()))


def test_nobody_revokes_the_token_of_another(mona: User) -> None:
    make_token(mona)
    address = reverse("token_revoke", kwargs={"token_id": ApiToken.objects.get().pk})
    assert signed_in(make_user()).post(address).status_code == 404
    assert ApiToken.objects.get().revoked_at is None


def test_the_last_use_is_written_once_a_minute(mona: User, django_assert_num_queries: Any) -> None:
    text = make_token(mona)
    ask("me", text)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    ask("me", text)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(seconds=61))
    ask("me", text)
    assert ApiToken.objects.get().last_used_at >= first


def test_a_user_has_so_many_tokens_and_no_more(mona: User) -> None:
    for number in range(MOST_TOKENS):
        make_token(mona, name=str(number))
    with pytest.raises(ValidationError, match="Revoke those"):
        make_token(mona, name="one more")


def test_no_token_works_longer_than_a_year(mona: User) -> None:
    for days in (-1, 400):
        with pytest.raises(ValidationError, match="within the next year"):
            token_create(actor=mona, name="x", scope="read", expires_at=timezone.now() + timedelta(days=days))


def test_a_new_password_leaves_tokens_alone_and_the_page_says_so(mona: User) -> None:
    text = make_token(mona)
    mona.set_password("another long password")
    mona.save()
    assert ask("me", text).status_code == 200
    page = " ".join(signed_in(mona).get(reverse("token_list")).content.decode().split())
    assert "after you change your password" in page
