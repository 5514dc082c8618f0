"""The demo's runs: sound files, always the same, and of different strength."""

import json
import math
from collections import defaultdict
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from scipy import stats

import runpool.demo
from campaign.formats.runs.check import RunCheck, check_run
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.topics.read import read_topics
from runpool.demo.retrieval import EXAMPLE_TAG, SPOILT_TAG, DemoRun, demo_runs, example_upload, example_with_problems
from runpool.demo.retrieval.runs import MANUAL_QUERIES
from tests.places import REPOSITORY

DATA = Path(runpool.demo.__file__).parent / "data"
DOCUMENTS = [json.loads(line) for line in (DATA / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
TOPICS = [
    {"number": topic.number, "title": topic.title, "description": topic.description, "narrative": topic.narrative}
    for topic in read_topics(BytesIO((DATA / "topics.xml").read_bytes())).records
]


TAGS = [
    *("alba-fusion", "alba-feedback", "alba-bm25"),
    *("brio-dirichlet", "brio-jm", "brio-title"),
    *("cresta-4grams", "cresta-verbose", "cresta-tfidf"),
    *("duna-manual", "duna-coordination", "duna-lottery"),
]


@cache
def runs() -> list[DemoRun]:
    return demo_runs(DOCUMENTS, TOPICS)


def run_of(tag: str) -> DemoRun:
    return runs()[TAGS.index(tag)]


def checked(content: bytes, tag: str) -> RunCheck:
    rules = RunRules(
        topics=frozenset(topic["number"] for topic in TOPICS),
        docnos=DocnoSet(frozenset(document["docno"] for document in DOCUMENTS)),
        max_documents_per_topic=100,
        severities={"topic_missing": "error"},
        tag=tag,
    )
    return check_run(BytesIO(content), rules)


def grades() -> dict[str, dict[str, int]]:
    truth: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (DATA / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        judgment = json.loads(line)
        truth[judgment["topic"]][judgment["docno"]] = judgment["grade"]
    return truth


def gain(values: list[int]) -> float:
    return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:10], start=1))


def ndcg_at_10(content: bytes) -> list[float]:
    ranked: dict[str, list[str]] = defaultdict(list)
    for line in content.decode().splitlines():
        topic, _, docno, *_ = line.split()
        ranked[topic].append(docno)
    return [
        gain([known.get(docno, 0) for docno in ranked[topic]]) / gain(sorted(known.values(), reverse=True))
        for topic, known in grades().items()
    ]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_there_are_at_least_nine_runs_of_four_teams_with_tags_and_priorities_of_their_own() -> None:
    assert {run.team for run in runs()} == {"Alba", "Brio", "Cresta", "Duna"}
    assert [run.tag for run in runs()] == TAGS
    assert len(set(TAGS)) == len(TAGS) >= 9
    assert len({(run.team, run.priority) for run in runs()}) == len(runs())
    assert {run.kind for run in runs()} == {"automatic", "manual"}


@pytest.mark.parametrize("tag", TAGS)
def test_every_run_passes_the_check_with_no_problem_at_all(tag: str) -> None:
    run = run_of(tag)
    check = checked(run.content, run.tag)
    assert check.problems.total == 0
    assert check.topics == len(TOPICS)


@pytest.mark.parametrize("tag", TAGS)
def test_ranks_follow_the_scores_as_written_with_ties_by_docno_descending(tag: str) -> None:
    run = run_of(tag)
    blocks: dict[str, list[tuple[int, float, str]]] = defaultdict(list)
    for line in run.content.decode().splitlines():
        topic, _, docno, rank, score, _ = line.split()
        blocks[topic].append((int(rank), float(score), docno))
    for block in blocks.values():
        assert [rank for rank, _, _ in block] == list(range(1, len(block) + 1))
        keys = [(score, docno) for _, score, docno in block]
        assert keys == sorted(keys, reverse=True)


def test_the_same_input_gives_the_same_bytes() -> None:
    assert demo_runs(DOCUMENTS, TOPICS) == runs()


def test_runs_differ_from_one_another() -> None:
    rankings = {tuple(line.split()[2] for line in run.content.decode().splitlines()) for run in runs()}
    assert len(rankings) == len(runs())


def test_there_is_a_manual_query_for_every_topic() -> None:
    assert list(MANUAL_QUERIES) == [topic["number"] for topic in TOPICS]


def test_good_systems_stand_clearly_above_the_poor_ones() -> None:
    scores = {run.tag: mean(ndcg_at_10(run.content)) for run in runs()}
    best = max(scores.values())
    assert 0.5 < best < 0.8
    assert scores["duna-lottery"] < 0.2
    assert scores["duna-coordination"] < 0.3
    assert scores["alba-bm25"] > 1.5 * scores["duna-coordination"]


def test_some_runs_differ_significantly_from_the_best_and_some_do_not() -> None:
    scores = {run.tag: ndcg_at_10(run.content) for run in runs()}
    best = max(scores, key=lambda tag: mean(scores[tag]))
    others = [stats.ttest_rel(scores[best], scores[tag]).pvalue for tag in scores if tag != best]
    assert sum(p < 0.05 / len(others) for p in others) >= 3
    assert sum(p > 0.05 / len([other for other in others if other >= p]) for p in others) >= 2


def test_the_example_to_upload_is_sound_and_is_not_one_of_the_runs() -> None:
    content = example_upload(DOCUMENTS, TOPICS)
    assert checked(content, EXAMPLE_TAG).problems.total == 0
    assert EXAMPLE_TAG not in {run.tag for run in runs()}
    assert mean(ndcg_at_10(content)) > 0.25


def test_the_example_with_problems_is_rejected_with_every_spoilt_line_named() -> None:
    check = checked(example_with_problems(DOCUMENTS, TOPICS), SPOILT_TAG)
    assert not check.ok
    named = {problem.line for problem in check.problems.shown}
    assert {2, 4, 6, 8, 12, 14} <= named
    assert "on 1 more line: 10." in next(one.message for one in check.problems.shown if one.line == 8)


def test_the_files_that_the_site_offers_are_the_ones_that_these_systems_make() -> None:
    offered = REPOSITORY / "static" / "demo"
    assert (offered / f"{EXAMPLE_TAG}.txt").read_bytes() == example_upload(DOCUMENTS, TOPICS)
    assert (offered / f"{SPOILT_TAG}.txt").read_bytes() == example_with_problems(DOCUMENTS, TOPICS)
