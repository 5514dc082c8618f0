"""Boards by qrels that hold relevant documents only, as many collections that are handed on."""

import pytest
from django.core.cache import cache
from django.test import Client

from campaign.models import Task
from evaluation.analysis.reliability.services import published_report_compute
from evaluation.selectors.task_measures import board_cautions
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

pytestmark = pytest.mark.django_db
MEASURES = ["AP", "nDCG@10", "bpref", "Judged@10"]


def test_a_board_names_the_measures_that_need_what_was_judged_and_is_not_relevant(cast: Cast) -> None:
    qrels = make_qrels(cast.task, {"1": {"D1": 1, "D2": 2}, "2": {"D1": 1}}, cast.organiser)
    [said] = board_cautions(qrels, MEASURES)
    assert said.startswith(f"bpref, Judged@10: no document is judged non-relevant by {qrels}, so that")
    assert said.endswith("or name other measures.")
    [to_readers] = board_cautions(qrels, MEASURES, remedies=False)
    assert to_readers.endswith("Values mean little.")


def test_a_board_is_silent_where_no_measure_needs_them_or_there_are_some(cast: Cast) -> None:
    only_relevant = make_qrels(cast.task, {"1": {"D1": 1}}, cast.organiser)
    assert board_cautions(only_relevant, ["AP", "nDCG@10", "P@10", "RR"]) == []
    assert board_cautions(only_relevant, ["bpref(rel=2)"]) == [], "grade 1 is not relevant to it"
    with_others = make_qrels(cast.task, {"1": {"D1": 1, "D2": 0}}, cast.organiser)
    assert board_cautions(with_others, MEASURES) == []


@pytest.mark.parametrize(("others", "says_so"), [({}, False), ({"x": 0}, True)])
def test_what_was_judged_is_told_by_no_page_of_a_board_where_the_qrels_do_not_tell_it(
    cast: Cast, others: dict[str, int], says_so: bool
) -> None:
    """The third topic has no relevant document, and so no line where the qrels hold no others."""
    cache.clear()
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP"])
    cast.task.refresh_from_db()
    make_topics(cast.task, ["1", "2", "3"])
    make_qrels(
        cast.task,
        {"1": {"a": 1, **others}, "2": {"b": 1, **others}, **({"3": others} if others else {})},
        cast.organiser,
    )
    make_valid_run(cast.task, cast.team, "one", {topic: ["a", "b", "c", "d"] for topic in ("1", "2", "3")})
    make_valid_run(cast.task, cast.team, "two", {topic: ["c", "b", "d", "e"] for topic in ("1", "2", "3")})
    task_score(task=cast.task, report=lambda done, total: None)
    client = Client()
    client.force_login(cast.organiser)
    shown = [client.get(cast.task.url("leaderboard_publish")).content.decode()]
    assert ("of the first 10 documents of a run" in shown[0]) is says_so
    board = leaderboard_publish(actor=cast.organiser, task=cast.task)
    published_report_compute(leaderboard=board, report=lambda done, total, what: None)
    shown += [
        client.get(cast.task.url(page, number=1)).content.decode()
        for page in ("leaderboard_detail", "leaderboard_reliability")
    ]
    assert ("Few documents are judged" in shown[1]) is says_so
    assert ("have its first documents judged" in shown[2]) is says_so
    assert ("The qrels hold relevant documents only" in shown[2]) is not says_so
    assert ("judged share" in shown[1].partition("Reliability")[2][:200]) is says_so
