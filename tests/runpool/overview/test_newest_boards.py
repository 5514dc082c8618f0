"""Readers find the newest leaderboards on the home page: those that they may see."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Role, Task, User
from campaign.setup.services.people import role_invite
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.models import Leaderboard
from evaluation.selectors.campaign_boards import MOST_NEW, newest_boards
from tests.conftest import MadeOnce
from tests.evaluation.test_audiences import client_of, make_scored, publish
from tests.factories import Cast, make_task

pytestmark = pytest.mark.django_db
HEADING = "Newest leaderboards"


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scored) as scored:
        yield scored


@pytest.fixture
def scored(made: Cast, db: None) -> Cast:
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def home(user: User | None) -> str:
    return client_of(user).get(reverse("home")).content.decode()


def copied(board: Leaderboard, slug: str) -> Leaderboard:
    """The same in another task, published later."""
    task = make_task(board.task.campaign, slug=slug, phase=Task.PUBLISHED)
    values = {
        field.attname: getattr(board, field.attname) for field in Leaderboard._meta.fields if not field.primary_key
    }
    [made] = Leaderboard.objects.bulk_create(
        [Leaderboard(**{**values, "task_id": task.pk, "published_at": timezone.now()})]
    )
    return made


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS])
def test_who_takes_no_part_finds_the_newest_board_with_a_link_and_others_do_not(scored: Cast, audience: str) -> None:
    publish(scored, audience)
    board = publish(scored, audience)
    for user in (None, scored.stranger):
        shown = home(user)
        assert HEADING in shown
        assert f'<a href="{board.get_absolute_url()}">{scored.task.title}: leaderboard 2</a>' in shown
        assert "leaderboard 1" not in shown
        assert client_of(user).get(board.get_absolute_url()).status_code == 200
    for user in (scored.member, scored.organiser, scored.assessor):
        assert HEADING not in home(user)


def test_a_reader_begins_with_the_newest_boards_and_who_is_invited_with_the_invitation(scored: Cast) -> None:
    publish(scored, PUBLIC)
    shown = home(scored.stranger)
    assert "Leaderboards and campaigns" in shown
    assert shown.index(HEADING) < shown.index("Create or join a team")
    role_invite(actor=scored.organiser, campaign=scored.task.campaign, role=Role.ASSESSOR, user=scored.stranger)
    shown = home(scored.stranger)
    assert "Leaderboards and campaigns" not in shown
    assert shown.index("assessor") < shown.index(HEADING)


def test_a_board_for_participants_is_not_among_the_newest_of_a_reader_and_hides_none_that_they_may_see(
    scored: Cast,
) -> None:
    publish(scored, PARTICIPANTS)
    assert HEADING not in home(None) + home(scored.stranger)
    publish(scored, PUBLIC)
    publish(scored, PARTICIPANTS)
    assert [board.number for board in newest_boards(scored.stranger)] == [2]


def test_boards_of_drafts_and_of_tasks_in_set_up_are_not_among_the_newest(scored: Cast) -> None:
    publish(scored, PUBLIC)
    Task.objects.filter(pk=scored.task.pk).update(phase=Task.SETUP)
    assert newest_boards(scored.stranger) == []
    Task.objects.filter(pk=scored.task.pk).update(phase=Task.PUBLISHED)
    assert len(newest_boards(scored.stranger)) == 1
    Campaign.objects.update(opened_at=None)
    assert newest_boards(scored.stranger) == []


def test_boards_of_deleted_tasks_and_campaigns_are_not_among_the_newest(scored: Cast) -> None:
    publish(scored, PUBLIC)
    Task.objects.filter(pk=scored.task.pk).update(deleted_at=timezone.now())
    assert newest_boards(scored.stranger) == []


def test_a_search_and_a_further_page_of_campaigns_begin_with_what_was_asked_for(scored: Cast) -> None:
    publish(scored, PUBLIC)
    assert HEADING in home(None)
    assert HEADING not in client_of(None).get("/", {"search": "no such campaign"}).content.decode()


def test_the_last_of_many_tasks_are_listed_the_newest_first_in_one_query(scored: Cast) -> None:
    board = publish(scored, PUBLIC)
    later = [str(copied(board, f"task-{number}").task) for number in range(MOST_NEW + 1)]
    with CaptureQueriesContext(connection) as asked:
        found = newest_boards(scored.stranger)
        assert [str(entry.task) for entry in found] == later[:0:-1]
        assert [str(entry.task.campaign) for entry in found] == [str(scored.campaign)] * MOST_NEW
    assert len(asked) == 1
