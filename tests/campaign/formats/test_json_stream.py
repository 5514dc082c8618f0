"""Lists of objects in JSON are read as a stream: what is held, and what is counted, is that of one object."""

import json
from collections.abc import Iterator

import pytest

from campaign.formats.json_stream import AT_ONCE, streamed_objects
from campaign.formats.problems import ProblemLog
from campaign.formats.smart import RecordTooLargeError

FEW = 20_000


def read(lines: list[str]) -> tuple[list[str], ProblemLog]:
    problems = ProblemLog()
    objects = streamed_objects(enumerate(lines, start=1), problems, 1 << 25)
    return [value["docno"] for _, _, value in objects], problems


def test_of_long_lines_one_is_taken_at_a_time() -> None:
    taken = 0

    def lines() -> Iterator[tuple[int, str]]:
        nonlocal taken
        yield 1, "["
        for number in range(2, 100):
            taken += 1
            yield number, json.dumps({"docno": str(number), "text": "a" * 2 * AT_ONCE}) + ","

    objects = streamed_objects(lines(), ProblemLog(), 1 << 25)
    for given in range(1, 10):
        next(objects)
        assert taken <= given + 1


def test_half_a_million_values_are_the_limit_of_an_object_and_not_of_the_list() -> None:
    objects = [json.dumps({"docno": str(number), "values": [0] * FEW}) for number in range(60)]
    for lines in (["[", *(f"{line}," for line in objects), "]"], [f"[{','.join(objects)}]"]):
        docnos, problems = read(lines)
        assert (len(docnos), problems.ok) == (60, True)


def test_an_object_of_more_values_is_refused_with_what_to_do_whatever_stands_around_it() -> None:
    large = json.dumps({"docno": "2", "values": [[]] * 1_000_001})
    small = '{"docno": "1", "text": "[[[,,,"}'
    docnos, problems = read([f"[{small},", f"{large},", small + "]"])
    [problem] = problems.shown
    assert (docnos, problem.line, problem.code) == (["1"], 2, "json_too_many_values")
    assert problem.message == "The document holds more than 500,000 values."
    assert "Send only the fields that people need." in problem.remedy


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ('{"docno": "2", "text" "Kites"},', "Expecting ':' delimiter"),
        ('{"docno": "2" "text": "Kites"},', "Expecting ',' delimiter"),
        ('{"docno": "2", "text": kites},', "Expecting value"),
        ('{"docno": "2", "text": "Kites},', "Invalid control character at"),
        ('{"docno": "2", text: "Kites"},', "Expecting property name enclosed in double quotes"),
    ],
)
def test_a_mistake_in_json_is_told_at_its_document_however_much_stands_behind_it(broken: str, reason: str) -> None:
    more = json.dumps({"docno": "3", "text": "a" * 2 * AT_ONCE}) + ","
    problems = ProblemLog()
    lines = enumerate(["[", '{"docno": "1"},', broken, *[more] * 10, "]"], start=1)
    objects = list(streamed_objects(lines, problems, 4 * AT_ONCE))
    assert len(objects) == 1
    assert [(problem.line, problem.message) for problem in problems.shown] == [(3, f"The JSON is broken ({reason}).")]


def test_a_document_whose_end_is_missing_grows_up_to_the_limit() -> None:
    lines = ["[", '{"docno": "1", "values": [', *['"kites", "ponds",'] * AT_ONCE]
    with pytest.raises(RecordTooLargeError):
        list(streamed_objects(enumerate(lines, start=1), ProblemLog(), 4 * AT_ONCE))
