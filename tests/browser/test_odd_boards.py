"""Boards of texts that are long, without a space, or from right to left: nothing goes sideways, with and without scripts."""

from typing import Any

import pytest
from django.test import TestCase

from campaign.models import Run, Task, Topic
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.browser.page_reader import Reader
from tests.browser.test_many_runs import look
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

pytestmark = pytest.mark.browser
TOPICS = 12
LONG = "x" * 300
FROM_THE_RIGHT = "ما هي أفضل دراجة للمدينة؟ " * 4
LONG_TAG = "t" * 100
PAGES: dict[str, dict[str, str]] = {
    "detail": {},
    "compare": {},
    "pairs": {},
    "heatmap": {},
    "topics": {},
    "topic": {"topic": "1"},
    "run": {"tag": LONG_TAG},
    "reliability": {},
    "curves": {},
}


@pytest.fixture
def task(cast: Cast, transactional_db: None) -> Task:
    numbers = [str(number) for number in range(1, TOPICS + 1)]
    make_topics(cast.task, numbers)
    Topic.objects.filter(number="1").update(title=LONG)
    Topic.objects.filter(number="2").update(title=FROM_THE_RIGHT)
    make_qrels(cast.task, {topic: {"r": 1, "n": 0} for topic in numbers}, cast.organiser)
    for tag, least in ((LONG_TAG, 0), ("b" * 40, 1), ("equal", 1), ("worst", 9)):
        ranking = {topic: [f"n{place}" for place in range(least + int(topic) % 3)] + ["r"] for topic in numbers}
        run = make_valid_run(cast.task, cast.team, tag, ranking)
        Run.objects.filter(pk=run.pk).update(
            paper_url="https://papers.example.org/p", code_url="https://code.example.org/c"
        )
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    task = Task.objects.get(pk=cast.task.pk)
    leaderboard_publish(actor=cast.organiser, task=task, audience="public")
    return task


def test_pages_of_a_board_with_odd_texts_stay_within_the_window_with_and_without_scripts(
    task: Task, live_server: Any, browser: Any
) -> None:
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts, viewport={"width": 390, "height": 844})
        reader = Reader(context.new_page(), live_server.url)
        for name, named in PAGES.items():
            address = task.url(f"leaderboard_{name}", number=1, **named)
            reader.read(address)
            look(reader, address)
        assert not reader.faults, "\n".join(sorted(reader.faults))
        context.close()
