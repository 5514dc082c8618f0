"""Boards of texts that are long, without a space, or from right to left: nothing goes sideways, and no control is lost."""

from typing import Any

import pytest
from django.test import TestCase

from campaign.models import Run, Task, Topic
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

pytestmark = pytest.mark.browser
TOPICS = 12
LONG = "x" * 300
FROM_THE_RIGHT = "ما هي أفضل دراجة للمدينة؟ " * 4
LONG_TAG = "t" * 60
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
SIDEWAYS = """() => {
  const width = document.documentElement.clientWidth, wide = document.documentElement.scrollWidth - width;
  const scrolls = (one) => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  const lost = [...document.querySelectorAll("a, button, input, select, summary")].filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    return one.checkVisibility() && (left < -1 || right > width + 1) && !scrolls(one.parentElement);
  });
  return [...(wide > 0 ? [`${wide} pixels sideways`] : []), ...lost.map((one) => `lost: ${one.outerHTML.slice(0, 120)}`)];
}"""
"""What is wrong with a page: how much wider than its window it is, and controls beside the window that nothing scrolls to."""
COLOUR = "(row) => getComputedStyle(row.cells[1]).backgroundColor"


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


def test_pages_of_a_board_with_odd_texts_stay_within_the_window_and_the_board_without_scripts_too(
    task: Task, live_server: Any, browser: Any
) -> None:
    faults = []
    for scripts, names in ((True, list(PAGES)), (False, ["detail"])):
        page = browser.new_context(java_script_enabled=scripts, viewport={"width": 390, "height": 844}).new_page()
        for name in names:
            page.goto(live_server.url + task.url(f"leaderboard_{name}", number=1, **PAGES[name]))
            for width in (390, 320):
                page.set_viewport_size({"width": width, "height": 844})
                faults += [f"{name} {width}, scripts {scripts}: {fault}" for fault in page.evaluate(SIDEWAYS)]
        page.context.close()
    assert not faults, "\n".join(faults)
    page = browser.new_context(viewport={"width": 1280, "height": 600}).new_page()
    page.goto(live_server.url + task.url("topic_list"))
    assert not page.evaluate(SIDEWAYS)
    _a_long_title_scrolls_and_rows_are_marked(page, live_server.url, task)
    page.context.close()


def _a_long_title_scrolls_and_rows_are_marked(page: Any, site: str, task: Task) -> None:
    page.goto(site + task.url("leaderboard_heatmap", number=1))
    rows = page.locator("table.data tbody tr")
    plain = rows.nth(1).evaluate(COLOUR)
    rows.nth(1).locator("a").focus()
    assert rows.nth(1).evaluate(COLOUR) != plain
    page.set_viewport_size({"width": 320, "height": 600})
    page.goto(site + task.url("leaderboard_topics", number=1))
    table = page.locator("#listed .table-wrap")
    assert table.evaluate("(one) => one.scrollWidth") < 1000, "values are out of reach beside a title"
    page.goto(site + task.url("leaderboard_topic", number=1, topic="1"))
    heading = page.locator("h1")
    assert heading.bounding_box()["height"] < 140
    heading.focus()
    assert heading.evaluate("(one) => one === document.activeElement && one.scrollHeight > one.clientHeight")
