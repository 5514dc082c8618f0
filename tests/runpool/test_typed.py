"""What is typed into a form is not lost where the session ended meanwhile, and nobody else's page can put words here."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import Cast

pytestmark = pytest.mark.django_db
PAGE = {"HTTP_SEC_FETCH_SITE": "same-origin", "HTTP_ACCEPT": "text/html,*/*"}
TYPED = {"subject": "A long story", "text": "</textarea><b>of an hour", "old_password": "my secret words"}


def send(cast: Cast, client: Client, **headers: Any) -> Any:
    return client.post(reverse("notice_create", kwargs={"campaign_slug": cast.campaign.slug}), TYPED, **headers)


def test_a_form_of_who_is_signed_out_shows_what_was_typed(cast: Cast) -> None:
    answer = send(cast, Client(), **PAGE)
    shown = answer.content.decode()
    assert (answer.status_code, answer["Cache-Control"]) == (403, "no-store")
    assert "A long story</textarea>" in shown
    assert "&lt;/textarea&gt;&lt;b&gt;of an hour</textarea>" in shown
    assert "my secret words" not in shown
    assert f"{reverse('account_login')}?next=/c/{cast.campaign.slug}/news/new/" in shown


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {**PAGE, "HTTP_SEC_FETCH_SITE": "cross-site"},
        {**PAGE, "HTTP_ACCEPT": "*/*"},
        {**PAGE, "HTTP_HX_REQUEST": "true"},
    ],
)
def test_scripts_and_other_sites_are_led_to_the_sign_in(cast: Cast, headers: dict[str, str]) -> None:
    assert send(cast, Client(), **headers).status_code == 302


def test_a_form_of_an_old_session_shows_what_was_typed_but_for_other_sites(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    for sent_by, is_shown in (("same-origin", True), ("cross-site", False)):
        answer = send(cast, client, **{**PAGE, "HTTP_SEC_FETCH_SITE": sent_by})
        assert (answer.status_code, "A long story" in answer.content.decode()) == (403, is_shown)
