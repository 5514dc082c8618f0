"""A forged archive, each field of each table with hostile values: it is refused in words, or no page of the site breaks."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import CheckConstraint, UniqueConstraint
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Milestone, Notice, OrganiserQuestion, Restoration, Task, User
from evaluation.services.scoring import task_score
from judging.models import ModelAssessor
from runpool.archive.reading import Incoming, OtherTables, ReadRow, read_row
from runpool.archive.rows import RowError, row_of
from runpool.archive.services.checking import row_check
from runpool.archive.services.requests import restoration_confirm
from runpool.archive.services.restoring import Restoring, restoration_rehearse, row_values
from runpool.archive.table import JsonRow, Table
from runpool.jobs import restore_archive
from tests.conftest import MadeOnce
from tests.factories import make_user
from tests.runpool.archive.full_world import make_full_archive, people_of
from tests.runpool.archive.makers import RolledBack, Silent, files_of, made_elsewhere, packed, receive
from tests.runpool.archive.test_bad_archives import sealed
from tests.world import ALL, GET, PUBLISHED_ONLY, ROLES, ROWS, Row, World

pytestmark = pytest.mark.django_db
HOSTILE: list[Any] = [
    *(None, True, 0, 1, -1, 2**31, 2**63 - 1, 10**400, 0.5, -0.0, 1e308),
    *("", " ", "x", "0", "\n", "\u202e", "'\"<&", "9" * 50, "x" * 200_000, "AAAA"),
    *([], {}, [[]], [None], [1], ["x"], {"a": None}, {"a": 1}, {"a": "x"}, {"": {"": []}}),
    *("0001-01-01T00:00:00+14:00", "0001-01-01", "1900-01-01T00:00:00+00:00", "1900-01-01"),
    *("9999-12-31T23:59:59-12:00", "9999-12-31", "9998-12-31T23:59:59+00:00", "9998-12-31", "2026-01-01T00:00:00"),
]
IN_JSON: list[Any] = [None, True, 7, -1, 0.5, "x", [], {}, [None], {"a": None}, 2**63 - 1]
"""What takes the place of each part of a value that is JSON."""
HIDING = {("campaign.jsonl", "opened_at"), ("campaign.jsonl", "deleted_at"), ("tasks.jsonl", "deleted_at")}
"""Without these, or with them, there are no pages: they are tried by themselves."""
UNSCORED = {
    *(("measures", "tasks"), ("after_qrels", "runs"), ("set_name", "qrels"), ("topics", "qrels")),
    *(("topics_not_scored", "qrels"), ("removed_at", "topics"), ("is_feedback", "topics")),
}
"""With hostile values here nothing is scored."""
NEEDED = re.compile(r"\{(archive|import|qrels_import|pool_import|judgments_import)\}")


def roles_of(row: Row) -> list[str]:
    """Whoever sees most there, and everybody where everybody may."""
    if row.expected == PUBLISHED_ONLY:
        return ["organiser", "anonymous"]
    expected = dict(zip(ROLES, row.expected.split(), strict=True))
    seen = [role for role in ("organiser", "assessor", "member") if expected[role] in ("ok", "->")]
    return seen[:1] + (["anonymous"] if expected["anonymous"] == "ok" else [])


PAGES = [Row("home", {}, ALL)] + [
    row
    for row in ROWS
    if row.method == GET and "campaign_slug" in row.kwargs and not NEEDED.search(str(row.kwargs)) and roles_of(row)
]
OF_SCORES = [
    row for row in PAGES if row.name.startswith(("scores_", "preview_", "live_")) and row.name != "scores_card"
]
"""They are there when a run has been scored."""


@dataclass(frozen=True)
class Forgery:
    path: str
    field: str
    value: Any


@dataclass
class Valid:
    """A valid archive: its files, and its tables as rows."""

    files: dict[str, bytes]
    tables: dict[str, list[JsonRow]]
    incoming: Incoming

    @cached_property
    def taken(self) -> dict[tuple[str, str], list[Any]]:
        """By path and field, the hostile values that the check of the field takes."""
        incoming = self.incoming
        others = {slug: OtherTables(incoming, slug) for _, slug in incoming.tables()}
        checks = {incoming.path(t, slug): row_check(incoming, t, others[slug]) for t, slug in incoming.tables()}
        return {
            (path, field): [
                value
                for value in hostile_to(rows[0][field])
                if is_taken(checks[path], table, {**rows[0], field: value})
            ]
            for path, table in tables_by_path(self).items()
            for rows in [self.tables[path]]
            for field in rows[0]
        }

    def forged(self, *forgeries: Forgery) -> bytes:
        rows = {one.path: [dict(row) for row in self.tables[one.path]] for one in forgeries}
        for one in forgeries:
            for row in rows[one.path]:
                row[one.field] = one.value
        return sealed({**self.files, **{path: b"".join(map(line, changed)) for path, changed in rows.items()}})


@pytest.fixture(scope="module")
def valid(made_once: MadeOnce) -> Iterator[Valid]:
    with made_once(lambda: made_elsewhere(make_full_archive)) as content:
        files, incoming = files_of(content), Incoming(BytesIO(content))
        paths = {incoming.path(table, slug): table for table, slug in incoming.tables()}
        tables = {path: [json.loads(text) for text in files[path].splitlines()] for path in paths}
        assert all(tables.values()), "every table has a row"
        yield Valid(files, tables, incoming)


def line(row: JsonRow) -> bytes:
    return f"{json.dumps(row, sort_keys=True)}\n".encode()


def hostile_to(value: Any) -> list[Any]:
    """Each once, without the value itself."""
    found = {json.dumps(other): other for other in [*HOSTILE, *changed_parts(value)]}
    found.pop(json.dumps(value), None)
    return list(found.values())


def changed_parts(value: Any) -> Iterator[Any]:
    """The value with one of its parts replaced, gone, or one more."""
    if isinstance(value, dict):
        yield {**value, "more": 1}
        for name, part in value.items():
            yield {other: kept for other, kept in value.items() if other != name}
            yield from ({**value, name: other} for other in [*IN_JSON, *changed_parts(part)])
    elif isinstance(value, list):
        yield [*value, *value[:1]]
        for place, part in enumerate(value[:2]):
            yield [*value[:place], *value[place + 1 :]]
            yield from ([*value[:place], other, *value[place + 1 :]] for other in [*IN_JSON, *changed_parts(part)])


def is_taken(check: Callable[[ReadRow], None], table: Table, row: JsonRow) -> bool:
    """Whatever else than RowError comes of it fails the test."""
    try:
        check(read_row(table, row_of(line(row)), 1))
    except RowError:
        return False
    return True


def checked(content: bytes) -> Restoration:
    """Sent by a stranger: ready, or refused with nothing left behind."""
    restoration = receive(content, make_user())
    if restoration.state != Restoration.READY:
        [problem] = restoration.problems["shown"]
        assert problem["message"]
        assert problem["remedy"]
        assert not Campaign.everything.exists()
    return restoration


def restored(content: bytes) -> Restoration:
    """Restored by a stranger, or refused with nothing left behind."""
    restoration = checked(content)
    if restoration.state == Restoration.READY:
        restoration_confirm(actor=restoration.created_by, restoration=restoration, slug="restored")
        restore_archive.body(Silent(), restoration_id=str(restoration.pk))
        restoration.refresh_from_db()
        assert restoration.state == Restoration.DONE, "the check took what the restoration refuses"
    return restoration


def state_of(make: Callable[[bytes], Restoration], content: bytes) -> str:
    """What becomes of the archive, which leaves nothing behind."""
    state = ""
    with contextlib.suppress(RolledBack), transaction.atomic():
        state = make(content).state
        raise RolledBack
    return state


def assert_refused_or_restored(valid: Valid, forgeries: list[Forgery]) -> None:
    """Each is checked in an archive of its own; what the check takes is restored together."""
    ready = [one for one in forgeries if state_of(checked, valid.forged(one)) == Restoration.READY]
    assert len(ready) > 5
    restore_together(valid, ready)


def restore_together(valid: Valid, forgeries: list[Forgery]) -> None:
    """Forgeries that contradict each other are restored in halves."""
    if state_of(restored, valid.forged(*forgeries)) != Restoration.DONE:
        half = len(forgeries) // 2
        assert half, f"refused, and taken before: {forgeries}"
        restore_together(valid, forgeries[:half])
        restore_together(valid, forgeries[half:])


def refused_as_rows(valid: Valid, forgeries: list[Forgery]) -> list[Forgery]:
    """Those with a row that the check refuses before the row is inserted. All rows of the valid archive are there."""
    tables = {valid.incoming.path(table, slug): (table, slug) for table, slug in valid.incoming.tables()}
    others = {slug: OtherTables(valid.incoming, slug) for _, slug in tables.values()}
    refused = []

    def look(work: Restoring) -> list[str]:
        for one in forgeries:
            table, slug = tables[one.path]
            check = row_check(valid.incoming, table, others[slug])
            try:
                for number, row in enumerate(valid.tables[one.path], start=1):
                    read = read_row(table, row_of(line({**row, one.field: one.value})), number)
                    check(read)
                    row_values(work, table, slug, read)
            except (RowError, ValidationError):
                refused.append(one)
        return []

    restoration = checked(sealed(valid.files))
    restoration_rehearse(valid.incoming, restoration, lambda done, total, what: None, look)
    return refused


def combined(table: Table) -> set[str]:
    """Columns by which rows are named, or which the database compares with others: a value alone says nothing of them."""
    found = {*table.key, *table.lists, *table.stored}
    found |= {column.name for column in table.columns if column.is_relation or column.unique}
    for constraint in table.model._meta.constraints:
        if isinstance(constraint, UniqueConstraint):
            found |= set(constraint.fields)
        elif isinstance(constraint, CheckConstraint):
            found |= {name.partition("__")[0] for name, _ in _lookups(constraint.condition)}
    return found


def _lookups(condition: Any) -> Iterator[tuple[str, Any]]:
    for child in condition.children:
        yield from _lookups(child) if hasattr(child, "children") else [child]


def tables_by_path(valid: Valid) -> dict[str, Table]:
    return {valid.incoming.path(table, slug): table for table, slug in valid.incoming.tables()}


def world_of(restoration: Restoration) -> World:
    """The restored campaign for the rows of the access matrix, with people at both ends of the day."""
    campaign = restoration.campaign
    assert campaign is not None
    people = {name.removesuffix("-1"): user for name, user in people_of(campaign).items() if name.endswith("-1")}
    User.objects.filter(pk__in=[user.pk for user in people.values()]).update(
        is_active=True, time_zone="Pacific/Kiritimati"
    )
    User.objects.filter(pk=people["organiser"].pk).update(time_zone="Pacific/Pago_Pago")
    rows = {"notice": Notice.objects, "milestone": Milestone.objects, "agreement": campaign.agreements}
    values = {
        **{name: rows.filter(campaign=campaign).order_by("pk")[0].pk for name, rows in rows.items()},
        "question": OrganiserQuestion.objects.filter(task__campaign=campaign).order_by("pk")[0].pk,
        "campaign": campaign.slug,
        "task": campaign.tasks.get().slug,
        "tag": "one",
        "topic": "1",
        "docno": "a",
        "team": campaign.registrations.order_by("pk")[0].team.slug,
        "model": ModelAssessor.objects.get(task__campaign=campaign).pk,
    }
    world = World(SimpleNamespace(**people), people["organiser"], values)  # type: ignore[arg-type]  # its roles alone
    for role, user in people.items():
        client = Client()
        client.force_login(user)
        world.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return world


def broken_pages(world: World, pages: list[Row]) -> list[str]:
    found = []
    for row in pages:
        for role in roles_of(row):
            client = world.client(role)
            client.raise_request_exception = False
            response = client.get(world.address(row))
            if response.streaming:
                b"".join(response.streaming_content)
            if response.status_code >= 500:
                found.append(f"{row.name} for {role}: {getattr(response, 'exc_info', ['', ''])[1]!r}")
    return found


def forged_everywhere(valid: Valid, place: int) -> list[Forgery]:
    """One value for each field that says something alone; fields with fewer values are left out."""
    tables = tables_by_path(valid)
    forgeries = [
        Forgery(path, field, values[place])
        for (path, field), values in valid.taken.items()
        if field not in combined(tables[path]) and (path, field) not in HIDING and len(values) > max(place, 0)
    ]
    assert len(forgeries) > 50
    return forgeries


def restored_with(valid: Valid, forgeries: list[Forgery]) -> Restoration:
    restoration = restored(valid.forged(*forgeries))
    assert restoration.state == Restoration.DONE, restoration.problems
    return restoration


@pytest.mark.parametrize("place", [0, 1, -1])
def test_no_page_breaks_by_hostile_values_that_an_archive_is_restored_with(valid: Valid, place: int) -> None:
    restoration = restored_with(valid, forged_everywhere(valid, place))
    with contextlib.suppress(Exception), transaction.atomic():  # a job, which may fail
        task_score(task=Task.objects.get(campaign=restoration.campaign), report=lambda done, total: None)
    assert broken_pages(world_of(restoration), [row for row in PAGES if row not in OF_SCORES]) == []


def test_no_page_of_scores_breaks_by_hostile_values_that_an_archive_is_restored_with(valid: Valid) -> None:
    forgeries = forged_everywhere(valid, -1)
    kept = [one for one in forgeries if (one.field, one.path.split("/")[-1].removesuffix(".jsonl")) not in UNSCORED]
    restoration = restored_with(valid, kept)
    tasks = Task.objects.filter(campaign=restoration.campaign)
    tasks.update(scores_shown=Task.LIVE, round_kind=Task.DEVELOPMENT)  # who publishes boards and shows a live one too
    task_score(task=tasks.get(), report=lambda done, total: None)
    assert broken_pages(world_of(restoration), OF_SCORES) == []


def test_values_that_rows_are_compared_by_are_refused_or_restored(valid: Valid) -> None:
    tables = tables_by_path(valid)
    forgeries = [
        Forgery(path, field, values[0])
        for (path, field), values in valid.taken.items()
        if values and (field in combined(tables[path]) or (path, field) in HIDING)
    ]
    assert len(forgeries) > 100
    refused = refused_as_rows(valid, forgeries)
    assert_refused_or_restored(valid, [one for one in forgeries if one not in refused])


def references(valid: Valid) -> Iterator[Forgery]:
    """Of each column that refers to other rows: a reference of the right shape to a row that is not there."""
    keys = {table.model: table.key for table in tables_by_path(valid).values()}
    for path, table in tables_by_path(valid).items():
        for column in table.columns:
            model = table.lists.get(column.name, column.related_model)
            if model is Campaign or not isinstance(model, type):
                continue
            key = ("name",) if model is User else keys[model]
            name = ["nosuch", 1] if len(key) > 1 else "nosuch" if key else 99_999
            yield Forgery(path, column.name, [name] if column.name in table.lists else name)


def test_the_check_refuses_a_reference_to_no_row_whatever_the_table_and_the_column(valid: Valid) -> None:
    """The rows of each column, and a whole archive for each table."""
    forgeries = list(references(valid))
    assert len(forgeries) > 60
    refused = refused_as_rows(valid, forgeries)
    whole = {one.path: one for one in forgeries}.values()
    tried = [*whole, *(one for one in forgeries if one not in refused and one not in whole)]
    taken = [one for one in tried if state_of(checked, valid.forged(one)) != Restoration.BAD]
    assert taken == []


def test_what_the_check_takes_of_references_to_another_row_is_restored(valid: Valid) -> None:
    """Where the rows of a column refer to several others, all refer to one of them."""
    forgeries = []
    for one in references(valid):
        names = [row[one.field] for row in valid.tables[one.path]]
        if any(name != names[0] for name in names):
            forgeries.append(Forgery(one.path, one.field, names[-1]))
    assert_refused_or_restored(valid, forgeries)


def test_a_refusal_names_the_file_the_line_the_field_the_value_and_what_to_do(valid: Valid) -> None:
    list_of_links = "This must be a list, each an object with label (a text), url (a text)."
    for path, field, value, what in (
        ("tasks.jsonl", "closes_at", "0001-01-01T00:00:00+14:00", "Choose a year from 1900 to 9998."),
        ("tasks.jsonl", "lowest_relevant_grade", True, "That is a value of another kind."),
        ("campaign.jsonl", "links", [{"label": 7}], list_of_links),
        ("campaign.jsonl", "title", "x" * 200, "Ensure this value has at most 120 characters (it has 200)."),
    ):
        [problem] = restored(valid.forged(Forgery(path, field, value))).problems["shown"]
        shown = json.dumps(value, ensure_ascii=False)
        said = f"{path}, line 1: “{field}” is {shown if len(shown) <= 60 else shown[:59] + '…'}"
        assert problem["message"].startswith(said)
        assert problem["message"].endswith(what)
        assert "get it from its source again" in problem["remedy"]


NO_BOARD = {
    "board.json": [b"", b"[]", b"{}", b"7", b"\xff", b'{"runs": [7]}', b'{"runs": 1e999}', b"[" * 100_000],
    "values.f64": [b"", b"12345678" * 99],
    "pairs.f64": [b"1"],
    "leaderboard.json": [b"", b"[]", b"\xff"],
    "leaderboard.csv": [b"", b"\xff"],
    "trust.json": [b"", b"[]", b"{}", b'{"runs": []}', b"\xff"],
}


@pytest.mark.parametrize("name", NO_BOARD)
def test_a_file_of_a_board_that_is_none_is_refused(valid: Valid, name: str) -> None:
    [path] = [path for path in valid.files if path.endswith(f"/1/{name}")]
    for content in NO_BOARD[name]:
        [problem] = restored(sealed({**valid.files, path: content})).problems["shown"]
        assert problem["code"] == "row"
        assert re.match(r"tasks/[^/]+/boards/(boards|trust)\.jsonl, line 1: ", problem["message"]), problem


@pytest.mark.parametrize("value", [None, 1e999, [None], {"a": None}])
def test_no_manifest_breaks_the_check_or_the_page_of_the_archive(valid: Valid, value: Any) -> None:
    said, importer = json.loads(valid.files["manifest.json"]), make_user()
    client = Client()
    client.force_login(importer)
    for field in said:
        content = packed({**valid.files, "manifest.json": json.dumps({**said, field: value}).encode()})
        restoration = receive(content, importer)
        assert client.get(reverse("restoration_detail", args=[restoration.pk])).status_code == 200
