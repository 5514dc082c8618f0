"""What a release would hold, and the contents of released qrels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl
from django.db.models import Exists, OuterRef, QuerySet

from campaign.formats.natural_order import natural_order
from campaign.formats.qrels.table import NO_SUBTOPIC, QRELS_SCHEMA, read_stored_qrels
from campaign.models import Task
from campaign.storage.reading import verified_bytes
from judging.models import Adjudication, Assignment, Judgment, Qrels
from judging.models.qrels import SAMPLE_TABLES
from judging.modes.declaration import ACTS_SCHEMA, Acts, QrelsTables
from judging.modes.registry import judging_mode
from judging.resolution import (
    CANNOT_JUDGE,
    LEFT_OUT,
    OVER,
    STRICT_MAJORITY,
    UNJUDGED,
    VOTES_FOR_MAJORITY,
    first_of_each_person,
    layered,
    votes_per_key,
    with_unjudged,
)
from judging.samples import Sample, judged_sample
from judging.selectors.as_of import NOW, AsOf, decisions_as_of, judgments_as_of
from pooling.duplicates.standing import grades_taken
from pooling.models import DuplicateSearch, Pool, PoolEntry
from pooling.selectors.duplicates import handling_of, stood_for_table
from pooling.selectors.samples import PoolSample, is_sample, pool_sample
from pooling.selectors.tables import ROWS_AT_ONCE, table_of
from pooling.strategies.declaration import PAIR
from pooling.strategies.ordering import DEFAULT_ORDER


@dataclass(frozen=True, slots=True)
class Draft:
    """Qrels as they would be released: `table` has topic, docno, grade; -1 is unjudged, -2 could not be judged.

    Documents are relevant from the grade `lowest_relevant`. `undecided`: (topic, docno) of pairs that were graded, but get no
    grade by the policy. `votes`: number of grades to number of pairs that have so many. `drawn`: the sample that the pool is.
    `led`: topic, docno, representative of near-identical documents that another one stands for; `taken`: grades that they took.
    """

    table: pl.DataFrame
    subtopic_table: pl.DataFrame | None
    unfinished: int
    lowest_relevant: int = 1
    undecided: tuple[tuple[str, str], ...] = ()
    votes: Mapping[int, int] = field(default_factory=dict)
    drawn: PoolSample | None = None
    led: pl.DataFrame | None = None
    taken: int = 0

    @property
    def twins(self) -> pl.DataFrame | None:
        """The released topics' part of `led`; None where there is none."""
        kept = None if self.led is None else self.led.filter(pl.col("topic").is_in(self.topics))
        return None if kept is None or kept.is_empty() else kept

    @property
    def sample(self) -> Sample | None:
        """What the sample file of the release would hold, and what it lacks; None if the pool is no sample."""
        if self.drawn is None or not self.topics:
            return None
        documents = self.drawn.documents.filter(pl.col("topic").is_in(self.topics))
        return judged_sample(documents, self.table, self.drawn.sampled_by)

    @property
    def judged(self) -> int:
        return self.table.filter(pl.col("grade") >= 0).height

    @property
    def relevant(self) -> int:
        return self.table.filter(pl.col("grade") >= self.lowest_relevant).height

    @property
    def pairs_of_few_votes(self) -> int:
        return sum(pairs for votes, pairs in self.votes.items() if votes < VOTES_FOR_MAJORITY)

    @property
    def topics_that_tell_nothing(self) -> dict[str, str]:
        return topics_that_tell_nothing(self.table, self.lowest_relevant)

    @property
    def released(self) -> pl.DataFrame:
        """What the file of the release holds: the topics with at least one grade."""
        return self.table.filter(pl.col("topic").is_in(self.topics))

    @property
    def cannot_judge(self) -> int:
        """Released pairs that could not be judged."""
        return self.released.filter(pl.col("grade") == CANNOT_JUDGE).height

    @property
    def unjudged(self) -> int:
        """Released pairs that nobody has judged."""
        return self.released.height - self.judged - self.cannot_judge

    @property
    def topics(self) -> list[str]:
        """Topics with at least one grade, in byte order: the others cannot score a run."""
        return sorted(self.table.filter(pl.col("grade") >= 0)["topic"].unique().to_list())

    @property
    def topics_left_out(self) -> list[str]:
        """Topics without any grade, in natural order."""
        return sorted(set(self.table["topic"].unique().to_list()) - set(self.topics), key=natural_order)


