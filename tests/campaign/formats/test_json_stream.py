"""Lists of objects in JSON are read as a stream: what is held, and what is counted, is that of one object."""

import json
from collections.abc import Iterator

from campaign.formats.json_stream import AT_ONCE, streamed_objects
from campaign.formats.problems import ProblemLog

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


def test_a_million_values_are_the_limit_of_an_object_and_not_of_the_list() -> None:
    objects = [json.dumps({"docno": str(number), "values": [0] * FEW}) for number in range(60)]
    for lines in (["[", *(f"{line}," for line in objects), "]"], [f"[{','.join(objects)}]"]):
        docnos, problems = read(lines)
        assert (len(docnos), problems.ok) == (60, True)


def test_an_object_of_more_values_is_refused_with_what_to_do_whatever_stands_around_it() -> None:
    large = json.dumps({"docno": "2", "values": [[]] * 1_000_001})
    small = '{"docno": "1", "text": "[[[,,,"}'
    docnos, problems = read([f"[{small},", f"{large},", small + "]"])
    [problem] = problems.shown
    assert (docnos, problem.line, problem.message) == (["1"], 2, "The JSON is broken (more than 1,000,000 values).")
    assert "Send only the fields that people need." in problem.remedy
