"""The board of a released order of preferences."""

from dataclasses import dataclass

import numpy as np
from django.db.models import F, QuerySet

from campaign.models import Job
from campaign.models.job import job_key
from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import compute_board
from evaluation.engine.arrays import FloatArray
from evaluation.models import Evaluation, PreferenceScores
from evaluation.preferences.scoring import COMPATIBILITY
from judging.models import PreferenceOrder

SCORE_PREFERENCES = "score by preferences"
"""Done by evaluation/jobs.py."""


@dataclass(frozen=True, slots=True)
class PreferenceBoard:
    """`board`: None without a scored run. `values`: float64 (runs, topics). `unscored`: valid runs that lack scores."""

    board: Board | None
    values: FloatArray
    unscored: int


def scored_by(order: PreferenceOrder) -> "QuerySet[PreferenceScores]":
    """Scores of the valid runs' own bytes in the task's order. Not those from before a run's last check."""
    task = order.task
    return PreferenceScores.objects.filter(
        order=order,
        engine=Evaluation.ENGINE,
        measure=COMPATIBILITY,
        run_order=task.run_order,
        reference=task.reference,
        run_sha256=F("run__sha256"),
        scored_at__gte=F("run__state_changed_at"),
        run__in=task.runs.valid(),
    )


def preference_board(order: PreferenceOrder) -> PreferenceBoard:
    scored = list(scored_by(order).select_related("run__team").order_by("run__tag"))
    values = np.array([one.by_topic() for one in scored]).reshape(len(scored), len(order.topics))
    facts = [
        RunFacts(one.run.tag, one.run.team.name, one.run.get_kind_display(), one.topics_answered) for one in scored
    ]
    topics = order.topic_numbers
    board = compute_board(facts, [COMPATIBILITY], topics, values[:, np.newaxis, :], Choice()).board if scored else None
    return PreferenceBoard(board, values, order.task.runs.valid().count() - len(scored))


def preference_scoring_job(order: PreferenceOrder) -> Job | None:
    key = job_key({"order_id": order.pk})
    return Job.objects.filter(name=SCORE_PREFERENCES, key=key).order_by("-pk").first()
