"""An adaptive topic on a real site: two assessors judge it at once, to the end, and its worker is killed in the middle."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk_driver import SHOWN, ready, shown
from tests.judging.growing_pools import is_relevant
from tests.places import REPOSITORY
from tests.sites import EMBEDDED, Site, running_site

pytestmark = [pytest.mark.browser, pytest.mark.embedded]
MOST_SECONDS = 400.0


@pytest.fixture
def site(tmp_path: Path, first_site: Path) -> Iterator[Site]:
    with running_site(EMBEDDED, tmp_path, "tests.faults.settings", first_site) as site:
        yield site


def world(site: Site, command: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "tests.browser.adaptive_world", command],
        cwd=REPOSITORY,
        env=site.settings,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


def open_desk(browser: Any, site: Site, desk: dict[str, str]) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.context.add_cookies([{"name": desk["cookie"], "value": desk["session"], "url": site.url}])
    page.goto(site.url + desk["url"])
    ready(page)
    return page


def judge_what_is_shown(page: Page, judged: list[str]) -> None:
    """One key, where a document is shown; otherwise a pause, since asking again at once keeps a core from the worker."""
    docno = shown(page) if page.locator(SHOWN).count() else ""
    if not docno:
        page.wait_for_timeout(100)
        return
    judged.append(docno)
    page.wait_for_timeout(100)
    page.keyboard.press("2" if is_relevant(docno) else "0")
    page.wait_for_function("([at, docno]) => document.querySelector(at)?.dataset.docno !== docno", arg=[SHOWN, docno])


def says(page: Page, text: str) -> bool:
    return text in page.inner_text("#document")


def test_two_assessors_judge_an_adaptive_topic_to_its_rule_while_its_worker_is_killed(browser: Any, site: Site) -> None:
    made = world(site, "make")
    pages = [open_desk(browser, site, desk) for desk in made["desks"]]
    judged: list[list[str]] = [[], []]
    # Without a worker both judge what is handed out already, and then wait.
    for page, own in zip(pages, judged, strict=True):
        judge_what_is_shown(page, own)
    os.killpg(site.servers.processes["worker"].pid, signal.SIGKILL)
    site.servers.processes["worker"].wait()
    until = time.monotonic() + MOST_SECONDS
    while not all(says(page, "Choosing the next documents") for page in pages):
        assert time.monotonic() < until, site.logs()
        for page, own in zip(pages, judged, strict=True):
            judge_what_is_shown(page, own)
    assert all(own for own in judged)
    before = sum(map(len, judged))
    assert before >= made["start"]
    expect(pages[0].locator("#desk-announcement")).to_contain_text("Choosing the next documents")
    while not all(says(page, "Topic 401 is done") for page in pages):
        site.servers.restart_dead()
        assert time.monotonic() < until, site.logs()
        for page, own in zip(pages, judged, strict=True):
            judge_what_is_shown(page, own)
    for page in pages:
        expect(page.locator("#desk-saved")).to_contain_text("pending 0")
        page.context.close()
    told = world(site, "tell")
    both = judged[0] + judged[1]
    assert sorted(both) == sorted(told["judged"]) == sorted(told["entries"])
    assert told["acts"] == len(set(both)) == len(both) > before
    assert told["steps"] == list(range(1, len(told["steps"]) + 1))
    assert (told["stops"][-1], told["unfinished"], told["different"]) == ("rule", 0, [])
