"""Nothing in an archived campaign can be changed, by any page or operation of the API that exists or will exist."""

from collections.abc import Iterator

import pytest
from django.test import Client

from campaign.models import AuditEvent, Campaign, Import, Job
from campaign.setup.services.lifecycle import campaign_archive
from runpool.api import api
from tests.conftest import MadeOnce
from tests.factories import Cast
from tests.world import POST, ROWS, World, make_world, outcome

POSSIBLE = {"campaign_state", "archive_list"}
"""The way back, and to take the campaign along as a file."""
POSSIBLE_BY_API = ("/campaigns/{campaign}/state", "/campaigns/{campaign}/archives")
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def archived_world(made_once: MadeOnce) -> Iterator[World]:
    with made_once(_archived) as world:
        yield world


def _archived() -> World:
    world = make_world()
    Job.objects.update(state=Job.DONE)
    Import.objects.filter(state__in=[Import.CHECKING, Import.APPLYING]).update(state=Import.DISCARDED)
    campaign_archive(actor=world.cast.organiser, campaign=world.cast.campaign)
    return world


def test_no_page_below_an_archived_campaign_takes_anything(archived_world: World, db: None) -> None:
    events = AuditEvent.objects.count()
    below = [row for row in ROWS if "campaign_slug" in row.kwargs and row.name not in POSSIBLE]
    others = [method for method in UNSAFE if method != POST]
    got = {
        (row.name, role, method): outcome(archived_world.ask(row, role, method))
        for at, row in enumerate(below)
        for role, method in (("organiser", POST), ("member", POST), ("operator", POST), ("organiser", others[at % 3]))
    }
    assert {what: answer for what, answer in got.items() if answer != "403"} == {}
    assert AuditEvent.objects.count() == events
    page = archived_world.ask(below[0], "organiser", POST).content.decode()
    assert "An organiser can take it out of the archive" in page


def test_the_pages_of_an_archived_campaign_are_still_read(archived_world: World, db: None) -> None:
    names = {"campaign_detail", "task_detail", "people", "campaign_log", "run_detail", "qrels_list", "campaign_state"}
    rows = [row for row in ROWS if row.name in names]
    assert {row.name: outcome(archived_world.ask(row, "organiser")) for row in rows} == dict.fromkeys(names, "ok")


def test_no_operation_of_the_api_changes_an_archived_campaign(cast: Cast) -> None:
    Campaign.objects.filter(pk=cast.campaign.pk).update(archived_at="2026-01-01T00:00Z", closed_at="2026-01-01T00:00Z")
    paths = api.get_openapi_schema()["paths"]
    unsafe = [(path, verb) for path, verbs in paths.items() for verb in verbs if verb.upper() in UNSAFE]
    below = [(path, verb) for path, verb in unsafe if "{campaign}" in path and not path.endswith(POSSIBLE_BY_API)]
    assert len(below) > 5
    client = Client(headers={"Authorization": "Bearer none"})
    for path, verb in below:
        address = path.replace("{campaign}", cast.campaign.slug)
        answer = client.generic(verb.upper(), address.replace("{", "").replace("}", ""))
        if answer.status_code != 404:  # converters of some paths take numbers only
            assert (answer.status_code, "archived" in answer.content.decode()) == (403, True), path
