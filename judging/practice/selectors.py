"""Known answers to practise on, and how those did who practised."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, F, Max, Q, QuerySet

from campaign.models import Task, User
from campaign.text.plurals import number_of
from judging.models import PracticeAnswer, PracticeGrade
from pooling.models import PoolEntry


@dataclass(frozen=True, slots=True)
class Practised:
    """One answer in a round of somebody; `given` is None while it is not graded."""

    answer: PracticeAnswer
    given: int | None

    @property
    def agrees(self) -> bool:
        return self.given == self.answer.grade

    @property
    def in_words(self) -> str:
        if self.given is None:
            return "not graded"
        difference = self.given - self.answer.grade
        return "agrees" if not difference else "stricter" if difference < 0 else "more generous"


@dataclass(frozen=True, slots=True)
class Round:
    """A round of somebody's practice: each answer once."""

    number: int
    rows: Sequence[Practised]

    @property
    def graded(self) -> list[Practised]:
        return [row for row in self.rows if row.given is not None]

    @property
    def next(self) -> Practised | None:
        return next((row for row in self.rows if row.given is None), None)

    @property
    def is_done(self) -> bool:
        return bool(self.rows) and self.next is None

    def count(self, kind: str) -> int:
        return sum(row.in_words == kind for row in self.rows)

    @property
    def in_words(self) -> str:
        agreed, graded = self.count("agrees"), number_of(len(self.graded), "document")
        return f"{agreed} of {graded} as known, {self.count('stricter')} stricter, {self.count('more generous')} more generous"


def answers_of(task: Task) -> "QuerySet[PracticeAnswer]":
    return task.practice_answers.select_related("topic")


def round_of(task: Task, user: User, number: int = 0) -> Round:
    """The round with this number; without one, or where there is none yet, the last that was begun.

    A further round can be entered once the last one is done.
    """
    answers = list(answers_of(task))
    own = PracticeGrade.objects.filter(answer__task=task, user=user)
    last = own.aggregate(last=Max("round"))["last"] or 1
    found = _round(last, answers, own)
    if number == last + 1 and found.is_done:
        return Round(number, [Practised(answer, None) for answer in answers])
    return _round(number, answers, own) if 0 < number < last else found


def _round(number: int, answers: list[PracticeAnswer], own: "QuerySet[PracticeGrade]") -> Round:
    given = dict(own.filter(round=number).values_list("answer", "grade"))
    return Round(number, [Practised(answer, given.get(answer.pk)) for answer in answers])


def rounds_of_all(task: Task) -> list[dict[str, Any]]:
    """A row for each round of everybody who practised: counts, and the mean of given minus known grade."""
    known = F("answer__grade")
    rounds = PracticeGrade.objects.filter(answer__task=task).values("user__username", "round")
    counted = rounds.annotate(
        graded=Count("pk"),
        agreed=Count("pk", filter=Q(grade=known)),
        stricter=Count("pk", filter=Q(grade__lt=known)),
        generous=Count("pk", filter=Q(grade__gt=known)),
        mean=Avg(F("grade") - known),
        last=Max("given_at"),
    )
    return [dict(row) for row in counted.order_by("user__username", "round")]


def pooled_answers(task: Task) -> int:
    """How many of the answers are pooled: who practises learns the grade of a document that may have to be judged."""
    pooled = PoolEntry.objects.filter(pool__task=task).values("topic", "docno").distinct()
    pairs = set(pooled.filter(docno__in=task.practice_answers.values("docno")).values_list("topic", "docno"))
    return sum((answer.topic_id, answer.docno) in pairs for answer in task.practice_answers.all())


def lines_of(task: Task) -> str:
    """The answers in the form in which they are entered."""
    return "".join(
        f"{answer.topic.number} {answer.docno} {answer.grade} {' '.join(answer.why.split())}".rstrip() + "\n"
        for answer in answers_of(task)
    )
