"""Every page of the site for every role, wide and narrow, light and dark: what scripts can hold against a page.

The pages are those of the access matrix, so that a new address is looked at without a line here.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from campaign import queues
from campaign.collection.services.imports import import_receive
from campaign.models import Campaign, DamagedFile, Import, Job, Role, Run, SlowRequest, Task
from campaign.operations.tallies import storage_measure, sweep_note
from campaign.runs.services.submission import run_submit
from evaluation.services.leaderboards import leaderboard_publish
from tests.browser.page_kinds import PageBytes
from tests.browser.page_reader import AUDIT, RUN_AXE, Reader, as_seen
from tests.factories import make_campaign, make_received_run, make_task
from tests.world import GET, PUBLISHED_ONLY, ROLES, ROWS, World, make_world

pytestmark = pytest.mark.browser
PARTS = 2
"""Of the walk through all pages: as many processes can share it."""
LANDSCAPE = 1016
"""The width of a sheet of A4 between its margins, in CSS pixels."""
SHOWN_PICTURES = """(all) => all.filter((image) => image.checkVisibility() && image.naturalWidth)
    .map((image) => image.src.split("theme=")[1])"""
MORE_COLUMNS = """(count) => {
    for (const row of document.querySelectorAll("table tr"))
        for (let added = 0; added < count; added++) row.append(row.lastElementChild.cloneNode(true));
}"""
BAD_RUN = b"1 Q0 a 1 2.0 refused\n" + b"1 Q0 " + b"x" * 300 + b"\n" * 500
BAD_TOPICS = b"1\tan egg\n1\tanother egg\n"
EMPTY_TASK = [
    *("task_detail", "topic_list", "document_list", "run_list", "pool_list", "pool_create", "judging_progress"),
    *("qrels_list", "qrels_release", "score_board", "leaderboard_latest", "leaderboard_publish", "errata"),
]


@pytest.fixture
def world(transactional_db: None) -> World:
    return make_pages()


def make_pages() -> World:
    """The campaign of the access matrix, published, with what fails and what waits; and a campaign with nothing in it."""
    made = make_world()
    cast = made.cast
    tagged = {"tag": "refused", "file_name": "refused.txt", "file": ContentFile(BAD_RUN)}
    run_submit(actor=cast.member, task=cast.task, team=cast.team, **tagged)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    Task.objects.filter(pk=cast.task.pk).update(
        scores_shown=Task.LIVE, round_kind=Task.DEVELOPMENT, runs_closed_at=None
    )
    make_received_run(cast.task, cast.team, "a-tag-as-long-as-they-get", b"2")
    bad = {"kind": Import.TOPICS, "file": ContentFile(BAD_TOPICS), "file_name": "a-long-name-" * 8 + ".txt"}
    made.values["import"] = import_receive(actor=cast.organiser, task=cast.task, **bad).pk
    Campaign.objects.update(title="A campaign whose title is much too long for the width of a telephone")
    empty = make_campaign("empty", is_open=False)
    Role.objects.create(campaign=empty, user=cast.organiser, role=Role.ORGANISER)
    Role.objects.create(campaign=empty, user=cast.assessor, role=Role.ASSESSOR)
    make_task(empty, "nothing", phase=Task.SETUP, closes_at=None)
    return made


def pages_of(world: World, role: str) -> dict[str, str]:
    """The whole pages that this role gets, by address."""
    column = ROLES.index(role)
    shown = [
        row
        for row in ROWS
        if (row.expected == PUBLISHED_ONLY or row.expected.split()[column] == "ok")
        and (row.name == "preview_detail" or not row.name.startswith("preview_"))  # the pages of boards once more
    ]
    answers = {world.address(row): world.ask(row, role) for row in shown if row.method == GET}
    return {
        address: answer.content.decode()
        for address, answer in answers.items()
        if answer.status_code == 200 and _is_page(answer)
    }


def _is_page(answer: Any) -> bool:
    return not answer.streaming and answer.content.lstrip().startswith(b"<!DOCTYPE html")


def other_pages(world: World, role: str) -> list[str]:
    """What the matrix does not show: empty tasks, runs that fail or wait, refusals, the account's own pages."""
    task = world.cast.task
    runs = [task.url("run_detail", tag=tag) for tag in ("refused", "a-tag-as-long-as-they-get")]
    entrance = [reverse(name) for name in ("account_login", "account_signup", "account_reset_password")]
    account = [reverse(name) for name in ("account_email", "account_change_password")]
    nothing = [reverse(name, kwargs={"campaign_slug": "empty", "task_slug": "nothing"}) for name in EMPTY_TASK]
    return {
        "anonymous": [*entrance, "/nowhere/"],
        "stranger": account,
        "member": runs,
        "assessor": [task.url("run_list")],
        "organiser": [*runs, *nothing, reverse("campaign_detail", kwargs={"campaign_slug": "empty"})],
    }[role]


