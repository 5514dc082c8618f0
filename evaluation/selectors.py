"""Boards as pages, pictures and files need them: the working one from evaluations, the published ones from snapshots."""

import json
from dataclasses import dataclass

import numpy as np
from django.core.cache import caches
from django.db.models import F, QuerySet

from campaign.models import Job, Run, Task
from campaign.ordering import Ordering
from campaign.storage.reading import verified_bytes
from campaign.words import number_of
from evaluation.boards.few_relevant import few_relevant_cautions
from evaluation.boards.measures_in_words import in_percent
from evaluation.boards.measures_of_tasks import GradeScale, known_measures_of, unfit_problem
from evaluation.boards.pool_fit import pool_cautions
from evaluation.boards.rows import Row, RunFacts, make_rows
from evaluation.boards.snapshot import Values
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.models import Evaluation, Leaderboard
from judging.models import Qrels
from judging.models.qrels import SAMPLE_TABLES
from judging.samples import relevant_by_sample
from judging.selectors.releases import latest_qrels, released_table, why_no_uniform_sample
from pooling.figures.exactness import PoolReach
from pooling.models import Pool
from pooling.selectors.pools import latest_pool

SCORE_TASK = "score task"
INSTEAD_OF_A_UNIFORM_SAMPLE = {Qrels.STRATUM: "xinfAP", Qrels.PROBABILITY: "statAP"}
WITHOUT_A_UNIFORM_SAMPLE = (
    "Name bpref, or AP beside Judged@10, in the task's settings, judge all of the pool, or freeze a pool that is a sample by "
    "strata and name xinfAP."
)


