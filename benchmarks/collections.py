"""Made-up campaigns as TREC files, the same bytes every time: what the contestants read."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Campaign:
    """`candidates`: how many documents of each topic the runs choose from. `subtopics`: 0 for one grade a document."""

    name: str
    runs: int
    topics: int
    depth: int
    judged_per_topic: int
    candidates: int
    subtopics: int = 0
    module: ClassVar[str] = "benchmarks.collections"

    @property
    def lines(self) -> int:
        return self.runs * self.topics * self.depth

    def write(self, folder: Path) -> Path:
        """Write `qrels.txt` and `run000.txt`, ... unless they are there already; give their folder."""
        place = folder / self.name
        mark = place / "complete.json"
        if not mark.exists() or json.loads(mark.read_text()) != asdict(self):
            place.mkdir(parents=True, exist_ok=True)
            self._write(place)
            mark.write_text(json.dumps(asdict(self)))
        return place

    def _write(self, place: Path) -> None:
        rng = np.random.default_rng([self.runs, self.topics, self.depth])
        documents = [rng.integers(10_000_000, size=3 * self.candidates) for _ in range(self.topics)]
        documents = [np.unique(drawn)[: self.candidates] for drawn in documents]
        documents = [rng.permutation(drawn) for drawn in documents]
        with (place / "qrels.txt").open("w") as out:
            for topic, drawn in enumerate(documents):
                out.writelines(self._judgments(rng, topic, drawn))
        for run in range(self.runs):
            with (place / f"run{run:03d}.txt").open("w") as out:
                for topic, drawn in enumerate(documents):
                    out.writelines(self._ranking(rng, run, topic, drawn))

    def _judgments(self, rng: np.random.Generator, topic: int, documents: np.ndarray) -> Iterator[str]:
        """The documents that rank best in most runs are judged: that is what a pool finds."""
        judged = documents[: self.judged_per_topic]
        grades = rng.choice([0, 0, 0, 0, 0, 1, 1, 2, 3], size=len(judged))
        if not self.subtopics:
            yield from (f"{301 + topic} 0 {docno(d)} {g}\n" for d, g in zip(judged, grades, strict=True))
            return
        for subtopic in range(1, self.subtopics + 1):
            covers = rng.random(len(judged)) < 0.5
            for document, grade in zip(judged[covers], grades[covers], strict=True):
                yield f"{301 + topic} {subtopic} {docno(document)} {min(grade, 1)}\n"

    def _ranking(self, rng: np.random.Generator, run: int, topic: int, documents: np.ndarray) -> Iterator[str]:
        places = np.arange(len(documents)) + rng.gumbel(0, 400 + 10 * run, size=len(documents))
        ranking = documents[np.argsort(places)[: self.depth]]
        scores = np.sort(rng.uniform(0, 30, size=len(ranking)))[::-1]
        for rank, (document, score) in enumerate(zip(ranking, scores, strict=True), start=1):
            yield f"{301 + topic} Q0 {docno(document)} {rank} {score:.4f} run{run:03d}\n"


def docno(number: int) -> str:
    return f"NEWS-{number // 10_000:04d}-{number % 10_000:04d}"


CAMPAIGN = Campaign("campaign", runs=100, topics=50, depth=1000, judged_per_topic=400, candidates=4000)
BIG_RUN = Campaign("big_run", runs=1, topics=7000, depth=1000, judged_per_topic=30, candidates=1500)
MANY_TOPICS = Campaign("many_topics", runs=1, topics=60_000, depth=10, judged_per_topic=5, candidates=30)
SUBTOPICS = Campaign("subtopics", runs=100, topics=50, depth=1000, judged_per_topic=250, candidates=4000, subtopics=4)

CAMPAIGNS = {campaign.name: campaign for campaign in (CAMPAIGN, BIG_RUN, MANY_TOPICS, SUBTOPICS)}

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    CAMPAIGNS[name].write(Path(folder))
