"""The votes of which a release makes grades: current judgments and adjudicators' decisions, read as one table."""

from collections.abc import Collection, Iterator
from typing import Any

import polars as pl
from django.db.models import Exists, OuterRef, QuerySet

from judging.core.modes.declaration import ACTS_SCHEMA, Acts
from judging.core.resolution import first_of_each_person
from judging.judgments.selectors.at_revision import NOW, AsOf, decisions_as_of, judgments_as_of
from judging.models import Adjudication, Judgment
from pooling.core.strategies.declaration import PAIR
from pooling.models import Pool, PoolEntry
from pooling.selectors.tables import ROWS_AT_ONCE, table_of


def acts_about(pool: Pool, as_of: AsOf, topics: Collection[int] | None, assessor: int | None = None) -> Acts:
    """The acts, of all or of one assessor, about documents of this pool and of earlier ones, whichever pool they were made in.

    A change of mind through a later pool counts, and leaves no gap in an earlier one. What is judged is in some pool, so the
    latest one need not be asked. Where documents are compared, it is not in SQL: PostgreSQL takes the documents of all topics
    for a handful, and compares every judgment with every entry.
    """
    judgments = Judgment.objects.of_task(pool.task_id)
    wanted = judgments if topics is None else judgments.filter(topic__in=topics)
    wanted = wanted if assessor is None else wanted.filter(assessor=assessor)
    acts = acts_of(judgments_as_of(wanted, as_of.judgment))
    if not pool.task.pools.filter(version__gt=pool.version).exists():
        return acts
    entries = PoolEntry.objects.filter(pool__task=pool.task_id, pool__version__lte=pool.version)
    documents = documents_of(entries, topics)
    numbered = acts.table.with_row_index("place")
    among = numbered.join(documents, on=PAIR, how="semi", maintain_order="left")
    return Acts(among.drop("place"), [acts.details[place] for place in among["place"]])


def acts_of(judgments: "QuerySet[Judgment]") -> Acts:
    """Current judgments as the judging mode reads them, without those that were taken back or are not made yet.

    A person has one vote on a pair: that of the first pass in which he or she graded it. Hidden repeats are none.
    """
    standing = judgments.filter(verdict__in=Judgment.JUDGED, assignment__is_repeat=False).order_by("pk")
    details: list[dict[str, Any]] = []

    def facts() -> Iterator[tuple[Any, ...]]:
        rows = standing.values_list(
            "topic__number", "docno", "grade", "pass_number", "judged_at", "pk", "assessor", "details"
        )
        for *row, held in rows.iterator(chunk_size=ROWS_AT_ONCE):
            details.append(held)
            yield tuple(row)

    table = table_of(facts(), {**ACTS_SCHEMA, "person": pl.Int64()})
    counts = first_of_each_person(table)
    kept = [held for held, is_counted in zip(details, counts, strict=True) if is_counted]
    return Acts(table.filter(counts).drop("person"), kept)


def decisions_of(pool: Pool, as_of: AsOf = NOW, topics: Collection[int] | None = None) -> Acts:
    """The adjudicators' current decisions about documents of this pool and of earlier ones of its task, as acts."""
    entries = PoolEntry.objects.filter(
        pool__task=pool.task_id, pool__version__lte=pool.version, topic=OuterRef("topic"), docno=OuterRef("docno")
    )
    decisions = Adjudication.objects.filter(Exists(entries), topic__task=pool.task_id)
    decisions = decisions if topics is None else decisions.filter(topic__in=topics)
    standing = decisions_as_of(decisions, as_of.decision).exclude(verdict=Adjudication.WITHDRAWN).order_by("pk")
    rows = list(standing.values_list("topic__number", "docno", "grade", "decided_at", "pk", "details"))
    facts = ((topic, docno, grade, 1, at, pk) for topic, docno, grade, at, pk, _ in rows)
    return Acts(table_of(facts, ACTS_SCHEMA), [details for *_, details in rows])


def documents_of(entries: "QuerySet[PoolEntry]", topics: Collection[int] | None) -> pl.DataFrame:
    """topic, docno of these entries, or of those of these topics."""
    wanted = entries if topics is None else entries.filter(topic__in=topics)
    rows = wanted.order_by().values_list("topic__number", "docno")
    return table_of(rows.iterator(ROWS_AT_ONCE), dict.fromkeys(PAIR, pl.String))