@dataclass(frozen=True, slots=True)
class Board:
    """`values`: (rows, measures, topics of the qrels). `unscored`: valid runs that lack an up-to-date evaluation."""

    measures: list[str]
    rows: list[Row]
    values: FloatArray
    qrels: Qrels
    unscored: int
    ordering: Ordering

    @property
    def topics(self) -> int:
        return len(self.qrels.topics)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How far the scoring of a task is. `problem`: why it cannot go on, in words for the organiser."""

    qrels: Qrels | None
    runs: int
    scored: int
    problem: str


def measures_of_task(task: Task, qrels: Qrels | None = None) -> list[Measure]:
    """The measures that the task names, each once, without those whose judgments the qrels do not hold.

    A task that names none has those of its judging mode. What a name leaves open follows from the task's grade scale;
    MeasureNameError for a name unknown.
    """
    scale = GradeScale(dict(task.grades.values_list("value", "gain")), task.lowest_relevant_grade)
    measures = [scale.measure(name) for name in task.measures or task.mode.measures]
    by_name = {measure.name: measure for measure in measures}
    return [
        measure for measure in by_name.values() if qrels is None or measure.definition.judgments.table in qrels.files
    ]


def measures_problem(task: Task, qrels: Qrels | None = None) -> str:
    """What is wrong with the measures of the task, and the remedy; empty when nothing is."""
    try:
        measures = measures_of_task(task, qrels)
    except MeasureNameError as problem:
        return f"{problem} Correct the measures in the task's settings, then ask for the scores."
    if unfit := [words for measure in measures if (words := unfit_problem(measure))]:
        return f"{' '.join(unfit)} Name others in the task's settings, then ask for the scores."
    if qrels is not None and (unfit_sample := _sample_problem(measures, qrels)):
        return unfit_sample
    if not measures:
        missing = " and ".join(dict.fromkeys(m.definition.judgments.in_words for m in measures_of_task(task)))
        return f"All measures of the task need {missing}, and {qrels} has none. Name others in its settings."
    return ""


def _sample_problem(measures: list[Measure], qrels: Qrels) -> str:
    """Why the estimators among the measures do not fit these qrels, and what to name instead; empty when they do."""
    estimators = [measure.name for measure in measures if measure.definition.takes_uniform_sample]
    reason = why_no_uniform_sample(qrels) if estimators else ""
    if not reason:
        return ""
    fitting = INSTEAD_OF_A_UNIFORM_SAMPLE.get(qrels.sampled_by)
    remedy = f"Name {fitting} in the task's settings." if fitting else WITHOUT_A_UNIFORM_SAMPLE
    named = ", ".join(estimators)
    return f"{named} estimates from a uniform sample of each topic's pool, and {qrels} is none: {reason}. {remedy}"


def task_pool_cautions(task: Task, reach: PoolReach | None = None) -> list[str]:
    """What to say of the task's measures if a pool of this reach is judged and nothing else.

    Without a reach: that of the task's latest pool; nothing is said where there is none.
    """
    reach = pool_reach(latest_pool(task)) if reach is None else reach
    try:
        measures = measures_of_task(task)
    except MeasureNameError:
        return []
    return [] if reach is None else [*pool_cautions(measures, reach), *few_relevant_cautions(measures, reach)]


def board_cautions(qrels: Qrels, measures: list[str], *, remedies: bool = True) -> list[str]:
    """The same of the measures of a board, by the pool that its qrels were judged on."""
    reach = pool_reach(qrels.pool)
    if reach is None:
        return []
    known = known_measures_of(measures)
    said = pool_cautions(known, reach, remedies=remedies)
    table = SAMPLE_TABLES.get(qrels.sampled_by)
    if table in qrels.files and few_relevant_cautions(known, reach):
        said += few_relevant_cautions(known, reach, _relevant_by_sample(qrels), remedies=remedies)
    return said


def _relevant_by_sample(qrels: Qrels) -> dict[str, float]:
    """The estimated number of relevant documents of each topic. Kept: a version of the qrels does not change."""
    lowest = qrels.task.lowest_relevant_grade
    key = f"evaluation:relevant-by-sample:{qrels.pk}:{qrels.sha256}:{lowest}"
    numbers: dict[str, float] | None = caches["bulk"].get(key)
    if numbers is None:
        sample = released_table(qrels, SAMPLE_TABLES[qrels.sampled_by])
        numbers = relevant_by_sample(sample, qrels.sampled_by, lowest)
        caches["bulk"].set(key, numbers)
    return numbers


def measures_left_out(task: Task, qrels: Qrels) -> list[str]:
    """What to say of measures that the task names and whose judgments the qrels do not hold."""
    try:
        named = measures_of_task(task)
    except MeasureNameError:
        return []
    by_judgments: dict[str, list[str]] = {}
    for measure in named:
        if measure.definition.judgments.table not in qrels.files:
            by_judgments.setdefault(measure.definition.judgments.in_words, []).append(measure.name)
    return [
        f"{', '.join(names)}: not on this board, since {qrels} has no {judgments}."
        for judgments, names in by_judgments.items()
    ]


def pool_reach(pool: Pool | None) -> PoolReach | None:
    """What measures need to know of the pool; None where that is not known."""
    return pool.reach if pool else None


def up_to_date(task: Task, qrels: Qrels) -> "QuerySet[Evaluation]":
    """Evaluations of the valid runs' own bytes under these qrels in the task's order, whatever the measures.

    Not those from before a run's last check: other rules may count other lines of the same bytes.
    """
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


def scoring(task: Task) -> Scoring:
    qrels, runs = latest_qrels(task), task.runs.valid().count()
    problem = measures_problem(task, qrels)
    if qrels is None or problem:
        return Scoring(qrels, runs, 0, problem)
    names = [measure.name for measure in measures_of_task(task, qrels)]
    scored = sum(measures == names for measures in up_to_date(task, qrels).values_list("measures", flat=True))
    job = scoring_job(task)
    failed = job.message if job is not None and job.state == Job.FAILED and scored < runs else ""
    return Scoring(qrels, runs, scored, failed)


def working_board(task: Task) -> Board | None:
    """The scores of all valid runs under the newest qrels; `None` before any qrels. Runs not scored yet are left out."""
    qrels = latest_qrels(task)
    if qrels is None:
        return None
    valid = set(task.runs.valid().values_list("pk", flat=True))
    of_valid = up_to_date(task, qrels).filter(run__in=valid).select_related("run__team").order_by("run__tag")
    evaluations, names = list(of_valid), _names_of_measures(task, qrels)
    complete = [evaluation for evaluation in evaluations if evaluation.measures == names]
    measures = _shared_measures(evaluations, names)
    if not measures:  # nothing in common while the measures change: what is scored anew stands alone
        evaluations, measures = (complete, names) if names else ([], [])
    facts = [_facts(evaluation) for evaluation in evaluations]
    values = np.array([_selected(evaluation, measures) for evaluation in evaluations])
    rows = make_rows(facts, measures, values)
    return Board(measures, rows, values, qrels, len(valid) - len(complete), task.ordering)


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
    counted = up_to_date(task, qrels).filter(unjudged_at_10__isnull=False)
    values = counted.values_list("run", "unjudged_at_10", "topics_answered")
    topics = len(qrels.topics)
    return {run: UnjudgedShare(share, answered, topics) for run, share, answered in values if share is not None}


def leaderboard_values(leaderboard: Leaderboard) -> Values:
    values: Values = json.loads(verified_bytes(str(leaderboard.values), found_by="a download of a leaderboard"))
    return values


def scoring_job(task: Task) -> Job | None:
    return Job.objects.filter(name=SCORE_TASK, task=task).order_by("-pk").first()


def _names_of_measures(task: Task, qrels: Qrels) -> list[str] | None:
    try:
        return [measure.name for measure in measures_of_task(task, qrels)]
    except MeasureNameError:
        return None


def _shared_measures(evaluations: list[Evaluation], names: list[str] | None) -> list[str]:
    """Measures that every run has: while a new measure is being scored, the board shows the others."""
    if not evaluations:
        return []
    everywhere = set.intersection(*(set(evaluation.measures) for evaluation in evaluations))
    return [measure for measure in (names or evaluations[0].measures) if measure in everywhere]


def _facts(evaluation: Evaluation) -> RunFacts:
    run = evaluation.run
    return RunFacts(run.tag, run.team.name, run.get_kind_display(), evaluation.topics_answered)


def _selected(evaluation: Evaluation, measures: list[str]) -> FloatArray:
    return evaluation.matrix()[[evaluation.measures.index(measure) for measure in measures]]


def is_up_to_date(evaluation: Evaluation) -> bool:
    """Whether the scores are those by the newest qrels and the settings that the task has now."""
    task = evaluation.run.task
    qrels = latest_qrels(task)
    if qrels is None or evaluation.measures != _names_of_measures(task, qrels):
        return False
    return up_to_date(task, qrels).filter(pk=evaluation.pk).exists()


def run_evaluation(run: Run, *, published_only: bool) -> Evaluation | None:
    """The newest evaluation of a run that counts, as far as it may be shown."""
    if run.state != Run.VALID:
        return None
    evaluations = Evaluation.objects.filter(run=run, engine=Evaluation.ENGINE, run_sha256=run.sha256)
    if published_only:
        evaluations = evaluations.filter(qrels__published_at__isnull=False)
    return evaluations.select_related("qrels").order_by("-qrels__version").first()
