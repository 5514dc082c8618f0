"""What strategies work on: runs laid end to end as one table of appearances, and what a strategy declares of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import polars as pl

from pooling.core.strategies.adaptive.policy import Policy
from pooling.core.strategies.parameters import Parameter, Parameters, PoolSpecError
from pooling.core.strategies.randomness import SeededGenerator

PAIR = ["topic", "docno"]
ONLY_STRATUM = 1
"""Of the documents that a strategy samples without strata."""
COMMON_SETTINGS = frozenset(
    {
        *("strategy", "parameters", "max_priority", "runs", "runs_per_team", "order", "seed", "run_order", "reference"),
        *("seconds", "fields_of", "ask", "a", "waits"),
    }
)
"""Names that specs and pages use for pools of every strategy."""


@dataclass(frozen=True, slots=True)
class PooledRun:
    """A run as pooling sees it.

    `ranking` has the columns topic, docno, position (the task's order, from 1 in each topic); for strategies that read scores
    also `share`, as `with_shares` gives it, or `score` of the whole run; it may hold `pair`, one number for a pair in all runs.
    """

    tag: str
    team: str
    priority: int
    ranking: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a strategy chooses from. No table depends on the order of the runs.

    appearances: a row per (run, topic, docno), as `appearances` gives them; with `share` if the strategy reads scores.
    runs: a row per run, sorted by tag: run (UInt32), tag, team (String), priority (Int64).
    judged: a row per judged document: topic (as in appearances), docno (String), grade (Int32; -2: could not be judged).
    """

    appearances: pl.DataFrame
    runs: pl.DataFrame
    judged: pl.DataFrame

    def within(self, depth: int | None) -> Self:
        """With the first `depth` documents of each run only; None keeps all."""
        if depth is None:
            return self
        return replace(self, appearances=self.appearances.filter(pl.col("position") <= depth))


@dataclass(frozen=True, slots=True)
class Selection:
    """What a strategy takes into the pool.

    appearances: rows of those it was given, through which documents enter: a document without one stays out.
    details: None, or one row per pooled document: topic, docno, and one or both of
        place: any number, the smallest is judged first within a topic, equal ones in the seeded order;
        inclusion_probability: Float64 in (0, 1], with which the document was drawn;
        stratum: Int32 from 1 to 999, in which it was drawn; given together with inclusion_probability.
    frame: None, or topic, docno, stratum of the documents that could have been drawn and were not. Released judgments name
        them, since an estimator counts them.
    """

    appearances: pl.DataFrame
    details: pl.DataFrame | None = None
    frame: pl.DataFrame | None = None


Select = Callable[[Candidates, Parameters, SeededGenerator], Selection]
EntryValues = Callable[[Candidates, Parameters, SeededGenerator], pl.DataFrame]


def _pooled_documents(parameters: Parameters) -> str:
    return "pooled documents"


def _nothing_whole(parameters: Parameters) -> int:
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A way to choose what is judged, as it declares itself. Pages, command, spec and stored pools are made from this.

    purpose: one sentence on what it is for. family: a key of `families.FAMILIES`, under which pages list it.
    select: chooses. The same candidates, parameters and seed must give the same selection: polars gives groups in no fixed
        order, and a sum of floats depends on the order of its terms, so sort before you count on an order. Settings that do
        not fit the runs are a PoolSpecError, whose message names the topic and what to change.
    reads: how many first documents of each run and topic `select` looks at; None for all. It is given no others.
    covers: sentences on what the pool holds. What it makes exact is said for all strategies in one place.
    judged_whole: the depth to which all documents of every pooled run are in the pool; 0 where there is none.
    sampling: by what estimators read the pool, if it is a sample: the `stratum` or the `probability` of each document.
    reads_scores: whether `select` looks at the column `share` of the appearances.
    across_topics: whether what is taken for one topic depends on the others; if not, a large pool is drawn in parts, each
        of some topics.
    reads_priorities: whether with these parameters `select` looks at the priorities of the runs.
    contributes: what of a run counts as its contribution to the pool, in words.
    own_order: what the order is that `Selection.details` gives by `place`, in words; "" where it gives none.
    reads_judgments: whether `select` looks at `Candidates.judged`, which is empty otherwise.
    enters_at: for a parameter with `compared` values of which a larger one only adds documents: topic, docno and `value`,
        the smallest value of that parameter with which the document is pooled. One pass then counts the pools of all
        values; without it `select` is called for each of them.
    policy: of an adaptive strategy, how documents are chosen while the pool is judged; `select` draws what is judged at the
        start. `adaptive/choosing.py` runs it.
    """

    name: str
    label: str
    select: Select
    reads: Callable[[Parameters], int | None]
    covers: Callable[[Parameters], tuple[str, ...]]
    contributes: Callable[[Parameters], str] = _pooled_documents
    purpose: str = ""
    family: Literal["whole", "budget", "sampled", "adaptive"] = "whole"
    parameters: tuple[Parameter, ...] = ()
    judged_whole: Callable[[Parameters], int] = _nothing_whole
    sampling: Literal["", "stratum", "probability"] = ""
    reads_scores: bool = False
    reads_priorities: Callable[[Parameters], bool] = lambda parameters: False
    across_topics: bool = False
    own_order: str = ""
    reads_judgments: bool = False
    enters_at: EntryValues | None = None
    policy: Policy | None = None

    def __post_init__(self) -> None:
        names = [parameter.name for parameter in self.parameters]
        taken = sorted({name for name in names if name in COMMON_SETTINGS or names.count(name) > 1})
        if taken:
            raise ValueError(f"Strategy {self.name}: call the parameter {', '.join(taken)} something else.")
        if sum(bool(parameter.compared) for parameter in self.parameters) > 1:
            raise ValueError(f"Strategy {self.name}: only one parameter can have values to compare.")

    @property
    def defaults(self) -> dict[str, Any]:
        return {parameter.name: parameter.default for parameter in self.parameters}

    @property
    def compared(self) -> Parameter | None:
        """The parameter of which the preview compares several values."""
        return next((parameter for parameter in self.parameters if parameter.compared), None)

    def check(self, values: Parameters) -> dict[str, Any]:
        """All parameters in their one form, in the declared order. Raises PoolSpecError."""
        self._require_known(values)
        values = {
            **{parameter.name: parameter.default for parameter in self.parameters if parameter.optional},
            **values,
        }
        missing = [parameter.name for parameter in self.parameters if parameter.name not in values]
        if missing:
            raise PoolSpecError(f"The strategy {self.name} needs the parameter {', '.join(missing)}. Add it.")
        return {parameter.name: parameter.check(values[parameter.name]) for parameter in self.parameters}

    def from_text(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """The values that options or fields give as text; those not given are left out. Raises PoolSpecError."""
        self._require_known(texts)
        return {
            parameter.name: parameter.from_text(texts[parameter.name])
            for parameter in self.parameters
            if parameter.name in texts
        }

    def _require_known(self, values: Mapping[str, Any]) -> None:
        unknown = sorted(set(values) - {parameter.name for parameter in self.parameters})
        if unknown:
            raise PoolSpecError(f"The strategy {self.name} has no parameter {', '.join(unknown)}. Leave it out.")

    def describe(self, values: Parameters) -> str:
        """The parameters in words; "" where there are none."""
        return ", ".join(parameter.describe(values[parameter.name]) for parameter in self._told(values))

    def to_json(self, values: Parameters) -> dict[str, Any]:
        """Checked values as they are stored: plain ones, without optional parameters at their defaults."""
        return {parameter.name: parameter.to_json(values[parameter.name]) for parameter in self._told(values)}

    def _told(self, values: Parameters) -> list[Parameter]:
        return [
            parameter
            for parameter in self.parameters
            if not (parameter.optional and values[parameter.name] == parameter.default)
        ]


def candidates(
    runs: Sequence[PooledRun],
    topics: Sequence[str],
    depth: int | None,
    judged: pl.DataFrame | None = None,
    reads_scores: bool = False,
) -> Candidates:
    """What there is to choose from: the first `depth` documents of each run, and what is judged (topic, docno, grade).

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> available = candidates([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=2)
    >>> available.appearances.rows(), available.runs.rows()
    ([(0, '1', 'a', 1), (0, '1', 'b', 2)], [(0, 'bm25', 'north', 1)])
    """
    by_tag = sorted(runs, key=lambda run: run.tag)
    described = [(index, run.tag, run.team, run.priority) for index, run in enumerate(by_tag)]
    schema = {"run": pl.UInt32, "tag": pl.String, "team": pl.String, "priority": pl.Int64}
    topic_type = pl.Enum(topics)
    if judged is None:
        judged = pl.DataFrame(schema={"topic": topic_type, "docno": pl.String, "grade": pl.Int32})
    else:
        known = judged.with_columns(pl.col("topic").cast(topic_type, strict=False))
        judged = known.filter(pl.col("topic").is_not_null()).sort(PAIR)
    return Candidates(
        appearances=appearances(by_tag, topics, depth, reads_scores),
        runs=pl.DataFrame(described, schema=schema, orient="row"),
        judged=judged,
    )


def appearances(
    runs: Sequence[PooledRun], topics: Sequence[str], depth: int | None, reads_scores: bool = False
) -> pl.DataFrame:
    """Where each run holds each document: one row per (run, topic, docno) with position <= `depth`, or all of them.

    Columns: run (UInt32, index into `runs`), topic (Enum in the order of `topics`), docno (String), position (UInt32); with
    `reads_scores` also share (Float64); `pair` where all runs have it. Topics that are not in `topics` are left out.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> appearances([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=2).rows()
    [(0, '1', 'a', 1), (0, '1', 'b', 2)]
    """
    topic_type = pl.Enum(topics)
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "run": pl.UInt32,
        "topic": topic_type,
        "docno": pl.String,
        "position": pl.UInt32,
        **({"share": pl.Float64} if reads_scores else {}),
    }
    numbered = all("pair" in run.ranking.columns for run in runs)
    parts = [
        _head((with_shares(run.ranking) if reads_scores else run.ranking).lazy(), depth).select(
            pl.lit(index, dtype=pl.UInt32).alias("run"),
            pl.col("topic").cast(topic_type, strict=False),
            pl.col("docno"),
            pl.col("position").cast(pl.UInt32),
            *(["share"] if reads_scores else []),
            *(["pair"] if numbered else []),
        )
        for index, run in enumerate(runs)
    ]
    return pl.concat(parts).filter(pl.col("topic").is_not_null()).collect() if parts else pl.DataFrame(schema=schema)


def with_shares(ranking: pl.DataFrame, whole: pl.DataFrame | None = None) -> pl.DataFrame:
    """The ranking with `share`: the score between the lowest, 0, and the highest, 1, of its run and topic; 1 where all are equal.

    A ranking that has it already stays as it is: it may be the head of a run, whose lowest score is not the run's. `whole` is
    the run that a head without `share` was cut from.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3 + ["2"], "docno": list("abca"), "score": [9.0, 7.0, 5.0, 3.0]})
    >>> with_shares(ranking)["share"].to_list()
    [1.0, 0.5, 0.0, 1.0]
    >>> with_shares(ranking.head(2), whole=ranking)["share"].to_list()
    [1.0, 0.5]
    """
    if "share" in ranking.columns:
        return ranking
    scores = ranking if whole is None else whole
    limits = scores.group_by("topic").agg(pl.col("score").min().alias("low"), pl.col("score").max().alias("high"))
    score, low, high = pl.col("score"), pl.col("low"), pl.col("high")
    # Halves first: the difference of the largest doubles is not finite.
    share = pl.when(high > low).then((score / 2 - low / 2) / (high / 2 - low / 2)).otherwise(1.0)
    limited = ranking.join(limits, on="topic", maintain_order="left")
    return limited.with_columns(share.alias("share")).drop("low", "high")


def _head(ranking: pl.LazyFrame, depth: int | None) -> pl.LazyFrame:
    return ranking if depth is None else ranking.filter(pl.col("position") <= depth)


def documents(selected: pl.DataFrame) -> pl.DataFrame:
    """The documents of some appearances, one row per (topic, docno), in no order.

    Columns: topic, docno, `pair` where the appearances have it, best_position, run_count (UInt32), position_sum (UInt64).

    >>> documents(pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "a"], "position": [3, 1]})).rows()
    [('1', 'a', 1, 2, 4)]
    """
    if "pair" not in selected.columns:
        return selected.group_by("topic", "docno").agg(
            pl.col("position").min().alias("best_position"),
            pl.len().cast(pl.UInt32).alias("run_count"),
            pl.col("position").cast(pl.UInt64).sum().alias("position_sum"),
        )
    pair, position = selected["pair"].to_numpy(), selected["position"].to_numpy().astype(np.int64)
    found, count = one_row_each(selected), np.bincount(pair)
    best, total = np.full(len(count), position.max(initial=0)), np.zeros(len(count), dtype=np.int64)
    np.minimum.at(best, pair, position)
    np.add.at(total, pair, position)
    number = found["pair"].to_numpy()
    return found.with_columns(
        best_position=pl.Series(best[number], dtype=pl.UInt32),
        run_count=pl.Series(count[number], dtype=pl.UInt32),
        position_sum=pl.Series(total[number], dtype=pl.UInt64),
    )


def pair_columns(table: pl.DataFrame) -> list[str]:
    """What names a document in the table: topic, docno, and `pair` where it has that.

    >>> pair_columns(pl.DataFrame({"run": [0], "topic": ["1"], "docno": ["a"]}))
    ['topic', 'docno']
    """
    return [*PAIR, *(["pair"] if "pair" in table.columns else [])]


def pair_key(table: pl.DataFrame, other: pl.DataFrame) -> list[str]:
    """By what rows of both are compared: by `pair`, which is several times faster, where both have it.

    >>> held = pl.DataFrame({"topic": ["1"], "docno": ["a"], "pair": [0]})
    >>> pair_key(held, held), pair_key(held, held.drop("pair"))
    (['pair'], ['topic', 'docno'])
    """
    return ["pair"] if "pair" in table.columns and "pair" in other.columns else PAIR


def among(table: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The rows whose topic and docno are among the pairs.

    >>> held = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]})
    >>> among(held, held.head(1)).rows()
    [('1', 'a')]
    """
    return table.join(pairs, on=pair_key(table, pairs), how="semi")


def one_row_each(table: pl.DataFrame) -> pl.DataFrame:
    """A row for each topic and docno of the table, in no order: these two, and `pair` where the table has it.

    >>> one_row_each(pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "a"], "run": [0, 1], "pair": [7, 7]})).rows()
    [('1', 'a', 7)]
    """
    if "pair" not in table.columns:
        return table.select(PAIR).unique()
    pair = table["pair"].to_numpy()
    row_of = np.full(pair.max(initial=-1) + 1, -1)
    row_of[pair] = np.arange(len(pair))
    return table.select(*PAIR, "pair")[row_of[row_of >= 0]]
