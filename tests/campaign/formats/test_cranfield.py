"""A real collection through every reader."""

import polars as pl
import pytest

from campaign.formats.documents import DocumentReader
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.runs.table import ranked
from campaign.formats.topics.read import read_topics
from tests.places import CRANFIELD

pytestmark = [
    pytest.mark.cranfield,
    pytest.mark.skipif(not CRANFIELD.is_dir(), reason="needs the Cranfield collection in ../shared/data/cranfield"),
]


def topic_numbers() -> frozenset[str]:
    with (CRANFIELD / "topics.tsv").open("rb") as file:
        return frozenset(topic.number for topic in read_topics(file).records)


def test_the_topics_are_the_same_in_both_files():
    with (CRANFIELD / "topics.trec.txt").open("rb") as trec, (CRANFIELD / "topics.tsv").open("rb") as tsv:
        first, second = read_topics(trec), read_topics(tsv)
    assert (first.format, second.format) == ("trec", "tsv")
    assert first.problems.total == second.problems.total == 0
    assert len(first.records) == 225
    assert [(t.number, t.title) for t in first.records] == [(t.number, t.title) for t in second.records]
    assert all(topic.description and topic.narrative for topic in first.records)


def test_the_documents_are_read_with_warnings_for_the_two_empty_ones_and_for_the_fields_left_out():
    with (CRANFIELD / "documents.jsonl.gz").open("rb") as file:
        reader = DocumentReader(file)
        documents = list(reader)
    assert len(documents) == reader.count == 1400
    assert reader.problems.ok
    assert [(problem.code, problem.line) for problem in reader.problems.shown] == [
        ("document_fields_left_out", None),
        ("document_empty", 471),
        ("document_empty", 995),
    ]


@pytest.mark.parametrize("name", ["binary", "graded", "original-codes"])
def test_the_qrels_are_read_without_a_problem(name):
    docnos = frozenset(map(str, range(1, 1401)))
    with (CRANFIELD / f"qrels.{name}.txt").open("rb") as file:
        result = read_qrels(file, QrelsRules(topics=topic_numbers(), docnos=docnos, grades=frozenset(range(5))))
    assert result.problems.total == 0
    assert (result.lines, result.topics) == (1837, 225)


def test_all_runs_are_accepted_and_only_the_one_full_of_ties_is_warned_of():
    docnos = frozenset(map(str, range(1, 1401)))
    topics = topic_numbers()
    paths = sorted((CRANFIELD / "runs").glob("*.txt.gz"))
    assert len(paths) == 15
    for path in paths:
        tag = path.name.removesuffix(".txt.gz")
        with path.open("rb") as file:
            result = check_run(
                file, RunRules(topics=topics, docnos=DocnoSet(docnos), tag=tag, max_documents_per_topic=100)
            )
        # The coordination level gives few different scores: 99 % of the places of coord are decided by docno.
        assert [problem.code for problem in result.problems.shown] == (["score_ties"] if tag == "coord" else [])
        assert result.table is not None
        assert (result.tag, result.topics) == (tag, 225)


def test_the_pool_of_all_runs_to_depth_10_follows_the_scores_and_not_the_rank_column():
    by_score: set[tuple[str, str]] = set()
    by_rank: set[tuple[str, str]] = set()
    for path in (CRANFIELD / "runs").glob("*.txt.gz"):
        with path.open("rb") as file:
            table = check_run(file, RunRules()).table
        assert table is not None
        best = ranked(table, Ordering()).filter(pl.col("position") <= 10)
        by_score.update(best.select("topic", "docno").iter_rows())
        first = table.sort("topic", "rank").group_by("topic").head(10)
        by_rank.update(first.select("topic", "docno").iter_rows())
    # The collection's own description counts 8,026: these are the pairs by the rank column, which ties make arbitrary.
    assert (len(by_score), len(by_rank)) == (8027, 8026)
