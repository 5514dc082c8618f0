"""The arguments of `python -m evaluation score`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:  # options are read and explained without importing numpy and polars
    from evaluation.engine.measures.parameters import Value
    from evaluation.engine.ranked_run import RankedRun, Reference

StyleName: TypeAlias = Literal["trec_eval", "ndeval", "gdeval"]
RunOrder: TypeAlias = Literal["score", "rank", "line"]
SMALL = 2 << 20
"""Files of so many bytes, taken together, are read before polars is loaded."""
PACKED = 4
"""A file packed with gzip counts so many times, roughly what it unpacks to."""
Form: TypeAlias = Literal["trec", "csv", "json"]


@dataclass(frozen=True)
class ScoreArguments:
    """The arguments as given; None is an option that was not given, where each style has a default of its own."""

    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    per_topic: bool = False
    all_topics: bool = False
    summary: bool = True
    level: int = 1
    judged_only: bool = False
    depth: int | None = None
    collection_size: int | None = None
    judgment_groups: bool = False
    digits: int | None = None
    reference: Reference = "9"
    style: StyleName = "trec_eval"
    form: Form = "trec"
    alpha: float | None = None
    beta: float | None = None
    run_order: RunOrder | None = None
    k: int | None = None
    baseline: str | None = None
    risk_alpha: float | None = None
    problems_shown: int = 25

    @property
    def defaults(self) -> dict[str, Value]:
        """Parameters of measures whose names do not set them."""
        size = {} if self.collection_size is None else {"N": self.collection_size}
        return {"rel": self.level, **size}

    @property
    def comments(self) -> bool:
        """Whether lines that begin with # are passed over: the rules of release 10 say so."""
        return self.reference == "10"

    @cached_property
    def are_files_small(self) -> bool:
        """Whether all files are small, so that they are read and scored sooner than polars is loaded."""
        baseline = () if self.baseline is None else (self.baseline,)
        return sum(map(_size, (self.qrels, *baseline, *self.runs))) <= SMALL

    def view(self, ranked: RankedRun) -> RankedRun:
        """What measures see of a run: rankings are cut off first, unjudged documents are taken out after."""
        ranked = ranked if self.depth is None else ranked.first(self.depth)
        return ranked.judged_only() if self.judged_only else ranked


def _size(path: str) -> int:
    """The bytes of a file, roughly as unpacked; more than `SMALL` where that is not known before it is read."""
    if not os.path.isfile(path):  # a pipe can be read only once
        return SMALL + 1
    try:
        with open(path, "rb") as file:
            times = PACKED if file.read(2) == b"\x1f\x8b" else 1
    except OSError:
        return SMALL + 1
    return times * os.path.getsize(path)
