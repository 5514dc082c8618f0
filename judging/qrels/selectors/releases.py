"""What a release would hold, and the contents of released qrels."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.qrels.table import QRELS_SCHEMA, read_stored_qrels
from campaign.models import Task
from campaign.storage.reading import verified_bytes
from campaign.text.natural_order import natural_order
from campaign.web.asking_once import once
from judging.core.modes.declaration import Acts, QrelsTables
from judging.core.modes.registry import judging_mode
from judging.core.resolution import (
    LEFT_OUT,
    OVER,
    STRICT_MAJORITY,
    UNJUDGED,
    layered,
    votes_by_topic,
    with_unjudged,
)
from judging.core.samples import Sample, judged_sample
from judging.core.set_names import DEFAULT
from judging.judgments.selectors.at_revision import NOW, AsOf
from judging.judgments.selectors.votes import acts_about, decisions_of, documents_of
from judging.models import Qrels
from judging.models.qrels import SAMPLE_TABLES
from pooling.core.duplicates.standing import grades_taken
from pooling.core.strategies.judging_order import DEFAULT_ORDER
from pooling.models import DuplicateSearch, Pool, PoolEntry
from pooling.selectors.duplicates import handling_of, stood_for_table
from pooling.selectors.samples import PoolSample, is_sample, pool_sample


@dataclass(frozen=True, slots=True)
class Draft:
    """Qrels as they would be released: `table` has topic, docno, grade; -1 is unjudged, -2 could not be judged.

    `undecided`: (topic, docno) of pairs that were graded, but get no grade by the policy. `votes_by_topic`: number of grades to
    number of pairs that have so many. `drawn`: the sample that the pool is. `led`: topic, docno, representative of
    near-identical documents that another one stands for; `taken_by_topic`: how many grades they took.
    """

    table: pl.DataFrame
    subtopic_table: pl.DataFrame | None
    undecided: tuple[tuple[str, str], ...] = ()
    votes_by_topic: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    drawn: PoolSample | None = None
    led: pl.DataFrame | None = None
    taken_by_topic: Mapping[str, int] = field(default_factory=dict)

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
    def released(self) -> pl.DataFrame:
        """What the file of the release holds: the topics with at least one grade."""
        return self.table.filter(pl.col("topic").is_in(self.topics))

    @property
    def topics(self) -> list[str]:
        """Topics with at least one grade, in byte order: the others cannot score a run."""
        return sorted(self.table.filter(pl.col("grade") >= 0)["topic"].unique().to_list())


def release_draft(
    pool: Pool, policy: str, as_of: AsOf = NOW, topics: Collection[int] | None = None, assessor: int | None = None
) -> Draft:
    """The qrels of all current judgments of this pool's documents and those of earlier pools of its task.

    `as_of`: of the judgments and decisions that were current after these acts, which makes a released version again.
    `topics`: of these only, and without the sample that the pool is. `assessor`: by this person alone, and likewise without.
    """
    acts = acts_about(pool, as_of, topics, assessor)
    tables = _resolved(pool, acts, policy, decisions_of(pool, as_of, topics))
    undecided = tables.overall.filter(pl.col("grade") == UNJUDGED).select("topic", "docno").rows()
    led = stood_for_table(pool, topics)
    taken = grades_taken(tables.overall, led)
    overall = pl.concat([tables.overall, taken])
    pooled_table = documents_of(PoolEntry.objects.filter(pool=pool), topics) if pool.size else overall
    if assessor is not None:
        pooled_table = pooled_table.join(overall, on="topic", how="semi", maintain_order="left")
    elsewhere = overall.join(pooled_table, on=["topic", "docno"], how="anti")
    return Draft(
        table=with_unjudged(pooled_table, overall),
        subtopic_table=_with_twins(tables, led),
        undecided=tuple(undecided),
        votes_by_topic=votes_by_topic(acts.table),
        drawn=pool_sample(pool, elsewhere) if topics is None and assessor is None else None,
        led=led,
        taken_by_topic=dict(taken.filter(pl.col("grade") >= 0).group_by("topic").len().iter_rows()),
    )


def _resolved(pool: Pool, acts: Acts, policy: str, decisions: Acts) -> QrelsTables:
    """The tables by the policy; under "adjudicated over" another one with the decisions about these pools' documents on top."""
    mode = judging_mode(pool.task.judging_mode)
    base = mode.qrels(acts, policy.removeprefix(OVER))
    if not policy.startswith(OVER):
        return base
    # One decision for each pair: every policy takes it as it is.
    decided = mode.qrels(decisions, "single")
    by_subtopic = base.by_subtopic
    if by_subtopic is not None and decided.by_subtopic is not None:
        by_subtopic = layered(by_subtopic, decided.by_subtopic)
    return QrelsTables(layered(base.overall, decided.overall), by_subtopic)


def _with_twins(tables: QrelsTables, led: pl.DataFrame) -> pl.DataFrame | None:
    """The grades by subtopic, also of the documents that take those of a near-identical one."""
    by_subtopic = tables.by_subtopic
    if by_subtopic is None or led.is_empty():
        return by_subtopic
    taken = grades_taken(by_subtopic, led, judged=tables.overall.select("topic", "docno"))
    return pl.concat([by_subtopic, taken]).sort("topic", "subtopic", "docno")


