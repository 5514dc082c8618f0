"""What a person sees where the disk has no room, or the database or the storage is away: a whole page, with what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection

from campaign.storage import disk
from tests.browser.html_validity import html_faults
from tests.browser.page_reader import Reader
from tests.browser.sent_pages import Sent, sent
from tests.campaign.runs.makers import RANKING, make_ready_cast, signed_in
from tests.factories import Cast, run_lines

pytestmark = pytest.mark.browser


@contextmanager
def refused_by_the_system(number: int) -> Iterator[None]:
    """Every new file, as by a disk that is full or can only be read."""

    def refuse(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number), "/srv/files")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(disk.os, "fsync", refuse)
        yield


def refuse(*args: Any) -> None:
    raise OperationalError("the connection was refused") from psycopg.OperationalError("refused")


def send_run(cast: Cast) -> Sent:
    run = {"team": cast.team.pk, "tag": "bm25", "kind": "automatic", "priority": 1, "external_data": "none"}
    return send(cast.member, cast.task.url("run_create"), run, run_lines(RANKING, "bm25"))


def send_topics(cast: Cast) -> Sent:
    return send(cast.organiser, cast.task.url("import_create", kind="topics"), {}, b"1\ta title\n")


def send(user: Any, address: str, fields: dict[str, Any], content: bytes) -> Sent:
    browser = signed_in(user)
    browser.raise_request_exception = False
    return sent(browser.post(address, {**fields, "file": SimpleUploadedFile("a.txt", content)}), "member", address)


def open_home(cast: Cast) -> Sent:
    browser = signed_in(cast.member)
    browser.raise_request_exception = False
    with connection.execute_wrapper(refuse):
        return sent(browser.get("/"), "member", "/")


def failures(cast: Cast) -> dict[str, Sent]:
    """Each page with the beginning of its heading."""
    with refused_by_the_system(errno.ENOSPC):
        full, import_full = send_run(cast), send_topics(cast)
    with refused_by_the_system(errno.EROFS):
        away = send_run(cast)
    return {
        "507 run": full,
        "507 import": import_full,
        "503 storage": away,
        "503 database": open_home(cast),
    }


def test_a_page_of_a_failure_is_whole_says_what_to_do_and_has_no_fault_for_any_reader(
    transactional_db: None, page: Any, live_server: Any, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    reader, found = Reader(page, live_server.url), failures(make_ready_cast())
    assert {name: str(one.status) for name, one in found.items()} == {name: name.partition(" ")[0] for name in found}
    faults = [f"{name}: {fault}" for name, one in found.items() for fault in one.bytes.faults]
    faults += html_faults({name: one.html for name, one in found.items()}, tmp_path)
    for name, one in found.items():
        reader.read_sent(one.address, one.status, one.headers, one.html)
        heading, text = page.inner_text("h1"), page.inner_text("main")
        assert heading, name
        assert any(what in text for what in ("Wait", "again later", "Try again", "send it again", "operators")), (
            name,
            text,
        )
        assert "Traceback" not in text
        assert "Errno" not in text
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    told_by_status = {fault for fault in reader.faults if "status of 50" in fault}
    assert [*faults, *sorted(reader.faults - told_by_status)] == []
