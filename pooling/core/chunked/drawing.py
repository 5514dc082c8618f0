"""Large pools: drawn for some topics after the others, so that memory holds the runs of a part only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.core.chunked.spool import Spool
from pooling.core.preview.coverage import contributions, first_missing
from pooling.core.preview.exactness import reach_of
from pooling.core.strategies.declaration import PAIR, PooledRun
from pooling.core.strategies.drawing import Draw, draw_pool, pool_file
from pooling.core.strategies.spec import PoolSpec

ROWS_AT_ONCE = 2_000_000
"""Appearances of a part: some 0.5 GiB while it is drawn."""
Report = Callable[[int, int, str], None]
"""Told how many of how many are done, and of what."""


def unreported(done: int, total: int, message: str) -> None:
    """A `Report` for callers that nobody waits for.

    >>> unreported(1, 2, "runs read")
    """


def parts_of(topics: Sequence[str], rows_per_topic: int, spec: PoolSpec) -> list[list[str]]:
    """Topics in parts, in their order, that hold about `ROWS_AT_ONCE` appearances each.

    One part for strategies that look across topics.

    >>> spec = PoolSpec.with_defaults("depth-k")
    >>> parts_of(["3", "1", "2"], rows_per_topic=1_000_000, spec=spec)
    [['3', '1'], ['2']]
    """
    length = len(topics) if spec.method.across_topics else ROWS_AT_ONCE // max(rows_per_topic, 1)
    length = max(length, 1)
    return [list(topics[start : start + length]) for start in range(0, len(topics), length)]


class HeadsInParts:
    """The heads of runs in a spool, by parts of topics; what is of other topics is left out."""

    def __init__(self, parts: Sequence[Sequence[str]], spool: Spool) -> None:
        self.parts = parts
        self._spool = spool
        self._part_of = pl.DataFrame(
            [(topic, number) for number, part in enumerate(parts) for topic in part],
            schema={"topic": pl.String, "part": pl.UInt32},
            orient="row",
        )
        self._runs: list[tuple[PooledRun, dict[int, int]]] = []

    def add(self, run: PooledRun) -> None:
        """Put the run's head there.

        >>> from io import BytesIO
        >>> head = pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "b"], "position": [1, 1]})
        >>> heads = HeadsInParts([["2"], ["1"]], Spool(BytesIO()))
        >>> heads.add(PooledRun("bm25", "north", 1, head))
        >>> [run.ranking.rows() for part in (0, 1) for run in heads.of(part)]
        [[('2', 'b', 1)], [('1', 'a', 1)]]
        """
        held = run.ranking.join(self._part_of, on="topic", maintain_order="left")
        by_part = held.partition_by("part", as_dict=True, include_key=False, maintain_order=True)
        places = {int(number): self._spool.put(rows) for (number,), rows in by_part.items()}
        self._runs.append((replace(run, ranking=run.ranking.clear()), places))

    def of(self, part: int) -> list[PooledRun]:
        """The runs with their documents for the topics of this part."""
        return [
            replace(run, ranking=self._spool.get(places[part])) if part in places else run for run, places in self._runs
        ]


@dataclass
class DrawnPool:
    """A pool as its parts add up; equal to that of `draw_pool` for all topics at once.

    size: pairs. tags: of the pooled runs, by their index. contributed: int64, runs x 3: the columns contributed, unique and
    alone of `Contributions.runs`.
    """

    spool: Spool
    size: int = 0
    tags: list[str] = field(default_factory=list)
    contributed: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    _missing: int | None = None
    _deepest: int = 0
    # `hashlib` has no public name for this type, and only the check of types reads it.
    _digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    _entries: list[int] = field(default_factory=list)
    _frames: list[int] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        """Of the pool's file."""
        return self._digest.hexdigest()

    @property
    def whole(self) -> int:
        """The depth to which the pool holds every run; the deepest position of all where it holds whatever was looked at."""
        return self._deepest if self._missing is None else self._missing - 1

    def entries(self) -> Iterator[pl.DataFrame]:
        """The tables `Draw.entries` of the parts, topics in their order."""
        return map(self.spool.get, self._entries)

    def frame(self) -> pl.DataFrame | None:
        """`Draw.frame` of the whole, with topics as text; None where nothing was sampled."""
        return pl.concat(map(self.spool.get, self._frames)) if self._frames else None

    def add(self, draw: Draw, team_of_run: Sequence[int]) -> None:
        """Add the pool of further topics; `team_of_run` is that of `contributions`."""
        counted = contributions(draw.selected, team_of_run).runs.select("contributed", "unique", "alone")
        numbers = counted.to_numpy().astype(np.int64)
        self.contributed = self.contributed + numbers if self.tags else numbers
        self.tags = draw.tags
        self.size += draw.entries.height
        self._digest.update(pool_file(draw.entries))
        topic = pl.col("topic").cast(pl.String)
        self._entries.append(self.spool.put(draw.entries.with_columns(topic)))
        if draw.frame is not None:
            self._frames.append(self.spool.put(draw.frame.with_columns(topic)))

    def look(self, runs: Sequence[PooledRun], entries: pl.DataFrame, promised: int) -> None:
        """Look for the first documents that a part of the pool does not hold, below the depth that its settings promise."""
        deepest = max((run.ranking["position"].to_numpy().max(initial=0) for run in runs), default=0)
        self._deepest = max(self._deepest, int(deepest))
        last = self._deepest if self._missing is None else self._missing - 1
        if last <= promised:
            return
        beyond = pl.col("position").is_between(promised + 1, last)
        held = pl.concat(run.ranking.filter(beyond).select(*PAIR, "position") for run in runs)
        pairs = entries.select(pl.col("topic").cast(pl.String), "docno")
        self._missing = first_missing(held.cast({"topic": pl.String}), pairs) or self._missing


def draw_in_parts(
    heads: HeadsInParts,
    spec: PoolSpec,
    spool: Spool,
    judged: pl.DataFrame | None = None,
    report: Report = unreported,
) -> DrawnPool:
    """The pool of the runs over the topics of all parts. What is drawn for a topic must not depend on other topics.

    >>> from io import BytesIO
    >>> spool = Spool(BytesIO())
    >>> heads = HeadsInParts([["2"], ["1"]], spool)
    >>> ranking = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "b", "c"], "position": [1, 2, 1]})
    >>> heads.add(PooledRun("bm25", "north", 1, ranking))
    >>> drawn = draw_in_parts(heads, PoolSpec.with_defaults("depth-k", {"depth": 1}), spool)
    >>> drawn.size, [part["docno"].to_list() for part in drawn.entries()], drawn.contributed.tolist()
    (2, [['c'], ['a']], [[2, 2, 2]])
    """
    drawn, total = DrawnPool(spool), sum(map(len, heads.parts))
    for number, topics in enumerate(heads.parts):
        report(sum(map(len, heads.parts[:number])), total, "topics drawn")
        _add_part(drawn, heads.of(number), topics, spec, judged)
    return drawn


def _add_part(
    drawn: DrawnPool, runs: list[PooledRun], topics: Sequence[str], spec: PoolSpec, judged: pl.DataFrame | None
) -> None:
    """In a function of its own, which lets go of the part before the next one is read."""
    draw = draw_pool(runs, topics, spec, judged)
    drawn.look(spec.taken(runs), draw.entries, reach_of(spec).whole)
    team_of = {run.tag: run.team for run in runs}
    teams = sorted({team_of[tag] for tag in draw.tags})
    drawn.add(draw, [teams.index(team_of[tag]) for tag in draw.tags])
