"""What adaptive strategies have in common: their parameters, and the base and control sample that are judged at the start."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from campaign.text.plurals import number_of
from pooling.core.strategies.adaptive.policy import Policy
from pooling.core.strategies.declaration import (
    Candidates,
    Selection,
    Strategy,
    among,
    one_row_each,
    pair_columns,
    pair_key,
)
from pooling.core.strategies.parameters import Parameter, Parameters, PoolSpecError, Whole
from pooling.core.strategies.randomness import SeededGenerator

BASE, CONTROL = 1, 2
"""The strata of the documents that are judged at the start."""

DEEPEST, LARGEST = 1000, 100_000
COMMON = (
    Whole(
        name="depth",
        label="Depth of the base",
        symbol="d",
        low=1,
        high=DEEPEST,
        default=5,
        help="The first d documents of each pooled run are judged before anything is chosen.",
    ),
    Whole(
        name="candidates",
        label="Candidates",
        low=1,
        high=DEEPEST,
        default=100,
        help="How many first documents of each run can be chosen.",
    ),
    Whole(
        name="size",
        label="Most judgments per topic",
        low=1,
        high=LARGEST,
        default=100,
        help="With the base and the control sample. A topic stops here at the latest.",
    ),
    Whole(
        name="least",
        label="Fewest judgments per topic",
        low=0,
        high=LARGEST,
        default=0,
        help="Before that a topic stops only where no document is left.",
    ),
    Whole(
        name="patience",
        label="Patience",
        low=0,
        high=LARGEST,
        default=0,
        help="A topic stops after so many chosen documents in a row that are not relevant; 0: it goes on to its size.",
    ),
    Whole(
        name="control",
        label="Control sample per topic",
        low=0,
        high=LARGEST,
        default=10,
        help="Documents drawn at random from the candidates outside the base, before the first choice and hidden from it. "
        "From them the share of relevant documents left outside is estimated.",
    ),
)


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """The base (stratum 1): {d : position_s(d) <= depth for a run s}. The control sample (stratum 2): n of the N other
    candidates of the topic without replacement, n = min(control, N), each with the probability n/N; the frame is the rest.

    The n with the smallest seeded uniform numbers are drawn, so that no choice and no judgment has a part in it.
    Raises PoolSpecError where base and control sample of a topic are larger than `size`.
    """
    require_consistent(parameters)
    appearances = candidates.within(parameters["candidates"]).appearances
    in_base = appearances.filter(pl.col("position") <= parameters["depth"])
    base, reachable = one_row_each(in_base), one_row_each(appearances)
    outside = reachable.join(base, on=pair_key(reachable, base), how="anti")
    drawn = with_control(outside, parameters["control"], generator)
    control = drawn.filter("drawn")
    _require_room(base, control, parameters)
    as_drawn = [
        base.with_columns(inclusion_probability=pl.lit(1.0), stratum=pl.lit(BASE, dtype=pl.Int32)),
        control.select(*pair_columns(control), "inclusion_probability", stratum=pl.lit(CONTROL, dtype=pl.Int32)),
    ]
    frame = drawn.filter(~pl.col("drawn")).select(*pair_columns(drawn), stratum=pl.lit(CONTROL, dtype=pl.Int32))
    return Selection(
        appearances=pl.concat([in_base, among(appearances, control)]),
        details=pl.concat(as_drawn),
        frame=frame if parameters["control"] else None,
    )


def with_control(outside: pl.DataFrame, control: int, generator: SeededGenerator) -> pl.DataFrame:
    """The candidates outside the base (topic, docno) with `inclusion_probability` and whether each is `drawn`.

    >>> outside = pl.DataFrame({"topic": ["1"] * 4, "docno": ["a", "b", "c", "d"]})
    >>> table = with_control(outside, 2, SeededGenerator(0))
    >>> table["drawn"].sum(), table["inclusion_probability"].to_list()
    (2, [0.5, 0.5, 0.5, 0.5])
    """
    number, there = pl.struct("uniform", "docno").rank("ordinal").over("topic"), pl.len().over("topic")
    return (
        outside.with_columns(generator.uniform(outside))
        .with_columns(
            drawn=number <= control,
            inclusion_probability=pl.min_horizontal(pl.lit(control), there) / there,
        )
        .drop("uniform")
    )


def require_consistent(parameters: Parameters) -> None:
    """Raises PoolSpecError where the parameters contradict each other.

    >>> require_consistent({"depth": 20, "candidates": 10, "least": 0, "size": 100})
    Traceback (most recent call last):
    pooling.core.strategies.parameters.PoolSpecError: The base has depth 20, and candidates are the documents to depth 10 \
of each run. Set candidates to 20 or more, or lower depth.
    """
    depth, held = parameters["depth"], parameters["candidates"]
    if depth > held:
        raise PoolSpecError(
            f"The base has depth {depth:,}, and candidates are the documents to depth {held:,} of each run. "
            f"Set candidates to {depth:,} or more, or lower depth."
        )
    least, size = parameters["least"], parameters["size"]
    if least > size:
        raise PoolSpecError(
            f"A topic has at least {least:,} and at most {size:,} judgments. Set size to {least:,} or more, or lower least."
        )


def _require_room(base: pl.DataFrame, control: pl.DataFrame, parameters: Parameters) -> None:
    size = parameters["size"]
    counted = pl.concat([base.select("topic", control=0), control.select("topic", control=1)])
    needs = (
        counted.group_by("topic").agg(pl.len().alias("needed"), pl.col("control").sum()).filter(pl.col("needed") > size)
    )
    if not needs.height:
        return
    topic, needed, drawn = needs.sort(["needed", "topic"], descending=[True, False]).row(0)
    more = f" The same holds for {number_of(needs.height - 1, 'other topic')}." if needs.height > 1 else ""
    raise PoolSpecError(
        f"Topic {topic} needs {number_of(needed, 'judgment')} at the start, {needed - drawn:,} for the base of depth "
        f"{parameters['depth']:,} and {drawn:,} for the control sample, and size allows {size:,}.{more} "
        f"Set size to {needed:,} or more, or lower depth or control."
    )


def adaptive_strategy(
    *, name: str, label: str, purpose: str, policy: Policy, follows: str, own: tuple[Parameter, ...] = ()
) -> Strategy:
    """The declaration of the strategy that draws base and control sample, and goes on by this policy."""
    return Strategy(
        name=name,
        label=label,
        purpose=purpose,
        family="adaptive",
        parameters=(*COMMON, *own),
        select=select,
        reads=lambda parameters: max(int(parameters["candidates"]), int(parameters["depth"])),
        judged_whole=lambda parameters: int(parameters["depth"]),
        sampling="stratum",
        covers=_covers(follows),
        contributes=lambda parameters: (
            f"documents of the base of depth {parameters['depth']} and of the control sample"
        ),
        policy=policy,
    )


def _covers(follows: str) -> Callable[[Parameters], tuple[str, ...]]:
    def covers(parameters: Parameters) -> tuple[str, ...]:
        size, patience, control = parameters["size"], parameters["patience"], parameters["control"]
        rule = f", or after {patience:,} chosen in a row without a relevant one" if patience else ""
        sample = f"A random control sample: {control:,} of the other candidates of each topic." if control else ""
        sentences = (
            f"The first {parameters['depth']:,} documents of every pooled run.",
            sample,
            f"The pool grows while it is judged: the next document comes from {follows}.",
            f"A topic stops at {size:,} judgments{rule}.",
        )
        return tuple(filter(None, sentences))

    return covers
