"""How far the assessors of a task agree, from its current judgments; for organisers only."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from django.db.models import Exists, F, OuterRef, QuerySet

from campaign.models import Task, User
from campaign.web.cache import kept
from judging.agreement.report import JUDGMENTS_SCHEMA, Report, agreement_report
from judging.models import Judgment
from judging.selectors.judged_documents import judgments_version
from pooling.selectors.tables import table_of

SECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class TaskAgreement:
    """`cannot_judge`: documents that one assessor graded and another said could not be judged; they count in no figure."""

    report: Report
    cannot_judge: int


def task_agreement(task: Task) -> TaskAgreement:
    """Kept until something is judged or the scale is changed."""
    scale = _scale(task)
    return kept(agreement_key(task, scale), lambda: _task_agreement(task, scale))


def agreement_key(task: Task, scale: tuple[int, ...] | None = None) -> str:
    """Names what the figures rest on: another key after every act of judging and every change of the scale."""
    rests_on = f"{judgments_version(task)}:{scale or _scale(task)}:{task.lowest_relevant_grade}"
    return f"judging:agreement:3:{task.pk}:{task.created_at.timestamp()}:{rests_on}"


def _scale(task: Task) -> tuple[int, ...]:
    return tuple(task.grades.order_by("value").values_list("value", flat=True))


def _task_agreement(task: Task, scale: tuple[int, ...]) -> TaskAgreement:
    current = Judgment.objects.filter(is_current=True)
    of_task = current.of_task(task.pk)
    others = _others(current.filter(verdict=Judgment.GRADED))
    frame = _frame(of_task.filter(Exists(others), verdict=Judgment.GRADED))
    by_others = others.exclude(assessor=OuterRef("assessor"))
    unable = of_task.filter(Exists(by_others), verdict=Judgment.CANNOT_JUDGE)
    in_figures = set(frame.select("topic", "docno").unique().iter_rows())
    return TaskAgreement(
        agreement_report(frame.filter(pl.col("grade").is_in(scale)), scale, task.lowest_relevant_grade),
        len(set(unable.values_list("topic__number", "docno")) - in_figures),
    )


def _others(judgments: "QuerySet[Judgment]") -> "QuerySet[Judgment]":
    """Judgments of the same document by somebody else, or by the same person in another pass."""
    return judgments.filter(topic=OuterRef("topic"), docno=OuterRef("docno")).exclude(pk=OuterRef("pk"))


def _frame(judgments: "QuerySet[Judgment]") -> pl.DataFrame:
    rows = (
        judgments.order_by("topic__position", "docno", "pk")
        .annotate(name=F("assessor__username"))
        .values_list("topic__number", "docno", "name", "pass_number", "grade", "judged_at")
    )
    return table_of(((*row, int(at.timestamp() * SECONDS)) for *row, at in rows), JUDGMENTS_SCHEMA)


def shown_names(usernames: Sequence[str]) -> dict[str, str]:
    """What pages call these people; who shares a name with another of them is told apart by the user name."""
    known = {user.username: str(user) for user in User.objects.filter(username__in=usernames)}
    names = {username: known.get(username, username) for username in usernames}
    often = Counter(names.values())
    return {
        username: name if often[name] == 1 or name == username else f"{name} ({username})"
        for username, name in names.items()
    }
