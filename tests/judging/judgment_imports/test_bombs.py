"""Small files of judgments that would take much memory, or a message of megabytes."""

import gzip
import tracemalloc
from io import BytesIO

import pytest

from campaign.formats.problems import ProblemLog
from judging.core.modes.registry import MODES
from judging.judgment_imports import reading
from judging.judgment_imports.reading import read_judgments

MIB = 1 << 20
MANY = b"[" + b"[]," * 4_000 + b"0]"


def read(content: bytes) -> tuple[int, list[str]]:
    problems = ProblemLog()
    found = read_judgments(BytesIO(content), MODES["graded"], problems)
    return len(found), [problem.message for problem in problems.shown]


@pytest.mark.parametrize("name", ["details", "subtopics"])
def test_lists_without_end_in_many_lines_are_refused_before_they_are_held_together(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A megabyte of such lines as gzip took gigabytes of memory."""
    monkeypatch.setattr(reading, "MOST_VALUES", 20_000)
    value = b'{"x": %s}' % MANY if name == "details" else MANY
    line = b'{"topic": "1", "docno": "d", "grade": 1, "%s": %s}\n' % (name.encode(), value)
    tracemalloc.start()
    try:
        _, told = read(line * 100)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "The long lines up to this one hold more than 20,000 values." in told
    assert peak < 8 * MIB


def test_a_small_file_of_much_text_is_refused_before_its_lines_are_read() -> None:
    """A megabyte of such lines as gzip took 1.3 GB of memory."""
    content = gzip.compress(b"topic,docno,grade,note\n" + (b"1,d,1," + b"\1" * 250_000 + b"\n") * 210, 1)
    assert len(content) < MIB
    found, told = read(content)
    assert (found, told) == (0, ["The text is larger than 48 MB."])


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_details_in_a_text_count_as_those_of_the_line_do(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 20_000)
    details = b'{"x": %s}' % MANY
    line = b'{"topic": "1", "docno": "d", "grade": 1, "details": "%s"}\n' % details.replace(b'"', b'\\"')
    text = line * 100
    if kind == "csv":
        text = b"topic,docno,grade,details\n" + b'1,d,1,"%s"\n' % details.replace(b'"', b'""') * 100
    tracemalloc.start()
    try:
        _, told = read(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "The long lines up to this one hold more than 20,000 values." in told
    assert peak < 8 * MIB


def test_judgments_of_many_subtopics_are_read() -> None:
    """As many values as 20,000 lines with 60 subtopics have."""
    grades = b", ".join(b'"%d": 1' % number for number in range(500))
    line = b'{"topic": "1", "docno": "d", "grade": 1, "subtopics": {%s}}\n' % grades
    problems = ProblemLog()
    assert len(read_judgments(BytesIO(line * 2_500), MODES["subtopic"], problems)) == 2_500
    assert problems.ok


def test_too_many_values_come_with_what_to_do() -> None:
    problems = ProblemLog()
    line = b'{"topic": "1", "docno": "d", "grade": 1, "subtopics": [%s]}\n' % b", ".join([b"1"] * 50_000)
    read_judgments(BytesIO(line * 61), MODES["subtopic"], problems)
    [problem] = problems.shown
    assert problem.message == "The long lines up to this one hold more than 3,000,000 values."
    assert problem.remedy.startswith("Send the file in parts")


def test_what_judgments_have_counts_for_nothing_however_many_lines_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 10)
    line = b'{"topic": "1", "docno": "d", "grade": 1, "note": "%s"}\n' % (b"a, [b], {c}, " * 100)
    found, told = read(line * 3)
    assert (found, told) == (2, ["The long lines up to this one hold more than 10 values."])
    monkeypatch.setattr(reading, "MOST_VALUES", 12)
    assert read(line * 3) == (3, [])


def test_columns_without_end_are_one_problem_and_names_are_counted() -> None:
    names = b",".join(b"c%d" % number for number in range(1_000))
    found, told = read(b"topic,docno,grade," + names + b"\n")
    assert (found, told) == (0, ["The first line names 1,003 columns, and 1,000 is the most."])
    given = b"".join(b', "c%02d": 1' % number for number in range(30))
    _, [told_of_names] = read(b'{"topic": "1", "docno": "d", "grade": 1%s}\n' % given)
    assert told_of_names.endswith("c18, c19 and 10 more.")
