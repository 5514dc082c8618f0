"""Topics with known grades, runs that rank all of their documents, and samples of which only the drawn ones are judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.memo import Memo
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.reliability.collection import values_of

DOCUMENTS = 100
QUALITIES = (1.0, 0.9, 0.8, 0.7)
FIRST, RATE = 10, 0.2


@dataclass(frozen=True)
class Sampled:
    """`name`: how the documents are drawn. `measure`: an estimate; `whole`: what it estimates."""

    name: str
    measure: str
    whole: str


SAMPLED = (
    Sampled("20 %", "xinfAP", "AP"),
    Sampled("20 %", "infNDCG", "nDCG"),
    Sampled("20 %", "infP@10", "P@10"),
    Sampled("strata", "xinfAP", "AP"),
    Sampled("strata", "infNDCG", "nDCG"),
    Sampled("by probability", "statAP", "AP"),
    Sampled("by probability", "statP@10", "P@10"),
)


@dataclass(frozen=True, eq=False)
class World:
    """`judgments`: of all documents. `runs`: ranked under them. `best`: mean rank of each document, float64 (n_documents,)."""

    judgments: Judgments
    runs: Sequence[RankedRun]
    best: FloatArray


def make_topics(random: np.random.Generator, topics: int) -> World:
    """Runs see the grade with noise, and differ in quality by topic."""
    shape = (topics, DOCUMENTS)
    relevant = random.random(shape) < random.uniform(0.05, 0.4, (topics, 1))
    relevant[np.arange(topics), random.integers(DOCUMENTS, size=topics)] = True
    topic = np.repeat(np.arange(topics), DOCUMENTS)
    names = tuple(f"{number:04d}" for number in range(topics))
    docno = np.tile(np.array([f"d{number:03d}" for number in range(DOCUMENTS)], dtype=object), topics)
    grade, codes = relevant.astype(np.int64).ravel(), np.arange(topics * DOCUMENTS)
    judgments = Judgments(names, docno, topic, grade, codes, topic, grade, topics)
    runs, ranks = [], []
    shared = random.normal(0, 0.6, shape)
    for quality in QUALITIES:
        score = (quality + random.normal(0, 0.4, (topics, 1))) * relevant + shared + random.normal(0, 0.6, shape)
        order = np.argsort(-score, axis=1)
        document = (order + DOCUMENTS * np.arange(topics)[:, np.newaxis]).ravel()
        rank = np.tile(np.arange(1, DOCUMENTS + 1), topics)
        whole = np.full(topics, DOCUMENTS)
        runs.append(RankedRun(judgments, np.arange(topics), whole, topic, rank, grade[document], document))
        ranks.append(np.argsort(order, axis=1) + 1)
    return World(judgments, runs, np.mean(ranks, axis=0).ravel())


def draw(of: World, sampled: Sampled, random: np.random.Generator) -> Judgments:
    """The judgments of a new draw: others have no grade, or no probability."""
    judgments = of.judgments
    topics, place = judgments.n_topics, np.argsort(np.argsort(of.best.reshape(-1, DOCUMENTS), axis=1), axis=1).ravel()
    if sampled.name == "by probability":
        probability = np.minimum(1.0, 8.0 / (1.0 + place))
        drawn = random.random(len(place)) < probability
        return replace(judgments, probability=np.where(drawn, probability, np.nan), memo=Memo())
    stratum = (place >= FIRST).astype(np.int64) if sampled.name == "strata" else np.zeros(len(place), dtype=np.int64)
    chance = np.where((stratum == 0) & (sampled.name == "strata"), -1.0, random.random(len(place)))
    first = FIRST if sampled.name == "strata" else 0
    taken = first + round(RATE * (DOCUMENTS - first))
    drawn = np.argsort(np.argsort(chance.reshape(topics, DOCUMENTS), axis=1), axis=1).ravel() < taken
    return replace(judgments, grade=np.where(drawn, judgments.grade, -1), stratum=stratum, memo=Memo())


def values_under(of: World, judged: Judgments, measure: Measure) -> FloatArray:
    """float64 (n_runs, n_topics)."""
    under = [replace(run, judgments=judged, grade=judged.grade[run.document], memo=Memo()) for run in of.runs]
    return values_of(under, measure)


def full_values(of: World, measure: Measure) -> FloatArray:
    return values_of(of.runs, measure)
