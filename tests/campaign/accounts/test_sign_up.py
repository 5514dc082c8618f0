"""What sign-up tells whoever does not know which addresses are registered."""

from types import SimpleNamespace

import pytest
from django.conf import settings as usual
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client

from campaign.accounts.adapter import AccountAdapter
from campaign.accounts.selectors import user_by_name, user_named
from campaign.models import Mail, User
from campaign.models.user import USER_NAME_NOT_FREE
from tests.factories import confirm_address, make_user

PASSWORD, FIRST = "three words together", "a long password"


def sign_up(name: str, address: str) -> HttpResponse:
    values = {"username": name, "email": address, "password1": PASSWORD, "password2": PASSWORD}
    answer: HttpResponse = Client().post("/account/signup/", values)
    return answer


@pytest.mark.django_db
@pytest.mark.parametrize("verification", ["none", "mandatory"], ids=["without mail", "with mail"])
def test_a_registered_address_gets_the_answer_of_one_that_is_not(settings: SimpleNamespace, verification: str) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    settings.ACCOUNT_PREVENT_ENUMERATION = "strict" if verification == "none" else True
    known = make_user("ada").email
    answers = [sign_up(name, address) for name, address in (("kim", known), ("eve", "nobody@example.org"))]
    assert [(answer.status_code, answer.headers.get("Location")) for answer in answers] == [
        (302, answers[0].headers["Location"])
    ] * 2


@pytest.mark.django_db
@pytest.mark.sqlite("campaign.models.saving.checked_again")
def test_a_name_that_somebody_took_since_the_form_was_checked_is_refused_as_one_that_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new_user = AccountAdapter.new_user

    def too_late(adapter: AccountAdapter, request: HttpRequest) -> User:
        if not User.objects.filter(username="ada").exists():
            make_user("ada")
        made: User = new_user(adapter, request)
        return made

    monkeypatch.setattr(AccountAdapter, "new_user", too_late)
    answers = [sign_up(name, "nobody@example.org") for name in ("Ada", "Ada")]
    assert [answer.status_code for answer in answers] == [answers[1].status_code] * 2
    assert all(USER_NAME_NOT_FREE in answer.content.decode() for answer in answers)
    assert [user.username for user in User.objects.all()] == ["ada"]


@pytest.mark.django_db
@pytest.mark.parametrize("is_confirmed", [True, False], ids=["confirmed", "claimed"])
def test_without_mail_an_account_signs_in_by_an_address_that_it_claims_neither_where_it_is_registered_nor_elsewhere(
    is_confirmed: bool,
) -> None:
    assert usual.ACCOUNT_PREVENT_ENUMERATION == "strict", "of a site without mail, as that of the tests is"
    first = make_user("ada")
    if is_confirmed:
        confirm_address(first)
    for name, address in (("kim", first.email), ("eve", "nobody@example.org")):
        assert sign_up(name, address).status_code == 302
        assert signs_in(name)
        assert not signs_in(address), address
        assert user_named(address) == (first if is_confirmed and address == first.email else None)
    assert signs_in(first.email, FIRST) == is_confirmed


@pytest.mark.parametrize(
    ("verification", "label"),
    [("none", "User name"), ("mandatory", "User name or email")],
    ids=["without mail", "with mail"],
)
def test_the_page_asks_for_what_signs_in(
    settings: SimpleNamespace, client: Client, verification: str, label: str
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    assert f">{label}<" in client.get("/account/login/").content.decode().replace("\n", "").replace("  ", "")


def signs_in(login: str, password: str = PASSWORD) -> bool:
    return Client().post("/account/login/", {"login": login, "password": password}).status_code == 302


def test_with_mail_what_comes_after_a_sign_up_tells_no_registered_address_and_its_owner_is_told(
    db: None, settings: SimpleNamespace
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.ACCOUNT_PREVENT_ENUMERATION = "mandatory", True
    first = make_user("ada")
    confirm_address(first)
    answers = []
    for name, address in (("kim", first.email), ("eve", "nobody@example.org")):
        sign_up(name, address)
        signed_in = Client().post("/account/login/", {"login": name, "password": PASSWORD})
        again = sign_up(name, "other@example.org").content.decode()
        answers.append((signed_in.status_code, signed_in.headers.get("Location"), USER_NAME_NOT_FREE in again))
    assert answers == [(302, "/account/confirm-email/", True)] * 2
    mails = Mail.objects.filter(address=first.email)
    assert mails
    assert all("already" in mail.body for mail in mails)
    assert not any("/account/confirm-email/" in mail.body for mail in mails)
    assert signs_in(first.email, FIRST)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "also"),
    [
        ("Andre\u0301", "andr\u00e9"),
        ("\uff54\uff41\uff4e\uff41\uff4b\uff41", "TANAKA"),
        ("zo\u00eb", "ZO\u00cb"),
        ("stra\u00dfe", "STRASSE"),
        ("\u00df" * 150, "SS" * 150),
        ("\u0394\u03ad\u03bb\u03c4\u03b1\u03c2", "\u0394\u0388\u039b\u03a4\u0391\u03a3"),
    ],
)
def test_a_name_signs_in_and_is_found_as_it_was_typed_and_in_another_case(typed: str, also: str) -> None:
    assert sign_up(typed, "nobody@example.org").status_code == 302
    [user] = User.objects.all()
    for name in (typed, also, f" {typed} "):
        assert signs_in(name, PASSWORD), ascii(name)
        assert user_named(name) == user_by_name(name) == user, ascii(name)
    assert user_by_name("nobody") is None
    assert user_by_name("") is None


@pytest.mark.django_db
def test_an_address_is_taken_and_found_in_wide_letters_too() -> None:
    wide = "\uff2b\uff49\uff4d\uff20example.org"
    assert sign_up("kim", wide).status_code == 302
    user = User.objects.get()
    assert user.email == "kim@example.org"
    confirm_address(user)
    assert user_named(wide) == user
    assert signs_in(wide, PASSWORD)


@pytest.mark.django_db
def test_commands_find_a_name_as_it_was_typed() -> None:
    call_command("create_user", "Zoe\u0308", "--email", "Zoe\uff20Example.org")
    user = User.objects.get()
    assert (user.username, user.email) == ("Zo\u00eb", "zoe@example.org")
    call_command("change_user", "ZO\u00cb", "--may-found-campaigns")
    call_command("delete_user", "zoe\u0308")
    assert User.objects.get().deleted_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["हिन्दी", "น้ำฝน", "தமிழ்", "မြန်မာ"])
def test_names_whose_letters_have_marks_sign_up_and_are_found_again(name: str) -> None:
    assert sign_up(name, "nobody@example.org").status_code == 302
    assert user_by_name(name) == User.objects.get()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a@example.org", "“@” cannot stand here: a user name must not look like an address."),
        ("a/b", "“/” cannot stand here: choose another sign."),
        ("\u0301a", "cannot stand here"),
        ("a b", "“ ” cannot stand here"),
    ],
)
def test_a_sign_that_no_user_name_has_is_named(name: str, said: str) -> None:
    answer = sign_up(name, "nobody@example.org")
    assert said in answer.content.decode()
    assert not User.objects.exists()
