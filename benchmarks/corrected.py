"""Whether the intervals of corrected scores hold, by simulation: a part of docs/reference/significance.md.

.venv/bin/python -m benchmarks.corrected --times 1000
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.prediction_powered import CorrectedMean, prediction_powered_mean

DEPTH = 10
SIZES = ((5, 10), (5, 30), (20, 30), (20, 100), (50, 30), (50, 100), (50, 300))
"""Topics, and judged documents among the first 10 of a run."""
KINDS = ("usual", "rare", "small strata", "unequal")
MODELS = {"good": (0.85, 0.05), "generous": (0.95, 0.4), "blind": (0.2, 0.01), "guessing": (0.3, 0.3)}
"""Share of the relevant documents, and of the others, that the model takes for relevant."""
GAINS = {"P@10": np.array([1.0]), "DCG@10": np.array([1.0, 3.0, 7.0])}

ABOUT = """{times:,} collections of each kind, each with one sample of every topic and one run. Of topics 30 to 200 documents
could have been drawn. *Usual*: one fifth of them is relevant on average, more among the first 10; *rare*: one in a hundred;
*small strata*: a topic has five strata, and of many one document was drawn; *unequal*: of one topic in five 200 to 400
documents could have been drawn, of others 15 to 40, and as many were drawn of each, so that a few documents count for
many. DCG: gains of 1, 3 or 7. Models: *good* takes 85 % of the relevant documents and 5 % of others for relevant, *generous*
95 and 40, *blind* 20 and 1, *guessing* 30 of both. The table gives the share of collections in which the 95 % interval
holds the score by people, the lowest of the four models; in brackets the mean width of the interval, the largest of the
four. Columns: topics, judged documents among the first 10 (expected; of every topic one document at least)."""


@dataclass(frozen=True)
class Sampled:
    """One element for each document that could have been drawn: float64, bool, int64 (n,)."""

    weight: FloatArray
    people: FloatArray
    model: FloatArray
    drawn: BoolArray
    stratum: IntArray


def sampled(random: np.random.Generator, kind: str, model: str, gains: FloatArray, topics: int, judged: int) -> Sampled:
    """A run's first 10 documents in each topic, what people and the model say of all, and what was drawn."""
    sizes = random.integers(30, 200, topics)
    if kind == "unequal":
        sizes = np.where(
            random.random(topics) < 0.2, random.integers(200, 400, topics), random.integers(15, 40, topics)
        )
    topic = np.repeat(np.arange(topics), sizes)
    rank = np.arange(len(topic)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    relevance = random.beta(0.3, 30, topics) if kind == "rare" else random.beta(1, 4, topics)
    relevant = random.random(len(topic)) < np.minimum(relevance[topic] * np.where(rank <= DEPTH, 2.5, 1.0), 0.95)
    taken, added = MODELS[model]
    predicted = random.random(len(topic)) < np.where(relevant, taken, added)
    people, other = random.choice(gains, (2, len(topic)))
    by_model = np.where(relevant & (random.random(len(topic)) < 0.7), people, other)
    weight = np.where(rank <= DEPTH, 1 / DEPTH if len(gains) == 1 else 1 / np.log2(rank + 1), 0.0)
    place = np.minimum(rank // 8, 4) if kind == "small strata" else np.zeros_like(rank)
    stratum = np.unique(topic * 5 + place, return_inverse=True)[1]
    drawn = _drawn(random, stratum, judged / (topics * DEPTH), each=kind == "unequal")
    return Sampled(weight, np.where(relevant, people, 0.0), np.where(predicted, by_model, 0.0), drawn, stratum)


def _drawn(random: np.random.Generator, stratum: IntArray, share: float, *, each: bool) -> BoolArray:
    """Of each stratum this share of its documents at random, one at least; `each`: as many of each as of 30."""
    sizes = np.bincount(stratum)
    order = np.lexsort((random.random(len(stratum)), stratum))
    place = np.empty(len(stratum), dtype=np.int64)
    place[order] = np.arange(len(stratum)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wanted = np.full(len(sizes), share * 30) if each else share * sizes
    found: BoolArray = place < np.maximum(np.floor(wanted + random.random(len(sizes))), 1)[stratum]
    return found


def holds(of: Sampled, topics: int, highest: float) -> tuple[bool, float]:
    """Whether the interval holds the score by people, and its width."""
    observed = np.where(of.drawn, of.people, np.nan)
    found: CorrectedMean = prediction_powered_mean(of.weight, of.model, observed, of.stratum, topics, highest=highest)
    truth = float((of.weight * of.people).sum()) / topics
    return found.low - 1e-9 <= truth <= found.high + 1e-9, found.high - found.low


def cell(times: int, seed: int, kind: str, gains: FloatArray, topics: int, judged: int) -> str:
    shares, widths = [], []
    for model in MODELS:
        random = np.random.default_rng(seed)
        drawn = (sampled(random, kind, model, gains, topics, judged) for _ in range(times))
        outcomes = [holds(one, topics, float(gains.max())) for one in drawn]
        shares.append(100 * float(np.mean([held for held, _ in outcomes])))
        widths.append(float(np.mean([width for _, width in outcomes])))
    return f"{min(shares):.1f} % ({max(widths):.2f})"


def rows(times: int, seed: int) -> Iterator[str]:
    """The lines of the part of the page."""
    yield from (*ABOUT.format(times=times).splitlines(), "")
    yield f"| measure | kind | {' | '.join(f'{topics}, {judged}' for topics, judged in SIZES)} |"
    yield "| --- | --- |" + " ---: |" * len(SIZES)
    for measure, gains in GAINS.items():
        for kind in KINDS:
            yield f"| {measure} | {kind} | {' | '.join(cell(times, seed, kind, gains, *size) for size in SIZES)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for row in rows(options.times, options.seed):
        print(row, flush=True)


if __name__ == "__main__":
    main()
