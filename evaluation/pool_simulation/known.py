"""A collection whose qrels are taken for the whole truth, and runs scored by what a pool would have had judged of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from campaign.formats.runs.order_setting import BY_LINE
from evaluation.engine.analyses.rank_correlation import kendall_tau, tau_ap
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.memo import Memo
from evaluation.engine.ranked_run import RankedRun, together
from evaluation.engine.ranking import rank_run
from pooling.core.strategies.declaration import PAIR, PooledRun, candidates

UNJUDGED = -1
ESTIMATORS = {"": "AP", "stratum": "xinfAP", "probability": "statAP"}
"""By which measure runs are scored, by what a pool is sampled by."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """How the order of the runs by a pool's judgments agrees with the true one, both in [-1, 1].

    values: what the runs have by these judgments, float64 (n_runs, n_topics).
    """

    tau: float
    tau_ap: float
    values: FloatArray


@dataclass(frozen=True, eq=False)
class KnownCollection:
    """Runs, topics and the relevant documents of each topic.

    judgments: every document that a run holds or that is judged, relevant ones of grade 1, others of 0. ranked: all runs
    against them, one after the other. codes: topic, docno, code (its row in `judgments.documents`).
    """

    runs: tuple[PooledRun, ...]
    topics: tuple[str, ...]
    judgments: Judgments
    ranked: RankedRun
    codes: pl.DataFrame

    @classmethod
    def of(
        cls, runs: Sequence[PooledRun], topics: Sequence[str], qrels: pl.DataFrame, level: int = 1
    ) -> KnownCollection:
        """From whole runs (topic, docno, position) and qrels (topic, docno, grade); grades from `level` on are relevant.

        Documents without a grade count as not relevant.
        """
        known = candidates(runs, topics, None)
        held = known.appearances.select(pl.col("topic").cast(pl.String), "docno")
        graded = qrels.filter(pl.col("topic").is_in(list(topics))).select(
            *PAIR, grade=(pl.col("grade") >= level).cast(pl.Int32)
        )
        table = (
            pl.concat([held, graded.select(PAIR)])
            .unique()
            .join(graded, on=PAIR, how="left")
            .with_columns(pl.col("grade").fill_null(0), subtopic=pl.lit("0"))
        )
        judgments = Judgments.from_table(table)
        by_tag = tuple(sorted(runs, key=lambda run: run.tag))
        ranked = together([rank_run(_in_lines(run), judgments, run_order=BY_LINE) for run in by_tag])
        return cls(by_tag, tuple(topics), judgments, ranked, judgments.documents.with_row_index("code"))

    @property
    def relevant(self) -> int:
        """The relevant documents of all topics."""
        return int(self.judgments.grade.sum())

    @cached_property
    def relevant_of(self) -> dict[str, dict[str, bool]]:
        """The relevant documents of each topic."""
        found: dict[str, dict[str, bool]] = {topic: {} for topic in self.topics}
        for topic, docno in self.judgments.documents.filter(pl.Series(self.judgments.grade == 1)).iter_rows():
            found[topic][docno] = True
        return found

    @cached_property
    def true_values(self) -> FloatArray:
        """AP of each run by all relevant documents: float64 (n_runs, n_topics)."""
        return self._values("AP", self.ranked)

    @cached_property
    def true_scores(self) -> FloatArray:
        """MAP of each run by all relevant documents: float64 (n_runs,)."""
        scores: FloatArray = self.true_values.mean(axis=1)
        return scores

    def found(self, judged: pl.DataFrame) -> int:
        """Relevant documents among those judged (topic, docno)."""
        return int(self.judgments.grade[self._codes(judged)].sum())

    def graded(self, documents: pl.DataFrame) -> pl.DataFrame:
        """The documents with `relevant`."""
        relevant = self.judgments.grade[self._codes(documents)] == 1
        return documents.with_columns(pl.Series("relevant", relevant))

    def agreement(self, sample: pl.DataFrame, sampling: str) -> Agreement:
        """Score the runs by what of a pool is judged, and compare their order with the true one.

        sample: topic, docno, stratum, inclusion_probability (null: not drawn, so not judged). A stratum of a topic of which
        nothing is judged is left out: estimators refuse it, and its documents then count as not relevant.
        """
        if sampling == "stratum":
            has_judged = pl.col("inclusion_probability").is_not_null().any().over("topic", "stratum")
            sample = sample.filter(has_judged)
        else:
            sample = sample.filter(pl.col("inclusion_probability").is_not_null())
        values = self._values(ESTIMATORS[sampling], self._seen(sample))
        scores = values.mean(axis=1)
        return Agreement(kendall_tau(self.true_scores, scores), tau_ap(self.true_scores, scores), values)

    def _seen(self, sample: pl.DataFrame) -> RankedRun:
        """The runs against the judgments of a sample alone."""
        code = self._codes(sample)
        order = np.argsort(code)
        kept = np.zeros(len(self.judgments.grade), dtype=np.bool_)
        kept[code] = True
        probability = sample["inclusion_probability"].cast(pl.Float64).fill_null(float("nan")).to_numpy()[order]
        judgments = self._judged(kept, sample["stratum"].fill_null(1).to_numpy().astype(np.int64)[order], probability)
        hits = kept[self.ranked.document]
        document = (np.cumsum(kept) - 1)[self.ranked.document[hits]]
        return replace(
            self.ranked,
            judgments=judgments,
            group=self.ranked.group[hits],
            rank=self.ranked.rank[hits],
            grade=judgments.grade[document],
            document=document,
            memo=Memo(),
        )

    def _judged(self, kept: BoolArray, stratum: IntArray, probability: FloatArray) -> Judgments:
        grade = np.where(np.isnan(probability), UNJUDGED, self.judgments.grade[kept])
        topic = self.judgments.topic[kept]
        return replace(
            self.judgments,
            docno=self.judgments.docno[np.flatnonzero(kept)],
            topic=topic,
            grade=grade,
            pair_document=np.arange(len(grade)),
            pair_subtopic=topic,
            pair_grade=grade,
            stratum=stratum,
            probability=probability,
            memo=Memo(),
        )

    def _codes(self, documents: pl.DataFrame) -> IntArray:
        named = documents.select(pl.col("topic").cast(pl.String), "docno")
        joined = named.join(self.codes, on=PAIR, how="left", maintain_order="left")
        codes: IntArray = joined["code"].cast(pl.Int64).to_numpy()
        return codes

    def _values(self, measure: str, ranked: RankedRun) -> FloatArray:
        values: FloatArray = parse_measure(measure).compute(ranked)
        return values.reshape(len(self.runs), self.judgments.n_topics)


def _in_lines(run: PooledRun) -> pl.DataFrame:
    return run.ranking.select(*PAIR, score=-pl.col("position").cast(pl.Float64))
