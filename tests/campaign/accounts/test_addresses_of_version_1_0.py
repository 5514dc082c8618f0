"""Addresses that version 1.0 stored as they were typed are found by every spelling, and belong to whoever confirmed them."""

import unicodedata
from importlib import import_module

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.core.validators import validate_email

from campaign.accounts.selectors import user_named, user_of_login
from campaign.models import User
from tests.factories import make_user

pytestmark = pytest.mark.django_db
DECOMPOSED = unicodedata.normalize("NFD", "zo\u00eb@example.org")


def stored(name: str, *addresses: str) -> User:
    """The first address is the primary one; all are confirmed."""
    user = make_user(name)
    User.objects.filter(pk=user.pk).update(email=addresses[0])
    for address in addresses:
        EmailAddress.objects.create(user=user, email=address, verified=True, primary=address == addresses[0])
    return user


def fold() -> None:
    import_module("campaign.migrations.0006_addresses_in_one_form").fold_addresses(apps, None)


def of(user: User) -> list[tuple[str, bool, bool]]:
    rows = EmailAddress.objects.filter(user=user).order_by("email")
    return list(rows.values_list("email", "verified", "primary"))


def test_the_same_text_in_another_form_stays_confirmed_and_signs_in() -> None:
    user = stored("zoe", DECOMPOSED)
    assert user_named("zo\u00eb@example.org") is None
    fold()
    assert of(user) == [("zo\u00eb@example.org", True, True)]
    for spelt in ("zo\u00eb@example.org", DECOMPOSED, DECOMPOSED.upper()):
        assert user_named(spelt) == user_of_login(spelt) == user


def test_compatible_letters_may_be_another_inbox_and_are_confirmed_anew() -> None:
    user = stored("sam", "\u017fam@example.org")
    fold()
    assert of(user) == [("sam@example.org", False, True)]
    assert user_named("\u017fam@example.org") is None
    assert user_of_login("\u017fam@example.org") == user


def test_an_address_stays_with_whoever_confirmed_it_in_the_new_form() -> None:
    old, new = stored("zoe", DECOMPOSED), stored("zo2", "zo\u00eb@example.org")
    fold()
    assert of(old) == [("zo\u00eb@example.org", False, True)]
    assert user_named(DECOMPOSED) == new


def test_two_forms_of_one_person_become_one_address() -> None:
    user = stored("zoe", DECOMPOSED, "zo\u00eb@example.org", "other@example.org")
    fold()
    fold()
    assert of(user) == [("other@example.org", True, False), ("zo\u00eb@example.org", True, True)]


def test_an_address_whose_new_form_is_too_long_to_be_stored_stays_and_stops_no_upgrade() -> None:
    long = "a@" + "\ufdfa" * 20 + ".org"
    validate_email(long)
    user = stored("ada", long, DECOMPOSED)
    fold()
    assert of(user) == [(long, True, True), ("zo\u00eb@example.org", True, False)]
    assert User.objects.get(pk=user.pk).email == long
