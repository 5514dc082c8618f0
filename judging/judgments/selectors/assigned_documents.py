"""The documents of an assignment among the entries of its pool, where it is about a part or a share of the topic."""

from typing import Any

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import MD5, Concat, Substr

from judging.core.hashed_sampling import DIGITS, PLACES, Draw
from judging.models import Assignment, Judgment
from pooling.models import PoolEntry

Entries = QuerySet[PoolEntry]


def entries_of(assignment: Assignment) -> Entries:
    """The entries that the assignment is about, whoever has judged them, in judging order.

    Of a hidden repeat these are documents that its assessor judged in an earlier pass.
    """
    entries = drawn_entries_of(assignment)
    return entries.filter(among(judged_before(assignment))) if assignment.is_repeat else entries


def drawn_entries_of(assignment: Assignment) -> Entries:
    """The entries of its part or share, of a hidden repeat also those that its assessor has not judged before."""
    entries: Entries = PoolEntry.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id).order_by("position")
    for draw in assignment.draws:
        entries = _in(draw, entries, assignment.topic.number)
    return entries


def judged_before(assignment: Assignment) -> "QuerySet[Judgment]":
    """What its assessor judged of the topic in earlier passes."""
    own = Judgment.objects.filter(topic=assignment.topic_id, assessor=assignment.assessor_id, is_current=True)
    return own.filter(pass_number__lt=assignment.pass_number, verdict__in=Judgment.JUDGED)


def among(rows: "QuerySet[Any]") -> Q:
    """Condition: a row of these, none of which depends on the outer query, has the docno.

    PostgreSQL reads them once and hashes them. A join or EXISTS takes an index by what statistics say of the tables, and
    these know nothing of a pool that was just frozen: the time then grows with the square of the documents. The second half
    never holds; it keeps the first one from becoming a join.
    """
    return Q(docno__in=rows.order_by().values("docno")) | Q(docno="")


def _in(draw: Draw, entries: Entries, topic: str) -> Entries:
    digest = MD5(Concat(Value(f"{draw.seed} {topic} "), F("docno")))
    placed = entries.alias(**{(name := f"place_{draw.seed}_{draw.low}"): Substr(digest, 1, DIGITS)})
    if draw.low > 0:
        placed = placed.filter(**{f"{name}__gte": f"{draw.low:0{DIGITS}x}"})
    if draw.high < PLACES:
        placed = placed.filter(**{f"{name}__lt": f"{draw.high:0{DIGITS}x}"})
    return placed
