"""What a page shows of a model assessor's grades: how they agree with people, and scores of runs that people's sample corrects.

Nothing here is stored with the scores of the site: the figures are kept in the cache for as long as what they rest on stays.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl

from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.runs.table import ordered_columns
from campaign.models import Run, Task
from campaign.runs.selectors.reading import run_table
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from campaign.text.tokens import whole
from campaign.web.cache import SCORES_KEPT, kept
from evaluation.engine.analyses.family_preference import FamilyPreference, family_preference
from evaluation.engine.analyses.family_shift import FamilyShift, family_shift
from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.missing_topics import compared_values
from evaluation.engine.prediction_powered import CorrectedMean, prediction_powered_mean
from evaluation.engine.ranked_run import RankedRun, Reference
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_ranked
from evaluation.engine.significance.standing import DIGITS
from evaluation.selectors.task_measures import measures_of_task
from judging.agreement.figures import Counts, alpha_interval, coincidences, confusion, krippendorff_alpha, votes
from judging.model_assessors.selectors import grades_version, model_table
from judging.models import ModelAssessor
from judging.selectors.judged_documents import judged_documents, judgments_version
from pooling.models import Pool
from pooling.selectors.pools import latest_pool
from pooling.selectors.samples import pool_sample

PAIR = ["topic", "docno"]
DEPTH = 10
MEASURES_COMPARED = 3
NO_PAIRS = pl.DataFrame(schema={"topic": pl.String, "docno": pl.String})


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of the documents that people and the model graded. `table`: rows the people's grades, columns the model's."""

    documents: int
    topics: int
    scale: list[int]
    table: Counts
    alpha: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """The order of the runs by one measure under both grades of the same documents; `shift` None: no own run, or no other.

    `tau_interval`: where the tau of as many other topics would lie; None where there is none.

    `shift` is above 0 where the model favours its family, also by measures of which less is better.
    """

    measure: str
    tau: float
    tau_interval: tuple[float, float] | None
    shift: FamilyShift | None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """`precision` and `gain`: P@10 and DCG@10. `outside`: of the first 10 documents, those that could not have been drawn."""

    tag: str
    team: str
    is_own_family: bool
    precision: CorrectedMean
    gain: CorrectedMean
    outside: int


@dataclass(frozen=True, slots=True)
class ModelScores:
    agreement: Agreement | None
    runs_compared: list[RunsCompared]
    family: list[str]
    preference: FamilyPreference | None
    board: list[BoardRow]
    why_no_board: str
    pool: int | None


@dataclass(frozen=True)
class _Sample:
    """All documents that could have been drawn: topic, docno, `stratum` (a code), `people` and `model`: grades, null if none."""

    pool: int
    documents: pl.DataFrame


def model_scores(assessor: ModelAssessor) -> ModelScores:
    """Computed once for the same grades, judgments, runs and settings."""
    return kept(_key(assessor), lambda: _computed(assessor), SCORES_KEPT)


def _key(assessor: ModelAssessor) -> str:
    task = assessor.task
    runs = list(task.runs.valid().order_by("pk").values_list("pk", "sha256"))
    scale = list(task.grades.values_list("value", "gain"))
    pool = latest_pool(task)
    facts = (runs, scale, task.lowest_relevant_grade, task.measures, task.ordering, pool and pool.pk)
    settings = hashlib.sha256(repr(facts).encode()).hexdigest()
    return f"evaluation:model-scores-6:{grades_version(assessor)}:{judgments_version(task)}:{settings}"


def _computed(assessor: ModelAssessor) -> ModelScores:
    task = assessor.task
    people, model = judged_documents(task).select(*PAIR, "grade"), model_table(assessor)
    both = _both(people, model)
    runs = sorted(task.runs.valid().select_related("team", "task"), key=lambda run: natural_order(run.tag))
    family = [run.tag for run in runs if is_of_family(run, assessor.family)]
    sample = _sample(task, people, model)
    return ModelScores(
        agreement=_agreement(task, both),
        runs_compared=_runs_compared(task, both, runs, family),
        family=family,
        preference=_preference(task, both, runs, family),
        board=[] if isinstance(sample, str) else _board(task, sample, runs, family),
        why_no_board=sample if isinstance(sample, str) else "",
        pool=None if isinstance(sample, str) else sample.pool,
    )


