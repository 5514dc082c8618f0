"""From runs and settings to the figures of the pool that they would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from campaign.text.natural_order import natural_order
from pooling.core.preview.coverage import (
    Contributions,
    contributions,
    count_by_topic,
    pooled_share,
    topic_sizes,
    whole_depth,
    with_pair_numbers,
)
from pooling.core.preview.exactness import exactness, reach_as_drawn, reach_of
from pooling.core.preview.pool_sizes import compared_sizes, depth_read, without
from pooling.core.preview.values import PoolFigures, RunFigures, StratumFigures, TeamFigures, TopicFigures
from pooling.core.strategies.declaration import (
    ONLY_STRATUM,
    PAIR,
    Candidates,
    PooledRun,
    Selection,
    among,
    appearances,
    candidates,
    one_row_each,
)
from pooling.core.strategies.drawing import select_documents
from pooling.core.strategies.spec import PoolSpec

TOP, OUTLOOK = 10, 100
"""Of how many first documents of each run the figures say how many are pooled: run by run, and over all runs."""


def depth_looked_at(spec: PoolSpec) -> int | None:
    """How many first documents of each run the figures need; None for all.

    >>> depth_looked_at(PoolSpec.with_defaults("depth-k", {"depth": 20}))
    100
    """
    depth = depth_read(spec)
    return None if depth is None else max(depth, OUTLOOK)


def pool_figures(
    runs: Sequence[PooledRun],
    topics: Sequence[str],
    spec: PoolSpec,
    *,
    seconds: float,
    known: pl.DataFrame | None = None,
    judged: pl.DataFrame | None = None,
    without_text: pl.Series | None = None,
    replaced: pl.DataFrame | None = None,
) -> PoolFigures:
    """The figures of the pool that `draw_pool` would draw. Raises PoolSpecError, as it does.

    runs: the first `depth_looked_at(spec)` documents of each, 100 of those left out. known: topic, docno of the pairs that
    earlier versions hold; replaced: of those of the latest. judged: topic, docno, grade; None where that is not known: what
    earlier versions hold is then taken as judged. without_text: docnos that have no text; None where nobody asked.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> runs, known = [PooledRun("bm25", "north", 1, ranking)], ranking.select(PAIR).head(1)
    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 2})
    >>> figures = pool_figures(runs, ["1", "2"], spec, seconds=36, known=known)
    >>> figures.total, figures.new, figures.hours, figures.runs[0].covered, figures.topics_without
    (2, 1, 0.01, 0.6666666666666666, ['2'])
    >>> pool_figures(runs, ["1", "2"], spec, seconds=36, known=known, judged=known.clear()).hours
    0.02
    """
    read = judged if spec.method.reads_judgments else None
    available = candidates(spec.taken(runs), topics, depth_looked_at(spec), read, spec.method.reads_scores)
    available = replace(available, appearances=with_pair_numbers(available.appearances))
    selection = select_documents(available, spec)
    selected, pairs = _with_their_numbers(selection.appearances, available.appearances)
    return PoolFigures(
        seconds=seconds,
        strata=_strata(selection),
        **_of_documents(pairs, judged, replaced, without_text),
        **_said(spec, whole_depth(available.appearances, pairs)),
        **_sizes(available, spec, topics, pairs, known, judged),
        **_contributors(available, selected, pairs),
        **_figures_of_left_out(runs, topics, spec, pairs),
    )


def _of_documents(
    pairs: pl.DataFrame, judged: pl.DataFrame | None, replaced: pl.DataFrame | None, without_text: pl.Series | None
) -> dict[str, Any]:
    return {
        "judged": 0 if judged is None else pairs.height - without(pairs, judged).height,
        "dropped": 0 if replaced is None else without(replaced, pairs).height,
        "without_text": None if without_text is None else int(pairs["docno"].is_in(without_text.implode()).sum()),
    }


def _said(spec: PoolSpec, drawn_whole: int) -> dict[str, Any]:
    promised, reach = reach_of(spec), reach_as_drawn(spec, drawn_whole)
    return {
        "settings": spec.to_json(),
        "drawn_by": spec.drawn_by,
        "covers": (*spec.method.covers(spec.parameters), *_beyond_the_promise(promised.whole, drawn_whole)),
        "judged_whole": reach.whole,
        "exactness": exactness(reach),
    }


def _beyond_the_promise(promised: int, drawn: int) -> list[str]:
    """What only the draw tells: the depth to which this pool holds all runs."""
    if drawn > promised:
        exact = f"Once all are judged, P@{drawn} is exact for these runs."
        return [f"As drawn, the pool holds every pooled run to depth {drawn}. {exact}"]
    return [] if drawn else ["As drawn, the pool does not hold the first document of every pooled run."]


def _with_their_numbers(selected: pl.DataFrame, available: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The appearances that a strategy selected, with the numbers of their pairs, and one row of topic, docno, pair for each."""
    if "pair" not in selected.columns:
        selected = selected.join(one_row_each(available), on=PAIR)
    return selected, one_row_each(selected)


