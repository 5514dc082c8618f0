"""What a working board is computed from, and which one is stored; the stored parts of published ones."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Case, When
from django.db.models.fields.files import FieldFile

from campaign.formats.runs.order_setting import Ordering
from campaign.models import Run, Task, Visitor
from campaign.permissions import is_organiser
from campaign.setup.run_questions import CHOICE, YES_NO, read_questions
from campaign.storage.reading import verified_bytes
from campaign.text.natural_order import natural_order
from campaign.web.asking_once import once
from evaluation.boards.board import VERSION, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.curves import BoardCurves, curves_of_board
from evaluation.boards.stored import kept_boards
from evaluation.engine.arrays import FloatArray
from evaluation.models import BoardSettings, Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors.scores import names_of_measures, up_to_date
from evaluation.selectors.scoring_scope import WhatCounts, runs_not_ranked, what_counts
from judging.models import Qrels
from judging.qrels.selectors.releases import latest_qrels

READER = "a page about a board"
FACTS = [one.name for one in fields(RunFacts)]
stored_board = kept_boards(lambda name: verified_bytes(name, found_by=READER))
"""The board of a file's name."""


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """The runs that stand on the working board, by tag. `unscored`: valid runs that lack scores by all of the measures.

    `topics`: those of the scope, topics that count or topics for feedback, which its means and tests are over.
    """

    task: Task
    qrels: Qrels
    counts: WhatCounts
    scope: str
    ordering: Ordering
    measures: list[str]
    runs: list[RunFacts]
    run_ids: list[int]
    evaluation_ids: list[int]
    unscored: int
    choice: Choice

    @property
    def topics(self) -> list[str]:
        return self.counts.counting if self.scope == WorkingBoard.COUNTING else self.counts.feedback

    @property
    def mark(self) -> str:
        """Names everything that the board is computed from: the same mark, the same board."""
        facts = [{name: getattr(run, name) for name in FACTS} for run in self.runs]
        made_of: list[object] = [
            facts,
            self.evaluation_ids,
            self.measures,
            self.choice.to_json(),
            Evaluation.ENGINE,
            VERSION,
            self.qrels.sha256,
            self.topics,
        ]
        return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()

    def values_with_removed(self, measure: str) -> FloatArray:
        """Values by topic, float64 (n_runs, n_topics): the topics that count, then those that were removed from scoring."""
        topics = [*self.counts.counting, *(topic.number for topic in self.counts.removed)]
        columns = [self.qrels.topics.index(topic) for topic in topics]
        found = Evaluation.objects.in_bulk(self.evaluation_ids)
        of_runs = [_by_topic(found[pk], measure, columns) for pk in self.evaluation_ids if pk in found]
        return np.array(of_runs).reshape(-1, len(columns))

    def values(self) -> tuple[FloatArray, FloatArray, BoardCurves | None, FloatArray | None] | None:
        """Values by topic (runs, measures, topics), the numbers if unjudged documents were the best (runs, measures), the curves,
        and by the first measure the values by topic if they were (runs, topics), where they were kept of all runs.

        None if another worker has put other scores in the place of some meanwhile. What follows the values is given for the
        topics that count only.
        """
        found = Evaluation.objects.in_bulk(self.evaluation_ids)
        if len(found) < len(self.evaluation_ids):
            return None
        evaluations = [found[pk] for pk in self.evaluation_ids]
        places = [[one.measures.index(measure) for measure in self.measures] for one in evaluations]
        columns = [self.qrels.topics.index(topic) for topic in self.topics]
        by_topic = [one.matrix()[np.ix_(rows, columns)] for one, rows in zip(evaluations, places, strict=True)]
        values = np.array(by_topic)
        if self.scope == WorkingBoard.FEEDBACK:
            return values, np.full(values.shape[:2], np.nan), None, None
        best = [[(one.unjudged_best or {}).get(measure) for measure in self.measures] for one in evaluations]
        kept = [one.unjudged_best_matrix() for one in evaluations]
        if_best = [matrix[rows[0], columns] for matrix, rows in zip(kept, places, strict=True) if matrix is not None]
        all_if_best = np.array(if_best) if len(if_best) == len(evaluations) else None
        curves = curves_of_board([one.curves for one in evaluations])
        return values, np.array(best, dtype=np.float64), curves, all_if_best


def _by_topic(evaluation: Evaluation, measure: str, columns: list[int]) -> FloatArray:
    of_measure: FloatArray = evaluation.matrix()[evaluation.measures.index(measure), columns]
    return of_measure


def is_current(working: WorkingBoard | None, scored: ScoredRuns | None) -> bool:
    """Whether the board is computed from just these scores."""
    return working is not None and scored is not None and working.mark == scored.mark