def is_of_family(run: Run, family: str) -> bool:
    """Whether the run says so: its answers or its ir_metadata name the family, as a word whatever its case."""
    wanted = family.strip().casefold()
    word = re.compile(whole(wanted))
    return bool(wanted) and any(word.search(text.casefold()) for text in _texts([run.answers, run.metadata]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _both(people: pl.DataFrame, model: pl.DataFrame) -> pl.DataFrame:
    """topic, docno, people, model: grades of the documents that both graded."""
    renamed = (people.rename({"grade": "people"}), model.rename({"grade": "model"}))
    both = renamed[0].join(renamed[1], on=PAIR, how="inner")
    return both.filter((pl.col("people") >= 0) & (pl.col("model") >= 0)).sort(PAIR)


def _agreement(task: Task, both: pl.DataFrame) -> Agreement | None:
    if both.is_empty():
        return None
    scale = sorted({*task.grades.values_list("value", flat=True), *both["people"], *both["model"]})
    by_topic = np.stack(
        [
            coincidences(votes(part.select("people", "model").to_numpy().astype(np.float64), scale))
            for part in both.partition_by("topic")
        ]
    )
    low, high = alpha_interval(by_topic)
    grades = both.select("people", "model").to_numpy().astype(np.float64)
    alpha = cast(float, krippendorff_alpha(by_topic.sum(axis=0)))
    table = confusion(grades[:, 0], grades[:, 1], scale)
    return Agreement(both.height, len(by_topic), scale, table, alpha, low, high)


def _judgments(both: pl.DataFrame, column: str) -> Judgments:
    table = both.select(*PAIR, pl.lit(NO_SUBTOPIC).alias("subtopic"), pl.col(column).cast(pl.Int64).alias("grade"))
    return Judgments.from_table(table)


def _runs_compared(task: Task, both: pl.DataFrame, runs: list[Run], family: list[str]) -> list[RunsCompared]:
    """Runs are scored on the documents that both graded and on nothing else."""
    measures = [measure for measure in measures_of_task(task) if _orders_runs(measure)][:MEASURES_COMPARED]
    if both.is_empty() or len(runs) < 2 or not measures:
        return []
    values = []
    for column in ("people", "model"):
        judgments = _judgments(both, column)
        scored = score_ranked((_ranked(run, judgments) for run in runs), measures, view=RankedRun.judged_only)
        values.append(np.stack([compared_values(scores, judgments) for scores in scored]))
    own = np.array([run.tag in family for run in runs])
    less = np.array([measure.definition.lower_is_better for measure in measures])
    people, model = (np.where(less[:, np.newaxis], -of_all, of_all) for of_all in values)
    return [
        RunsCompared(
            measure.name,
            _tau(people[:, place], model[:, place]),
            tau_interval(people[:, place], model[:, place]) if measure.definition.summary == "mean" else None,
            _shift(people, model, place, own),
        )
        for place, measure in enumerate(measures)
    ]


def _orders_runs(measure: Measure) -> bool:
    """Whether it has a value on every topic, by grades; not how much of a ranking is judged."""
    return measure.definition.judgments.table == "overall" and measure.definition.missed != "left out"


def _tau(people: FloatArray, model: FloatArray) -> float:
    """Means are rounded: the last digit of equal ones depends on the order of their topics."""
    return kendall_tau(np.round(people.mean(axis=1), DIGITS), np.round(model.mean(axis=1), DIGITS))


def _shift(people: FloatArray, model: FloatArray, place: int, own: Any) -> FamilyShift | None:
    return family_shift(people[:, place], model[:, place], own)


def _preference(task: Task, both: pl.DataFrame, runs: list[Run], family: list[str]) -> FamilyPreference | None:
    """Of documents among the first DEPTH of runs of the family or of others."""
    if both.is_empty() or not family or len(family) == len(runs):
        return None
    people, model = (_judgments(both, column) for column in ("people", "model"))
    scale = np.array(sorted({*task.grades.values_list("value", flat=True), *both["model"]}))
    retrieved = {side: np.zeros(len(people.grade), dtype=np.bool_) for side in (True, False)}
    for run in runs:
        found = _ranked(run, people)
        retrieved[run.tag in family][found.document[found.rank <= DEPTH]] = True
    places = np.searchsorted(scale, model.grade)
    return family_preference(people.topic, people.grade, places, retrieved[True], retrieved[False])


def _ranked(run: Run, judgments: Judgments) -> RankedRun:
    ordering = run.task.ordering
    table = run_table(run, ordered_columns(ordering))
    return rank_run(table, judgments, cast(Reference, ordering.reference), ordering.run_order)


def _sample(task: Task, people: pl.DataFrame, model: pl.DataFrame) -> _Sample | str:
    """The newest pool as a random sample that people judged to its end, or why it is none."""
    pool = latest_pool(task)
    drawn = pool_sample(pool, NO_PAIRS) if pool is not None else None
    if pool is None or drawn is None:
        return (
            "The newest pool is no random sample. Freeze one with the strategy “random sample” or “stratified”, of at least the "
            "first 10 documents of each run, and have people judge it: their judgments then correct the scores."
        )
    if drawn.sampled_by != "stratum":
        return "The newest pool was drawn with a probability of its own for each document; scores are corrected by strata only."
    if model.is_empty():
        return "The model has graded nothing yet."
    return _joined(pool, drawn.documents, people, model)


def _joined(pool: Pool, documents: pl.DataFrame, people: pl.DataFrame, model: pl.DataFrame) -> _Sample | str:
    held = documents.join(people.rename({"grade": "people"}), on=PAIR, how="left", maintain_order="left")
    held = held.join(model.rename({"grade": "model"}), on=PAIR, how="left", maintain_order="left")
    is_drawn = pl.col("inclusion_probability").is_not_null()
    waiting = held.filter(is_drawn & (pl.col("people").is_null() | (pl.col("people") == -1))).height
    if waiting:
        drawn = number_of(held.filter(is_drawn).height, "document")
        return f"People have not judged {waiting:,} of the {drawn} drawn at random. Finish these first."
    code = pl.struct("topic", "stratum").rank("dense").cast(pl.Int64) - 1
    drawn_only = pl.when(is_drawn).then("people")
    return _Sample(pool.version, held.with_columns(stratum=code, people=drawn_only))


def _board(task: Task, sample: _Sample, runs: list[Run], family: list[str]) -> list[BoardRow]:
    documents = sample.documents.sort(PAIR)
    frame = documents.with_columns(people=pl.col("people").fill_null(0).clip(lower_bound=0))
    judgments = _judgments(frame, "people")
    values = {kind: _worth(task, documents, kind) for kind in ("relevant", "gain")}
    stratum = documents["stratum"].to_numpy()
    rows = []
    for run in runs:
        ranked = _ranked(run, judgments)
        shown = ranked.rank <= DEPTH
        at, rank = ranked.document[shown], ranked.rank[shown]
        weights = np.zeros((2, documents.height))
        weights[0, at], weights[1, at] = 1 / DEPTH, 1 / np.log2(rank + 1)
        precision, gain = (
            prediction_powered_mean(weight, *values[kind][:2], stratum, judgments.n_topics, highest=values[kind][2])
            for weight, kind in zip(weights, ("relevant", "gain"), strict=True)
        )
        outside = int(np.minimum(ranked.num_ret, DEPTH).sum()) - len(at)
        rows.append(BoardRow(run.tag, run.team.name, run.tag in family, precision, gain, outside))
    return sorted(rows, key=lambda row: -np.nan_to_num(row.precision.mean, nan=-1.0))


def _worth(task: Task, documents: pl.DataFrame, kind: str) -> tuple[FloatArray, FloatArray, float]:
    """What each document is worth by the model and by people: 0 without a grade of the model, NaN where it was not drawn.

    And the most that a grade is worth.
    """
    gains = dict(task.grades.values_list("value", "gain"))
    lowest = task.lowest_relevant_grade
    worth = {
        value: float(value >= lowest) if kind == "relevant" else max(float(gain), 0) for value, gain in gains.items()
    }
    by_model, by_people = (
        pl.col(name).replace_strict(worth, default=0.0, return_dtype=pl.Float64) for name in ("model", "people")
    )
    drawn = pl.when(pl.col("people").is_not_null()).then(by_people).otherwise(float("nan"))
    table = documents.select(model=by_model, people=drawn)
    return table["model"].to_numpy(), table["people"].to_numpy(), max(worth.values(), default=0.0)
