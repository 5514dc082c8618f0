"""A published campaign of many runs, teams and topics, made in seconds: scores are drawn, and all runs have the same lines."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from django.core.files.base import ContentFile

from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import run_table_to_parquet
from campaign.models import Registration, Run, Task, Team, Topic
from campaign.storage import store
from evaluation.models import Evaluation
from evaluation.selectors.task_measures import measures_of_task
from evaluation.services.board_settings import board_settings_update
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.working_boards import working_board_compute
from judging.models import Assignment
from pooling.models import PoolRun
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_collection, run_lines
from tests.judging.makers import judge, make_pool

DOCNOS = ("d1", "d2", "d9", "d10")
MEASURES = ["nDCG@10", "AP"]


@dataclass(frozen=True)
class Many:
    """Rows are made in another order than the natural one of their names, so that no list is in order by chance."""

    topics: int
    runs: int
    teams: int

    def make(self) -> Cast:
        cast = make_cast(measures=MEASURES)
        tests = {"test": "t", "correction": "holm", "family": "all pairs", "baseline": ""}
        board_settings_update(actor=cast.organiser, task=cast.task, margin=None, **tests)
        self._make_topics(cast)
        self._make_runs(cast)
        self._make_judging(cast)
        self._make_scores(cast)
        Task.objects.filter(pk=cast.task.pk).update(phase=Task.PUBLISHED)
        cast.task.refresh_from_db()
        working_board_compute(task=cast.task)
        leaderboard_publish(actor=cast.organiser, task=cast.task, audience="public")
        return cast

    def _make_topics(self, cast: Cast) -> None:
        make_collection(cast.task, list(DOCNOS))
        Topic.objects.bulk_create(
            Topic(task=cast.task, number=str(number), position=number, title=f"cost and repair, part {number}")
            for number in _shuffled(self.topics)
        )

    def _make_runs(self, cast: Cast) -> None:
        names = [f"Laboratory {number} of an invented university" for number in _shuffled(self.teams)]
        teams = Team.objects.bulk_create(Team(name=name, slug=f"lab-{name.split()[1]}") for name in names)
        asked = {"campaign": cast.campaign, "registered_by": cast.member, "state": Registration.APPROVED}
        Registration.objects.bulk_create(Registration(team=team, **asked) for team in teams)
        of_cast = [cast.team, *teams]
        lines = run_lines({str(topic): list(DOCNOS) for topic in range(1, self.topics + 1)}, "run1")
        table = check_run(BytesIO(lines), RunRules()).table
        assert table is not None
        stored, read = (
            store(ContentFile(lines), folder="runs"),
            store(ContentFile(run_table_to_parquet(table)), folder="tables"),
        )
        facts: dict[str, Any] = {
            "task": cast.task,
            "state": Run.VALID,
            "submitted_by": cast.member,
            "size": stored.size,
        }
        facts |= {"file": stored.name, "file_name": "run.txt", "sha256": stored.sha256, "table": read.name}
        Run.objects.bulk_create(
            Run(team=of_cast[number % len(of_cast)], tag=f"run{number}", tag_skeleton=f"run{number}", **facts)
            for number in _shuffled(self.runs)
        )

    def _make_judging(self, cast: Cast) -> None:
        topics = {int(topic.number): topic for topic in cast.task.topics.all()}
        docnos = list(reversed(DOCNOS))
        documents = {topics[number]: docnos for number in _shuffled(self.topics)}
        pool = make_pool(cast.task, documents, cast.organiser)
        PoolRun.objects.bulk_create(
            PoolRun(pool=pool, run=run, sha256=run.sha256, contributed=4, unique=0)
            for run in cast.task.runs.order_by("pk")
        )
        Assignment.objects.bulk_create(
            Assignment(pool=pool, topic=topic, assessor=cast.assessor, assigned_by=cast.organiser)
            for topic in documents
        )
        for assignment in Assignment.objects.filter(pool=pool, topic__number__in=["2", "10"]).select_related(
            "pool__task"
        ):
            for grade, docno in enumerate(docnos):
                judge(assignment, docno, grade)

    def _make_scores(self, cast: Cast) -> None:
        random = np.random.default_rng(7)
        grades = {str(number): dict(zip(DOCNOS, (1, 0, 2, 0), strict=True)) for number in range(1, self.topics + 1)}
        qrels = make_qrels(cast.task, grades, cast.organiser)
        names = [measure.name for measure in measures_of_task(cast.task, qrels)]
        shared = {"qrels": qrels, "engine": Evaluation.ENGINE, "qrels_sha256": qrels.sha256, "measures": names}
        of_topics = random.normal(0.35, 0.15, self.topics)
        runs = sorted(cast.task.runs.all(), key=lambda run: int(run.tag.removeprefix("run")))
        for place, run in enumerate(runs):
            noise = random.normal(0, 0.12, (len(names), self.topics))
            values = np.clip(of_topics + 0.2 * (place // 3) / len(runs) + noise, 0, 1).round(4)
            means = dict(zip(names, values.mean(axis=1).tolist(), strict=True))
            own = {"topics_answered": self.topics, "unjudged_at_10": 0.1, "unjudged_best": means, "means": means}
            Evaluation(run=run, run_sha256=run.sha256, values=values.astype("<f8").tobytes(), **shared, **own).save()


def _shuffled(count: int) -> list[int]:
    numbers: list[int] = (np.random.default_rng(count).permutation(count) + 1).tolist()
    return numbers
