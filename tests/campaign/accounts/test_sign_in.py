"""Who is slowed when passwords are guessed, and who is not."""

import inspect
import io
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import caches
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import HttpResponse
from django.test import Client

from campaign.accounts import backend
from campaign.accounts.selectors import user_named
from campaign.accounts.services.accounts import address_vouch
from campaign.models import Mail, User
from campaign.web.cache import CountingDatabaseCache, SharedCache
from tests.factories import confirm_address, make_user

SIGN_IN = "/account/login/"
RIGHT = "a long password"
TOO_MANY = "Too many failed login attempts"
OK, REFUSED = 302, 200


def sign_in(login: str, password: str, *, address: str = "192.0.2.1", client: Client | None = None) -> HttpResponse:
    values = {"login": login, "password": password}
    answer: HttpResponse = (client or Client()).post(SIGN_IN, values, REMOTE_ADDR=address)
    return answer


def guess(user: User, times: int, *, address: str = "192.0.2.1") -> None:
    for number in range(times):
        sign_in(user.username, f"wrong {number}", address=address)


def test_five_wrong_passwords_do_not_lock_the_name_for_others(db: None) -> None:
    user = make_user()
    guess(user, 6)
    here = sign_in(user.username, RIGHT)
    assert here.status_code == REFUSED
    assert TOO_MANY in here.content.decode()
    assert sign_in(user.username, RIGHT, address="198.51.100.7").status_code == OK


@pytest.mark.sqlite("campaign.accounts.selectors.user_of_login")
def test_limits_tell_nobody_which_names_belong_together_or_exist(db: None) -> None:
    user, other = make_user("ada"), make_user("eve")
    guess(user, 6)
    for login in (user.email, other.email, "nobody@example.org"):
        answers = [sign_in(login, "wrong").content.decode() for _ in range(6)]
        assert [TOO_MANY in answer for answer in answers] == [False] * 5 + [True], login


def test_another_way_to_write_a_name_gives_no_further_guesses(db: None) -> None:
    user = make_user("kim.s")
    guess(user, 5)
    for login in ("KIM.S", " kim.s ", "\uff4bim.s", "\u212aim.\u017f"):
        assert TOO_MANY in sign_in(login, RIGHT).content.decode(), login


def test_another_host_name_gives_no_further_guesses(db: None) -> None:
    user = make_user()
    guess(user, 5)
    values = {"login": user.username, "password": RIGHT}
    answer = Client().post(SIGN_IN, values, REMOTE_ADDR="192.0.2.1", HTTP_HOST="testserver:4711")
    assert TOO_MANY in answer.content.decode()


def test_readers_behind_our_proxy_have_a_limit_each(db: None, settings) -> None:
    settings.TRUSTED_PROXY_COUNT = 1
    user = make_user()
    values = {"login": user.username, "password": "wrong"}
    for _ in range(6):
        Client().post(SIGN_IN, values, REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="203.0.113.9, 192.0.2.1")
    values["password"] = RIGHT
    same = Client().post(SIGN_IN, values, REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="9.9.9.9, 192.0.2.1")
    assert TOO_MANY in same.content.decode(), "what the reader wrote into the header is believed"
    other = Client().post(SIGN_IN, values, REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="198.51.100.7")
    assert other.status_code == OK


def test_a_request_that_came_past_the_proxies_is_counted_by_its_own_address(db: None, settings) -> None:
    settings.TRUSTED_PROXY_COUNT = 2
    user = make_user()
    assert sign_in(user.username, RIGHT).status_code == OK


