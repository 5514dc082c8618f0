"""Whether what pages call a bound or exact is one, and whether a run gains by leaving topics out: part of significance.md.

Drawn collections, all measures of grades: unjudged documents are graded at random, topics are taken from runs, and a pool of
depth k is scored against the grades of all documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from evaluation.boards.pool_fit import fits_pool, last_rank, read_by_estimator
from evaluation.engine.analyses.bounds import meaning_of_bounds, unjudged_bounds
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.missing_topics import compared_values, summary_of_compared
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import Scores, score_ranked
from pooling.core.preview.exactness import PoolReach

DEPTH, RUNS, TOPICS, DOCUMENTS = 10, 3, 8, 60
GRADES, OFTEN = (0, 1, 2, 3), (0.7, 0.15, 0.1, 0.05)
ROUNDING = 1e-9


@dataclass(frozen=True)
class World:
    """`runs`: topic, docno, score. `everything`, `pooled`: topic, subtopic, docno, grade of all documents, and of the pool."""

    runs: list[pl.DataFrame]
    everything: pl.DataFrame
    pooled: pl.DataFrame


@dataclass(frozen=True)
class Broken:
    """Of so many values compared, how many broke the promise, and by how much at most (0 or less: none did)."""

    values: int
    broken: int
    most: float


def make_world(random: np.random.Generator) -> World:
    grades = random.choice(GRADES, size=(TOPICS, DOCUMENTS), p=OFTEN)
    seen = grades + random.normal(0, 1.5, (RUNS, TOPICS, DOCUMENTS))
    topics, documents = (axis.ravel() for axis in np.indices((TOPICS, DOCUMENTS)))
    table = pl.DataFrame({"topic": topics, "docno": documents}).cast(pl.String)
    runs = [table.with_columns(score=pl.Series(scores.ravel())) for scores in seen]
    in_pool = (np.argsort(np.argsort(-seen, axis=-1), axis=-1) < DEPTH).any(axis=0).ravel()
    judged = table.with_columns(subtopic=pl.lit("0"), grade=pl.Series(grades.ravel()))
    return World(runs, judged, judged.filter(pl.Series(in_pool)))


def measures_of_grades() -> list[Measure]:
    """Every measure of grades that compares runs, by its example and to the depth of the pool; not estimates from samples."""
    found: dict[str, Measure] = {}
    for definition in known_measures():
        plain = parse_measure(definition.example)
        of_grades = definition.judgments.table == "overall" and read_by_estimator(plain) is None
        if of_grades and definition.missed != "left out":
            base = definition.example.partition("@")[0]
            takes_cutoff = any(parameter.name == "k" for parameter in definition.parameters)
            names = [plain.name, *([f"{base}@{DEPTH}"] if takes_cutoff else [])]
            found |= {name: parse_measure(name) for name in names}
    return list(found.values())


def regraded(world: World, random: np.random.Generator) -> Broken:
    """Grade every document outside the pool at random, and look for values outside what is called a bound."""
    measures = [measure for measure in measures_of_grades() if meaning_of_bounds(measure) == "bounds"]
    judged = Judgments.from_table(world.pooled)
    rest = world.everything.join(world.pooled, on=["topic", "docno"], how="anti")
    drawn = rest.with_columns(grade=pl.Series(random.choice(GRADES, rest.height)))
    anew = Judgments.from_table(pl.concat([world.pooled, drawn]))
    beyond = []
    for run in world.runs:
        bounds = unjudged_bounds(rank_run(run, judged), measures, best_grade=max(GRADES))
        values = _score(run, anew, measures).values
        beyond.append(np.maximum(bounds.lower - values, values - bounds.upper))
    return _broken(np.array(beyond))


def left_out(world: World, random: np.random.Generator) -> Broken:
    """Take topics from a run at random, and look for measures by which it stands better on a board."""
    measures = [measure for measure in measures_of_grades() if measure.definition.name != "utility"]
    judged = Judgments.from_table(world.pooled)
    gains = []
    for run in world.runs:
        kept = random.permutation(TOPICS)[: random.integers(1, TOPICS)]
        lacking = run.filter(pl.col("topic").is_in([str(topic) for topic in kept]))
        whole, part = (_numbers(_score(of, judged, measures), judged, measures) for of in (run, lacking))
        gains.append(part - whole)
    return _broken(np.array(gains))


def to_depth(world: World, random: np.random.Generator) -> Broken:
    """Compare values under the pool with those under the grades of all documents, for measures that it makes exact."""
    exact = [measure for measure in measures_of_grades() if _is_exact(measure)]
    everything, pooled = Judgments.from_table(world.everything), Judgments.from_table(world.pooled)
    apart = [_score(run, everything, exact).values - _score(run, pooled, exact).values for run in world.runs]
    return _broken(np.abs(np.array(apart)))


PROMISES = {
    "a bound holds whatever grades the unjudged documents have": regraded,
    "a run without some of its topics stands better by no measure": left_out,
    "what is called exact is the same under the grades of all documents": to_depth,
}


def rows(times: int, seed: int) -> Iterator[str]:
    yield "| promise | values compared | broken | by at most |"
    yield "| --- | ---: | ---: | ---: |"
    for promise, look in PROMISES.items():
        random = np.random.default_rng(seed)
        found = [look(make_world(random), random) for _ in range(times)]
        broken, most = sum(one.broken for one in found), max(one.most for one in found)
        yield f"| {promise} | {sum(one.values for one in found):,} | {broken:,} | {max(most, 0.0):.0e} |"


def _is_exact(measure: Measure) -> bool:
    is_cut = not measure.definition.recall_base and last_rank(measure) is not None
    return is_cut and measure.definition.tells == "relevance" and fits_pool(measure, PoolReach(DEPTH))


def _score(run: pl.DataFrame, judged: Judgments, measures: list[Measure]) -> Scores:
    [scores] = score_ranked([rank_run(run, judged)], measures)
    return scores


def _numbers(scores: Scores, judged: Judgments, measures: list[Measure]) -> FloatArray:
    """Of each measure the number on a board, more being better."""
    values = compared_values(scores, judged)
    signs = (-1.0 if measure.definition.lower_is_better else 1.0 for measure in measures)
    of_measures = zip(signs, values, measures, strict=True)
    return np.array([sign * summary_of_compared(row, measure.definition) for sign, row, measure in of_measures])


def _broken(beyond: FloatArray) -> Broken:
    return Broken(beyond.size, int((beyond > ROUNDING).sum()), float(beyond.max()))
