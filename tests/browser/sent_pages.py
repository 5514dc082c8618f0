"""All pages of the site as its server sends them, in every state that tests make: each is asked for once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaign import queues
from campaign.collection.services.imports import import_receive
from campaign.models import Campaign, DamagedFile, Import, Job, Role, Run, SlowRequest, Task, Topic
from campaign.runs.services.submission import run_submit
from evaluation.services.leaderboards import leaderboard_publish
from runpool.operations.tallies import storage_measure, sweep_note
from tests.browser.page_kinds import PageBytes
from tests.browser.page_reader import as_seen
from tests.factories import make_campaign, make_received_run, make_task
from tests.world import GET, PUBLISHED_ONLY, ROLES, ROWS, World, is_page, make_world

BAD_RUN = b"1 Q0 a 1 2.0 refused\n" + b"1 Q0 " + b"x" * 300 + b"\n" * 500
BAD_TOPICS = b"1\tan egg\n1\tanother egg\n"
EMPTY_TASK = [
    *("task_detail", "topic_list", "document_list", "run_list", "pool_list", "pool_create", "judging_progress"),
    *("qrels_list", "qrels_release", "score_board", "leaderboard_latest", "leaderboard_publish", "errata"),
]


class Focus(HTMLParser):
    """The title of a page, what takes the focus, what is refused, and where the forms of its content are sent."""

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


@dataclass(eq=False)
class Sent:
    """A page that a role got: `refuses` a form that was sent empty, or not."""

    role: str
    address: str
    status: int
    headers: dict[str, str]
    html: str
    refuses: bool = False

    @cached_property
    def bytes(self) -> PageBytes:
        return PageBytes(self.html)

    @cached_property
    def focus(self) -> Focus:
        return Focus(self.html)

    def __str__(self) -> str:
        return f"{self.role} {self.address}{' refused' if self.refuses else ''}"


def sent(answer: Any, role: str, address: str, *, refuses: bool = False) -> Sent:
    return Sent(role, address, answer.status_code, dict(answer.items()), answer.content.decode(), refuses)


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


def distinct_pages(world: World) -> list[Sent]:
    """What looks the same for a later role, but for numbers and keys, is left out."""
    kept: dict[str, Sent] = {}
    no_pages: set[str] = set()
    for role in ("anonymous", "stranger", "member", "assessor", "organiser"):
        client = world.client(role)
        others = [(address, client.get(address)) for address in other_pages(world, role)]
        for address, answer in [*pages_of(world, role, no_pages), *others]:
            kept.setdefault(as_seen(answer.content.decode()), sent(answer, role, address))
    return [*kept.values()]


def pages_of(world: World, role: str, no_pages: set[str]) -> Iterator[tuple[str, Any]]:
    """The whole pages that this role gets, by address; a row that gave another role a file is not asked for again."""
    for row in ROWS:
        shown = row.expected == PUBLISHED_ONLY or row.expected.split()[ROLES.index(role)] == "ok"
        is_board_again = row.name.startswith("preview_") and row.name != "preview_detail"
        if row.method != GET or not shown or is_board_again or row.name in no_pages:
            continue
        answer = world.ask(row, role)
        if answer.status_code == 200 and is_page(answer):
            yield world.address(row), answer
        elif answer.status_code == 200:
            no_pages.add(row.name)


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


def refusals(world: World, pages: list[Sent]) -> list[Sent]:
    """What each form of these pages answers when it is sent with nothing in it, if it refuses."""
    kept: dict[tuple[str, str], Sent] = {}
    for page in pages:
        for action in page.focus.actions:
            address = action or page.address
            with transaction.atomic():
                answer = world.client(page.role).post(address, {"sent": "nothing else"})
                transaction.set_rollback(True)
            is_refused = answer.status_code == 422 or b'aria-invalid="true"' in answer.content
            if is_refused and answer["Content-Type"].startswith("text/html"):
                kept[page.role, address] = sent(answer, page.role, address, refuses=True)
    return [*kept.values()]


def changed_pages(world: World, settings: Any) -> Iterator[Sent]:
    """Pages as they are after changes to the world that would hide what others show."""
    cast = world.cast

    def shown(role: str, *addresses: str) -> Iterator[Sent]:
        for address in addresses:
            yield sent(world.client(role).get(address), role, address)

    people = reverse("people", kwargs={"campaign_slug": cast.campaign.slug})
    asked = world.client("organiser").post(people, {"person": cast.other_member.username, "role": Role.ORGANISER})
    assert "the person you mean" in asked.content.decode()
    yield sent(asked, "organiser", people)
    publish = cast.task.url("leaderboard_publish")
    asked = world.client("organiser").post(publish, {"audience": "participants", "note": "Corrected."})
    assert "Publish leaderboard 2?" in asked.content.decode()
    yield sent(asked, "organiser", publish)

    yield from shown("operator", reverse("operations"))
    damaged = {"found_by": "a download of a run", "moved_to": "quarantine/x"}
    DamagedFile.objects.create(name=f"runs/ab/{'ab' * 32}", **damaged)
    yield from shown("operator", reverse("operations"))
    Job.objects.create(name="check run", key="{}", queue=queues.LARGE, message="A sentence about what it waits for.")
    Job.objects.update(created_at=timezone.now() - timedelta(hours=1), heartbeat_at=None, finished_at=None)
    settings.FREE_SPACE_MINIMUM = 2**60
    pages = ("operations", "operations_workers", "operations_storage", "operations_slow")
    yield from shown("operator", *map(reverse, pages))
    storage_measure()
    sweep_note(3)
    SlowRequest.objects.create(page="home", method="GET", status=200, milliseconds=2100, request_id="a" * 32)
    done = {"state": Job.DONE, "message": "Removed: expired sessions: 3.", "finished_at": timezone.now()}
    Job.objects.create(name="clean", key="{}", **done)
    yield from shown("operator", reverse("operations_storage"), reverse("operations_slow"))

    Topic.objects.bulk_create(
        Topic(task=cast.task, number=f"long-{place}", title="a topic of many", position=100 + place)
        for place in range(21)
    )
    topics = cast.task.url("topic_list")
    yield from shown("organiser", topics, f"{topics}?search=long", f"{topics}?search=nowhere")

    settings.RUN_ATTEMPTS_PER_DAY = 0
    Task.objects.update(max_runs_per_team=1)
    yield from shown("member", cast.task.url("run_create"))
    DamagedFile.objects.create(name=Run.objects.get(tag="one").file.name, **damaged)
    yield from shown("member", cast.task.url("run_detail", tag="one"))


def that_show_every_kind(pages: list[Sent]) -> list[Sent]:
    """Few pages that hold each kind of element of all pages: always the one that adds most."""
    chosen, left = [], set[str]().union(*(page.bytes.kinds for page in pages))
    while left:
        best = max(pages, key=lambda page: len(page.bytes.kinds & left))
        chosen.append(best)
        left -= best.bytes.kinds
    return chosen