def why_no_uniform_sample(qrels: Qrels) -> str:
    """Why the graded documents are no uniform random sample of each topic's pool; empty when they are, or are all of it.

    They are one if nothing was judged before, the strategy took its documents whole, assessors followed a random order, and no
    policy leaves out what they disagree on.
    """
    of_one_assessor = qrels.set_name and qrels.source == Qrels.JUDGED
    return "it holds the judgments of one assessor" if of_one_assessor else _why_not_uniform(qrels)


def _why_not_uniform(qrels: Qrels) -> str:
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


def pairs_without_grade(qrels: Qrels) -> int:
    """How many pooled pairs of the topics that runs are scored on have no grade.

    The file is read only if there are other topics, so that a board does without it where it can. It does not hold those that
    the release left out: they are the pool's other documents.
    """
    others = PoolEntry.objects.filter(pool=qrels.pool).exclude(topic__number__in=qrels.topics)
    if qrels.pool is not None and not qrels.topics_not_scored and not others.exists():
        return qrels.unjudged_count
    scored = pl.col("topic").is_in(list(qrels.topics))
    table = released_table(qrels, "overall").filter(scored)
    if qrels.pool is not None and LEFT_OUT in (qrels.cannot_judge_as, qrels.unjudged_as):
        pooled = documents_of(PoolEntry.objects.filter(pool=qrels.pool), None).filter(scored)
        table = with_unjudged(pooled, table)
    return table.filter(pl.col("grade") < 0).height


def with_no_subtopic(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(subtopic=pl.lit(NO_SUBTOPIC)).select(list(QRELS_SCHEMA))


def grade_counts(table: pl.DataFrame, grades: list[int], lowest_relevant: int) -> list[dict[str, Any]]:
    """Per topic in natural order: documents of each grade, unjudged and not judgeable ones, and relevant ones.

    `table`: topic, grade and docno of each document, or topic, grade and `pairs`, the number of documents.
    """
    by_topic = sorted(_by_topic(table), key=lambda entry: natural_order(entry[0]))
    return [_topic_counts(topic, rows, grades, lowest_relevant) for topic, rows in by_topic]


def topics_that_tell_nothing(table: pl.DataFrame, lowest_relevant: int) -> dict[str, str]:
    """Graded topics without a relevant document, in natural order, with the reason in words.

    AP, P, R, RR and bpref are 0 there for every run. Where all judged documents are relevant runs do differ: by what they
    return before these documents.
    """
    by_topic = sorted(_by_topic(table), key=lambda entry: natural_order(entry[0]))
    reasons = {topic: why_telling_nothing(counts, lowest_relevant) for topic, counts in by_topic}
    return {topic: why for topic, why in reasons.items() if why}


def why_telling_nothing(counts: Mapping[int, int], lowest_relevant: int) -> str:
    """The reason for a topic with so many documents of each grade; "" where one is relevant, or where nothing is graded."""
    graded = {grade: count for grade, count in counts.items() if grade >= 0 and count}
    if not graded or max(graded) >= lowest_relevant:
        return ""
    return f"no relevant document among {sum(graded.values()):,} judged"


def scored_but_telling_nothing(qrels: Qrels, table: pl.DataFrame) -> list[str]:
    """Topics of released qrels without a relevant document on which runs are scored, with the reason; `table`: its grades."""
    doubtful = topics_that_tell_nothing(table, qrels.task.lowest_relevant_grade)
    return [f"{topic} ({why})" for topic, why in doubtful.items() if topic in qrels.topics]


def _by_topic(table: pl.DataFrame) -> Iterator[tuple[str, dict[int, int]]]:
    size = pl.col("pairs").sum() if "pairs" in table.columns else pl.len().alias("pairs")
    counts = table.group_by("topic", "grade").agg(size).sort("topic", "grade")
    for (topic,), rows in counts.group_by("topic", maintain_order=True):
        yield str(topic), dict(rows.select("grade", "pairs").iter_rows())


def _topic_counts(topic: str, counts: dict[int, int], grades: list[int], lowest_relevant: int) -> dict[str, Any]:
    return {
        "topic": topic,
        "grades": [counts.get(grade, 0) for grade in grades],
        "relevant": sum(count for grade, count in counts.items() if grade >= lowest_relevant),
        "judged": sum(count for grade, count in counts.items() if grade >= 0),
        "ungraded": sum(count for grade, count in counts.items() if grade < 0),
    }


def newest_releases(tasks: Sequence[Task]) -> dict[int, tuple[int, datetime]]:
    """By task, the key of the newest qrels of the default set and when they were released."""
    rows = Qrels.objects.filter(task__in=tasks, set_name=DEFAULT).order_by("version")
    facts = rows.values_list("task", "pk", "released_at")
    asked = (newest_releases, *(task.pk for task in tasks))
    return once(asked, lambda: {task: (qrels, at) for task, qrels, at in facts})


def latest_qrels(task: Task, set_name: str = DEFAULT) -> Qrels | None:
    """The version of a set that counts: runs are scored against it, and a release into the set is compared with it."""
    newest = task.qrels.filter(set_name=set_name).order_by("-version")
    return once((latest_qrels, task.pk, set_name), newest.first)
