"""Depth-k pooling: a topic's pool is the union of the first k documents of every pooled run."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import Candidates, Selection, Strategy, documents, pair_columns
from pooling.core.strategies.parameters import Pairs, Parameters, Whole
from pooling.core.strategies.randomness import SeededGenerator

DEEPEST = 1000


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """P_t = union over runs s of {d : position_s(d) <= k}, k = `parameters["depth"]`.

    Runs of a priority that `parameters["depths"]` names have the k that stands there, as teams rank their runs for TREC.
    Source: Spärck Jones and van Rijsbergen (1975), as practised at TREC.
    """
    appearances = candidates.appearances
    if not parameters["depths"]:
        return Selection(appearances.filter(pl.col("position") <= parameters["depth"]))
    own = _own_depths(candidates, parameters).with_columns(pl.col("own_depth").fill_null(parameters["depth"]))
    within = appearances.join(own, on="run").filter(pl.col("position") <= pl.col("own_depth"))
    return Selection(within.drop("own_depth"))


def enters_at(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> pl.DataFrame:
    """A document is in the pool of depth k if its best position is <= k in the runs to which `depth` applies.

    Through a run whose priority has a depth of its own it is pooled at every k, or at none.
    """
    entering = candidates.appearances.with_columns(pl.col("position").alias("value"))
    if parameters["depths"]:
        at_any = pl.col("own_depth").is_not_null()
        entering = (
            entering.join(_own_depths(candidates, parameters), on="run")
            .filter((pl.col("position") <= pl.col("own_depth")) | ~at_any)
            .with_columns(pl.when(at_any).then(1).otherwise(pl.col("position")).alias("value"))
        )
    first = documents(entering.with_columns(pl.col("value").alias("position")))
    return first.select(*pair_columns(first), pl.col("best_position").alias("value"))


def _own_depths(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """For each run (UInt32) the depth of its priority class, `own_depth`; null where its priority has none of its own."""
    schema = {"priority": pl.Int64, "own_depth": pl.UInt32}
    depths = pl.DataFrame(list(parameters["depths"]), schema=schema, orient="row")
    return candidates.runs.join(depths, on="priority", how="left").select("run", "own_depth")


def depth_of_all(parameters: Parameters) -> int:
    """The smallest depth of any priority: so deep all runs are pooled, whatever priorities they have."""
    return min(_depths(parameters))


def _depths(parameters: Parameters) -> list[int]:
    return [int(depth) for depth in (parameters["depth"], *(depth for _, depth in parameters["depths"]))]


def covers(parameters: Parameters) -> tuple[str, ...]:
    depth = depth_of_all(parameters)
    return (
        f"The first {depth} documents of every pooled run.",
        *(f"The first {own} of runs of priority {priority}." for priority, own in parameters["depths"]),
        *([f"The first {parameters['depth']} of runs of other priorities."] if parameters["depths"] else []),
    )


def contributes(parameters: Parameters) -> str:
    if parameters["depths"]:
        return "documents within the depth of the run's priority"
    return f"documents within depth {parameters['depth']}"


STRATEGY = Strategy(
    name="depth-k",
    label="depth-k",
    purpose="The usual choice: every run is treated alike, and P, RR and DCG to depth k are exact once all is judged.",
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
        Pairs(
            name="depths",
            label="Depths by priority",
            first=Whole(name="priority", label="Priority", low=1, high=32767, default=1),
            second=Whole(name="depth", label="Depth", low=1, high=DEEPEST, default=10),
            default=(),
            example=((1, 100), (2, 10)),
            optional=True,
            when_empty="such as 1:100 2:10",
            help="An own depth for runs of a priority, such as 1:100 2:10. Depth k holds for all others.",
        ),
    ),
    select=select,
    reads=lambda parameters: max(_depths(parameters)),
    judged_whole=depth_of_all,
    covers=covers,
    contributes=contributes,
    enters_at=enters_at,
    reads_priorities=lambda parameters: bool(parameters["depths"]),
)
