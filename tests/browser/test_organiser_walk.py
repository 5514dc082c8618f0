"""The walk of docs/guide/organiser.md from an empty site to the first judgment, by links and buttons alone, counted.

A click is a press on a link, a button or a box; typing, moving on with Tab and choosing a file are none.
A page load is a navigation of the whole page. The walk of the teams is not counted: it is that of another guide.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Request, expect

from tests.browser.desk_driver import ready
from tests.browser.small_campaign import CAMPAIGN, PASSWORD, TASK, Person, take_part, write_files
from tests.sites import EMBEDDED, Site, running_site

MOST_CLICKS, MOST_PAGES = 15, 18

pytestmark = [pytest.mark.browser, pytest.mark.embedded]


class Walk(Person):
    """Somebody whose presses and page loads are counted."""

    def __init__(self, browser: Browser, site: Site, name: str) -> None:
        super().__init__(browser, site, name)
        self.clicks: list[str] = []
        self.pages: list[str] = []
        self.page.on("request", self._count)

    def _count(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self.page.main_frame and not request.redirected_from:
            self.pages.append(f"{request.method} {request.url.split('/', 3)[3]}")

    def press(self, what: Locator) -> None:
        self.clicks.append(what.first.inner_text().strip() or str(what))
        what.first.click()

    def link(self, name: str) -> None:
        self.press(self.page.get_by_role("link", name=name))

    def button(self, name: str) -> None:
        self.press(self.page.get_by_role("button", name=name))


@pytest.fixture
def site(tmp_path: Path, first_site: Path) -> Iterator[Site]:
    with running_site(EMBEDDED, tmp_path, first=first_site) as running:
        yield running
        print(running.logs())  # shown by pytest where the test fails


def test_an_organiser_is_at_the_first_judgment_after_so_many_clicks_and_pages(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "upload"
    folder.mkdir()
    write_files(folder)
    site.manage("create_user", "olga", "--superuser", "--password-stdin", stdin=PASSWORD)
    olga, asha = Walk(browser, site, "olga"), Walk(browser, site, "asha")
    nora = Person(browser, site, "nora")
    nora.sign_up()
    asha.sign_up()
    asha.clicks.clear()
    asha.pages.clear()
    sign_in(olga)
    set_up(olga, folder)
    accept(asha)
    take_part(nora, "North", folder, ["north-1", "north-2"])
    pool_and_assign(olga)
    judge_one(asha)
    told = f"organiser {len(olga.clicks)} and {len(olga.pages)}, assessor {len(asha.clicks)} and {len(asha.pages)}"
    print(told, olga.clicks, olga.pages, asha.clicks, asha.pages, sep="\n")
    assert len(olga.clicks) <= MOST_CLICKS, told
    assert len(olga.pages) <= MOST_PAGES, told


def sign_in(olga: Walk) -> None:
    """At the address that `make site` prints."""
    olga.open("/c/new/")
    olga.page.fill("#id_login", "olga")
    olga.page.fill("#id_password", PASSWORD)
    olga.press(olga.page.locator("main").get_by_role("button", name="Sign in"))


def set_up(olga: Walk, folder: Path) -> None:
    olga.page.fill("#id_title", "Small matters")
    expect(olga.page.locator("#id_slug")).to_have_value(CAMPAIGN)
    olga.button("Create the draft")
    olga.page.fill("#id_title", "Kitchen")
    expect(olga.page.locator("#id_slug")).to_have_value(TASK)
    olga.button("Create the task")
    olga.page.get_by_label("Topics").set_input_files(folder / "topics.txt")
    olga.page.get_by_label("Documents").set_input_files(folder / "documents.jsonl")
    olga.sees("documents.jsonl")
    olga.button("Check the files")
    olga.button("Import 3 topics and 12 documents")
    olga.link("Invite assessors")
    olga.page.get_by_label("User name or email").fill("asha")
    olga.button("Continue")
    olga.button("Invite asha")
    olga.link("Open the campaign …")
    olga.button("Open the campaign")
    olga.sees("Kitchen is open for runs.")


def accept(asha: Walk) -> None:
    asha.open("/")
    asha.link("Accept or decline")
    asha.button("Accept")
    asha.sees("You are assessor of Small matters now.")


def pool_and_assign(olga: Walk) -> None:
    olga.open("/")
    olga.link("Build the pool")
    olga.button("Freeze this pool …")
    olga.button("Freeze 36 documents")
    olga.link("Next: Assign 3 topics")
    olga.button("Assign as shown")
    olga.sees("3 topics assigned to asha")


def judge_one(asha: Walk) -> None:
    asha.open("/")
    asha.link("Begin topic 1")
    ready(asha.page)
    asha.page.wait_for_timeout(200)  # the desk takes a quicker key for a bounce
    asha.page.keyboard.press("0")
    expect(asha.page.locator("#desk-saved")).to_contain_text("saved 1 · pending 0")
