"""Moments that no program can read, in rows of one campaign: no page of the site or of other campaigns fails by them."""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction
from django.db.models import DateTimeField, Model, Q, TextField
from django.db.models.functions import Cast
from django.test import Client

from campaign.database.nearest_moments import EARLIEST, nearest_moments, read_nearest, replaced_moments
from campaign.database.readable import named
from campaign.formats.moments import LATEST
from campaign.integrity import Extent
from campaign.models import Campaign, Notice, Registration, Role, Run, Task, Team, Topic
from judging.models import Assignment, Qrels
from runpool.backup.rows import lines
from runpool.operations.site_integrity import verify_dates
from tests.campaign.setup.test_edits import entries
from tests.conftest import MadeOnce
from tests.factories import make_campaign, make_task
from tests.tampering import tamper
from tests.world import World, make_world

ADDRESSES = [
    "/",
    "/new/",
    "/new/count/",
    "/search/?q=quiet",
    "/teams/",
    "/judge/next/",
    "/api/v1/campaigns",
    "/c/quiet/",
]
CHECKED = {"archived_at", "opens_at"}
"""Columns of a campaign and a task that the database compares with others."""
HIDING = {"deleted_at"}
MOMENTS = {
    "postgresql": ["infinity", "0001-12-31 10:00:00+00 BC", "19990-01-01 00:00:00+00", "0001-12-31 23:59:59+00"],
    "sqlite": [
        "10000-01-01 00:00:00",
        "soon",
        "2027-13-45",
        "2027-13-45 00:00:00",
        "2027-02-30 10:00:00",
        "2027-01-01 24:00:01",
        "2027-01-01 10:00:00 zzzzzz",
        "2027-01-01 10:00:00\0zzzzzz",
        "19990-01-01 00:00:00",
        "0001-12-31 23:59:59",
        "",
        "-1",
    ],
}
READABLE = {
    "postgresql": ["0002-01-01 00:00:00+00", "1899-12-31 23:59:59+00", "9998-12-31 23:59:59.999999+00"],
    "sqlite": [
        "0002-01-01 00:00:00",
        "1899-12-31 23:59:59",
        "9998-12-31 23:59:59.999999",
        "2027-01-01T10:00:00Z",
        "2027-01-01 10:00:00.5",
    ],
}


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    def make() -> World:
        world = make_world()
        quiet = make_task(make_campaign("quiet"), phase=Task.RUNS).campaign
        for role, user in ((Role.ORGANISER, world.cast.organiser), (Role.ASSESSOR, world.cast.assessor)):
            Role.objects.create(campaign=quiet, user=user, role=role)
        return world

    with made_once(make) as world:
        yield world


def spoil(row: Model, value: str) -> None:
    """Set every column of a moment that the database lets be so, and with which the row is still shown."""
    columns = [column for column in row._meta.local_concrete_fields if isinstance(column, DateTimeField)]
    for column in columns:
        if column.column not in CHECKED | HIDING:
            tamper(row, **{str(column.column): value})


def failed(clients: dict[str, Client]) -> set[tuple[str, str]]:
    asked = [(role, address) for role in clients for address in ADDRESSES]
    return {(role, address) for role, address in asked if clients[role].get(address).status_code >= 500}


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "model", [Campaign, Task, Notice, Registration, Run, Topic, Qrels, Team], ids=lambda model: model.__name__
)
def test_no_page_of_others_fails_by_a_row_whose_moments_no_program_can_read(
    world_of_all: World, db: None, model: type[Model]
) -> None:
    rows = model._base_manager.exclude(slug="quiet") if model in (Campaign, Task) else model._base_manager.all()
    row = rows.order_by("pk")[0]
    clients = {role: world_of_all.client(role) for role in ("anonymous", "member", "organiser", "operator")}
    for client in clients.values():
        client.raise_request_exception = False
    for value in MOMENTS[connection.vendor]:
        with transaction.atomic():
            spoil(row, value)
            found = failed(clients)
            transaction.set_rollback(True)
        assert found == set(), value