@pytest.fixture
def reader(page: Any, live_server: Any) -> Reader:
    return Reader(page, live_server.url)


def distinct_pages(world: World) -> dict[tuple[str, str], str]:
    """By role and address; what looks the same for a later role, but for numbers and keys, is left out."""
    kept: dict[str, tuple[str, str, str]] = {}
    for role in ("anonymous", "stranger", "member", "assessor", "organiser"):
        client = world.client(role)
        others = {address: client.get(address).content.decode() for address in other_pages(world, role)}
        for address, page in {**pages_of(world, role), **others}.items():
            kept.setdefault(as_seen(page), (role, address, page))
    return {(role, address): page for role, address, page in kept.values()}


def that_show_every_kind(kinds: dict[tuple[str, str], set[str]]) -> list[tuple[str, str]]:
    """Few pages that hold each kind of element of all pages: always the one that adds most."""
    chosen, left = [], set().union(*kinds.values())
    while left:
        best = max(kinds, key=lambda page: len(kinds[page] & left))
        chosen.append(best)
        left -= kinds[best]
    return chosen


@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_has_a_fault(world: World, reader: Reader, sign_in: Callable[[Any, Any], None], part: int) -> None:
    """All by their bytes; in the browser those that hold elements of a kind that no other page holds."""
    read = {where: PageBytes(page) for where, page in distinct_pages(world).items()}
    assert {where: page.faults for where, page in read.items() if page.faults} == {}
    opened = that_show_every_kind({where: page.kinds for where, page in read.items()})[part::PARTS]
    for role in dict.fromkeys(role for role, _ in opened):
        reader.page.context.clear_cookies()
        if role != "anonymous":
            sign_in(reader.page, world.user(role))
        for address in [address for whose, address in opened if whose == role]:
            reader.read(address)
        assert "\n".join(sorted(reader.faults)) == "", role


def test_no_form_sent_empty_has_a_fault(world: World, reader: Reader, sign_in: Callable[[Any, Any], None]) -> None:
    for name in ("account_login", "account_signup"):
        reader.send_empty(reverse(name))
    sign_in(reader.page, world.cast.organiser)
    campaign, task = world.cast.campaign, world.cast.task
    reader.send_empty(reverse("campaign_create"))
    reader.send_empty(reverse("task_create", kwargs={"campaign_slug": campaign.slug}))
    reader.send_empty(reverse("team_create"))
    reader.send_empty(task.url("import_create", kind="documents"))
    reader.send_empty(task.url("qrels_import"))
    reader.send_empty(task.url("topic_scoring", topic_number="1"))
    sign_in(reader.page, world.cast.member)
    reader.send_empty(task.url("run_create"))
    assert "\n".join(sorted(reader.faults)) == ""