def _sizes(
    available: Candidates,
    spec: PoolSpec,
    topics: Sequence[str],
    pairs: pl.DataFrame,
    known: pl.DataFrame | None,
    judged: pl.DataFrame | None,
) -> dict[str, Any]:
    known = pairs.clear() if known is None else known
    done = known if judged is None else judged
    new, unjudged = without(pairs, known), without(pairs, done)
    counts, of_new = count_by_topic(pairs), count_by_topic(new)
    least, most = _chosen_later(available, spec, counts)
    return {
        "total": pairs.height,
        "new": new.height,
        "unjudged": unjudged.height,
        "unjudged_before": unjudged.height - without(unjudged, known).height,
        "least": unjudged.height + least,
        "most": unjudged.height + most,
        "sizes": topic_sizes(counts, topics),
        "topics": tuple(TopicFigures(topic, counts.get(topic, 0), of_new.get(topic, 0)) for topic in topics),
        "compared": tuple(compared_sizes(available, spec, known, done)),
    }


def _contributors(available: Candidates, selected: pl.DataFrame, pairs: pl.DataFrame) -> dict[str, Any]:
    teams = sorted(set(available.runs["team"]), key=natural_order)
    counted = contributions(selected, [teams.index(team) for team in available.runs["team"]])
    return {
        "runs": _runs(available, counted, pairs),
        "teams": _teams(available, teams, counted),
        "covered": pooled_share(available.appearances, pairs, OUTLOOK),
    }


def _figures_of_left_out(
    runs: Sequence[PooledRun], topics: Sequence[str], spec: PoolSpec, pairs: pl.DataFrame
) -> dict[str, Any]:
    """The figures about runs that the pool leaves out: `left_out`, one a run, and `covered_of_others`, the share it holds."""
    taken = {run.tag for run in spec.taken(runs)}
    runs = sorted((run for run in runs if run.tag not in taken), key=lambda run: run.tag)
    held = appearances(runs, topics, OUTLOOK)
    shares = covered_by_run(held, pairs, len(runs))
    left_out = [
        RunFigures(run.tag, run.team, run.priority, 0, 0, 0, share) for run, share in zip(runs, shares, strict=True)
    ]
    return {"left_out": tuple(left_out), "covered_of_others": pooled_share(held, pairs, OUTLOOK)}


def _runs(available: Candidates, counted: Contributions, pairs: pl.DataFrame) -> tuple[RunFigures, ...]:
    described = available.runs.select("tag", "team", "priority").iter_rows()
    shares = covered_by_run(available.appearances, pairs, available.runs.height)
    rows = counted.runs.select("contributed", "unique", "alone").iter_rows()
    return tuple(
        RunFigures(tag, team, priority, contributed, unique, alone, share)
        for (tag, team, priority), (contributed, unique, alone), share in zip(described, rows, shares, strict=True)
    )


def _teams(available: Candidates, teams: Sequence[str], counted: Contributions) -> tuple[TeamFigures, ...]:
    rows = counted.teams.select("contributed", "unique").iter_rows()
    runs = Counter(available.runs["team"])
    return tuple(
        TeamFigures(team, runs[team], contributed, unique, tuple(overlap.tolist()))
        for team, (contributed, unique), overlap in zip(teams, rows, counted.overlap, strict=True)
    )


def covered_by_run(appearances: pl.DataFrame, pairs: pl.DataFrame, runs: int, depth: int = TOP) -> list[float]:
    """Share of each run's first `depth` documents that are among the pairs, by the run's index; NaN where it holds none.

    >>> held = pl.DataFrame({"run": [0, 0], "topic": ["1", "1"], "docno": ["a", "b"], "position": [1, 2]})
    >>> covered_by_run(held, held.select(PAIR).head(1), runs=2)
    [0.5, nan]
    """
    top = appearances.filter(pl.col("position") <= depth)
    all_counts, counts = (np.bincount(held["run"].to_numpy(), minlength=runs) for held in (top, among(top, pairs)))
    shares = np.full(runs, np.nan)
    np.divide(counts, all_counts, out=shares, where=all_counts > 0)
    return [float(share) for share in shares]


def _strata(selection: Selection) -> tuple[StratumFigures, ...]:
    if selection.details is None or "inclusion_probability" not in selection.details.columns:
        return ()
    drawn = _counted(selection.details)
    missed = {} if selection.frame is None else _counted(selection.frame)
    return tuple(
        StratumFigures(stratum, drawn.get(stratum, 0) + missed.get(stratum, 0), drawn.get(stratum, 0))
        for stratum in sorted({*drawn, *missed})
    )


def _counted(documents: pl.DataFrame) -> dict[int, int]:
    if "stratum" not in documents.columns:
        return {} if documents.is_empty() else {ONLY_STRATUM: documents.height}
    return dict(documents.group_by("stratum").agg(pl.len()).iter_rows())


def _chosen_later(available: Candidates, spec: PoolSpec, drawn: dict[str, int]) -> tuple[int, int]:
    """How many documents a policy chooses at least and at most while the pool is judged; (0, 0) where none does."""
    if spec.method.policy is None:
        return 0, 0
    held = count_by_topic(one_row_each(available.within(spec.method.reads(spec.parameters)).appearances))
    size = spec.parameters["size"]
    bounds = [spec.parameters["least"] if spec.parameters["patience"] else size, size]
    least, most = (
        sum(max(0, min(bound, count) - drawn.get(topic, 0)) for topic, count in held.items()) for bound in bounds
    )
    return least, most
