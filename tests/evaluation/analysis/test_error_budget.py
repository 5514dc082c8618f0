"""Where the uncertainty comes from: the part of the report, from the judgments of people to its words."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string

from campaign.models import User
from evaluation.analysis.reliability.views import _budget
from evaluation.analysis.reliability.words import findings
from evaluation.engine.reliability.error_budget import topics_sharing_nobody
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from judging.models import Assignment, Qrels
from judging.qrels.selectors.manifests import people_under
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.spec import PoolSpec
from pooling.models import PoolRun
from tests.evaluation.analysis.makers import GRADES, make_scored_task, page
from tests.evaluation.engine.reliability.test_report import many_topics_report
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.evaluation.test_sampled_pools import RATES, freeze_and_judge, prepare, set_measures
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.adjudication.test_adjudication import decide
from tests.judging.makers import assign, judge, make_pool

Commit = Callable[..., Any]
DOCNOS = ["D1", "D2", "D3", "D4"]
RANKED = ["D1", "D3", "D2", "D4"]


def judged_task(cast: Cast, topics: int) -> list[Assignment]:
    """Each topic judged by a person of its own, with two runs of other orders on each."""
    made = make_topics(cast.task, [str(number) for number in range(1, topics + 1)])
    make_collection(cast.task, DOCNOS)
    spec = PoolSpec("depth-k", {"depth": 4}).to_json()
    pool = make_pool(cast.task, dict.fromkeys(made, DOCNOS), cast.organiser, spec=spec)
    assignments = [assign(pool, topic, make_user(f"person{place}"), cast.organiser) for place, topic in enumerate(made)]
    for place, assignment in enumerate(assignments):
        for number, docno in enumerate(DOCNOS):
            judge(assignment, docno, (place + number) % 3)
    set_measures(cast, "AP")
    for tag, shift in (("north", 0), ("south", 1)):
        ranking = {topic.number: RANKED[shift + at % 2 :] + RANKED[: shift + at % 2] for at, topic in enumerate(made)}
        run = make_valid_run(cast.task, cast.team, tag, ranking)
        PoolRun.objects.create(pool=pool, run=run, sha256=run.sha256, contributed=1, unique=1, priority=1)
    return assignments


def reported(cast: Cast, commit: Commit) -> dict[str, Any]:
    with commit(execute=True):
        qrels_release(actor=cast.organiser, task=cast.task, pool=cast.task.pools.get())
    with commit(execute=True):
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    data: dict[str, Any] = json.loads(page(None, cast.task.url("leaderboard_reliability_json", number=1)))
    return data


def second(assignments: list[Assignment], places: list[int], person: User, organiser: User) -> list[Assignment]:
    """The first topics judged again, by one person."""
    again = [
        assign(one.pool, one.topic, person, organiser, pass_number=2) for one in (assignments[at] for at in places)
    ]
    for assignment in again:
        for number, docno in enumerate(DOCNOS):
            judge(assignment, docno, 2 * (number % 2))
    return again


@pytest.mark.django_db
def test_a_board_of_topics_with_assessors_of_their_own_says_that_its_intervals_hold_them(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    judged_task(cast, 3)
    found = reported(cast, django_capture_on_commit_callbacks)["error_budget"]
    assert (found["groups"], list(found["missing"])) == (3, ["assessors", "draws"])
    for row in (*found["means"], *found["differences"]):
        assert row["half_width_over_groups"] == row["half_width"] > 0
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "No two topics share an assessor: the intervals of the board hold what assessors add." in shown
    assert "No topic was judged twice." in shown
    assert "AP is no estimate from a sample." in shown
    assert "person0" not in shown


@pytest.mark.django_db
def test_a_second_assessor_of_some_topics_ties_them_and_tells_what_other_assessors_would_move(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    assignments = judged_task(cast, 6)
    second(assignments, [0, 1], make_user("zoe"), cast.organiser)
    for place in (2, 3, 4):
        second(assignments, [place], make_user(f"second{place}"), cast.organiser)
    data = reported(cast, django_capture_on_commit_callbacks)
    found = data["error_budget"]
    assert (found["groups"], found["topics_judged_twice"], list(found["missing"])) == (5, 5, ["draws"])
    for row in (*found["means"], *found["differences"]):
        assert row["half_width_over_groups"] >= row["half_width"]
        assert row["deviation_by_assessors"] > 0
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "There are 5 groups of topics that share no assessor" in shown
    assert "by the 5 topics that were judged twice" in shown
    assert "zoe" not in shown


@pytest.mark.django_db
def test_an_adjudicator_is_among_the_people_of_a_topic_where_decisions_count(cast: Cast) -> None:
    assignments = judged_task(cast, 3)
    for place in (0, 1):
        second(assignments, [place], make_user(f"second{place}"), cast.organiser)
        decide(cast, assignments[place], "D2" if place else "D1", 1)
    plain, adjudicated = (
        set(
            people_under(qrels_release(actor=cast.organiser, task=cast.task, pool=assignments[0].pool, adjudicated=one))
        )
        for one in (False, True)
    )
    topics = ["1", "2", "3"]
    assert len(plain) == 5
    assert np.array_equal(topics_sharing_nobody(plain, topics), [0, 1, 2])
    assert {topic for topic, _ in adjudicated - plain} == {"1", "2"}
    assert np.array_equal(topics_sharing_nobody(adjudicated, topics), [0, 0, 1])


@pytest.mark.django_db
def test_one_assessor_of_all_topics_leaves_the_interval_of_the_board_and_the_page_says_what_it_lacks(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    prepare(cast)
    set_measures(cast, "xinfAP")
    freeze_and_judge(cast, PoolSpec.with_defaults("stratified", RATES))
    found = reported(cast, django_capture_on_commit_callbacks)["error_budget"]
    assert found["groups"] == 1
    assert found["missing"] == {"assessors": "No topic was judged twice.", "groups": "One person judged all topics."}
    assert found["draws"] == 25
    assert all(row["deviation_by_draws"] > 0 for row in (*found["means"], *found["differences"]))
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "No interval here holds what assessors add to several topics alike. One person judged all topics." in shown
    assert "The draw of the judged documents brings" in shown
    assert "SD, other draw" in shown
    assert "± over groups" not in shown
    assert "SD, other assessors" not in shown


@pytest.mark.django_db
def test_of_judgments_from_elsewhere_nobody_is_known(cast: Cast, django_capture_on_commit_callbacks: Commit) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    make_qrels(cast.task, GRADES, cast.organiser, source=Qrels.IMPORTED)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    with django_capture_on_commit_callbacks(execute=True):
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "The judgments were not made on this site: who judged which topic is not known." in shown


def test_reports_from_before_and_reports_without_the_part_show_no_table() -> None:
    assert _budget(None) is None
    assert "error_budget" not in findings({"split_half": None, "reasons": {"split_half": "One topic."}})

    def shown(**context: object) -> str:
        return render_to_string("evaluation/analysis/reliability/_budget.html", context)

    assert shown(found={}, budget=None).strip() == ""
    told = shown(found={"error_budget": "GMAP is not a mean over all topics."}, budget=None)
    assert "GMAP is not a mean over all topics." in told
    assert "<table" not in told


def test_strata_with_one_judged_document_make_the_figure_a_least_one() -> None:
    data = many_topics_report("AP")
    found = data["error_budget"]
    found.update(share_by_draws=0.25, strata_of_one=1, draws=25)
    del found["missing"]["draws"]
    assert "brings at least 25.0 % of the variance of a difference of neighbours" in findings(data)["error_budget"]
    found["share_by_draws"] = 1.4
    assert "brings by this estimate as much as all of the variance" in findings(data)["error_budget"]
    told = render_to_string(
        "evaluation/analysis/reliability/_budget.html",
        {"found": findings(data), "budget": _budget(found), "data": data},
    )
    assert "1 stratum with one judged document" in " ".join(told.split())
