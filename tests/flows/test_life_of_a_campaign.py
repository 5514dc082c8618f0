"""A campaign lives through three rounds, is archived, and comes back on an empty site with every hash and every score.

Development round, blind test round with an erratum and a late run, residual round; a moved deadline and two publications.
"""

from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.test import TestCase
from django.utils import timezone

from campaign.collection.services.topic_corrections import topic_correct
from campaign.integrity import Extent
from campaign.models import Correction, JudgedBefore, Notice, Restoration, Run, Task
from campaign.runs.selectors.resubmission import runs_to_resubmit
from campaign.runs.services.resubmission import runs_resubmit
from campaign.setup.services.rounds import round_add
from campaign.setup.services.tasks import task_enter_phase, task_update
from campaign.teams.services.allowances import allowance_give
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.boards import stored_board
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.services.earlier_rounds import judged_before_fix
from judging.qrels.services.publication import qrels_show
from judging.qrels.services.releases import qrels_release
from pooling.models import PoolEntry
from pooling.services.pools import pool_freeze
from runpool.operations.row_states import row_states_begin, verify_row_states
from tests.campaign.runs.makers import signed_in, submit_and_check
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_collection, make_topics, make_user, run_lines
from tests.judging.makers import assign, judge
from tests.pooling.makers import depth_k
from tests.runpool.archive.makers import archive_of, bytes_of, files_of, made_elsewhere, manifest_of, restore

pytestmark = [pytest.mark.django_db, pytest.mark.services]
DOCNOS = [f"d{number}" for number in range(12)]
TOPICS = ["1", "2", "10"]
Scores = dict[tuple[str, str, int], tuple[list[str], bytes]]


def submit(cast: Cast, task: Task, tag: str, first: int, **values: Any) -> Run:
    """A run that begins with another document."""
    ranking = dict.fromkeys(TOPICS, DOCNOS[first:] + DOCNOS[:first])
    cast.task = task
    return submit_and_check(cast, tag, run_lines(ranking, tag), **values)


def judge_and_release(cast: Cast, task: Task) -> None:
    """Freeze a pool, judge all of it, release, score."""
    pool = pool_freeze(actor=cast.organiser, task=task, spec=depth_k(3))
    grades = count()
    for topic in task.topics.order_by("position"):
        if entries := list(pool.entries.filter(topic=topic).order_by("position")):
            assignment = assign(pool, topic, cast.assessor, cast.organiser)
            for entry in entries:
                judge(assignment, entry.docno, next(grades) % 3)
    qrels_release(actor=cast.organiser, task=task, pool=pool)
    score(task)


def score(task: Task) -> None:
    task_score(task=Task.objects.get(pk=task.pk), report=lambda done, total: None)


def development_round(cast: Cast) -> None:
    """Teams see their scores by topic at once, with visible qrels; the deadline is moved."""
    task = cast.task
    task_update(actor=cast.organiser, task=task, closes_at=timezone.now() + timedelta(days=3))
    grades = {"1": {"d0": 2, "d1": 0}, "2": {"d2": 1}}
    qrels_show(actor=cast.organiser, qrels=make_qrels(task, grades, cast.organiser, source=Qrels.IMPORTED))
    own = submit(cast, task, "tuned", 0)
    submit(cast, task, "other", 4, team=cast.other_team, actor=cast.other_member)
    score(task)
    assert Notice.objects.filter(task=task, title__contains="deadline").exists()
    shown = signed_in(cast.member).get(task.url("run_scores", tag=own.tag)).getvalue().decode()
    assert "AP" in shown
    assert "0." in shown


