"""What a pool would cost, what it would cover and which teams it would come from, before it is frozen.

A preview is computed once: its figures are kept by the runs, the settings and what is known of documents, so that going back
and forth between settings costs nothing. Where reading the runs takes long, a job does it (see pooling/jobs.py).
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl
from django.core.cache import cache, caches

from campaign.collection.selectors.topics import topic_numbers
from campaign.models import Run, Task
from campaign.text.natural_order import natural_order
from campaign.version import VERSION
from pooling.core.chunked.run_heads import heads_file, read_heads
from pooling.core.preview.differences import Differences, differences, pool_pairs
from pooling.core.preview.pool_figures import depth_looked_at, pool_figures
from pooling.core.preview.values import PoolFigures, RunFigures, TeamFigures
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from pooling.selectors.known import docnos_without_text, judged_before, known_version, pooled_before, pooled_last
from pooling.selectors.runs import FORMAT, KEPT_DEPTH, KEPT_SECONDS, fingerprint, head_key, run_heads, valid_runs

SECONDS_PER_DOCUMENT = 30
QUICK_BYTES, QUICK_ROWS = 16 * 1024**2, 1_000_000
"""What a page does itself: so much of runs to read, and so many rows of them to go through; about half a second each."""

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """What figures are computed from. `other`: the settings that the pool is compared with."""

    task: Task
    spec: PoolSpec
    runs: tuple[Run, ...]
    known: str
    other: PoolSpec | None = None

    @cached_property
    def taken(self) -> list[Run]:
        return self.spec.taken(self.runs)

    @cached_property
    def topics(self) -> list[str]:
        return topic_numbers(self.task)

    @cached_property
    def fingerprint(self) -> str:
        """A checksum of the runs and topics that the pool is drawn from: freezing is asked for again where it has changed."""
        return fingerprint(self.taken, self.topics, self.task.ordering)

    @property
    def specs(self) -> list[PoolSpec]:
        return [self.spec, *([self.other] if self.other else [])]

    @cached_property
    def key(self) -> str:
        """The same for the same figures of this version of the site: another may compute or write them otherwise."""
        held = [
            VERSION,
            *(str(self.task.pk), self.known, fingerprint(self.runs, self.topics, self.task.ordering)),
            *(json.dumps(spec.to_json(), sort_keys=True) for spec in self.specs),
        ]
        return f"pooling:figures:{hashlib.sha256(chr(10).join(held).encode()).hexdigest()}"

    @property
    def depth(self) -> int | None:
        """How many first documents of each run are read; None for all."""
        depths = [depth_looked_at(spec) for spec in self.specs]
        return None if None in depths else max(depth or 0 for depth in depths)

    @cached_property
    def heads_key(self) -> str:
        """The key under which the heads of all runs are kept together, in this order, if a page can go through so many."""
        return f"pooling:heads:{FORMAT}:{hashlib.sha256(' '.join(map(head_key, self.runs)).encode()).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Computed:
    """`refusal`: why there are no figures: the strategy does not draw a pool with these settings from these runs."""

    figures: PoolFigures | None = None
    differences: Differences | None = None
    refusal: str = ""


def previewed(task: Task, spec: PoolSpec, other: PoolSpec | None = None, runs: Sequence[Run] | None = None) -> Asked:
    """`runs`: the valid runs of the task, if they are read already."""
    runs, ordering = tuple(valid_runs(task) if runs is None else runs), task.ordering
    other = None if other is None else other.ordered_by(ordering)
    return Asked(task, spec.ordered_by(ordering), runs, known_version(task), other)


def computed_before(asked: Asked) -> Computed | None:
    """Return what was computed and is kept: numbers by run, team and topic, few enough for the shared cache."""
    kept = cache.get(asked.key)
    return kept if isinstance(kept, Computed) else None


def is_quick(asked: Asked) -> bool:
    """Whether a page can compute it itself."""
    if len(asked.runs) * len(asked.topics) * (asked.depth or 1000) > QUICK_ROWS:
        return False
    return sum(run.size for run in asked.runs) <= QUICK_BYTES or (
        _reads_kept(asked) and asked.heads_key in caches["bulk"]
    )


def compute(asked: Asked, report: Report | None = None) -> Computed:
    """Draw the pool without freezing it, and keep its figures; `report` hears how many runs are read of how many."""
    heads = _heads(asked, report)
    try:
        computed = _computed(asked, heads)
    except PoolSpecError as problem:
        computed = Computed(refusal=str(problem))
    cache.set(asked.key, computed, timeout=KEPT_SECONDS)
    return computed


def _heads(asked: Asked, report: Report | None = None) -> list[PooledRun]:
    """The head of each run. What is kept of all of them together is read several times faster than one by one."""
    content = caches["bulk"].get(asked.heads_key) if _reads_kept(asked) else None
    if content is not None:
        rankings = read_heads(content, len(asked.runs))
        return [
            PooledRun(run.tag, run.team.slug, run.priority, head)
            for run, head in zip(asked.runs, rankings, strict=True)
        ]
    heads = []
    for head in run_heads(asked.runs, asked.depth):
        heads.append(head)
        if report is not None:
            report(len(heads), len(asked.runs))
    if _reads_kept(asked) and sum(head.ranking.height for head in heads) <= QUICK_ROWS:
        caches["bulk"].set(asked.heads_key, heads_file([head.ranking for head in heads]), timeout=KEPT_SECONDS)
    return heads


def _reads_kept(asked: Asked) -> bool:
    return asked.depth is not None and asked.depth <= KEPT_DEPTH


def _computed(asked: Asked, heads: Sequence[PooledRun]) -> Computed:
    task, spec, topics = asked.task, asked.spec, asked.topics
    judged = judged_before(task, asked.known)
    figures = pool_figures(
        heads,
        topics,
        spec,
        seconds=SECONDS_PER_DOCUMENT,
        known=pooled_before(task, asked.known),
        judged=judged,
        replaced=pooled_last(task, asked.known),
        without_text=docnos_without_text(task, heads, f"{asked.known} {asked.depth} {asked.heads_key}"),
    )
    if asked.other is None:
        return Computed(figures)
    pools = [pool_pairs(heads, topics, one, judged) for one in (asked.other, spec)]
    return Computed(figures, differences(pools[0], pools[1], topics))


def pools_compared(asked: Asked) -> list[pl.DataFrame]:
    """Draw both pools: topic and docno of A, the other settings, and of B, which are previewed."""
    heads = _heads(asked)
    judged = judged_before(asked.task, asked.known)
    return [pool_pairs(heads, asked.topics, spec, judged) for spec in reversed(asked.specs)]


@dataclass(frozen=True)
class PoolPreview:
    """A pool as it would be frozen, with its figures and what pages show beside them."""

    spec: PoolSpec
    figures: PoolFigures
    by_tag: dict[str, Run]
    fingerprint: str

    @property
    def size(self) -> int:
        return self.figures.total

    @cached_property
    def runs(self) -> list[tuple[Run, RunFigures]]:
        return [(self.by_tag[run.tag], run) for run in in_order_of_tags(self.figures.runs)]

    @cached_property
    def left_out(self) -> list[tuple[Run, RunFigures]]:
        return [(self.by_tag[run.tag], run) for run in in_order_of_tags(self.figures.left_out)]

    @cached_property
    def teams(self) -> list[tuple[str, TeamFigures]]:
        """The teams with their names, in the order of the overlap."""
        names = {run.team.slug: run.team.name for run in self.by_tag.values()}
        return [(names[team.team], team) for team in self.figures.teams]


def preview_of(asked: Asked, figures: PoolFigures, seconds: float = SECONDS_PER_DOCUMENT) -> PoolPreview:
    by_tag = {run.tag: run for run in asked.runs}
    return PoolPreview(asked.spec, replace(figures, seconds=seconds), by_tag, asked.fingerprint)


def pool_preview(task: Task, spec: PoolSpec, seconds: float = SECONDS_PER_DOCUMENT) -> PoolPreview:
    """Preview the pool at once, however long that takes. Raises PoolSpecError."""
    asked = previewed(task, spec)
    computed = computed_before(asked) or compute(asked)
    if computed.figures is None:
        raise PoolSpecError(computed.refusal)
    return preview_of(asked, computed.figures, seconds)


def in_order_of_tags(runs: Sequence[RunFigures]) -> list[RunFigures]:
    """In the natural order of their tags."""
    return sorted(runs, key=lambda run: natural_order(run.tag))
