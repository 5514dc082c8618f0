"""The four journeys of a campaign, from an empty site to a published leaderboard, in one browser against a whole site.

Nothing is put into the database by the back door: everybody signs up, and every step is a page, a click or a key.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, expect

from tests.browser.desk_driver import ready
from tests.browser.small_campaign import CAMPAIGN, TASK, TASK_PATH, Person, take_part, write_files
from tests.requirements import SERVICES
from tests.sites import EMBEDDED, Site, running_site

NEXT_PATH = f"/c/{CAMPAIGN}/{TASK}-2/"
RELEVANT = {"1": {"K01", "K02"}, "2": {"K05", "K06"}, "3": {"K09"}}

pytestmark = pytest.mark.browser


@pytest.fixture(
    params=[pytest.param(EMBEDDED, marks=pytest.mark.embedded), pytest.param(SERVICES, marks=pytest.mark.services)]
)
def site(request: pytest.FixtureRequest, tmp_path: Path, first_site: Path) -> Iterator[Site]:
    with running_site(request.param, tmp_path, first=first_site) as running:
        yield running
        print(running.logs())  # shown by pytest where the test fails


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "upload"
    folder.mkdir()
    write_files(folder)
    return folder


@pytest.fixture
def cast(browser: Browser, site: Site) -> Iterator[dict[str, Person]]:
    people = {name: Person(browser, site, name) for name in ("olga", "nora", "sven", "asha", "visitor")}
    yield people
    for person in people.values():
        person.context.close()
    troubles = {name: person.troubles for name, person in people.items() if person.troubles}
    assert troubles == {}


def test_from_an_empty_site_to_a_published_leaderboard(cast: dict[str, Person], files: Path) -> None:
    for name in ("olga", "nora", "sven", "asha"):
        cast[name].sign_up()
    launch_the_campaign(cast["olga"], files)
    accept_the_role(cast["asha"])
    take_part(cast["nora"], "North", files, ["north-1", "north-2"])
    take_part(cast["sven"], "South", files, ["south-1"])
    be_refused_with_reasons(cast["sven"], files)
    pool_and_assign(cast["olga"])
    judge(cast["asha"])
    release_and_publish(cast["olga"], cast["visitor"])
    read(cast["visitor"])
    correct_a_topic(cast["olga"], cast["visitor"])
    open_a_residual_round(cast["olga"])
    enter_a_run_again(cast["nora"])
    take_an_archive(cast["olga"])


def launch_the_campaign(olga: Person, files: Path) -> None:
    olga.open("/c/new/")
    olga.page.fill("#id_title", "Small matters")
    expect(olga.page.locator("#id_slug")).to_have_value(CAMPAIGN)
    olga.page.get_by_role("button", name="Create").first.click()
    olga.open(f"/c/{CAMPAIGN}/new/")
    olga.page.fill("#id_title", "Kitchen")
    expect(olga.page.locator("#id_slug")).to_have_value(TASK)
    olga.page.get_by_role("button", name="Create").first.click()
    olga.sees("Import topics, documents and qrels")

    olga.upload(f"{TASK_PATH}import/topics/", files / "bad-topics.tsv", "Check the file")
    olga.sees("line 2")
    olga.open(f"{TASK_PATH}topics/")
    expect(olga.page.locator("main")).not_to_contain_text("an egg")
    olga.upload(f"{TASK_PATH}import/topics/", files / "topics.txt", "Check the file")
    olga.click("Import 3 topics")
    olga.sees("The file is imported.")
    olga.open(f"{TASK_PATH}topics/")
    olga.sees("sharpening a knife")
    olga.upload(f"{TASK_PATH}import/documents/", files / "documents.jsonl", "Check the file")
    olga.click("Import 12 documents")
    olga.sees("The file is imported.")

    olga.open(f"/c/{CAMPAIGN}/people/")
    olga.page.get_by_label("User name or email").fill("asha")
    olga.page.get_by_label("assessor:").check()
    olga.click("Continue")
    olga.sees("asha@example.org")
    olga.click("Invite asha")
    olga.sees("without any right until they accept")
    olga.open(f"/c/{CAMPAIGN}/open/")
    olga.click("Open the campaign")
    olga.open(f"{TASK_PATH}phase/?to=runs")
    olga.click("Move on")
    olga.open(TASK_PATH)
    olga.sees("open")


def accept_the_role(asha: Person) -> None:
    asha.open("/")
    asha.click("Accept or decline")
    asha.click("Accept")
    asha.sees("You are assessor of Small matters now.")


def be_refused_with_reasons(member: Person, files: Path) -> None:
    member.upload(f"{TASK_PATH}runs/new/", files / "broken.txt", "Upload and check")
    member.sees("was rejected")
    for reason in ("line 2", "line 3"):
        member.sees(reason)
    member.troubles.clear()


def pool_and_assign(olga: Person) -> None:
    olga.open(f"{TASK_PATH}pools/new/?depth=4")
    olga.sees("P@")
    olga.click("Freeze this pool")
    olga.page.get_by_role("button", name="Freeze").click()
    expect(olga.page.locator("main a[href$='/pools/1/']").first).to_be_visible(timeout=20_000)
    olga.open(f"{TASK_PATH}pools/1/")
    olga.sees("depth-k, k = 4")
    olga.open(f"{TASK_PATH}judging/assign/")
    olga.click("Assign as shown")
    olga.open(f"{TASK_PATH}judging/")
    olga.sees("3 assignments")


def judge(asha: Person) -> None:
    asha.open("/")
    asha.sees("topics")
    for topic, relevant in RELEVANT.items():
        asha.open(f"{TASK_PATH}judge/{topic}/")
        ready(asha.page)  # a key before it is no key of the desk
        total = int(asha.page.locator("#desk-progress").get_attribute("max") or 0)
        assert total > 0
        for count in range(1, total + 1):
            asha.page.wait_for_timeout(120)  # nobody reads a document faster; the desk takes a quicker key for a bounce
            docno = asha.page.locator("#document .docno").inner_text()
            grade = "2" if docno in relevant else "0"
            if count % 2:
                asha.page.keyboard.press(grade)
            else:
                asha.page.locator(f"button.grade[value='{grade}']").click()
            expect(asha.page.locator("#desk-count")).to_contain_text(f"{count} of {total}")
        expect(asha.page.locator("#desk-saved")).to_contain_text(f"saved {total} · pending 0")
    asha.open(f"{TASK_PATH}judge/")
    assert asha.page.get_by_text("done").count() >= 3


def _asked(person: Person, address: str, **options: Any) -> APIResponse:
    """As browsers do: what was sent on a connection that the server had just closed, since it was idle, is sent again."""
    return person.context.request.get(address, max_retries=1, **options)


def release_and_publish(olga: Person, visitor: Person) -> None:
    olga.open(f"{TASK_PATH}qrels/release/")
    olga.click("Release the judgments")
    olga.sees("v1")
    _wait_for_scores(olga)
    assert _asked(visitor, f"{TASK_PATH}scores/", max_redirects=0).status == 302
    assert _asked(visitor, f"{TASK_PATH}leaderboard/1/").status == 404
    olga.open(f"{TASK_PATH}leaderboard/publish/")
    olga.sees("Scores of 3 runs")
    olga.page.get_by_label("Everybody", exact=True).check()
    olga.click("Continue")
    olga.sees("3 runs of")
    assert _asked(visitor, f"{TASK_PATH}leaderboard/1/").status == 404
    olga.click("Publish leaderboard 1")
    olga.sees("Published scores")


def _wait_for_scores(olga: Person) -> None:
    for _ in range(30):
        olga.open(f"{TASK_PATH}scores/")
        if olga.page.locator("table.board tbody tr").count() == 3:
            return
        olga.page.wait_for_timeout(500)
    pytest.fail("the runs were not scored within 15 seconds")


def read(visitor: Person) -> None:
    visitor.open("/")
    visitor.sees("Small matters")
    visitor.open(f"{TASK_PATH}leaderboard/")
    rows: Any = visitor.page.locator("table.board tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first.locator("th a")).to_have_text("north-1")
    picture = visitor.page.locator("figure.plot img:visible").first
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    visitor.page.get_by_role("link", name="AP(rel=2)", exact=True).click()
    expect(visitor.page).to_have_url(
        f"{visitor.page.url.split('/c/')[0]}{TASK_PATH}leaderboard/1/?sort=-AP%28rel%3D2%29"
    )
    assert _asked(visitor, f"{TASK_PATH}leaderboard/1/board.csv").text().startswith("run,team,")


def correct_a_topic(olga: Person, visitor: Person) -> None:
    olga.open(f"{TASK_PATH}topics/1/edit/")
    olga.page.fill("#id_title", "boiling two eggs")
    olga.page.fill("#id_reason", "one is not enough")
    olga.page.fill("#id_note", "Two eggs are meant.")
    olga.page.locator("main").get_by_role("button", name="Save").click()
    olga.sees("boiling two eggs")
    visitor.open(f"{TASK_PATH}errata/")
    visitor.sees("Two eggs are meant.")


def open_a_residual_round(olga: Person) -> None:
    olga.open(f"{TASK_PATH}next-round/")
    olga.page.get_by_label("residual").check()
    olga.click("Add the round")
    olga.sees("fix what earlier rounds judged")
    olga.open(f"{NEXT_PATH}judged-before/")
    olga.click("Fix what was judged")
    olga.sees("Left out")
    olga.open(f"{NEXT_PATH}phase/?to=runs")
    olga.click("Move on")
    olga.sees("Runs")


def enter_a_run_again(member: Person) -> None:
    member.open(f"{NEXT_PATH}resubmit-runs/")
    member.page.get_by_label("north-1").check()
    member.click("Resubmit the ticked runs")
    member.sees("north-1")
    member.open(f"{NEXT_PATH}runs/north-1/")
    member.sees("passed the check")
    expect(member.page.get_by_text("judged in earlier rounds")).to_be_visible()


def take_an_archive(olga: Person) -> None:
    olga.open(f"/c/{CAMPAIGN}/edit/archive/")
    olga.click("Make the archive")
    link = olga.page.get_by_role("link", name="Download").first
    expect(link).to_be_visible(timeout=30_000)
    address = link.get_attribute("href") or ""
    assert _asked(olga, address).body().startswith(b"PK")