def blind_round(cast: Cast, follows: Task) -> Task:
    """Blind: runs entered again, an erratum, a late run by allowance; published to participants, then to everybody."""
    task = round_add(actor=cast.organiser, task=follows, slug="blind", title="Blind", round_kind=Task.TEST)
    task = task_enter_phase(actor=cast.organiser, task=task, phase=Task.RUNS)
    task_update(actor=cast.organiser, task=task, scores_shown=Task.NOTHING)
    with TestCase.captureOnCommitCallbacks(execute=True):
        runs_resubmit(actor=cast.member, task=task, runs=runs_to_resubmit(cast.member, task))
    submit(cast, task, "theirs", 6, team=cast.other_team, actor=cast.other_member)
    first = task.topics.get(number="1")
    topic_correct(actor=cast.organiser, topic=first, fields={"title": "mended"}, reason="typo", note="A typo.")
    judge_and_release(cast, task)
    blind = signed_in(cast.member).get(task.url("run_scores", tag="tuned")).getvalue().decode()
    assert "when the organisers publish" in blind
    leaderboard_publish(actor=cast.organiser, task=task, audience=PARTICIPANTS)
    leaderboard_publish(actor=cast.organiser, task=task)
    allowance_give(
        actor=cast.organiser,
        task=Task.objects.get(pk=task.pk),
        team=cast.team,
        extra_runs=1,
        closes_at=timezone.now() + timedelta(days=9),
        reason="ill",
    )
    late = submit(cast, Task.objects.get(pk=task.pk), "late", 2)
    assert late.after_qrels
    score(task)
    task.refresh_from_db()
    return task


def residual_round(cast: Cast, follows: Task) -> None:
    task = round_add(actor=cast.organiser, task=follows, slug="rest", title="Rest", round_kind=Task.RESIDUAL)
    fixed = judged_before_fix(actor=cast.organiser, task=task)
    task = task_enter_phase(actor=cast.organiser, task=task, phase=Task.RUNS)
    run = submit(cast, task, "residual", 1)
    assert run.judged_before == fixed.pairs  # the run holds every document of every topic
    submit(cast, task, "more", 7, team=cast.other_team, actor=cast.other_member)
    judge_and_release(cast, task)
    judged = Judgment.objects.filter(topic__task=follows).values_list("topic__number", "docno")
    assert not set(PoolEntry.objects.filter(pool__task=task).values_list("topic__number", "docno")) & set(judged)
    leaderboard_publish(actor=cast.organiser, task=task)


def make_life() -> tuple[bytes, Scores]:
    cast = make_cast(
        round_kind=Task.DEVELOPMENT, scores_shown=Task.TOPICS, measures=["AP", "nDCG@10"], tag_pattern="[a-z]+"
    )
    make_topics(cast.task, TOPICS)
    make_collection(cast.task, DOCNOS)
    development = cast.task
    development_round(cast)
    blind = blind_round(cast, development)
    require_late_run_below(blind)
    residual_round(cast, blind)
    return bytes_of(archive_of(cast.campaign, cast.organiser, documents="texts")), scores()


def require_late_run_below(task: Task) -> None:
    score(task)
    leaderboard = Leaderboard.objects.filter(task=task).latest("number")
    assert {run.tag for run in stored_board(str(leaderboard.board.name)).runs} == {"tuned", "theirs"}


def scores() -> Scores:
    found = Evaluation.objects.select_related("run__task", "qrels")
    return {(one.run.task.slug, one.run.tag, one.qrels.version): (one.measures, bytes(one.values)) for one in found}


def test_a_campaign_of_three_rounds_comes_back_from_its_archive_with_every_hash_and_every_score() -> None:
    content, before = made_elsewhere(make_life)
    assert not Task.objects.exists()
    importer = make_user()
    restoration = restore(content, importer)
    assert restoration.state == Restoration.DONE, restoration.problems
    campaign = restoration.campaign
    assert campaign is not None
    again = bytes_of(archive_of(campaign, importer, documents="texts"))
    assert manifest_of(files_of(again))["content_sha256"] == manifest_of(files_of(content))["content_sha256"]
    rounds = {task.slug: task for task in campaign.tasks.all()}
    assert rounds["rest"].follows == rounds["blind"]
    assert JudgedBefore.objects.get().task == rounds["rest"]
    assert Correction.objects.get().note == "A typo."
    assert Assignment.objects.count()
    assert scores() == before
    Evaluation.objects.all().delete()
    for task in rounds.values():
        score(task)
    assert scores() == before
    row_states_begin()
    extent = Extent()
    assert [*verify_row_states(extent), *extent.notes] == []
