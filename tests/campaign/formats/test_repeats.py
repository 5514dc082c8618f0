"""Repeated docnos of large files: each is named with its line, and no docno is held for long."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import repeats
from campaign.formats.documents import DocnoReader, DocumentReader, RecordReader


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(repeats, "BLOCK", 3)


def told(reader: RecordReader) -> list[tuple[int | None, str]]:
    assert len(list(reader)) == reader.count
    return [(problem.line, problem.message) for problem in reader.problems.shown]


def docno_file(docnos: list[str]) -> io.BytesIO:
    return io.BytesIO("".join(f"{docno}\n" for docno in docnos).encode())


def test_a_docno_that_comes_again_long_after_is_named_with_both_lines() -> None:
    assert told(DocnoReader(docno_file([*"abcdefgh", "b", "i"]))) == [(9, "Docno b was already given on line 2.")]


def test_a_document_that_comes_again_long_after_is_named_with_both_lines_whatever_its_format() -> None:
    lines = [json.dumps({"docno": docno, "text": "t"}) for docno in "abcdeafg"]
    assert told(DocumentReader(io.BytesIO("\n".join(lines).encode()))) == [(6, "Docno a was already given on line 1.")]
    sgml = "\n".join(f"<DOC><DOCNO>{docno}</DOCNO>text</DOC>" for docno in "abcdeafg")
    assert told(DocumentReader(io.BytesIO(sgml.encode()))) == [(6, "Docno a was already given on line 1.")]


def test_documents_on_one_line_may_repeat_each_other() -> None:
    sgml = "<DOC><DOCNO>a</DOCNO>text</DOC>" * 2
    assert told(DocumentReader(io.BytesIO(sgml.encode()))) == [(1, "Docno a was already given on line 1.")]


@given(st.lists(st.sampled_from("abcdefghijkl"), max_size=10))
def test_every_repeat_is_told_once_with_its_line_and_an_earlier_one(docnos: list[str]) -> None:
    found = {}
    for line, message in told(DocnoReader(docno_file(docnos))) if docnos else ():
        first, _, more = message.partition(". The same on ")
        docno, before = first.removeprefix("Docno ").removesuffix(".").split(" was already given on line ")
        assert int(before) < line
        for place in (line, *(int(one) for one in more.rpartition(": ")[2].removesuffix(".").split(", ") if one)):
            assert docnos[int(before) - 1] == docno == docnos[place - 1]
            assert place not in found
            found[place] = docno
    assert found == {line: docno for line, docno in enumerate(docnos, 1) if docno in docnos[: line - 1]}


def test_two_docnos_of_the_same_hash_are_two_docnos(monkeypatch) -> None:
    import numpy as np

    monkeypatch.setattr(repeats, "hashes_of", lambda docnos: np.full(len(docnos), 7, np.uint64))
    assert told(DocnoReader(docno_file([*"abcdefgh"]))) == []
    assert told(DocnoReader(docno_file([*"abcdefgh", "b"]))) == [(9, "Docno b was already given on line 2.")]


def test_of_very_many_repeats_some_are_named_and_all_are_counted(monkeypatch) -> None:
    monkeypatch.setattr(repeats, "MOST_NAMED", 2)
    reader = DocnoReader(docno_file([*"abcdefghi"] * 2))
    lines = [line for line, _ in told(reader)]
    assert len([line for line in lines if line]) == 2
    assert reader.problems.by_code == {"docno_duplicate": 9}