def scored_runs(task: Task, set_name: str = "", scope: str = WorkingBoard.COUNTING) -> ScoredRuns | None:
    """The scores of all runs that rank by the newest qrels of the set, without their values; None before any qrels."""
    qrels = latest_qrels(task, set_name)
    if qrels is None:
        return None
    ranking, counts = task.runs.ranking(), what_counts(task, qrels)
    scored = up_to_date(task, qrels).filter(run__in=ranking).order_by("run__tag")
    evaluations = [_Scored(*row) for row in scored.values_list(*READ)]  # rows of the model would take ten times as long
    names = names_of_measures(task, qrels)
    complete = [evaluation for evaluation in evaluations if evaluation.measures == names]
    measures = _shared_measures(evaluations, names)
    if not measures:  # nothing in common while the measures change: what is scored anew stands alone
        evaluations, measures = (complete, names) if names else ([], [])
    questions = _of_few_answers(task)
    facts = [_facts(evaluation, questions) for evaluation in evaluations]
    if scope == WorkingBoard.FEEDBACK:
        facts = [_on_feedback(of, one, counts.feedback) for of, one in zip(facts, evaluations, strict=True)]
    return ScoredRuns(
        task=task,
        qrels=qrels,
        counts=counts,
        scope=scope,
        ordering=task.ordering,
        measures=measures,
        runs=facts,
        run_ids=[evaluation.run_id for evaluation in evaluations],
        evaluation_ids=[evaluation.pk for evaluation in evaluations],
        unscored=ranking.count() - len(complete),
        choice=board_choice(task),
    )


def board_choice(task: Task) -> Choice:
    settings = once((board_choice, task.pk), BoardSettings.objects.filter(task=task).first)
    return Choice() if settings is None else settings.choice


def working_board(task: Task, set_name: str = "", scope: str = WorkingBoard.COUNTING) -> WorkingBoard | None:
    """The board as it was computed last."""
    stored = WorkingBoard.objects.filter(task=task, set_name=set_name, scope=scope).select_related("qrels")
    found = once((working_board, task.pk, set_name, scope), stored.first)
    if found is not None:
        found.qrels.task = task
    return found


def runs_not_on_the_board(task: Task, working: WorkingBoard | None) -> list[tuple[Run, str]]:
    """Runs that may still come onto the board, and why they are not there yet; by tag. Not those that never rank."""
    on_board = {run.pk for run in runs_not_ranked(task)} | set(working.run_ids if working else [])
    counting = task.runs.counting()
    missing = set(counting.values_list("pk", flat=True)) - on_board
    runs = counting.select_related("task__campaign").in_bulk(list(missing)).values() if missing else ()
    reasons = {
        Run.RECEIVED: "It is being checked.",
        Run.VALID: "It has no scores by the qrels and measures of the board yet.",
    }
    return [(run, reasons[run.state]) for run in sorted(runs, key=lambda run: natural_order(run.tag))]


def newest_leaderboard(task: Task, reader: Visitor) -> Leaderboard | None:
    """Of a task that the reader sees: their newest board by relevance, or by another set of qrels if there is none."""
    visible = Leaderboard.objects.of_visible_task(task, reader, organises=is_organiser(reader, task.campaign))
    of_relevance = Case(When(qrels__set_name="", then=0), default=1)
    return visible.select_related("task__campaign", "qrels").order_by(of_relevance, "-number").first()


def content_of(file: FieldFile) -> bytes:
    """The verified bytes of a stored part of a board; none where it was not kept."""
    return verified_bytes(str(file.name), found_by=READER) if file else b""


class _Scored(NamedTuple):
    """What a board needs of an evaluation besides its numbers; `READ` is where it stands."""

    pk: int
    measures: list[str]
    missed: list[str]
    topics_answered: int
    unjudged: float | None
    run_id: int
    tag: str
    team: str
    kind: str
    answers: dict[str, Any]


READ = (
    "pk",
    "measures",
    "missed",
    "topics_answered",
    "unjudged_at_10",
    "run_id",
    "run__tag",
    "run__team__name",
    "run__kind",
    "run__answers",
)


def _shared_measures(evaluations: list[_Scored], names: list[str] | None) -> list[str]:
    """Measures that every run has: while a new measure is being scored, the board shows the others."""
    if not evaluations:
        return []
    everywhere = set.intersection(*(set(evaluation.measures) for evaluation in evaluations))
    return [measure for measure in (names or evaluations[0].measures) if measure in everywhere]


def _facts(scored: _Scored, questions: Mapping[str, str]) -> RunFacts:
    answers = {label: _answer(scored.answers[key]) for key, label in questions.items() if key in scored.answers}
    kind = str(Run.KINDS.get(scored.kind, scored.kind))
    return RunFacts(scored.tag, scored.team, kind, scored.topics_answered, scored.unjudged, answers)


def _on_feedback(facts: RunFacts, scored: _Scored, topics: list[str]) -> RunFacts:
    """The facts of a run by the topics for feedback alone: nothing that depends on the judgments of others."""
    answered = len(set(topics) - set(scored.missed))
    return replace(facts, topics_answered=answered, unjudged=None)


def _of_few_answers(task: Task) -> dict[str, str]:
    """By key the questions about runs whose answers a board can be filtered by: yes or no, or one of several choices."""
    return {
        question.key: question.label for question in read_questions(task.questions) if question.kind in (YES_NO, CHOICE)
    }


def _answer(answer: object) -> str:
    return str(answer) if not isinstance(answer, bool) else "yes" if answer else "no"
