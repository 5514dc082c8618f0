"""Topics removed from scoring, topics for feedback, and runs that do not rank: what boards are computed of."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from campaign.models import AuditEvent, RowState, Run, Task, Topic
from campaign.setup.services.tasks import UnconfirmedChangesError
from evaluation.boards.stored import values_of
from evaluation.models import WorkingBoard
from evaluation.selectors.boards import content_of, stored_board, working_board
from evaluation.services.feedback import drawn_topics, feedback_set
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.ranked_runs import run_rank
from evaluation.services.scoring import scores_request, task_score
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_task, make_topics

GRADES = {
    "1": {"a": 1, "b": 0, "c": 2},
    "2": {"a": 0, "b": 1},
    "3": {"a": 2, "c": 0, "d": 1},
    "4": {"b": 1, "e": 0},
    "5": {"d": 2, "b": 0},
}
RUNS = {
    "bm25": {"1": ["a", "x", "c"], "2": ["b", "a"], "3": ["c", "a"], "4": ["b"], "5": ["x", "d"]},
    "dense": {"1": ["b", "a"], "2": ["x", "b"], "4": ["e", "x", "b"], "5": ["d"]},
    "late": {topic: ["a", "b", "c", "d", "e"] for topic in GRADES},
}
MEASURES = ["AP", "nDCG@10", "Judged@10", "GMAP"]


def make_scored(cast: Cast, task: Task, grades: dict[str, dict[str, int]], tags: list[str]) -> Task:
    Task.objects.filter(pk=task.pk).update(measures=MEASURES)
    make_topics(task, list(GRADES))
    make_qrels(task, grades, cast.organiser)
    for tag in tags:
        make_valid_run(task, cast.team, tag, RUNS[tag])
    return Task.objects.get(pk=task.pk)


def score(task: Task) -> WorkingBoard:
    task_score(task=Task.objects.get(pk=task.pk), report=lambda done, total: None)
    board = working_board(task)
    assert board is not None
    return board


def remove(task: Task, number: str) -> None:
    Topic.objects.filter(task=task, number=number).update(
        removed_at=timezone.now(), removal_reason="the text names another city", removed_after_scores=True
    )


def published(task: Task) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Client().get(task.url("leaderboard_json", number=1)).getvalue())
    return found


@pytest.fixture
def task(cast: Cast) -> Task:
    return make_scored(cast, cast.task, GRADES, list(RUNS))


@pytest.mark.django_db
def test_a_board_is_the_same_as_if_what_does_not_count_had_never_been_there(cast: Cast, task: Task) -> None:
    """Means, intervals, tests, curves, bounds and shares of judged documents: none of it knows the topics and runs left out."""
    score(task)
    remove(task, "4")
    Topic.objects.filter(task=task, number="2").update(is_feedback=True)
    Run.objects.filter(tag="late").update(after_qrels=True)
    found = score(task)
    without = {topic: of for topic, of in GRADES.items() if topic not in ("2", "4")}
    other = make_scored(cast, make_task(cast.campaign), without, ["bm25", "dense"])
    never = score(other)
    board = stored_board(str(found.board.name))
    assert board.to_json() == stored_board(str(never.board.name)).to_json()
    assert board.topics == ("1", "3", "5")
    values, expected = (values_of(content_of(one.values), board) for one in (found, never))
    assert np.array_equal(values, expected, equal_nan=True)


@pytest.mark.django_db
def test_a_topic_removed_after_the_board_was_seen_cannot_be_published_before_it_is_computed_anew(
    cast: Cast, task: Task
) -> None:
    score(task)
    remove(task, "4")
    with pytest.raises(ValidationError, match="no scores to publish"):
        leaderboard_publish(actor=cast.organiser, task=task)
    score(task)
    leaderboard = leaderboard_publish(actor=cast.organiser, task=task)
    [removed] = leaderboard.tests["topics_removed"]
    assert removed == {"topic": "4", "reason": "the text names another city", "after_scores": True}
    page = Client().get(leaderboard.get_absolute_url()).content.decode()
    assert "1 topic removed from scoring: 4 (the text names another city; after scores had been computed)" in page
    assert published(task)["topics"] == ["1", "2", "3", "5"]


@pytest.mark.django_db
@pytest.mark.parametrize("audience", ["public", "anonymous"])
def test_runs_that_do_not_rank_are_listed_below_the_board_by_name_only_where_runs_are_named(
    cast: Cast, task: Task, audience: str
) -> None:
    Run.objects.filter(tag="late").update(after_qrels=True)
    score(task)
    leaderboard = leaderboard_publish(actor=cast.organiser, task=task, audience=audience)
    assert len(published(task)["runs"]) == 2
    page = Client().get(leaderboard.get_absolute_url()).content.decode()
    assert "After the qrels" in page
    assert ("late" in page) == (audience == "public")
    client = Client()
    client.force_login(cast.organiser)
    board = client.get(task.url("score_board")).content.decode()
    assert "Not ranked" in board
    assert "AP 0." in board


@pytest.mark.django_db
def test_the_working_board_is_shown_with_and_without_removed_topics(cast: Cast, task: Task) -> None:
    remove(task, "4")
    score(task)
    client = Client()
    client.force_login(cast.organiser)
    text = client.get(task.url("with_removed_csv")).content.decode()
    [head, *lines] = [line.split(",") for line in text.splitlines()]
    assert head[3:] == ["mean_without", "rank_without", "mean_with", "rank_with"]
    by_run = {line[0]: [float(number) for number in line[3:]] for line in lines}
    without, _, whole, _ = by_run["bm25"]
    assert whole == pytest.approx((4 * without + 1.0) / 5)
    assert "the text names another city" in client.get(task.url("with_removed")).content.decode()


@pytest.mark.django_db
def test_a_feedback_set_is_drawn_by_a_seed_confirmed_once_scores_exist_and_settled_by_a_publication(
    cast: Cast, task: Task
) -> None:
    drawn = drawn_topics(list(GRADES), 2, "7")
    assert feedback_set(actor=cast.organiser, task=task, topics=drawn, seed="7") == drawn
    assert AuditEvent.objects.latest("pk").data["seed"] == "7"
    score(task)
    with pytest.raises(UnconfirmedChangesError):
        feedback_set(actor=cast.organiser, task=task, topics=[])
    for topics, problem in ((list(GRADES), "At least one topic must stay"), (["99"], "There is no topic 99")):
        with pytest.raises(ValidationError, match=problem):
            feedback_set(actor=cast.organiser, task=task, topics=topics, is_confirmed=True)
    before = RowState.objects.count()
    feedback_set(actor=cast.organiser, task=task, topics=["5"], is_confirmed=True)
    assert RowState.objects.count() == before + len({*drawn} ^ {"5"}), "topics that stay as they are are not written"
    score(task)
    leaderboard = leaderboard_publish(actor=cast.organiser, task=task)
    assert leaderboard.tests["topics_for_feedback"] == ["5"]
    [change] = leaderboard.tests["changed_after_scores"]
    assert any("no longer for feedback" in said for said in change["changes"])
    with pytest.raises(ValidationError, match="A leaderboard is published"):
        feedback_set(actor=cast.organiser, task=task, topics=["1"], is_confirmed=True)


@pytest.mark.django_db
def test_topics_for_feedback_are_drawn_ticked_and_saved_on_the_page(cast: Cast, task: Task) -> None:
    client, url = Client(), task.url("feedback_topics")
    client.force_login(cast.organiser)
    page = client.post(url, {"draw": "1", "count": "2", "seed": "7"}).content.decode()
    drawn = drawn_topics(list(GRADES), 2, "7")
    assert all(f'value="{topic}" checked' in page for topic in drawn)
    assert not Topic.objects.filter(is_feedback=True).exists(), "a draw is looked at first"
    client.post(url, {"topic": drawn, "seed": "7"})
    assert list(Topic.objects.filter(is_feedback=True).values_list("number", flat=True)) == drawn
    assert AuditEvent.objects.latest("pk").data["seed"] == "7"
    client.post(url, {"topic": ["1"], "seed": "9"})
    assert AuditEvent.objects.latest("pk").data.get("seed") in (None, "9")
    for bad in ("0", "5", "x", "9" * 30):
        assert client.post(url, {"draw": "1", "count": bad, "seed": "7"}).status_code == 422


@pytest.mark.django_db
def test_a_team_names_the_runs_that_rank_until_a_leaderboard_is_published(
    cast: Cast, task: Task, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    Task.objects.filter(pk=task.pk).update(scores_shown=Task.MEANS)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=None, task=Task.objects.get(pk=task.pk))
    client = Client()
    client.force_login(cast.member)
    run = Run.objects.get(tag="dense")
    assert "Leave out of the ranking" in client.get(task.url("run_scores", tag="dense")).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(task.url("run_ranked", tag="dense"), {"rank": "0"})
    board = working_board(task)
    assert board is not None
    assert [of.tag for of in stored_board(str(board.board.name)).runs] == ["bm25", "late"]
    leaderboard_publish(actor=cast.organiser, task=Task.objects.get(pk=task.pk))
    with pytest.raises(ValidationError, match="A leaderboard is published"):
        run_rank(actor=cast.member, run=run, is_ranked=True)
