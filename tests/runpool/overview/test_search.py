"""The search of the site finds exactly what its reader may open."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Registration, Role, Run, Task, Topic, User
from campaign.setup.services.deletions import campaign_delete
from campaign.teams.services.teams import team_leave
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.services.working_boards import working_board_compute
from runpool.overview.selectors import search
from runpool.overview.selectors.search import SHOWN, Group, search_site
from tests.conftest import MadeOnce
from tests.evaluation.test_audiences import TAGS, client_of, make_scored, publish
from tests.factories import Cast, make_campaign, make_collection, make_task, make_team, make_topics, make_user

pytestmark = pytest.mark.django_db
WORD = "quartz"


def make_scene() -> Cast:
    """Everything has the word in its name, or at the beginning of it: the campaign that is open and its task with runs, a task
    in set-up beside it, a draft, and a campaign that is deleted."""
    cast = make_scored()
    Campaign.objects.filter(pk=cast.campaign.pk).update(title=f"The {WORD} track")
    Task.objects.filter(pk=cast.task.pk).update(title=f"{WORD} finding")
    for run in Run.objects.all():
        Run.objects.filter(pk=run.pk).update(tag=f"{WORD}-{run.tag}", tag_skeleton=f"{WORD}-{run.tag}")
    working_board_compute(task=Task.objects.get(pk=cast.task.pk))
    draft = make_campaign(f"{WORD}-draft", is_open=False)
    gone = make_campaign(f"{WORD}-gone")
    for campaign in (draft, gone):
        Role.objects.create(campaign=campaign, user=cast.organiser, role=Role.ORGANISER)
    Role.objects.create(campaign=draft, user=cast.assessor, role=Role.ASSESSOR)
    Registration.objects.create(campaign=draft, team=cast.team, registered_by=cast.member)
    tasks = [
        Task.objects.get(pk=cast.task.pk),
        make_task(cast.campaign, f"{WORD}-prepared", phase=Task.SETUP),
        make_task(draft, f"{WORD}-of-draft"),
        make_task(gone, f"{WORD}-of-gone"),
    ]
    for number, task in enumerate(tasks):
        make_topics(task, [f"90{number}"]) if number else None
        make_collection(task, [f"{WORD}-{number}"])
    Topic.objects.filter(position=1).update(title=f"mines of {WORD}")
    Run.objects.create(**_copied(Run.objects.filter(team=cast.team)[0], task=tasks[1], tag=f"{WORD}-early"))
    asked = make_team("Waits", members=(cast.stranger,))
    Registration.objects.create(
        campaign=cast.campaign, team=asked, registered_by=cast.stranger, state=Registration.REQUESTED
    )
    campaign_delete(actor=cast.organiser, campaign=gone)
    return cast


def _copied(run: Run, **values: object) -> dict[str, object]:
    kept = ("team", "file", "file_name", "size", "sha256", "submitted_by", "state")
    return {**{name: getattr(run, name) for name in kept}, "tag_skeleton": "early", **values}


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scene) as scene:
        yield scene


@pytest.fixture
def scene(made: Cast, db: None) -> Cast:
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def readers(cast: Cast) -> dict[str, User | None]:
    other = Run.objects.exclude(team=cast.team)[0].submitted_by
    names = ("member", "assessor", "organiser", "stranger")
    return {"nobody": None, "other": other, "operator": make_user(is_superuser=True)} | {
        name: getattr(cast, name) for name in names
    }


def addresses() -> dict[str, list[str]]:
    """By what is searched for: the addresses under which somebody may open it."""
    tasks = list(Task.everything.select_related("campaign"))
    found = {f"campaign {one.pk}": [one.get_absolute_url()] for one in Campaign._base_manager.all()}
    for task in tasks:
        found[f"task {task.pk}"] = [task.get_absolute_url()]
        for topic in task.topics.filter(position=1):
            found[f"topic {topic.pk}"] = [task.url("topic_detail", topic_number=topic.number)]
        if task.collection:
            for docno in task.collection.documents.values_list("docno", flat=True):
                found[docno] = [task.url("document_detail", docno=docno)]
    for run in Run.objects.select_related("task__campaign"):
        task = run.task
        found[run.tag] = [
            task.url("run_detail", tag=run.tag),
            task.url("leaderboard_run", number=1, tag=run.tag),
        ]
    return found


def links(page: str) -> set[str]:
    return {unescape(link) for link in re.findall(r'<p class="entry-title"><a href="([^"]+)"', page)}


@pytest.mark.parametrize("audience", [PARTICIPANTS, ANONYMOUS, PUBLIC])
def test_a_reader_finds_what_they_may_open_and_nothing_else(scene: Cast, audience: str) -> None:
    """Of all that has the word in its name: each link answers 200, and what answers 200 is found.

    Before there is a public board only the runs are looked at again: nothing else depends on boards.
    """
    publish(scene, audience)
    tags = set(Run.objects.values_list("tag", flat=True))
    of_what = {name: them for name, them in addresses().items() if audience == PUBLIC or name in tags}
    by_address = {address: name for name, them in of_what.items() for address in them}
    for who, reader in readers(scene).items():
        client = client_of(reader)
        opens = {address for address in by_address if client.get(address).status_code == 200}
        found = links(client.get(reverse("search"), {"q": WORD}).content.decode())
        found = found if audience == PUBLIC else {one for one in found if "/runs/" in one}
        assert found <= opens, who
        assert {by_address[one] for one in found} == {by_address[one] for one in opens}, who
    others = {f"{WORD}-{tag}" for tag in TAGS}
    assert others & _names(None) == (others if audience == PUBLIC else set())


def _names(user: User | None, query: str = WORD) -> set[str]:
    return {result.name for group in _found(user, query) for result in group.results}


def _found(user: User | None, query: str) -> list[Group]:
    return search_site(user or client_of(None).get("/").wsgi_request.user, query)


def test_who_leaves_a_team_finds_its_runs_and_the_documents_no_more(scene: Cast) -> None:
    colleague = make_user()
    scene.team.memberships.create(user=colleague)
    assert {f"{WORD}-{TAGS[0]}", f"{WORD}-0"} <= _names(colleague)
    team_leave(actor=colleague, team=scene.team)
    assert not {f"{WORD}-{TAGS[0]}", f"{WORD}-0"} & _names(colleague)


def test_what_is_typed_is_no_pattern_and_bad_queries_find_nothing(scene: Cast) -> None:
    for query in ("%", "_", "quar_z", f"{WORD}%", "\\", "' OR 1=1", "\N{RIGHT-TO-LEFT OVERRIDE}", "\U0010ffff"):
        assert _found(scene.organiser, query) == [], query
    client = client_of(scene.organiser)
    for query in ("<script>alert(1)</script>", "x" * 5000, " ", "\ud7ff"):
        page = client.get(reverse("search"), {"q": query})
        assert page.status_code == 200
        assert b"<script>alert" not in page.content
    assert client.get(reverse("search") + "?q=%00").status_code in (200, 400)
    assert client.get(reverse("search") + "?q=%ff").status_code in (200, 400)


@pytest.mark.sqlite(
    "runpool.overview.selectors.search._tasks",
    "runpool.overview.selectors.search._runs",
    "runpool.overview.selectors.search._topics",
)
def test_the_first_of_each_kind_are_shown_in_natural_order_with_the_way_to_all(scene: Cast) -> None:
    make_collection(scene.task, [f"agate-{number}" for number in range(SHOWN + 2)])
    topics = make_topics(make_task(scene.campaign), [str(number) for number in range(1, 12)])
    Topic.objects.filter(pk__in=[topic.pk for topic in topics]).update(title="beryl")
    for number in range(SHOWN + 1):
        make_campaign(f"opal-{number}")
    [documents] = _found(scene.member, "agate")
    assert (documents.more, len(documents.results)) == (True, SHOWN)
    assert client_of(scene.member).get(documents.all_url).status_code == 200
    [found] = _found(None, "beryl")
    assert [result.name for result in found.results] == [f"{number} beryl" for number in range(1, SHOWN + 1)]
    assert "type more of the name" in _page("beryl")
    assert "All Campaigns" in _page("opal-")
    of_topics = {group.kind: group for group in _found(None, "7")}["Topics"]
    assert of_topics.results[0].name == "7 beryl"
    assert "Nothing found" in _page("no such word")


def test_runs_of_a_board_are_found_behind_newer_ones_that_are_on_none_and_after_they_are_withdrawn(scene: Cast) -> None:
    """The board still names them, and its pages of them open; runs that no board names take no place from them."""
    publish(scene, PUBLIC)
    on_it = set(Run.objects.filter(task=scene.task).values_list("tag", flat=True))
    run = Run.objects.filter(team=scene.team)[0]
    Run.objects.bulk_create(
        Run(**_copied(run, task=scene.task, tag=f"{WORD}-new-{number}")) for number in range(search.READ)
    )
    assert _names(None, f"{WORD}-") & set(Run.objects.values_list("tag", flat=True)) == on_it
    Run.objects.filter(task=scene.task).update(state=Run.WITHDRAWN)
    [found] = [group for group in _found(None, f"{WORD}-") if group.kind == "Runs"]
    assert {result.name for result in found.results} == on_it
    for result in found.results:
        assert client_of(None).get(result.url).status_code == 200


def test_a_query_of_many_words_asks_for_each_once_and_for_few(scene: Cast) -> None:
    def compared(query: str) -> int:
        with CaptureQueriesContext(connection) as statements:
            page = _page(query)
        assert ("Left out:" in page) == ("w9" in query)
        assert "<bdi>w9</bdi>" in page or "w9" not in query
        return sum(statement["sql"].count(" LIKE ") for statement in statements)

    one, eight = compared("e"), compared("e w2 w3 w4 w5 w6 w7 w8")
    assert compared("e E " * 50) == one
    assert compared("e w2 w3 w4 w5 w6 w7 w8 w9") == eight


def _page(query: str) -> str:
    return client_of(None).get(reverse("search"), {"q": query}).content.decode()


def test_statements_of_a_search_do_not_grow_with_tasks(scene: Cast) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as statements:
            _found(scene.organiser, WORD)
        return len(statements)

    before = asked()
    for number in range(10):
        task = make_task(make_campaign(f"more-{number}", created_at=timezone.now()), f"{WORD}-{number}")
        make_topics(task, ["1"])
    assert asked() <= before <= 20


def test_every_page_has_the_field_and_the_desk_has_none(scene: Cast) -> None:
    assert 'aria-keyshortcuts="/"' in client_of(None).get("/").content.decode()
    page = _page(WORD)
    assert page.count('aria-keyshortcuts="/"') == 1
    assert 'hx-select="#found"' in page