def release_draft(pool: Pool, policy: str, as_of: AsOf = NOW) -> Draft:
    """The qrels of all current judgments of this pool's documents and those of earlier pools of its task.

    `as_of`: of the judgments and decisions that were current after these acts, which makes a released version again.
    """
    # Select by the documents of these pools, not by the pool of the assignment: a change of mind through a later pool
    # counts, and leaves no gap in an earlier one.
    entries = PoolEntry.objects.filter(
        pool__task=pool.task_id, pool__version__lte=pool.version, topic=OuterRef("topic"), docno=OuterRef("docno")
    )
    judgments = Judgment.objects.filter(Exists(entries), topic__task=pool.task_id)
    acts = acts_of(judgments_as_of(judgments, as_of.judgment))
    tables = _resolved(pool, acts, policy, as_of)
    undecided = tables.overall.filter(pl.col("grade") == UNJUDGED).select("topic", "docno").rows()
    led = stood_for_table(pool)
    taken = grades_taken(tables.overall, led)
    overall = pl.concat([tables.overall, taken])
    pooled = PoolEntry.objects.filter(pool=pool).order_by().values_list("topic__number", "docno")
    pooled_table = table_of(pooled.iterator(ROWS_AT_ONCE), dict.fromkeys(PAIR, pl.String)) if pool.size else overall
    elsewhere = overall.join(pooled_table, on=["topic", "docno"], how="anti")
    return Draft(
        table=with_unjudged(pooled_table, overall),
        subtopic_table=_with_twins(tables, led),
        unfinished=Assignment.objects.filter(pool=pool, finished_at=None, is_repeat=False).count(),
        lowest_relevant=pool.task.lowest_relevant_grade,
        undecided=tuple(undecided),
        votes=votes_per_key(acts.table),
        drawn=pool_sample(pool, elsewhere),
        led=led,
        taken=taken.filter(pl.col("grade") >= 0).height,
    )


def _resolved(pool: Pool, acts: Acts, policy: str, as_of: AsOf) -> QrelsTables:
    """The tables by the policy; under "adjudicated over" another one with the decisions about these pools' documents on top."""
    mode = judging_mode(pool.task.judging_mode)
    base = mode.qrels(acts, policy.removeprefix(OVER))
    if not policy.startswith(OVER):
        return base
    # One decision for each pair: every policy takes it as it is.
    decided = mode.qrels(decisions_of(pool, as_of), "single")
    by_subtopic = base.by_subtopic
    if by_subtopic is not None and decided.by_subtopic is not None:
        by_subtopic = layered(by_subtopic, decided.by_subtopic)
    return QrelsTables(layered(base.overall, decided.overall), by_subtopic)


def decisions_of(pool: Pool, as_of: AsOf = NOW) -> Acts:
    """The adjudicators' current decisions about documents of this pool and of earlier ones of its task, as acts."""
    entries = PoolEntry.objects.filter(
        pool__task=pool.task_id, pool__version__lte=pool.version, topic=OuterRef("topic"), docno=OuterRef("docno")
    )
    decisions = Adjudication.objects.filter(Exists(entries), topic__task=pool.task_id)
    standing = decisions_as_of(decisions, as_of.decision).exclude(verdict=Adjudication.WITHDRAWN).order_by("pk")
    rows = list(standing.values_list("topic__number", "docno", "grade", "decided_at", "pk", "details"))
    facts = ((topic, docno, grade, 1, at, pk) for topic, docno, grade, at, pk, _ in rows)
    return Acts(table_of(facts, ACTS_SCHEMA), [details for *_, details in rows])


def _with_twins(tables: QrelsTables, led: pl.DataFrame) -> pl.DataFrame | None:
    """The grades by subtopic, also of the documents that take those of a near-identical one."""
    by_subtopic = tables.by_subtopic
    if by_subtopic is None or led.is_empty():
        return by_subtopic
    taken = grades_taken(by_subtopic, led, judged=tables.overall.select("topic", "docno"))
    return pl.concat([by_subtopic, taken]).sort("topic", "subtopic", "docno")


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


