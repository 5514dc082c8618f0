"""What this app holds of a person: open topics, and everything that was judged."""

from collections.abc import Iterator

from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import User
from campaign.text.plurals import number_of
from judging.judgments.selectors.own_documents import assignments_of, is_own
from judging.models import Adjudication, Assignment, Claim, Judgment, PracticeGrade, PreferenceAct, PreferenceAssignment
from runpool.account_data.parts import Hindrance, Part, table_part


def open_assignments(user: User) -> "QuerySet[Assignment]":
    """Not finished and not handed over, of campaigns that are still there."""
    return Assignment.objects.filter(
        assessor=user,
        finished_at=None,
        handed_over_at=None,
        pool__task__campaign__deleted_at=None,
        pool__task__campaign__archived_at=None,
    )


def open_comparisons(user: User) -> "QuerySet[PreferenceAssignment]":
    """Without an answer, of campaigns that are still there."""
    return PreferenceAssignment.objects.filter(
        assessor=user,
        acts=None,
        qrels__task__campaign__deleted_at=None,
        qrels__task__campaign__archived_at=None,
    )


def open_topics_of(user: User) -> Iterator[Hindrance]:
    shown = (
        assignments_of(user).order_by().values("pk")
    )  # not yet: a repeat that is still hidden, and goes with the others
    count = open_assignments(user).filter(pk__in=shown).count() + open_comparisons(user).count()
    if count:
        text = (
            f"You have {number_of(count, 'topic')} left to judge: they are given back, and organisers assign them anew."
        )
        yield Hindrance(text, is_released=True)


def work_released(user: User) -> None:
    """Topics of which nothing is judged are assigned to nobody; of the others the rest is free for somebody else."""
    # What is being sent is stored before this, or refused after it.
    list(Assignment.objects.select_for_update().filter(assessor=user).order_by("pk").only("pk"))
    list(PreferenceAssignment.objects.select_for_update().filter(assessor=user).order_by("pk").only("pk"))
    begun = Judgment.objects.filter(assessor=user).values("assignment")
    open_ones = open_assignments(user)
    Claim.objects.filter(assignment__assessor=user).delete()
    open_ones.exclude(pk__in=begun).delete()
    now = timezone.now()
    open_ones.update(handed_over_at=now, finished_at=now)
    open_comparisons(user).delete()
    PracticeGrade.objects.filter(user=user).delete()


def judgments_of(user: User) -> Iterator[Part]:
    """What the desk shows of it, and no more: `HIDDEN_FROM_ASSESSORS` stays out, and repeats that were not shown yet."""
    task = ("topic__task__campaign__slug", "topic__task__slug", "topic__number")
    acts = ("docno", "verdict", "grade", "details", "note", "reason", "flagged", "is_current")
    times = (
        "shown_at",
        "judged_at",
        "received_at",
        "active_ms",
        "away_ms",
        "input_method",
        "uuid",
        "previous",
        "undoes",
    )
    yield table_part(
        "judgments",
        "Every act at the desk in the order in which it arrived, with notes; is_current marks the one that stands.",
        Judgment.objects.filter(is_own(user)),
        task + acts + times,
    )
    decisions = ("docno", "verdict", "grade", "details", "note", "decided_at", "is_current")
    yield table_part(
        "decisions",
        "What you decided as an adjudicator.",
        Adjudication.objects.filter(adjudicator=user),
        task + decisions,
    )
    assigned = (*task, "parts", "part", "due_on", "assigned_at", "finished_at", "handed_over_at")
    yield table_part("assignments", "Topics that you were given.", assignments_of(user), assigned)
    practice = ("answer__topic__task__slug", "answer__topic__number", "answer__docno", "round", "grade", "given_at")
    yield table_part("practice", "What you gave while practising.", PracticeGrade.objects.filter(user=user), practice)
    compared = ("assignment__qrels__task__slug", "assignment__topic__number", "left", "right", "answer", "note")
    when = ("shown_at", "answered_at", "active_ms", "away_ms", "input_method", "uuid", "previous", "undoes")
    preferences = PreferenceAct.objects.filter(assignment__assessor=user)
    yield table_part("preferences", "Documents that you compared two at a time.", preferences, compared + when)
