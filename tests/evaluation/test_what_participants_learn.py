"""What a board for participants tells a member of a team of the others, and what nobody is told before all is public."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client

from campaign.models import Job, Membership, Run, Task, Team, User, job_key
from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.own import values_of_all
from evaluation.closer.trust.selectors import TRUST_OF_LEADERBOARD
from evaluation.models import Leaderboard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_received_run, make_team, make_topics, make_user

RUNS = {"own-1": "North", "own-2": "North", "other-1": "South", "other-2": "South", "other-3": "East"}


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    """Five runs of three teams; the member of the cast is in one of them, "North"."""
    Team.objects.filter(pk=cast.team.pk).update(name="North")
    teams = {"North": cast.team}
    teams |= {name: make_team(name, members=(make_user(),), campaign=cast.campaign) for name in ("South", "East")}
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2"])
    make_qrels(cast.task, {topic: {"a": 1, "b": 0, "x": 1} for topic in ("1", "2")}, cast.organiser)
    lists = (["a", "x"], ["b", "a"], ["x", "b", "a"], ["b"], ["b", "b1", "x"])
    for (tag, team), ranking in zip(RUNS.items(), lists, strict=True):
        make_valid_run(cast.task, teams[team], tag, {"1": ranking, "2": ranking})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))
    return cast


def publish(cast: Cast, audience: str) -> Leaderboard:
    return leaderboard_publish(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), audience=audience)


def answer(user: User | None, url: str, **headers: str) -> HttpResponse:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(url, headers=headers)


def text_of(response: Any) -> str:
    return bytes(response.getvalue()).decode(errors="replace")


def figures_told(cast: Cast) -> set[tuple[Any, ...]]:
    """Lowest, median and highest of every topic, as the member gets them in JSON."""
    data = json.loads(text_of(answer(cast.member, cast.task.url("leaderboard_json", number=1))))
    topics = [topic for run in data["runs"] for of in run["measures"].values() for topic in of["topics"]]
    return {(topic["low"], topic["median"], topic["high"]) for topic in topics}


def test_a_topic_that_fewer_than_three_teams_have_a_value_of_is_told_to_none() -> None:
    board = Board(tuple(RunFacts(tag, team, "automatic", 2) for tag, team in RUNS.items()), ("1", "2"), (), Choice())
    values = np.arange(10.0).reshape(5, 1, 2)
    values[4, 0, 1] = np.nan
    told = values_of_all(board, values, [0, 1])
    assert told[:, 0, 0].tolist() == values[:, 0, 0].tolist()
    assert np.isnan(told[:, 0, 1]).all(), "two teams are left: the value that is not the reader's is the other's"


@pytest.mark.django_db
def test_who_is_in_two_of_three_teams_does_not_learn_the_values_of_the_third(scored: Cast) -> None:
    publish(scored, "participants")
    assert (None, None, None) not in figures_told(scored)
    Membership.objects.create(team=Team.objects.get(name="South"), user=scored.member)
    assert figures_told(scored) == {(None, None, None)}


@pytest.mark.django_db
def test_the_picture_of_a_teams_run_has_no_quartiles_of_the_runs_of_others(scored: Cast) -> None:
    publish(scored, "participants")
    url = scored.task.url("leaderboard_run_file", number=1, tag="own-1", file_format="svg")
    own, whole = text_of(answer(scored.member, url)), text_of(answer(scored.organiser, url))
    assert "Bar: median" in own
    assert "middle half" not in own, "with quartiles the five values of a topic are known"
    assert "middle half" in whole
    Membership.objects.create(team=Team.objects.get(name="South"), user=scored.member)
    assert "Medians: not told." in text_of(answer(scored.member, url))
