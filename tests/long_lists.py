"""A task with as many topics as a test wants: scored, pooled, assigned to the assessor of the cast, in part judged."""

from collections.abc import Callable, Iterable
from typing import Any

from campaign.models import Task
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, judge, make_pool


def make_scored_topics(cast: Cast, n_topics: int, commit: Callable[..., Any]) -> Task:
    """Topics 1 to `n_topics`, a leaderboard and qrels. Of three runs the values of `moves` go up and down by topic."""
    numbers = [str(number) for number in range(1, n_topics + 1)]
    make_topics(cast.task, numbers)
    cast.task.measures = ["AP", "RR"]
    cast.task.save()
    make_qrels(cast.task, {topic: {"r": 1, "n": 0} for topic in numbers}, cast.organiser)
    beyond = {topic: [f"n{place}" for place in range(int(topic) % 7)] + ["r"] for topic in numbers}
    make_valid_run(cast.task, cast.team, "moves", beyond)
    for tag in ("still", "calm"):
        make_valid_run(cast.task, cast.other_team, tag, {topic: ["n0", "n1", "r"] for topic in numbers})
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    task = Task.objects.get(pk=cast.task.pk)
    leaderboard_publish(actor=cast.organiser, task=task, audience="public")
    return task


def make_own_topics(cast: Cast, done: Iterable[str]) -> None:
    """All topics of the task are the assessor's; `done` are judged."""
    topics = list(cast.task.topics.all())
    pool = make_pool(cast.task, {topic: ["r"] for topic in topics}, cast.organiser)
    is_done = set(done)
    for topic in topics:
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        if topic.number in is_done:
            judge(assignment, "r", 1)
