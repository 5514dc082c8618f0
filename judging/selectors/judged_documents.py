"""The judged documents of a task and the pace of its judgments, as pooling reads them."""

from collections.abc import Collection, Sequence
from statistics import median

import polars as pl

from campaign.models import Task, Topic
from judging.core.modes.registry import judging_mode
from judging.judgments.selectors.acts import heads_by_topic, with_last_act
from judging.judgments.selectors.votes import acts_of
from judging.models import Adjudication, Assignment, Judgment
from pooling.models import Pool
from pooling.selectors.duplicates import with_grades_taken
from pooling.selectors.judged_documents import Pace

LATEST = 5_000
"""Judgments of which the pace is taken: enough for a median, and few to read."""


def judged_documents(task: Task, topics: Collection[int] | None = None) -> pl.DataFrame:
    """Return topic, docno and the latest grade of each judged document; grade -2: it could not be judged."""
    current = Judgment.objects.of_task(task.pk).filter(is_current=True)
    acts = acts_of(current if topics is None else current.filter(topic__in=topics))
    return judging_mode(task.judging_mode).qrels(acts, "latest").overall


def judgments_version(task: Task) -> str:
    """Return a text that differs after every act: the last act of each assignment only becomes a later one."""
    return _version([act for heads in heads_by_topic(task).values() for _, act in heads])


def judgments_versions(tasks: Sequence[Task]) -> dict[int, str]:
    """The same of several tasks, by their keys, in one query; of one by what every page of the task asks."""
    if len(tasks) == 1:
        return {task.pk: judgments_version(task) for task in tasks}
    last: dict[int, list[int]] = {task.pk: [] for task in tasks}
    assignments = with_last_act(Assignment.objects.filter(pool__task__in=tasks)).filter(last__isnull=False)
    for task, act in assignments.order_by().values_list("pool__task", "last"):
        last[task].append(act)
    return {task: _version(acts) for task, acts in last.items()}


def _version(acts: Collection[int]) -> str:
    return f"{len(acts)}-{sum(acts)}"


def has_judgments(task: Task) -> bool:
    return Judgment.objects.of_task(task.pk).filter(is_current=True, verdict__in=Judgment.JUDGED).exists()


def has_decisions(task: Task) -> bool:
    """Whether a decision of an adjudicator stands."""
    decided = Adjudication.objects.filter(topic__task=task, is_current=True)
    return decided.exclude(verdict=Adjudication.WITHDRAWN).exists()


def judging_pace(task: Task) -> Pace | None:
    """Return the median active time of the task's latest judgments; None where none was timed."""
    timed = Judgment.objects.of_task(task.pk).filter(verdict=Judgment.GRADED, active_ms__gt=0).order_by("-pk")
    times = [time for time in timed.values_list("active_ms", flat=True)[:LATEST] if time is not None]
    return Pace(median(times) / 1000, len(times)) if times else None


def relevance_of(pool: Pool, topic: Topic) -> dict[str, bool]:
    """Whether each judged document of the topic is relevant, and each that takes the grade of a near-identical one.

    One that could not be judged is not.
    """
    table = with_grades_taken(pool, judged_documents(pool.task, [topic.pk]), [topic.pk])
    lowest = pool.task.lowest_relevant_grade
    return {docno: grade >= lowest for docno, grade in table.select("docno", "grade").iter_rows()}
