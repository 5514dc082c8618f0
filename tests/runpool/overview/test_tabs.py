"""The line of tabs under the phase bar: each reader is led where they may go, and told how much is there."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from campaign.models import Run, Task, User
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_received_run, make_topics
from tests.judging.makers import assign, judge, make_pool

ENTRY = re.compile(
    r'<a href="([^"]*)"\s*(?:aria-current="(\w+)")?>([^<]*)(?:<span class="count">([^<]*)</span>)?\s*</a>'
)


def line_of(user: User | None, address: str) -> dict[str, tuple[str, str, str]]:
    """By the name of each tab: its count, its address and how it is marked."""
    client = Client()
    if user is not None:
        client.force_login(user)
    text = client.get(address).content.decode()
    bar = text.partition('<nav class="task-tabs"')[2].partition("</nav>")[0]
    return {name.strip(): (figure, url, current) for url, current, name, figure in ENTRY.findall(bar)}


def make_everything(cast: Cast) -> None:
    """Topics 1 and 2 with a pool of four documents, three of them judged, qrels, scores and a board for everybody."""
    topics = make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b", "c"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    make_received_run(cast.task, cast.other_team, "lost", b"x", state=Run.REJECTED)
    make_valid_run(cast.task, cast.other_team, "two", {"1": ["b", "a"]})
    pool = make_pool(cast.task, {topic: ["a", "b"] for topic in topics}, cast.organiser)
    first, second = (assign(pool, topic, cast.assessor, cast.organiser) for topic in topics)
    judge(first, "a", 1)
    judge(first, "b", 0)
    judge(second, "a", 1)
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    cast.task.refresh_from_db()


def test_everybody_is_shown_the_tabs_that_they_may_open_with_what_is_there(cast: Cast) -> None:
    make_everything(cast)
    home = cast.task.get_absolute_url()
    public = {"Overview": "", "Topics": "2", "Qrels": "v1", "Leaderboard": "1"}
    assessor = {"Overview": "", "Topics": "2", "Documents": "3", "My topics": "1"}
    organiser = {"Overview": "", "Topics": "2", "Documents": "3", "Runs": "2", "Pool": "v1", "Judging": "75 %"}
    expected = {
        "organiser": {**organiser, "Qrels": "v1", "Scores": "", "Leaderboard": "1"},
        "assessor": {**assessor, "Qrels": "v1", "Leaderboard": "1"},
        "member": {"Overview": "", "Topics": "2", "Documents": "3", "Runs": "1", "Qrels": "v1", "Leaderboard": "1"},
        "stranger": public,
        "anonymous": public,
    }
    for role, shown in expected.items():
        user = getattr(cast, role, None)
        line = line_of(user, home)
        assert {name: figure for name, (figure, _, _) in line.items()} == shown, role
        assert list(line) == list(shown), role
        client = Client()
        if user is not None:
            client.force_login(user)
        assert {client.get(url, follow=True).status_code for _, url, _ in line.values()} == {200}


def test_what_is_not_there_yet_is_a_room_for_organisers_only(cast: Cast) -> None:
    assert list(line_of(cast.member, cast.task.get_absolute_url())) == ["Overview", "Topics", "Documents", "Runs"]
    assert {"Pool", "Qrels", "Leaderboard"} < set(line_of(cast.organiser, cast.task.get_absolute_url()))


def test_the_room_of_the_page_is_marked_and_no_other(cast: Cast) -> None:
    make_everything(cast)
    pages: dict[str, tuple[str, Any]] = {
        "Overview": ("task_detail", {}),
        "Topics": ("topic_detail", {"topic_number": "1"}),
        "Runs": ("runs_recheck", {}),
        "Pool": ("pool_completeness", {"version": 1}),
        "Judging": ("assignment_create", {}),
        "Qrels": ("qrels_detail", {"version": 1}),
        "Scores": ("runs_unjudged", {}),
        "Leaderboard": ("leaderboard_detail", {"number": 1}),
    }
    for name, (page, kwargs) in pages.items():
        line = line_of(cast.organiser, cast.task.url(page, **kwargs))
        marked = {room: current for room, (_, _, current) in line.items() if current}
        assert marked == {name: "page" if name == "Overview" else "true"}, name
    cast.task.campaign.roles.create(user=cast.organiser, role="assessor")
    for page, name in (("my_topics", "My topics"), ("preferences", "Judging"), ("my_preferences", "My topics")):
        line = line_of(cast.organiser, cast.task.url(page))
        assert [room for room, (_, _, current) in line.items() if current] == [name]


def test_the_line_costs_as_many_queries_however_much_there_is(cast: Cast, django_assert_max_num_queries: Any) -> None:
    make_everything(cast)
    Task.objects.update(phase=Task.PUBLISHED)
    client = Client()
    client.force_login(cast.organiser)
    client.get(cast.task.url("topic_list"))  # after which percentages are kept
    with django_assert_max_num_queries(37):
        client.get(cast.task.url("topic_list"))
    assert client.get(reverse("home")).status_code == 200
