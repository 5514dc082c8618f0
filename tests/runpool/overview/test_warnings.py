"""States that contradict each other are told to organisers, with the way out, and to nobody else."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Campaign, Task
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import AssigningRules, Qrels
from runpool.overview.warnings import warnings_of
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, make_pool

DAY = timedelta(days=1)


def told(cast: Cast, **values: Any) -> list[str]:
    Task.objects.filter(pk=cast.task.pk).update(**values)
    return [one.text for one in warnings_of(Task.objects.select_related("campaign").get(pk=cast.task.pk))]


def closed(**values: Any) -> dict[str, Any]:
    return {"closes_at": timezone.now() - DAY, **values}


def test_a_task_whose_states_agree_tells_nothing(cast: Cast) -> None:
    assert told(cast, phase=Task.SETUP) == []
    assert told(cast, phase=Task.RUNS) == []
    assert told(cast, **closed(phase=Task.POOL)) == []


@pytest.mark.parametrize(
    ("days", "phase", "after_pool", "begin"),
    [
        (7, Task.PUBLISHED, True, "The phase is Published, and the task is open for runs until"),
        (7, Task.JUDGING, False, "The phase is Judging, and the task is open for runs until"),
        (7, Task.POOL, True, ""),
        (-1, Task.RUNS, False, "The phase is Runs, and the deadline"),
        (-1, Task.POOL, False, ""),
    ],
)
def test_dates_that_contradict_the_phase_are_told(
    cast: Cast, days: int, phase: str, after_pool: bool, begin: str
) -> None:
    closes_at = timezone.now() + days * DAY
    found = told(cast, phase=phase, closes_at=closes_at, takes_runs_after_pool=after_pool)
    of_dates = [text for text in found if "deadline" in text or "open for runs" in text]
    assert [text[: len(begin)] for text in of_dates] == [begin] * bool(begin)


def test_a_phase_of_runs_before_the_opening_and_a_draft_past_its_setup_are_told(cast: Cast) -> None:
    [text] = told(cast, opens_at=timezone.now() + DAY)
    assert text.startswith("The phase is Runs, and no runs are taken before")
    Campaign.objects.update(opened_at=None)
    [text] = told(cast)
    assert text.startswith("The phase is Runs, and the campaign is a draft")


def test_judging_without_a_pool_and_a_pool_without_assessors_are_told(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["1"])
    assert told(cast, **closed(phase=Task.JUDGING)) == ["The phase is Judging, and there is no pool to judge."]
    pool = make_pool(cast.task, {topic: ["a"]}, cast.organiser)
    assert told(cast) == ["The phase is Judging, and no topic of pool 1 has an assessor."]
    rules = AssigningRules.objects.create(task=cast.task, topics_are_open=True)
    assert told(cast) == [], "assessors take their topics themselves"
    rules.delete()
    assign(pool, topic, cast.assessor, cast.organiser)
    assert told(cast) == []


def test_qrels_that_everybody_reads_while_runs_are_taken_are_told(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    qrels = make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    assert told(cast) == []
    Qrels.objects.filter(pk=qrels.pk).update(published_at=timezone.now())
    assert told(cast) == ["Qrels v1 can be read by everybody, and the task is open for runs."]


def test_a_development_round_is_open_while_its_qrels_and_boards_are_public(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    Task.objects.update(round_kind=Task.DEVELOPMENT, closes_at=timezone.now() + DAY)
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    Qrels.objects.update(published_at=timezone.now())
    assert told(cast) == []
    task_score(task=cast.task, report=lambda done, total: None)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    assert told(cast) == []


def test_uploads_that_were_closed_are_not_said_to_be_past_the_deadline(cast: Cast) -> None:
    [text] = told(cast, closes_at=timezone.now() + DAY, runs_closed_at=timezone.now())
    assert text.startswith("The phase is Runs, and uploads closed when the pool was frozen")


def test_nothing_is_told_of_an_archived_campaign(cast: Cast) -> None:
    assert told(cast, phase=Task.PUBLISHED) != []
    Campaign.objects.update(closed_at=timezone.now(), archived_at=timezone.now())
    assert told(cast) == []


def test_scores_and_boards_by_older_qrels_are_told_until_they_follow(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    published = closed(phase=Task.PUBLISHED)
    assert told(cast, **published) == [
        "The phase is Published, and no leaderboard with names is published for everybody."
    ]
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    assert told(cast) == []
    make_qrels(cast.task, {"1": {"a": 1, "b": 1}}, cast.organiser)
    assert told(cast) == [
        "The scores are by older qrels: by qrels v2, the newest, no run is scored.",
        "Leaderboard 1 is by qrels v1, and qrels v2 are the newest.",
    ]
    task_score(task=cast.task, report=lambda done, total: None)
    assert told(cast) == ["Leaderboard 1 is by qrels v1, and qrels v2 are the newest."]


def test_measures_that_need_a_grade_above_the_scale_are_told(cast: Cast) -> None:
    assert told(cast, measures=["AP(rel=3)", "nDCG@10"]) == []
    assert told(cast, measures=["AP(rel=4)", "nDCG@10"]) == [
        "The measures name AP(rel=4), and the highest grade of the task is 3."
    ]


def test_organisers_find_the_way_out_on_the_page_and_others_read_nothing_of_it(cast: Cast) -> None:
    Task.objects.update(phase=Task.PUBLISHED)
    way_out = f'<a href="{cast.task.url("task_edit")}">Change the deadline</a>'
    for role, shown in (("organiser", True), ("assessor", False), ("member", False), ("stranger", False)):
        client = Client()
        client.force_login(getattr(cast, role))
        text = client.get(cast.task.url("topic_list")).content.decode()
        assert (way_out in text, "task-warnings" in text) == (shown, shown)
        assert "Next: Upload a run" not in text, "what is published asks nobody for runs"
