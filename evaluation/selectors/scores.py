"""Scores of runs as pages and files need them: which are up to date, and how far the scoring is."""

from dataclasses import dataclass

from django.db.models import F, QuerySet

from campaign.models import Job, Restoration, Task
from campaign.text.plurals import number_of
from campaign.web.asking_once import once
from evaluation.boards.measures_in_words import in_percent
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.models import Evaluation, PreferenceScores
from evaluation.selectors.scoring_scope import what_counts
from evaluation.selectors.task_measures import measures_and_problem, measures_of_task
from judging.core.set_names import DEFAULT
from judging.models import ModelJudgment, Qrels
from judging.qrels.selectors.releases import latest_qrels

SCORE_TASK, SCORE_RUNS = "score task", "score runs"
"""Done by evaluation/jobs.py."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How far the scoring of a task is. `problem`: why it cannot go on, in words for the organiser."""

    qrels: Qrels | None
    runs: int
    scored: int
    problem: str

    @property
    def topics(self) -> str:
        """How many topics count, in words."""
        return what_counts(self.qrels.task, self.qrels).in_words if self.qrels else ""


def up_to_date(task: Task, qrels: Qrels) -> "QuerySet[Evaluation]":
    """Evaluations of the valid runs' own bytes under these qrels in the task's order, whatever the measures.

    Their numbers are over the topics that count now.
    Not those from before a run's last check: other rules may count other lines of the same bytes.
    """
    return values_up_to_date(task, qrels).filter(left_out=what_counts(task, qrels).left_out)


def values_up_to_date(task: Task, qrels: Qrels) -> "QuerySet[Evaluation]":
    """The same, whatever the topics that their means are over: their values are those of all topics."""
    return Evaluation.objects.filter(
        qrels=qrels,
        engine=Evaluation.ENGINE,
        run_order=task.run_order,
        reference=task.reference,
        qrels_sha256=qrels.sha256,
        run_sha256=F("run__sha256"),
        scored_at__gte=F("run__state_changed_at"),
        run__in=task.runs.valid(),
    )


def may_have_seen_scores(task: Task) -> bool:
    """Whether somebody, an organiser included, may have seen a score of the task: by qrels, by preferences, or by the grades of
    a model; or a published one, or one on the site that its archive came from.
    """
    seen = (
        Evaluation.objects.filter(run__task=task),
        PreferenceScores.objects.filter(run__task=task),
        ModelJudgment.objects.filter(model_assessor__task=task),
        task.leaderboards.all(),
    )
    restored = Restoration.objects.filter(campaign=task.campaign_id, state=Restoration.DONE)
    return any(rows.exists() for rows in seen) or (task.qrels.exists() and restored.exists())


def scoring(task: Task, set_name: str = DEFAULT) -> Scoring:
    """How far the scoring by the newest qrels of the set is."""
    qrels, runs = latest_qrels(task, set_name), task.runs.valid().count()
    measures, problem = measures_and_problem(task, qrels)
    if qrels is None or problem:
        return Scoring(qrels, runs, 0, problem)
    names = [measure.name for measure in measures]
    scored = up_to_date(task, qrels).filter(measures=names).count()
    job = scoring_job(task)
    failed = job.message if job is not None and job.state == Job.FAILED and scored < runs else ""
    return Scoring(qrels, runs, scored, failed)


def scoring_job(task: Task) -> Job | None:
    jobs = Job.objects.filter(name=SCORE_TASK, task=task).order_by("-pk")
    return once((scoring_job, task.pk), jobs.first)


@dataclass(frozen=True, slots=True)
class UnjudgedShare:
    """The share of a run's first 10 documents that the qrels do not judge, mean over the `answered` of their topics."""

    share: float
    answered: int
    topics: int

    @property
    def in_words(self) -> str:
        percent = in_percent(self.share)
        return (
            percent
            if self.answered == self.topics
            else f"{percent} ({self.answered} of {number_of(self.topics, 'topic')})"
        )


def unjudged_shares(task: Task) -> dict[int, UnjudgedShare]:
    """By run: how much of its first 10 documents the newest qrels do not judge."""
    qrels = latest_qrels(task)
    if qrels is None:
        return {}
    counted = up_to_date(task, qrels)
    values = counted.values_list("run", "unjudged_at_10", "topics_answered")
    topics = len(what_counts(task, qrels).counting)
    return {run: UnjudgedShare(share, answered, topics) for run, share, answered in values if share is not None}


def is_up_to_date(evaluation: Evaluation) -> bool:
    """Whether the scores are those by the newest qrels of their set and the settings that the task has now."""
    task = evaluation.run.task
    qrels = latest_qrels(task, evaluation.qrels.set_name)
    if qrels is None or evaluation.measures != names_of_measures(task, qrels):
        return False
    return up_to_date(task, qrels).filter(pk=evaluation.pk).exists()


def names_of_measures(task: Task, qrels: Qrels) -> list[str] | None:
    try:
        return [measure.name for measure in measures_of_task(task, qrels)]
    except MeasureNameError:
        return None
