"""The topics of a pool, in the order of a file: numbers alone, or any topic file."""

from __future__ import annotations

from io import BytesIO

from campaign.command.files import LIMITS, InputError, displayed, raise_problems, text_of
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.source import add_empty, lines_of
from campaign.formats.topics.read import begins_a_table, read_topics


def topics_in(path: str) -> list[str]:
    """Topic numbers in the order of the file; InputError where one comes twice or the file is no list of topics."""
    data = text_of(path)
    if not _holds_numbers_alone(data):
        read = read_topics(BytesIO(data), LIMITS)
        raise_problems(path, read.problems)
        return [record.number for record in read.records]
    problems = ProblemLog()
    first_lines: dict[str, int] = {}
    for line, text in enumerate(lines_of(data.decode()), start=1):
        topic = text.strip()
        first = first_lines.setdefault(topic, line) if topic else line
        if first != line:
            message = f"Topic {visible(topic)} was already given on line {first}."
            problems.add("topic_number_duplicate", message, "Keep one of the two.", line=line)
    if not first_lines:
        add_empty(problems, "topics")
    raise_problems(path, problems)
    return list(first_lines)


def _holds_numbers_alone(data: bytes) -> bool:
    """Whether every line is one word, and the first begins neither an object nor an element."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    lines = [line.split() for line in lines_of(text) if line.strip()]
    first = lines[0][0] if lines else ""
    return all(len(words) == 1 for words in lines) and not (first.startswith(("<", "{", "[")) or begins_a_table(first))


def refuse_no_topics(topics: list[str], path: str | None) -> None:
    if not topics:
        where = "the runs" if path is None else displayed(path)
        raise InputError([f"{where}: there is no topic. A pool needs at least one."])
