"""The bytes of every page and of every refusal: valid by HTML's own rules, and a refusal is said before all else.

A browser mends what it reads, so that it cannot tell: html-validate reads all pages in one process.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import TestCase

from tests.browser.test_pages import distinct_pages, make_pages
from tests.conftest import MadeOnce
from tests.requirements import BROWSER, NODE_MODULES, lacking
from tests.world import World

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
CHECKER = NODE_MODULES / "html-validate" / "bin" / "html-validate.mjs"
RULES = Path(__file__).parent / "html_rules.json"


class Page(HTMLParser):
    """What the tests ask of a page: its title, what takes the focus, and where the forms of its content are sent."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.title = ""
        self.focused: list[str | None] = []
        self.invalid = 0
        self.actions: list[str] = []
        self._open: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._open.add(tag)
        if "autofocus" in given:
            self.focused.append(given.get("class"))
        self.invalid += given.get("aria-invalid") == "true"
        if tag == "form" and "main" in self._open and given.get("method") == "post":
            self.actions.append(given.get("action") or "")

    def handle_endtag(self, tag: str) -> None:
        self._open.discard(tag)

    def handle_data(self, data: str) -> None:
        if "title" in self._open and "body" not in self._open:
            self.title += data


@pytest.fixture(scope="module")
def world(made_once: MadeOnce) -> Iterator[World]:
    def make() -> World:
        with TestCase.captureOnCommitCallbacks(execute=True):
            return make_pages()

    with made_once(make) as made:
        yield made


@pytest.fixture(scope="module")
def pages(world: World) -> dict[tuple[str, str], str]:
    return distinct_pages(world)


@pytest.fixture(scope="module")
def refusals(world: World, pages: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """What each form of these pages answers when it is sent with nothing in it, if it refuses."""
    kept = {}
    for (role, address), page in pages.items():
        for action in Page(page).actions:
            with transaction.atomic():
                answer = world.client(role).post(action or address, {"sent": "nothing else"})
                transaction.set_rollback(True)
            is_refused = answer.status_code == 422 or b'aria-invalid="true"' in answer.content
            if is_refused and answer["Content-Type"].startswith("text/html"):
                kept[role, action or address] = answer.content.decode()
    return kept


def faults(folder: Path) -> list[str]:
    """What the checker says of the files of a folder, all of them in one process."""
    if not CHECKER.exists():
        lacking(BROWSER)
    node = Path(sys.prefix) / "bin" / "node"
    command = [node, CHECKER, "--config", RULES, "--formatter", "json", *sorted(folder.iterdir())]
    told: list[dict[str, Any]] = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    return [
        f"{Path(one['filePath']).name} line {fault['line']}: {fault['ruleId']}: {fault['message']} {fault['selector']}"
        for one in told
        for fault in one["messages"]
    ]


def test_every_page_is_valid_html_and_only_a_refusal_takes_the_focus_and_is_said_in_the_title(
    pages: dict[tuple[str, str], str], refusals: dict[tuple[str, str], str], tmp_path: Path
) -> None:
    """One test, since every process that runs a part of it would have to ask for all pages."""
    require_valid_html(pages, refusals, tmp_path)
    require_refusals_said(refusals)
    read = {where: Page(page) for where, page in pages.items()}
    assert [where for where, page in read.items() if page.title.startswith("Error: ") or page.focused] == []


def require_valid_html(pages: dict[tuple[str, str], str], refusals: dict[tuple[str, str], str], tmp_path: Path) -> None:
    for number, ((role, address), page) in enumerate([*pages.items(), *refusals.items()]):
        name = f"{number} {role} {address.replace('/', '|')}"
        (tmp_path / f"{name[:200]}.html").write_text(page)
    assert "\n".join(faults(tmp_path)) == ""


def require_refusals_said(refusals: dict[tuple[str, str], str]) -> None:
    assert len(refusals) >= 15
    read = {where: Page(page) for where, page in refusals.items()}
    assert [where for where, page in read.items() if not page.title.startswith("Error: ")] == []
    assert [where for where, page in read.items() if not page.focused] == []
    assert [where for where, page in read.items() if not page.invalid] == []


def test_the_checker_sees_faults(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<!DOCTYPE html><p><div id=a></div></p><b id=a></b><h1>x</h1><h3>x</h3><form><input></form><table><tr><td></table>"
    )
    found = " ".join(faults(tmp_path))
    assert all(
        rule in found for rule in ("no-dup-id", "close-order", "attr-quotes", "heading-level", "input-missing-label")
    )