def test_guesses_from_everywhere_are_slowed_but_keep_no_known_browser_out(db: None, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed_by_all": "4/h/key"}
    user, known = make_user(), Client()
    assert sign_in(user.username, RIGHT, client=known).status_code == OK
    known.post("/account/logout/")
    for number in range(4):
        guess(user, 1, address=f"203.0.113.{number}")
    assert TOO_MANY in sign_in(user.username, RIGHT, address="198.51.100.7").content.decode()
    assert sign_in(user.username, RIGHT, client=known).status_code == OK


def test_a_forged_mark_of_a_known_browser_is_not_believed(db: None, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed_by_all": "1/h/key"}
    user, forger = make_user(), Client()
    guess(user, 1)
    forger.cookies["known_browser"] = f"{user.pk}:forged:forged"
    assert TOO_MANY in sign_in(user.username, RIGHT, address="198.51.100.7", client=forger).content.decode()


@pytest.mark.parametrize("is_registered", [True, False])
def test_a_known_browser_does_not_tell_whether_an_address_that_its_account_claims_is_registered(
    db: None, settings, is_registered: bool
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed_by_all": "4/h/key"}
    if is_registered:
        address_vouch(user=make_user("claimed"))
    forger, known = make_user("eve"), Client()
    User.objects.filter(pk=forger.pk).update(email="claimed@example.org")
    assert sign_in(forger.username, RIGHT, client=known).status_code == OK
    known.post("/account/logout/")
    answers = [
        sign_in("claimed@example.org", "wrong", address=f"203.0.113.{number}", client=known).content.decode()
        for number in range(5)
    ]
    assert [TOO_MANY in answer for answer in answers] == [False] * 4 + [True]


def test_a_right_password_uses_up_nothing(db: None, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed_by_all": "4/h/key"}
    user = make_user()
    for _ in range(7):
        assert sign_in(user.username, RIGHT).status_code == OK


def test_failures_are_counted_where_all_processes_see_them() -> None:
    assert isinstance(caches["default"], CountingDatabaseCache | SharedCache)


def test_an_account_that_the_operator_made_signs_in_where_mail_is_set_up(db: None, settings, monkeypatch) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{RIGHT}\n"))
    call_command("create_user", "opal", "--email", "Opal@example.org", "--password-stdin", stdout=io.StringIO())
    assert sign_in("opal", RIGHT).headers["Location"] == "/"


def test_an_account_without_an_address_is_not_told_that_a_mail_is_on_its_way(db: None, settings) -> None:
    user = make_user()
    user.email = ""
    user.save()
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client = Client()
    assert sign_in(user.username, RIGHT, client=client).headers["Location"] == SIGN_IN
    told = client.get(SIGN_IN).content.decode()
    assert "this account has none. Ask the operator" in told
    assert client.get("/account/settings/").status_code == 302, "still signed out"
    assert not Mail.objects.exists()


def test_nobody_else_signs_in_before_an_address_is_confirmed(db: None, settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = make_user()
    client = Client()
    assert "confirm" in sign_in(user.username, RIGHT, client=client).headers["Location"]
    assert "_auth_user_id" not in client.session
    assert [mail.address for mail in Mail.objects.all()] == [user.email]


def test_an_address_that_is_confirmed_for_another_account_is_refused_by_the_command(db: None) -> None:
    address_vouch(user=make_user("ada"))
    with pytest.raises(CommandError, match="Another account"):
        call_command("create_user", "eve", "--email", "ADA@example.org")
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize("verification", ["mandatory", "none"])
def test_a_new_address_neither_matches_nor_replaces_before_it_is_confirmed(
    db: None, settings, verification: str
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    user, new = confirm_address(make_user()), "new@example.org"
    client = Client()
    client.force_login(user)
    client.post("/account/email/", {"action_add": "", "email": new})
    client.post("/account/email/", {"action_primary": "", "email": new})
    user.refresh_from_db()
    assert EmailAddress.objects.filter(email=new, verified=False, primary=False).exists()
    assert user.email != new
    assert user_named(new) is None
    assert user_named(user.email) == user


def test_an_entry_that_is_refused_is_marked_for_screen_readers(db: None) -> None:
    page = sign_in(make_user().username, "wrong").content.decode()
    assert "<title>Error: Sign in" in page
    assert page.count('aria-invalid="true"') == 2


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were hashed: each costs half a second in earnest, which whoever waits can measure."""
    found: list[str] = []
    encode = MD5PasswordHasher.encode

    def noted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        found.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(MD5PasswordHasher, "encode", noted)
    return found


@pytest.mark.parametrize("verification", ["none", "mandatory"], ids=["without mail", "with mail"])
def test_every_attempt_to_sign_in_takes_one_comparison_of_passwords(
    db: None, settings: SimpleNamespace, hashed: list[str], verification: str
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    known, claimed, again = make_user("ada"), make_user("eve"), make_user("kim")
    confirm_address(known)
    User.objects.filter(pk=again.pk).update(email=claimed.email)
    for login in (known.username, known.email, claimed.email, "nobody", "nobody@example.org"):
        hashed.clear()
        sign_in(login, "wrong")
        assert hashed == ["wrong"], login


def test_the_person_who_signs_in_is_looked_up_by_nothing_that_allauth_keeps_to_itself() -> None:
    assert "allauth.account.internal" not in inspect.getsource(backend)


def test_an_inactive_account_is_told_so_for_its_password_alone_and_by_each_of_its_names(db: None) -> None:
    user = make_user("ada", is_active=False)
    confirm_address(user)
    for login in (user.username, user.email):
        assert sign_in(login, "wrong").status_code == REFUSED
        answer = sign_in(login, RIGHT)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/account/inactive/")


def test_of_accounts_that_claim_an_address_the_one_that_confirmed_it_signs_in_else_the_first(
    db: None, settings: SimpleNamespace
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    first, second = make_user("ada"), make_user("eve")
    User.objects.filter(pk=first.pk).update(email="same@example.org")
    second.email = "same@example.org"
    second.set_password("another password")
    second.save()
    assert [sign_in("SAME@example.org", given).status_code for given in (RIGHT, "another password")] == [OK, REFUSED]
    confirm_address(second)
    assert [sign_in("SAME@example.org", given).status_code for given in (RIGHT, "another password")] == [REFUSED, OK]
    assert sign_in(first.username, RIGHT).status_code == OK


def test_a_registered_address_takes_as_many_hashes_at_sign_up_and_reset_as_another(
    db: None, settings: SimpleNamespace, hashed: list[str]
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.ACCOUNT_PREVENT_ENUMERATION = "mandatory", True
    known = make_user("ada")
    confirm_address(known)
    for page, more in (("signup", {"password1": RIGHT, "password2": RIGHT}), ("password/reset", {})):
        taken = []
        for name, address in (("kim", known.email), ("eve", "nobody@example.org")):
            hashed.clear()
            Client().post(f"/account/{page}/", {"username": name, "email": address, **more})
            taken.append(len(hashed))
        assert taken[0] == taken[1] == (page == "signup"), page


def test_the_command_that_sets_a_password_knows_a_name_however_it_is_written(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = make_user("zo\u00eb")
    monkeypatch.setattr("getpass.getpass", lambda prompt: "another long password 7")
    call_command("changepassword", "ZOE\u0308", stdout=io.StringIO())
    user.refresh_from_db()
    assert user.check_password("another long password 7")
