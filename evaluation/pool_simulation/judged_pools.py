"""A pool drawn by a seed and judged by the truth: what is judged of it, what it cost, what its estimates say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from evaluation.engine.arrays import FloatArray
from evaluation.pool_simulation.known import KnownCollection
from pooling.core.completeness.estimates import estimates
from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.report import Drawn, depth_of
from pooling.core.strategies.adaptive.choosing import all_topic_lists, choices_by
from pooling.core.strategies.adaptive.lists import TopicLists
from pooling.core.strategies.declaration import PAIR, Selection, candidates
from pooling.core.strategies.drawing import pooled_documents, select_documents
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import CHOSEN, SAMPLE_SCHEMA, with_strata

NO_PAIRS = pl.DataFrame(schema={"topic": pl.String, "docno": pl.String})
NO_FRAME = pl.DataFrame(schema={"topic": pl.String, "docno": pl.String, "stratum": pl.Int32})


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one pool brought.

    judged: pairs. found: share of the relevant documents, in [0, 1]. tau, tau_ap: of the order of the runs. values: of the
    runs, float64 (n_runs, n_topics). errors: by method of estimation, the estimated share of relevant documents outside less
    the true one, where there is an estimate.
    """

    judged: int
    found: float
    tau: float
    tau_ap: float
    values: FloatArray
    errors: dict[str, float]


@dataclass(frozen=True)
class JudgedPool:
    """A drawn pool with what the truth makes of it.

    sample: every document that was judged or could have been, as `with_strata` gives it. judged: those of it that were.
    entries: the judged documents as the site stores them. estimates: of what is outside, as the site makes them; `unlimited`
    those that it refuses too.
    """

    sample: pl.DataFrame
    judged: pl.DataFrame
    entries: pl.DataFrame
    estimates: tuple[Outside | NoEstimate, ...]
    unlimited: tuple[Outside | NoEstimate, ...]


class Judging:
    """Pools over one collection; what many draws share is made once."""

    def __init__(self, known: KnownCollection, depth: int, *, scores: bool) -> None:
        self.known = known
        self._available = candidates(known.runs, known.topics, depth, reads_scores=scores)
        self._teams = self._available.runs.select("run", "team")
        self._horizon = max(
            (int(run.ranking.select(pl.col("position").max().fill_null(0)).item()) for run in known.runs), default=0
        )

    @cached_property
    def documents(self) -> pl.DataFrame:
        """Every document within the depth: topic, docno, best_position."""
        return self._available.appearances.group_by(PAIR).agg(best_position=pl.col("position").min())

    @cached_property
    def _lists(self) -> list[TopicLists]:
        return list(all_topic_lists(self._available))

    def outcome(self, spec: PoolSpec) -> Outcome:
        """Draw the pool, judge it by the truth, and compare with the truth. Raises PoolSpecError, as drawing does."""
        pool = self.judged_pool(spec)
        found = self.known.found(pool.judged) / max(self.known.relevant, 1)
        agreement = self.known.agreement(pool.sample, spec.method.sampling)
        errors = {
            estimate.method: estimate.share - (1 - found)
            for estimate in pool.estimates
            if isinstance(estimate, Outside)
        }
        return Outcome(pool.judged.height, found, agreement.tau, agreement.tau_ap, agreement.values, errors)

    def judged_pool(self, spec: PoolSpec) -> JudgedPool:
        """Draw the pool and judge all of it by the truth. Raises PoolSpecError, as drawing does."""
        selection = select_documents(self._available, spec)
        drawn, frame = _drawn(selection, spec)
        chosen = self._chosen(drawn, spec)
        sample = with_strata(drawn, frame, chosen, {}).match_to_schema(SAMPLE_SCHEMA)
        judged = sample.filter(pl.col("inclusion_probability").is_not_null())
        entries = self._graded(_entries(drawn, chosen))
        holders = self._holders(selection, judged, chosen)
        told, unlimited = (
            tuple(self._estimates(entries, frame, holders, spec, limited=limited)) for limited in (True, False)
        )
        return JudgedPool(sample, judged, entries, told, unlimited)

    def _holders(self, selection: Selection, judged: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """The appearances of the pool."""
        if not chosen.height:
            return selection.appearances
        appearances = self._available.appearances.with_columns(pl.col("topic").cast(pl.String))
        return appearances.join(judged.select(PAIR), on=PAIR, how="semi")

    def _chosen(self, drawn: pl.DataFrame, spec: PoolSpec) -> pl.DataFrame:
        if spec.method.policy is None:
            return NO_PAIRS
        bases = dict(drawn.filter(pl.col("stratum") == 1).group_by("topic").agg(pl.col("docno").sort()).iter_rows())
        rows = []
        for lists in self._lists:
            truth = self.known.relevant_of[lists.topic]
            rows += [
                (lists.topic, choice.docno) for choice in choices_by(lists, spec, bases.get(lists.topic, []), truth)
            ]
        return pl.DataFrame(rows, schema=NO_PAIRS.schema, orient="row")

    def _graded(self, entries: pl.DataFrame) -> pl.DataFrame:
        places = self.documents.with_columns(pl.col("topic").cast(pl.String))
        return self.known.graded(entries).join(places, on=PAIR, maintain_order="left")

    def _estimates(
        self, entries: pl.DataFrame, frame: pl.DataFrame, appearances: pl.DataFrame, spec: PoolSpec, *, limited: bool
    ) -> list[Outside | NoEstimate]:
        method = spec.method
        drawn = Drawn(
            reads=method.reads(spec.parameters),
            judged_whole=method.judged_whole(spec.parameters),
            sampling=method.sampling,
            frame=frame if method.sampling else None,
        )
        return estimates(
            entries,
            appearances.join(self._teams, on="run").select(*PAIR, "team"),
            frame=drawn.frame,
            sampling=drawn.sampling,
            depth=depth_of(entries, drawn),
            horizon=self._horizon,
            limited=limited,
        )


def _drawn(selection: Selection, spec: PoolSpec) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What is judged at the start, as `SAMPLE_SCHEMA`; and topic, docno, stratum of what could have been drawn and was not."""
    pooled = pooled_documents(selection).select(
        pl.col("topic").cast(pl.String), "docno", "stratum", "inclusion_probability"
    )
    if not spec.method.sampling:
        pooled = pooled.with_columns(stratum=pl.lit(1), inclusion_probability=pl.lit(1.0))
    return pooled, NO_FRAME if selection.frame is None else selection.frame.cast({"topic": pl.String})


def _entries(drawn: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
    """The pool's entries as the site stores them: what was chosen out of the control sample stays as it was drawn."""
    added = chosen.join(drawn, on=PAIR, how="anti").select(
        *PAIR, stratum=pl.lit(CHOSEN), inclusion_probability=pl.lit(1.0), source=pl.lit("chosen")
    )
    entries = pl.concat([drawn.with_columns(source=pl.lit("drawn")), added], how="vertical_relaxed")
    marked = chosen.with_columns(chosen=pl.lit(value=True))
    joined = entries.join(marked, on=PAIR, how="left", maintain_order="left")
    return joined.with_columns(pl.col("chosen").fill_null(value=False))