def test_the_operations_page_has_no_fault(
    world: World, reader: Reader, sign_in: Callable[[Any, Any], None], settings: Any
) -> None:
    sign_in(reader.page, world.operator)
    reader.read(reverse("operations"))
    DamagedFile.objects.create(name=f"runs/ab/{'ab' * 32}", found_by="a download of a run", moved_to="quarantine/x")
    reader.read(reverse("operations"))
    Job.objects.create(name="check run", key="{}", queue=queues.LARGE, message="A sentence about what it waits for.")
    Job.objects.update(created_at=timezone.now() - timedelta(hours=1), heartbeat_at=None, finished_at=None)
    settings.FREE_SPACE_MINIMUM = 2**60
    for name in ("operations", "operations_workers", "operations_storage", "operations_slow"):
        reader.read(reverse(name))
    storage_measure()
    sweep_note(3)
    SlowRequest.objects.create(page="home", method="GET", status=200, milliseconds=2100, request_id="a" * 32)
    done = {"state": Job.DONE, "message": "Removed: expired sessions: 3.", "finished_at": timezone.now()}
    Job.objects.create(name="clean", key="{}", **done)
    for name in ("operations_storage", "operations_slow"):
        reader.read(reverse(name))
    assert "\n".join(sorted(reader.faults)) == ""


def test_pages_that_ask_who_is_meant_or_refuse_uploads_have_no_fault(
    world: World, reader: Reader, sign_in: Callable[[Any, Any], None], settings: Any
) -> None:
    cast = world.cast
    sign_in(reader.page, cast.organiser)
    reader.page.goto(reader.root + reverse("people", kwargs={"campaign_slug": cast.campaign.slug}))
    reader.page.fill("[name=person]", cast.other_member.username)
    with reader.page.expect_navigation():
        reader.page.press("[name=person]", "Enter")
    assert "the person you mean" in reader.page.inner_text("h1")
    reader.look()
    sign_in(reader.page, cast.member)
    settings.RUN_ATTEMPTS_PER_DAY, settings.FREE_SPACE_MINIMUM = 0, 2**60
    Task.objects.update(max_runs_per_team=1)
    reader.read(cast.task.url("run_create"))
    DamagedFile.objects.create(
        name=Run.objects.get(tag="one").file.name, found_by="a download", moved_to="quarantine/x"
    )
    reader.read(cast.task.url("run_detail", tag="one"))
    assert "\n".join(sorted(reader.faults)) == ""


def test_the_audit_sees_faults(page: Any, reader: Reader) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("about:blank")  # the script of axe comes with a page that is opened
    page.set_content("""<!DOCTYPE html><html><title>x</title><body><main id="a"><h3 id="a">A heading</h3>
        <p>Far <span style="color: #aaa; background: white">too pale</span></p><input><button></button><img src="x.png">
        <nav aria-label="Two"></nav><nav aria-label="Two"></nav>
        <p aria-describedby="nobody" style="width: 500px; height: 1em"></p><table><tr><th title="y">x</th></tr></table></main>""")
    found = " ".join([*page.evaluate(AUDIT), *page.evaluate(RUN_AXE, [[], True])])
    for fault in (
        *("wider than", "id twice", "names what is not", "no caption", "explained by its title alone"),
        *("html-has-lang", "image-alt", "button-name", "label:", "color-contrast:", "landmark-unique"),
    ):
        assert fault in found, fault


def test_a_picture_follows_the_theme_at_once_and_paper_is_light_and_loses_no_column(
    world: World, page: Any, live_server: Any, sign_in: Callable[[Any, Any], None]
) -> None:
    def shown() -> list[str]:
        """The colours of the pictures that the reader sees, once both are there."""
        for _ in range(100):
            colours = page.locator(".plot img").evaluate_all(SHOWN_PICTURES)
            if len(colours) == 2:
                return sorted(set(colours))
            page.wait_for_timeout(100)
        return []

    sign_in(page, world.cast.organiser)
    page.goto(live_server.url + world.cast.task.url("score_board"))
    assert shown() == ["light"]
    page.get_by_role("button", name="Dark theme").click()
    assert shown() == ["dark"]
    page.set_viewport_size({"width": LANDSCAPE, "height": 640})
    page.emulate_media(media="print", color_scheme="dark")
    assert shown() == ["light"]
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    for columns in (6, 12, 12):
        page.evaluate(MORE_COLUMNS, columns)
        assert page.evaluate("document.documentElement.scrollWidth") <= LANDSCAPE
