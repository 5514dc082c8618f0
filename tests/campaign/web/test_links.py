"""Whole addresses lead to the site's own address, whatever name and port a request asked for."""

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.api.makers import World, ask, make_world
from tests.campaign.runs.makers import RANKING
from tests.factories import run_lines

SITE, FOREIGN = "https://runs.example.org", "evil.example.net:6666"


@pytest.fixture
def world(db: None, settings: LazySettings) -> World:
    settings.SITE_URL, settings.ALLOWED_HOSTS = SITE, ["*"]
    return make_world()


def test_what_people_copy_from_pages_leads_to_the_site(world: World, client: Client) -> None:
    client.force_login(world.cast.member)
    team = world.cast.team
    token = {"name": "laptop", "scope": "submit", "lifetime": "30"}
    assert f"{SITE}/api/v1/me" in client.post(reverse("token_list"), token, headers={"host": FOREIGN}).content.decode()
    for address, copied in {
        team.get_absolute_url(): f"{SITE}/teams/join/{team.invitation_key}/",
        reverse("api_docs"): f"{SITE}/api/v1/me",
        world.cast.task.url("check_script"): SITE,
    }.items():
        page = client.get(address, headers={"host": FOREIGN}).content.decode()
        assert copied in page
        assert "evil" not in page


def test_answers_of_the_api_lead_to_the_site(world: World, mailoutbox: list[object]) -> None:
    token, team = world.tokens["member"], world.cast.team.slug
    form = {"team": team, "tag": "bm25"}

    def answer(address: str, **values: object) -> HttpResponse:
        return ask(address, token, host=FOREIGN, **values)  # type: ignore[arg-type]

    file = run_lines(RANKING, "bm25")
    receipt = answer(f"{world.task}/runs", method="POST", data=form, file=file)
    founded = answer("teams", method="POST", data={"name": "Nova"})
    listed = answer(f"{world.task}/runs?limit=1")
    assert receipt["Location"] == f"{SITE}/api/v1/{world.task}/runs/bm25"
    assert receipt.json()["url"].startswith(f"{SITE}/c/")
    assert founded["Location"] == f"{SITE}/api/v1/teams/nova"
    assert listed.json()["next"].startswith(f"{SITE}/api/v1/")
    told = [*(each.content.decode() for each in (receipt, founded, listed)), *(mail.body for mail in mailoutbox)]
    assert len(told) > 3
    assert not [text for text in told if "evil" in text]
