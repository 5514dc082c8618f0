"""Depth-k pooling: a topic's pool is the union of the first k documents of every pooled run."""

from __future__ import annotations

import polars as pl

from pooling.strategies.declaration import PAIR, Candidates, Selection, Strategy
from pooling.strategies.parameters import Parameters, Whole
from pooling.strategies.randomness import SeededGenerator

DEEPEST = 1000


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """P_t = union over runs s of {d : position_s(d) <= k}, k = `parameters["depth"]`.

    Source: Spärck Jones and van Rijsbergen (1975), as practised at TREC.
    """
    return Selection(candidates.within(parameters["depth"]).appearances)


def enters_at(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> pl.DataFrame:
    """A document is in the pool of depth k if and only if its best position is <= k."""
    return candidates.appearances.group_by(PAIR).agg(pl.col("position").min().alias("value"))


def covers(parameters: Parameters) -> tuple[str, ...]:
    depth = parameters["depth"]
    # Exact is what depends on the documents within the cutoff alone. nDCG@k does not: its ideal ranking holds relevant
    # documents that no run has within depth k.
    exact = ", ".join(f"{measure}@{depth}" for measure in ("P", "RR", "Success", "DCG"))
    return (
        f"The first {depth} documents of every pooled run.",
        f"Once all are judged, {exact} and ERR@{depth} are exact for these runs, and at every smaller cutoff.",
        f"nDCG@{depth}, AP, R and other measures that need all relevant documents are not exact: too low or too high.",
    )


STRATEGY = Strategy(
    name="depth-k",
    label="depth-k",
    parameters=(
        Whole(
            name="depth",
            label="Depth k",
            symbol="k",
            low=1,
            high=DEEPEST,
            default=10,
            help="The first k documents of each pooled run, in the order of the task.",
            compared=(5, 10, 20, 50),
        ),
    ),
    select=select,
    reads=lambda parameters: int(parameters["depth"]),
    covers=covers,
    contributes=lambda parameters: f"documents within depth {parameters['depth']}",
    enters_at=enters_at,
)
