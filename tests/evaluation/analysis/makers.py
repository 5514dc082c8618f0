"""A task with three scored runs of two teams, and its pages as readers see them."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from campaign.models import User
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

GRADES = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"x": 0, "y": 1}, "3": {"z": 1, "w": 0}}
RUNS = {
    "good": {"1": ["a", "c", "q"], "2": ["y"], "3": ["w", "z"]},
    "poor": {"1": ["b", "c", "a"], "2": ["x", "y"], "3": ["z"]},
    "lame": {"1": ["b"], "2": ["x"]},
}


def make_scored_task(cast: Cast, commit: Callable[..., Any], measures: tuple[str, ...] = ("AP", "RR")) -> None:
    """`good` and `lame` are runs of the cast's team, `poor` of the other team."""
    make_topics(cast.task, list(GRADES))
    cast.task.measures = list(measures)
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    for tag, ranking in RUNS.items():
        make_valid_run(cast.task, cast.other_team if tag == "poor" else cast.team, tag, ranking)
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)


def page(user: User | None, url: str, **query: str) -> str:
    """The text of an answer of 200, blanks as one."""
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(url, query)
    assert response.status_code == 200, (url, response.status_code)
    return " ".join(response.getvalue().decode(errors="replace").split())


def status(user: User | None, url: str, **query: str) -> int:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(url, query).status_code