def test_a_page_shows_the_nearest_moment_one_line_of_the_log_tells_it_and_verify_names_the_row(
    world_of_all: World, db: None, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(world_of_all.cast.task, written := MOMENTS[connection.vendor][0])
    with caplog.at_level(logging.ERROR):
        assert world_of_all.client("organiser").get("/").status_code == 200
    [line] = [entry.message for entry in caplog.records if entry.name == "campaign.database.nearest_moments"]
    assert line == f"Not every time zone has these moments of the database, see manage.py verify: {written}"
    with nearest_moments():
        assert Task.objects.get(pk=world_of_all.cast.task.pk).created_at == LATEST
    told = {finding.subject for finding in verify_dates(Extent())}
    assert told == {f"task {world_of_all.cast.task.pk} of campaign {world_of_all.cast.campaign.slug}"}


@pytest.mark.sqlite("campaign.database.readable.rows_without_moment", "campaign.database.readable._as_text")
def test_verify_names_a_row_exactly_where_pages_replace_its_moment(world_of_all: World, db: None) -> None:
    task = world_of_all.cast.task
    for value in MOMENTS[connection.vendor] + READABLE[connection.vendor]:
        tamper(task, created_at=value)
        with replaced_moments() as replaced:
            Task._base_manager.get(pk=task.pk)
        assert bool(replaced) == (value in MOMENTS[connection.vendor]), value
        told = [finding.subject for finding in verify_dates(Extent())]
        assert told == [named(Task, task.pk)] * bool(replaced), value


@pytest.mark.sqlite
def test_verify_names_a_day_exactly_where_pages_replace_it(world_of_all: World, db: None) -> None:
    ends = {"0002-01-01": False, "9998-12-31": False, "0001-12-31": True, "9999-01-01": True}
    others = {"2027-13-45": True, "2027-02-30": True, "soon": True, "19990-01-01": True}
    row = Assignment.objects.order_by("pk")[0]
    for value, is_replaced in {**ends, **(others if connection.vendor == "sqlite" else {"infinity": True})}.items():
        tamper(row, due_on=value)
        assert [finding.subject for finding in verify_dates(Extent())] == [named(Assignment, row.pk)] * is_replaced, (
            value
        )


def test_files_and_answers_about_one_campaign_never_tell_the_nearest_moment_as_true(
    world_of_all: World, db: None
) -> None:
    client, slug = world_of_all.client("organiser"), world_of_all.cast.campaign.slug
    tamper(world_of_all.cast.campaign, created_at=MOMENTS[connection.vendor][0])
    assert client.get(f"/c/{slug}/").status_code == client.get("/api/v1/campaigns").status_code == 200
    for address in (f"/c/{slug}/calendar.ics", f"/api/v1/campaigns/{slug}"):
        with pytest.raises(Exception, match=r"timestamp too large|is no date"), transaction.atomic():
            client.get(address)


def test_what_writes_never_stores_the_nearest_moment_in_place_of_the_stored_one(world_of_all: World, db: None) -> None:
    campaign, client = world_of_all.cast.campaign, world_of_all.client("organiser")
    address, rows = f"/c/{campaign.slug}/edit/", Campaign._base_manager.filter(pk=campaign.pk)
    sent = entries(client, address) | {"title": "Other"}
    tamper(campaign, created_at=MOMENTS[connection.vendor][0])
    [stored] = rows.values_list(Cast("created_at", TextField()), flat=True)
    with pytest.raises(Exception, match=r"timestamp too large|is no date"), transaction.atomic():
        client.post(address, sent)
    assert list(rows.values_list("title", Cast("created_at", TextField()))) == [(campaign.title, stored)]


@pytest.mark.parametrize("readable", [datetime(2, 1, 1, tzinfo=UTC), datetime(1850, 5, 1, tzinfo=UTC), LATEST])
def test_a_moment_that_every_time_zone_has_stays_as_it_is(readable: datetime, caplog: pytest.LogCaptureFixture) -> None:
    with nearest_moments():
        assert read_nearest(lambda: readable, str(readable)) == readable
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("infinity", LATEST),
        ("-infinity", EARLIEST),
        ("0099-01-01 BC", EARLIEST),
        ("0000-01-01", EARLIEST),
        ("soon", LATEST),
        ("1850-13-45", LATEST),
    ],
)
def test_the_nearest_moment_lies_on_the_side_of_the_stored_one(written: str, nearest: datetime) -> None:
    def read() -> datetime:
        raise ValueError(written)

    with nearest_moments():
        assert read_nearest(read, written) == nearest
    with pytest.raises(ValueError, match=written):
        read_nearest(read, written)


@pytest.mark.sqlite
def test_a_backup_stores_the_nearest_moment_of_a_row_that_cannot_be_read_and_names_it(
    world_of_all: World, db: None
) -> None:
    task = world_of_all.cast.task
    for value in MOMENTS[connection.vendor]:
        tamper(task, created_at=value)
        told: list[str] = []
        rows = lines(Task, "default", told.append, fields=[Task._meta.get_field("created_at")], among=Q(pk=task.pk))
        [[stored]] = map(json.loads, rows)
        year = datetime.fromisoformat(stored).year
        assert told == [named(Task, task.pk)] * (year in (2, 9998)), value
        assert year in (1, 2, 9998), value
