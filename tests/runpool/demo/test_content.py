"""The demo's documents, topics and truth fit together and are what the demo promises."""

import json
import re
from collections import Counter
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest

import runpool.demo
from campaign.formats.documents import DocumentReader
from campaign.formats.topics.read import read_topics

DATA = Path(runpool.demo.__file__).parent / "data"
DOCUMENTS = [json.loads(line) for line in (DATA / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
TRUTH = [json.loads(line) for line in (DATA / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
TOPICS = read_topics(BytesIO((DATA / "topics.xml").read_bytes()))


def runs_of_words(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def test_the_document_reader_takes_every_document_without_a_problem() -> None:
    reader = DocumentReader(BytesIO((DATA / "documents.jsonl").read_bytes()))
    assert [(record.docno, record.title, record.text) for record in reader] == [
        (document["docno"], document["title"], document["text"]) for document in DOCUMENTS
    ]
    assert reader.problems.ok


def test_there_are_at_least_240_documents_of_50_to_160_words_numbered_in_order() -> None:
    assert len(DOCUMENTS) >= 240
    assert [document["docno"] for document in DOCUMENTS] == [f"VELO-{n:04d}" for n in range(1, len(DOCUMENTS) + 1)]
    lengths = [len(document["text"].split()) for document in DOCUMENTS]
    assert min(lengths) >= 50
    assert max(lengths) <= 160


def test_every_title_is_its_own() -> None:
    titles = Counter(document["title"] for document in DOCUMENTS)
    assert [title for title, count in titles.items() if count > 1] == []


def test_no_two_documents_share_twelve_words_in_a_row() -> None:
    owner: dict[tuple[str, ...], str] = {}
    for document in DOCUMENTS:
        for sequence in runs_of_words(document["text"], 12):
            assert owner.setdefault(sequence, document["docno"]) == document["docno"]


def test_no_document_repeats_a_sentence_pattern_of_six_words_more_than_once_elsewhere() -> None:
    """Texts filled into a template would share many short sequences."""
    counts: Counter[tuple[str, ...]] = Counter()
    for document in DOCUMENTS:
        counts.update(runs_of_words(document["text"], 6))
    assert [sequence for sequence, count in counts.items() if count > 2] == []


def test_the_topic_reader_takes_every_topic_without_a_problem() -> None:
    assert TOPICS.format == "xml"
    assert TOPICS.problems.ok


def test_there_are_at_least_12_topics_with_every_field_and_2_to_4_subtopics() -> None:
    assert [topic.number for topic in TOPICS.records] == [str(n) for n in range(1, len(TOPICS.records) + 1)]
    assert len(TOPICS.records) >= 12
    for topic in TOPICS.records:
        assert all([topic.title, topic.description, topic.narrative])
        assert 2 <= len(topic.subtopics) <= 4
        assert all(subtopic.text for subtopic in topic.subtopics)


def test_the_truth_names_only_topics_subtopics_and_documents_that_exist() -> None:
    docnos = {document["docno"] for document in DOCUMENTS}
    subtopics = {topic.number: {subtopic.number for subtopic in topic.subtopics} for topic in TOPICS.records}
    for line in TRUTH:
        assert line["docno"] in docnos
        assert line["subtopics"]
        assert set(line["subtopics"]) <= subtopics[line["topic"]]
        assert all(first < second for first, second in pairwise(line["subtopics"]))


def test_the_truth_grades_each_pair_once_from_1_to_3() -> None:
    assert max(Counter((line["topic"], line["docno"]) for line in TRUTH).values()) == 1
    assert {line["grade"] for line in TRUTH} == {1, 2, 3}


@pytest.mark.parametrize("topic", TOPICS.records, ids=lambda topic: topic.title)
def test_every_topic_has_10_to_30_relevant_documents_of_every_grade_and_for_every_subtopic(topic) -> None:
    lines = [line for line in TRUTH if line["topic"] == topic.number]
    assert 10 <= len(lines) <= 30
    assert {line["grade"] for line in lines} == {1, 2, 3}
    covered = {number for line in lines if line["grade"] >= 2 for number in line["subtopics"]}
    assert covered == {subtopic.number for subtopic in topic.subtopics}


def test_some_documents_answer_no_topic_and_some_more_than_one() -> None:
    per_document = Counter(line["docno"] for line in TRUTH)
    assert len(DOCUMENTS) - len(per_document) >= 20
    assert sum(count > 1 for count in per_document.values()) >= 20
