"""One share of judging, that of the pool: the same in phase bar, tab, card, page, board and API, for whoever may know it."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Campaign, Task
from judging.progress.selectors.pool_share import pool_share
from judging.qrels.services.releases import qrels_release
from pooling.models import DuplicateSearch, Twin
from tests.api.makers import make_token
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import ROLES, assign, client_of, judge, make_assignment, make_pool

pytestmark = pytest.mark.django_db
SHARES = re.compile(r"(\d+) % of the pool")


def phase_bar(cast: Cast, role: str) -> str:
    page = client_of(cast, role).get(cast.task.get_absolute_url()).content.decode()
    return page.partition('class="phases"')[2].partition("</ol>")[0]


def go_on(task: Task, phase: str = Task.PUBLISHED) -> None:
    task.phase = phase
    task.save()


def close(cast: Cast) -> None:
    Campaign.objects.filter(pk=cast.campaign.pk).update(closed_at=timezone.now())


def told(client: Client, url: str) -> set[str]:
    """All shares that the page, or the fragment of one, tells in its words."""
    return set(SHARES.findall(" ".join(re.sub(r"<[^>]*>", "", client.get(url).content.decode()).split())))


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("phase", [Task.JUDGING, Task.SCORES, Task.PUBLISHED])
def test_organisers_read_the_share_and_every_role_once_nobody_judges(cast: Cast, phase: str, is_closed: bool) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    judge(assignment, "D1", 1)
    go_on(cast.task, phase)
    if is_closed:
        close(cast)
    api = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}"
    token = {"authorization": f"Bearer {make_token(cast.organiser)}"}
    tokens = {"organiser": token, "assessor": {"authorization": f"Bearer {make_token(cast.assessor)}"}}
    for role in ROLES:
        client = client_of(cast, role)
        knows = role == "organiser" or is_closed
        bar = phase_bar(cast, role)
        assert SHARES.findall(bar) == (["33"] if knows else []), role
        assert ("over, but not done" in bar) == (knows and phase != Task.JUDGING), role
        assert client.get(api, headers=tokens.get(role)).json()["pool_judged_percent"] == (33 if knows else None), role
    organiser = client_of(cast, "organiser")
    for page in ("judging_progress", "judging_card", "score_board"):
        assert told(organiser, cast.task.url(page)) == {"33"}, page
    tabs = organiser.get(cast.task.get_absolute_url()).content.decode().partition("task-tabs")[2]
    assert 'Judging <span class="count">33 %</span>' in tabs
    progress = Client().get(f"{api}/judging/progress", headers=token).json()
    assert (progress["pooled_judged"], progress["pooled"]) == (1, 3)


@pytest.mark.parametrize("phase", [Task.SCORES, Task.PUBLISHED])
def test_judging_that_is_over_is_marked_as_left_open_until_all_of_the_pool_is_judged(cast: Cast, phase: str) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    judge(assignment, "D1", 1)
    judge(assignment, "D2", None)
    go_on(cast.task, phase)
    for _ in range(2):
        bar = phase_bar(cast, "organiser")
        assert ("over, but not done" in bar, SHARES.findall(bar)) == (True, ["66"])
        if not cast.task.qrels.exists():
            qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool, policy="latest")
    judge(assignment, "D3", 0)
    assert not any("not done" in phase_bar(cast, role) or "% of" in phase_bar(cast, role) for role in ROLES)


def test_topics_that_nobody_was_given_count_as_not_judged(cast: Cast) -> None:
    [given, not_given] = make_topics(cast.task, ["7", "8"])
    pool = make_pool(cast.task, {given: ["D1", "D2"], not_given: ["D1", "D2", "D3"]}, cast.organiser)
    assignment = assign(pool, given, cast.assessor, cast.organiser)
    judge(assignment, "D1", 1)
    judge(assignment, "D2", 0)
    share = pool_share(cast.task)
    assert share is not None
    assert (share.judged, share.total, share.percent) == (2, 5, 40)


def test_what_was_judged_in_an_earlier_version_of_the_pool_or_by_a_second_assessor_counts_once(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["7"])
    first = make_pool(cast.task, {topic: ["D1", "D2"]}, cast.organiser)
    judge(assign(first, topic, cast.assessor, cast.organiser), "D1", 1)
    judge(assign(first, topic, make_user(), cast.organiser, pass_number=2), "D1", 2)
    make_pool(cast.task, {topic: ["D1", "D2", "D3", "D4"]}, cast.organiser, version=2)
    share = pool_share(cast.task)
    assert share is not None
    assert (share.judged, share.total, share.version) == (1, 4, 2)


def test_a_document_that_takes_the_grade_of_a_near_identical_one_is_judged_with_it(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    found = {"threshold": 0.8, "documents": 3, "found_at": timezone.now()}
    DuplicateSearch.objects.create(pool=assignment.pool, handling=DuplicateSearch.ONE, **found)
    for docno in ("D1", "D2"):
        alike = {"representative": "D1", "place": 0, "similarity": 0.9}
        Twin.objects.create(pool=assignment.pool, topic=assignment.topic, docno=docno, **alike)
    assert percent(cast.task) == 0
    judge(assignment, "D1", 1)
    assert percent(cast.task) == 66


def percent(task: Task) -> int | None:
    share = pool_share(task)
    return share.percent if share else None


def test_a_task_without_a_pool_has_no_share(cast: Cast) -> None:
    go_on(cast.task)
    assert pool_share(cast.task) is None
    assert "% of" not in phase_bar(cast, "organiser")