def why_no_uniform_sample(qrels: Qrels) -> str:
    """Why the graded documents are no uniform random sample of each topic's pool; empty when they are, or are all of it.

    They are one if nothing was judged before, the strategy took its documents whole, assessors followed a random order, and no
    policy leaves out what they disagree on.
    """
    pool = qrels.pool
    if qrels.sampled_by or (pool is not None and is_sample(pool)):
        return "the pool itself is a sample, and infAP takes what was not drawn for not relevant"
    if not qrels.unjudged_count:
        return ""
    if pool is None or qrels.source == Qrels.MERGED:
        return "how the graded documents of an imported file were chosen is not recorded"
    if pool.version > 1:
        return "documents of earlier pools were judged before the others"
    if pool.grows:
        return "its documents were chosen by what had been judged relevant"
    if pool.order != DEFAULT_ORDER:
        return "the pool is not judged in random order"
    if handling_of(pool) != DuplicateSearch.OFF:
        return "near-identical documents were not judged each in its turn"
    if qrels.unjudged_as == LEFT_OUT:
        return "documents that nobody judged were left out of the file"
    if qrels.policy.removeprefix(OVER) == STRICT_MAJORITY:
        return "documents on which assessors disagree have no grade"
    return ""


def released_table(qrels: Qrels, table: str) -> pl.DataFrame:
    """One of the tables in `qrels.files`: topic, subtopic, docno, grade, and what it is sampled by, in the order of its file."""
    sampled_by = next((by for by, name in SAMPLE_TABLES.items() if name == table), "")
    return read_stored_qrels(verified_bytes(qrels.files[table], found_by="a reading of qrels"), sampled_by)


def with_no_subtopic(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(subtopic=pl.lit(NO_SUBTOPIC)).select(list(QRELS_SCHEMA))


def grade_counts(table: pl.DataFrame, grades: list[int], lowest_relevant: int) -> list[dict[str, Any]]:
    """Per topic in natural order: documents of each grade, unjudged and not judgeable ones, and relevant ones."""
    by_topic = sorted(_by_topic(table), key=lambda entry: natural_order(entry[0]))
    return [_topic_counts(topic, rows, grades, lowest_relevant) for topic, rows in by_topic]


def topics_that_tell_nothing(table: pl.DataFrame, lowest_relevant: int) -> dict[str, str]:
    """Graded topics that do not tell runs apart, in natural order, and why: no relevant document, or one grade only."""
    graded = table.filter(pl.col("grade") >= 0).group_by("topic")
    extremes = graded.agg(low=pl.col("grade").min(), high=pl.col("grade").max(), judged=pl.len())
    found = {}
    for topic, low, high, judged in sorted(extremes.iter_rows(), key=lambda row: natural_order(row[0])):
        if high < lowest_relevant:
            found[topic] = f"no relevant document among {judged:,} judged"
        elif low == high:
            found[topic] = f"grade {low} only, for all documents judged ({judged:,})"
    return found


def scored_but_telling_nothing(qrels: Qrels, table: pl.DataFrame) -> list[str]:
    """Topics of released qrels on which runs are scored and which tell none apart, each with the reason; `table`: its grades."""
    doubtful = topics_that_tell_nothing(table, qrels.task.lowest_relevant_grade)
    return [f"{topic} ({why})" for topic, why in doubtful.items() if topic in qrels.topics]


def _by_topic(table: pl.DataFrame) -> Iterator[tuple[str, dict[int, int]]]:
    counts = table.group_by("topic", "grade").len().sort("topic", "grade")
    for (topic,), rows in counts.group_by("topic", maintain_order=True):
        yield str(topic), dict(rows.select("grade", "len").iter_rows())


def _topic_counts(topic: str, counts: dict[int, int], grades: list[int], lowest_relevant: int) -> dict[str, Any]:
    return {
        "topic": topic,
        "grades": [counts.get(grade, 0) for grade in grades],
        "relevant": sum(count for grade, count in counts.items() if grade >= lowest_relevant),
        "judged": sum(count for grade, count in counts.items() if grade >= 0),
        "ungraded": sum(count for grade, count in counts.items() if grade < 0),
    }


def latest_qrels(task: Task) -> Qrels | None:
    """The version that counts: runs are scored against it, and a release is compared with it."""
    return task.qrels.order_by("-version").first()
