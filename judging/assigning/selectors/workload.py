"""What assigning rests on: what assessors have already and how fast they are, their teams, when assignments are due."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaign.models import Membership, Role, Task, Topic, User
from campaign.models.fields import zone_named
from campaign.permissions import is_assessor
from campaign.text.collation import by_numbers
from judging.models import AssigningRules, Assignment, Judgment
from judging.progress.selectors.progress import SECONDS_ASSUMED
from judging.progress.selectors.progress_counts import shares_of
from pooling.models import Pool, PoolRun
from pooling.selectors.sizes import pooled_topics

LATEST = 5_000
"""Judgments of which paces are taken: enough for a median, and few to read."""


@dataclass(frozen=True, slots=True)
class Load:
    """What an assessor has of a pool; `seconds`: a document, the median of the latest, or what is assumed.

    `topics`: those that the assessor judges, whole, in part or as a share; what was handed over is not among them.
    """

    user: User
    documents: int
    seconds: float
    is_known: bool
    topics: int = 0

    @property
    def hours(self) -> float:
        return self.documents * self.seconds / 3600


def loads(pool: Pool, users: Sequence[User]) -> list[Load]:
    """What each of these assessors has to judge in the pool: a `Load` a person, in the order of `users`."""
    documents: dict[int, int] = defaultdict(int)
    topics: dict[int, set[int]] = defaultdict(set)
    assessors: dict[int, int] = {}
    rows = Assignment.objects.filter(pool=pool, assessor__in=users).order_by()
    for pk, assessor, topic, handed_over_at in rows.values_list("pk", "assessor_id", "topic_id", "handed_over_at"):
        assessors[pk] = assessor
        if handed_over_at is None:
            topics[assessor].add(topic)
    for share in shares_of([pool]).values():
        for assignment, own in share.own.items():
            if assignment in assessors:
                documents[assessors[assignment]] += own.judged + own.left
    known = _paces(pool.task)
    return [
        Load(
            user, documents[user.pk], known.get(user.pk, SECONDS_ASSUMED), user.pk in known, topics=len(topics[user.pk])
        )
        for user in users
    ]


def _paces(task: Task) -> dict[int, float]:
    times: dict[int, list[int]] = defaultdict(list)
    timed = Judgment.objects.of_task(task.pk).filter(verdict=Judgment.GRADED, active_ms__isnull=False).order_by("-pk")
    for assessor, active_ms in timed.values_list("assessor_id", "active_ms")[:LATEST]:
        times[assessor].append(active_ms or 0)
    return {assessor: max(median(held) / 1000, 0.1) for assessor, held in times.items()}


def conflicts(pool: Pool, users: Sequence[User]) -> dict[int, str]:
    """Those who are members of a team whose runs the pool was drawn from: the user's key and the team's name."""
    teams = PoolRun.objects.filter(pool=pool).values("run__team")
    rows = Membership.objects.filter(user__in=users, team__in=teams).order_by("-team__name")
    return dict(rows.values_list("user_id", "team__name"))


def assessor_roles(task: Task) -> list[Role]:
    roles = Role.objects.filter(campaign=task.campaign_id, role=Role.ASSESSOR).select_related("user")
    return list(roles.order_by("user__username"))


def rules_of(task: Task) -> AssigningRules:
    """The stored rules, or those that hold where none are."""
    return AssigningRules.objects.filter(task=task).first() or AssigningRules(task=task)


def with_due(assignments: "QuerySet[Assignment]") -> "QuerySet[Any]":
    """Each with `due`, its own date or that of the task; hidden repeats have none."""
    return assignments.annotate(due=Coalesce("due_on", "pool__task__assigning_rules__due_on"))


def today_in(zone: str) -> date:
    return timezone.now().astimezone(zone_named(zone)).date()


def overdue(task: Task) -> "QuerySet[Assignment]":
    """Unfinished assignments whose date is past, those that have waited longest first."""
    unfinished = Assignment.objects.filter(pool__task=task, finished_at=None, handed_over_at=None, is_repeat=False)
    late = with_due(unfinished).filter(due__lt=today_in(task.campaign.time_zone))
    return late.select_related("topic", "assessor", "pool").order_by("due", by_numbers("topic__number"), "pk")


def due_dates(assignments: Sequence[Assignment]) -> dict[int, date]:
    """By assignment, where there is a date."""
    found = with_due(Assignment.objects.filter(pk__in=[one.pk for one in assignments], is_repeat=False))
    return {pk: due for pk, due in found.values_list("pk", "due") if due is not None}


def open_topics_of(pool: Pool) -> "QuerySet[Topic]":
    """Pooled topics that nobody has in the first pass, not even a part of them, and that count: none removed from scoring."""
    taken = Assignment.objects.filter(pool=pool, pass_number=1, topic=OuterRef("pk"))
    topics = pool.task.topics.filter(~Exists(taken), pk__in=pooled_topics(pool), removed_at__isnull=True)
    return topics.order_by(by_numbers("number"))


def topics_to_take(user: User, pool: Pool) -> "QuerySet[Topic]":
    """The open topics without those that the user judges in another pass: to him or her these are topics like all others."""
    own = Assignment.objects.filter(pool__task=pool.task_id, assessor=user, pass_number__gt=1, is_repeat=False)
    return open_topics_of(pool).exclude(pk__in=own.values("topic"))


@dataclass(frozen=True, slots=True)
class Offer:
    """Topics that the assessor may take; `refusal`: why none may be taken now."""

    topics: Sequence[Topic] = ()
    refusal: str = ""


def offer_to(user: User, pool: Pool | None) -> Offer | None:
    """None where assessors do not choose, where nothing is open, and for those who are no assessors."""
    if pool is None or not (rules := rules_of(pool.task)).topics_are_open:
        return None
    if not is_assessor(user, pool.task.campaign):
        return None
    topics = list(topics_to_take(user, pool))
    return Offer(topics, why_not_take(user, pool, rules)) if topics else None


def why_not_take(user: User, pool: Pool, rules: AssigningRules) -> str:
    """Why the assessor may take no further topic now; "" where they may."""
    if rules.avoids_conflicts and (team := conflicts(pool, [user]).get(user.pk)):
        return f"You are a member of {team}, whose runs are in the pool: the organisers assign your topics."
    unfinished = Assignment.objects.filter(pool=pool, assessor=user, finished_at=None, is_repeat=False).count()
    if unfinished >= rules.topics_at_once:
        return f"You have {unfinished} unfinished, of {rules.topics_at_once} at once: finish one, then take the next."
    return ""


@dataclass(frozen=True, slots=True)
class Given:
    """Assignments of one kind in one pass: `share` is None where all documents are given."""

    pass_number: int
    share: float | None
    is_repeat: bool
    topics: int
    divided: int


def given_in(pool: Pool) -> list[Given]:
    """What is assigned of the pool by pass, share and kind, in the order of passes; `divided`: topics given in parts."""
    kinds = (
        Assignment.objects.filter(pool=pool)
        .order_by("pass_number", "share")
        .values("pass_number", "share", "is_repeat")
    )
    divided = Count("topic", distinct=True, filter=Q(parts__gt=1))
    return [Given(**row) for row in kinds.annotate(topics=Count("topic", distinct=True), divided=divided)]


def draws_of(pool: Pool) -> list[dict[str, Any]]:
    """Shares that were drawn of topics: pass, share, seed and number of topics, for those who draw them again."""
    drawn = Assignment.objects.filter(pool=pool, share__isnull=False).order_by("pass_number", "share_seed")
    columns = drawn.values("pass_number", "share", "share_seed", "is_repeat")
    return [dict(row) for row in columns.annotate(topics=Count("topic", distinct=True))]
