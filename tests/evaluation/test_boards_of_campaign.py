"""The page of a campaign leads to every published board, and names none that its reader may not see."""

from django.test import Client

from campaign.models import User
from evaluation.boards.audiences import PARTICIPANTS, PUBLIC
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_task, make_topics


def boards_on_the_page(cast: Cast, user: User | None) -> list[tuple[str, int]]:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get(cast.campaign.get_absolute_url())
    boards = answer.context["boards"]
    assert all(f'href="{board.url}"' in answer.content.decode() for board in boards)
    assert {client.get(board.url).status_code for board in boards} <= {200}
    return [(board.task.slug, board.number) for board in boards]


def test_every_board_of_every_task_is_linked_for_those_who_may_see_it(cast: Cast) -> None:
    second = make_task(cast.campaign, "second")
    for task in (cast.task, second):
        make_topics(task, ["1"])
        make_valid_run(task, cast.team, "one", {"1": ["a", "b"]})
        make_qrels(task, {"1": {"a": 1, "b": 0}}, cast.organiser)
        task_score(task=task, report=lambda done, total: None)
    assert boards_on_the_page(cast, cast.organiser) == []
    leaderboard_publish(actor=cast.organiser, task=cast.task, audience=PARTICIPANTS)
    leaderboard_publish(actor=cast.organiser, task=cast.task, audience=PUBLIC)
    leaderboard_publish(actor=cast.organiser, task=second, audience=PARTICIPANTS)
    first = cast.task.slug
    assert boards_on_the_page(cast, cast.organiser) == [(first, 2), (first, 1), ("second", 1)]
    assert boards_on_the_page(cast, cast.member) == [(first, 2), (first, 1), ("second", 1)]
    for user in (cast.other_member, cast.assessor, cast.stranger, None):
        assert boards_on_the_page(cast, user) == [(first, 2)]
