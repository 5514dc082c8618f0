"""The demo campaign's runs, retrieved from its collection by four invented teams with small systems of different strength."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from campaign.collection.search.text import character_ngrams, stemmed_words, words
from runpool.demo.retrieval.index import Index, build_index
from runpool.demo.retrieval.ranking import (
    Scores,
    best_first,
    bm25,
    coordination,
    dirichlet,
    expanded_query,
    jelinek_mercer,
    random_among_matching,
    reciprocal_rank_fusion,
    tfidf_cosine,
)

DEPTH = 100
STEP = 2e-5
"""The least difference between the written scores of two places: six decimals and single precision tell them apart."""
EXAMPLE_TAG = "my-first-run"
SPOILT_TAG = "run-with-problems"
LOTTERY_SEED = 2026

MANUAL_QUERIES = {
    "1": "puncture flat inner tube patch",
    "2": "child seat trailer cargo bike",
    "3": "learn to ride lesson balance",
    "4": "winter ice snow frost",
    "5": "stolen thief lock",
    "6": "chain oil wear",
    "7": "battery range charging",
    "8": "cycle lane junction traffic speed",
    "9": "tour panniers luggage list",
    "10": "brake squeal pads",
    "11": "rain jacket mudguard commute",
    "12": "velocipede penny-farthing history",
    "13": "lamp reflector dark visible",
    "14": "saddle knee numb hands",
    "15": "cargo bike delivery load",
    "16": "train coach folding bike flight",
}
"""Queries that a person wrote after a short look at the collection, for the only manual run."""

Document = Mapping[str, str]
"""A document with `docno`, `title` and `text`."""
Topic = Mapping[str, str]
"""A topic with `number`, `title`, `description` and `narrative`."""
Search = Callable[[Topic], Scores]


@dataclass(frozen=True, slots=True)
class DemoRun:
    """A run as a team would upload it: `content` is the file, six columns a line; `kind` is automatic or manual."""

    tag: str
    team: str
    description: str
    kind: str
    priority: int
    content: bytes


def demo_runs(documents: Sequence[Document], topics: Sequence[Topic]) -> list[DemoRun]:
    """Twelve runs of four teams, up to 100 documents a topic; the same input gives the same bytes."""
    docnos = [document["docno"] for document in documents]
    return [
        DemoRun(tag, team, description, kind, priority, _run_file(docnos, topics, search, tag))
        for team, systems in _systems(documents).items()
        for priority, (tag, kind, description, search) in enumerate(systems, start=1)
    ]


def example_upload(documents: Sequence[Document], topics: Sequence[Topic]) -> bytes:
    """A sound run that the demo does not load, for a visitor to upload: BM25 on the titles, tag `my-first-run`."""
    index = build_index(documents, stemmed_words)
    docnos = [document["docno"] for document in documents]

    def search(topic: Topic) -> Scores:
        return bm25(index, index.query(topic["title"]), k1=1.5, b=0.75)

    return _run_file(docnos, topics, search, EXAMPLE_TAG)


def example_with_problems(documents: Sequence[Document], topics: Sequence[Topic]) -> bytes:
    """The same run, tag `run-with-problems`, spoilt by hand to show what the check says.

    Line 2 lacks the tag, 4 names an unknown topic, 6 repeats the docno of 5, 8 has NaN and 10 a word for a score,
    12 a docno that is not in the collection and 14 another tag.
    """
    lines = [line.split() for line in example_upload(documents, topics).decode().splitlines()]
    for line in lines:
        line[5] = SPOILT_TAG
    del lines[1][5]
    lines[3][0] = "999"
    lines[5][2] = lines[4][2]
    lines[7][4] = "NaN"
    lines[9][4] = "high"
    lines[11][2] = "VELO-9999"
    lines[13][5] = "another-tag"
    return "".join(f"{' '.join(line)}\n" for line in lines).encode()


System = tuple[str, str, str, Search]
"""Tag, kind, description and search."""


def _systems(documents: Sequence[Document]) -> dict[str, list[System]]:
    stemmed = build_index(documents, stemmed_words)
    plain = build_index(documents, words)
    grams = build_index(documents, character_ngrams(4))
    return {
        "Alba": _alba(stemmed, grams),
        "Brio": _brio(stemmed),
        "Cresta": _cresta(plain, stemmed, grams),
        "Duna": _duna(plain, stemmed),
    }


def _alba(stemmed: Index, grams: Index) -> list[System]:
    def feedback(topic: Topic) -> Scores:
        query = stemmed.query(_title_and_description(topic))
        first = bm25(stemmed, query)
        return bm25(stemmed, expanded_query(stemmed, query, first, documents=6, terms=20, share=0.4))

    def fusion(topic: Topic) -> Scores:
        text = _whole_topic(topic)
        return reciprocal_rank_fusion(
            [feedback(topic), bm25(stemmed, stemmed.query(text)), tfidf_cosine(grams, grams.query(text))]
        )

    def plain_bm25(topic: Topic) -> Scores:
        return bm25(stemmed, stemmed.query(_title_and_description(topic)))

    return [
        ("alba-fusion", "automatic", "Reciprocal rank fusion: feedback, BM25, 4-grams.", fusion),
        ("alba-feedback", "automatic", "BM25 with 20 terms of its 6 best documents.", feedback),
        ("alba-bm25", "automatic", "BM25, k1 = 0.9, b = 0.4; title and description.", plain_bm25),
    ]


def _brio(stemmed: Index) -> list[System]:
    def long(model: Callable[..., Scores], topic: Topic) -> Scores:
        return model(stemmed, stemmed.query(_title_and_description(topic)))

    def short(topic: Topic) -> Scores:
        return dirichlet(stemmed, stemmed.query(topic["title"]))

    return [
        ("brio-dirichlet", "automatic", "Query likelihood, Dirichlet.", partial(long, dirichlet)),
        ("brio-jm", "automatic", "Query likelihood, Jelinek-Mercer.", partial(long, jelinek_mercer)),
        ("brio-title", "automatic", "Query likelihood, Dirichlet; titles alone.", short),
    ]


def _cresta(plain: Index, stemmed: Index, grams: Index) -> list[System]:
    def ngrams(topic: Topic) -> Scores:
        return tfidf_cosine(grams, grams.query(_title_and_description(topic)))

    def verbose(topic: Topic) -> Scores:
        return bm25(stemmed, stemmed.query(_whole_topic(topic)), k1=2.0, b=0.75)

    def cosine(topic: Topic) -> Scores:
        return tfidf_cosine(plain, plain.query(topic["title"]))

    return [
        ("cresta-4grams", "automatic", "TF-IDF cosine over character 4-grams.", ngrams),
        ("cresta-verbose", "automatic", "BM25, k1 = 2, b = 0.75; with the narrative.", verbose),
        ("cresta-tfidf", "automatic", "TF-IDF cosine over words; titles alone.", cosine),
    ]


def _duna(plain: Index, stemmed: Index) -> list[System]:
    def manual(topic: Topic) -> Scores:
        return bm25(stemmed, stemmed.query(MANUAL_QUERIES.get(topic["number"], topic["title"])))

    def coordinated(topic: Topic) -> Scores:
        return coordination(plain, plain.query(topic["description"]))

    def lottery(topic: Topic) -> Scores:
        seed = [LOTTERY_SEED, *topic["number"].encode()]
        return random_among_matching(stemmed, stemmed.query(_title_and_description(topic)), seed)

    return [
        ("duna-manual", "manual", "BM25 on queries written by a person.", manual),
        ("duna-coordination", "automatic", "Number of words shared with the description.", coordinated),
        ("duna-lottery", "automatic", "Documents with a word of the topic, by lot.", lottery),
    ]


def _title_and_description(topic: Topic) -> str:
    return f"{topic['title']} {topic['description']}"


def _whole_topic(topic: Topic) -> str:
    return f"{_title_and_description(topic)} {topic['narrative']}"


def _run_file(docnos: Sequence[str], topics: Sequence[Topic], search: Search, tag: str) -> bytes:
    lines = (line for topic in topics for line in _topic_lines(docnos, topic["number"], search(topic), tag))
    return "".join(lines).encode()


def _topic_lines(docnos: Sequence[str], number: str, scores: Scores, tag: str) -> list[str]:
    """Equal scores are settled, docno descending, and written apart, as many systems do, so that no tool orders them anew."""
    rounded = np.round(scores, 6)
    ranked = sorted(((rounded[position], docnos[position]) for position in best_first(scores)), reverse=True)[:DEPTH]
    places = range(len(ranked))
    # The best that each place may have: lower than the one before by a step that single precision sees.
    apart = np.minimum.accumulate([score + place * STEP for place, (score, _) in enumerate(ranked)])
    return [f"{number} Q0 {ranked[place][1]} {place + 1} {apart[place] - place * STEP:.6f} {tag}\n" for place in places]
