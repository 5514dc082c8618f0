"""From a board's stored runs and judgments to its report."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import polars as pl

from campaign.formats.runs.table import ordered_columns
from campaign.models import Run
from campaign.queue.jobs import JobFailed
from campaign.runs.selectors.reading import run_table
from evaluation.analysis.reliability.selectors import CHANGED, RUNS_GONE, Reported
from evaluation.analysis.reliability.two_assessors import two_assessors
from evaluation.engine.arrays import NO_CUTOFF
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import compared_values
from evaluation.engine.ranked_run import RankedRun, Reference
from evaluation.engine.ranking import rank_run
from evaluation.engine.reliability.collection import (
    Judging,
    OtherJudgments,
    PoolWithout,
    ReliabilitySettings,
    groups_of,
)
from evaluation.engine.reliability.report import reliability_report
from evaluation.engine.reliability.sets_of_judgments import common_judgments
from evaluation.engine.scoring import score_ranked
from judging.models import Qrels
from judging.models.qrels import SAMPLE_TABLES
from judging.qrels.selectors.manifests import judgments_under, people_under
from judging.qrels.selectors.releases import released_table
from pooling.core.strategies.depth_k import STRATEGY as DEPTH_K_STRATEGY
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolRun
from pooling.selectors.redrawing import pools_without

Report = Callable[[int, int, str], None]
DEPTH_K = DEPTH_K_STRATEGY.name


def report_of_board(of: Reported, report: Report) -> dict[str, Any]:
    """The report as plain data; the same board gives the same. JobFailed where what is stored does not give its scores."""
    table = released_table(of.qrels, "overall")
    judgments = Judgments.from_table(table.filter(pl.col("topic").is_in(list(of.board.topics))))
    tables, people = two_assessors(row for row in judgments_under(of.qrels) if row[0] in of.board.topics)
    common = common_judgments(tables, of.lowest_relevant_grade)
    sets = [Judgments.from_table(table) for table in common.tables.values()] if common.documents else []
    sample = _sample(of)
    ranked, *further = _ranked(of, [judgments, *sets, *sample], report)
    _require_the_scores_of_the_board(of, ranked, further[-1] if sample else ranked)
    found = reliability_report(
        ranked,
        [run.tag for run in of.board.runs],
        [run.team for run in of.board.runs],
        [parse_measure(name) for name in of.board.measures],
        _settings(of, judgments),
        lambda done, total, what: report(total + done, 2 * total, what),
        kinds=[run.kind for run in of.board.runs],
        values=of.values,
        others=OtherJudgments(common, further[: len(sets)], people) if common.documents else None,
        judging=Judging(*_judged_by(of), further[-1] if sample else ()),
    )
    about = {"campaign": of.task.campaign.slug, "task": of.task.slug, "board": of.name, **of.said}
    order = {"run_order": of.ordering.run_order, "reference": of.ordering.reference}
    return {**about, "qrels": of.qrels.checksums, **order, **found.to_json()}


def _sample(of: Reported) -> list[Judgments]:
    """The sample that the first measure estimates from, if it does."""
    table = parse_measure(of.board.measures[0]).definition.judgments.table
    if table not in SAMPLE_TABLES.values():
        return []
    return [Judgments.from_table(released_table(of.qrels, table).filter(pl.col("topic").is_in(list(of.board.topics))))]


def _judged_by(of: Reported) -> tuple[frozenset[tuple[str, str]], str]:
    """Pairs of topic and person, and why there are none."""
    if of.qrels.source != Qrels.JUDGED:
        return frozenset(), "The judgments were not made on this site: who judged which topic is not known."
    return frozenset(people_under(of.qrels)), "Who judged some of the topics is not known."


def _settings(of: Reported, judgments: Judgments) -> ReliabilitySettings:
    """With the depth to which each run was pooled, in this or an earlier pool of the task; None where that is not known."""
    level, depths = of.lowest_relevant_grade, dict[int, int]()
    if of.qrels.pool is None:
        return ReliabilitySettings(level=level)
    strategies = set()
    pools = Pool.objects.filter(task=of.task, version__lte=of.qrels.pool.version).prefetch_related("pool_runs")
    for pool in pools:
        spec = pool.drawn_with
        if spec is None:
            return ReliabilitySettings(level=level)
        strategies.add(spec.strategy)
        for pooled in pool.pool_runs.all():
            depths[pooled.run_id] = max(depths.get(pooled.run_id, 0), _depth(spec, pooled))
    is_exact = strategies == {DEPTH_K}
    redrawn = None if is_exact else _redrawn(of, list(pools), judgments)
    depth = tuple(depths.get(pk or 0, 0) for pk in of.run_ids)
    return ReliabilitySettings(depth, level, is_exact=is_exact, redrawn=redrawn)


def _redrawn(of: Reported, pools: list[Pool], judgments: Judgments) -> tuple[PoolWithout, ...] | None:
    """The pools without each team of the board, by its name; also without runs of theirs that the board does not have."""
    team_of = dict(Run.objects.filter(pk__in=[pk for pk in of.run_ids if pk is not None]).values_list("pk", "team_id"))
    names, groups = groups_of([run.team for run in of.board.runs])
    members: list[set[int]] = [set() for _ in names]
    for pk, group in zip(of.run_ids, groups.tolist(), strict=True):
        members[group] |= {team_of[pk]} if pk in team_of else set()
    documents = judgments.documents.select("topic", "docno").with_row_index("index")
    documents = documents.with_columns(pl.Series("is_judged", judgments.grade >= 0))
    of_topics = pl.col("topic").is_in(list(judgments.topics))

    def keep(whole: pl.DataFrame, without: pl.DataFrame) -> PoolWithout:
        return _without(documents, whole.filter(of_topics), without.filter(of_topics))

    found = pools_without(pools, [frozenset(group) for group in members], keep)
    return None if found is None else tuple(found)


def _without(documents: pl.DataFrame, whole: pl.DataFrame, without: pl.DataFrame) -> PoolWithout:
    pair = ["topic", "docno"]
    leaving = documents.join(whole, on=pair, how="semi").join(without, on=pair, how="anti")
    never = without.join(documents.filter("is_judged"), on=pair, how="anti").height
    return PoolWithout(leaving["index"].sort().to_numpy().astype(np.int64), never)


def _depth(spec: PoolSpec, pooled: PoolRun) -> int:
    """How many first documents of the run the strategy took, or looked at."""
    if spec.strategy == DEPTH_K:
        own: dict[int | None, int] = dict(spec.parameters["depths"])
        return own.get(pooled.priority, int(spec.parameters["depth"]))
    reads = spec.method.reads(spec.parameters)
    return NO_CUTOFF if reads is None else reads


def _ranked(of: Reported, judgments: list[Judgments], report: Report) -> list[list[RankedRun]]:
    """All runs under each of the judgments; the reading is the first half of the work that is reported."""
    runs = Run.objects.select_related("task__campaign").in_bulk([pk for pk in of.run_ids if pk is not None])
    if any(pk not in runs or not runs[pk].table for pk in of.run_ids):
        raise JobFailed(RUNS_GONE)
    columns, reference = ordered_columns(of.ordering), cast(Reference, of.ordering.reference)
    found: list[list[RankedRun]] = [[] for _ in judgments]
    for done, pk in enumerate(of.run_ids):
        report(done, 2 * len(of.run_ids), "runs read")
        table = run_table(runs[cast(int, pk)], columns)
        for under, one in zip(found, judgments, strict=True):
            under.append(rank_run(table, one, reference, of.ordering.run_order))
    return found


def _require_the_scores_of_the_board(of: Reported, runs: list[RankedRun], scored: list[RankedRun]) -> None:
    """What is left out is scored anew: without anything left out, this must give what the board says.

    `scored`: the runs under the judgments that the first measure is computed from, as far as the report has them.
    """
    judgments = scored[0].judgments
    if list(of.board.topics) != list(runs[0].judgments.topics):
        raise JobFailed(CHANGED)
    measure = parse_measure(of.board.measures[0])
    if judgments.topics != runs[0].judgments.topics or measure.definition.judgments.table == "by_subtopic":
        return
    values = np.array([compared_values(one, judgments)[0] for one in score_ranked(scored, [measure])])
    if not np.allclose(values, of.values[:, 0], rtol=0, atol=1e-9, equal_nan=True):
        raise JobFailed(CHANGED)
