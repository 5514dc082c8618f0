"""Topic files: TREC SGML, XML with subtopics, TSV and JSONL, recognised by their content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO, Literal

from campaign.formats.jsonlines import FieldError, json_objects, text_field
from campaign.formats.markup import one_line
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.source import MIB, Limits, add_empty, text_lines, was_cut_short
from campaign.formats.topics.dialects import NAMES, PARTS, Dialect, plain_name
from campaign.formats.topics.drafts import SubtopicRecord, TopicDraft, TopicRecord, checked_topics
from campaign.formats.topics.sgml import sgml_drafts
from campaign.formats.topics.xml import xml_drafts

__all__ = ["TOPIC_LIMITS", "SubtopicRecord", "TopicFormat", "TopicRecord", "TopicsRead", "read_topics"]

TopicFormat = Literal["trec", "xml", "tsv", "jsonl"]
TOPIC_LIMITS = Limits(max_bytes=16 * MIB, max_text_bytes=64 * MIB)
MOST_LINES = MOST_SUBTOPICS = 1_000_000
MOST_TOPICS = 100_000
MOST_TAGS = 500_000
"""Of a file: 64 MiB could hold many times as many, whose texts would take gigabytes."""
TOP = re.compile(r"<top[\s>]", re.IGNORECASE)
COLUMNS: tuple[str, ...] = ("number", "title", "description", "narrative")


@dataclass(frozen=True, slots=True)
class TopicsRead:
    """`records` are the sound topics, in file order; they are the whole file only if `problems.ok`."""

    format: TopicFormat | None
    records: tuple[TopicRecord, ...]
    problems: ProblemLog


def read_topics(source: BinaryIO, limits: Limits = TOPIC_LIMITS) -> TopicsRead:
    """Topics in whichever of the four formats the file shows, with every problem of the file.

    >>> from io import BytesIO
    >>> read = read_topics(BytesIO(b"401\\tboiling an egg\\n402\\tsharpening a knife\\n"))
    >>> read.format, [record.title for record in read.records]
    ('tsv', ['boiling an egg', 'sharpening a knife'])
    """
    problems = ProblemLog()
    lines = list(islice(text_lines(source, limits, problems), MOST_LINES + 1))
    if was_cut_short(problems):  # problems of a part would be misleading
        return TopicsRead(None, (), problems)
    if too_many := _too_many(lines):
        _add_too_many(problems, too_many)
        return TopicsRead(None, (), problems)
    if not any(line.strip() for _, line in lines):
        add_empty(problems, "topics")
        return TopicsRead(None, (), problems)
    topic_format = _recognised(lines)
    drafts: Sequence[TopicDraft] = ()
    match topic_format:
        case "trec":
            drafts = sgml_drafts(lines, problems)
        case "xml":
            drafts = xml_drafts(lines, problems)
        case "jsonl":
            drafts = _jsonl_drafts(lines, problems)
        case "tsv":
            drafts = _tsv_drafts(lines, problems)
        case None:
            _add_unknown_format(lines, problems)
    records = checked_topics(drafts, problems)
    if not drafts and problems.ok:
        add_empty(problems, "topics")
    return TopicsRead(topic_format, records, problems)


def _too_many(lines: Sequence[tuple[int, str]]) -> str:
    if len(lines) > MOST_LINES:
        return f"{MOST_LINES:,} lines"
    return f"{MOST_TAGS:,} tags" if sum(line.count("<") for _, line in lines) > MOST_TAGS else ""


def _add_too_many(problems: ProblemLog, what: str, line: int | None = None) -> None:
    problems.add("too_many", f"The file has more than {what}.", "Send the topics of one task only.", line=line)


def _recognised(lines: Sequence[tuple[int, str]]) -> TopicFormat | None:
    first = next(line.strip() for _, line in lines if line.strip())
    if first.startswith("{"):
        return "jsonl"
    if first.startswith("<"):
        return "trec" if any(TOP.search(line) for _, line in lines) else "xml"
    return "tsv" if "\t" in first else None


def _add_unknown_format(lines: Sequence[tuple[int, str]], problems: ProblemLog) -> None:
    number, first = next((number, line) for number, line in lines if line.strip())
    message = "This is none of the topic formats: TREC <top>, XML, tab-separated, JSON lines."
    remedy = "Send one of them; the shortest is a number, a tab and a title on each line."
    if first.lstrip().startswith("["):
        remedy = "Write one JSON object on each line instead of an array."
    problems.add("unknown_format", message, remedy, line=number, excerpt=first)


def _tsv_drafts(lines: Iterable[tuple[int, str]], problems: ProblemLog) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect, columns = Dialect("{}"), COLUMNS
    rows: Iterator[tuple[int, str]] = ((number, line) for number, line in lines if line.strip())
    number, line = next(rows)
    if _are_headings(headings := _fields(line)):
        columns = tuple(headings)
        message = f"The first line looks like headings ({visible(line)}): they say what the columns are."
        problems.add("headings", message, "", line=number, severity="warning")
    else:
        rows = chain([(number, line)], rows)
    most = max(len(columns), 2)
    for number, line in rows:
        fields = _fields(line)
        if not 2 <= len(fields) <= most:
            message = (
                f"There {'is 1 column' if len(fields) == 1 else f'are {len(fields)} columns'} instead of 2 to {most}."
            )
            remedy = f"Write {', '.join(columns[:-1])} and {columns[-1]} with a tab between them."
            problems.add("column_count", message, remedy, line=number, excerpt=line)
        else:
            drafts.append(TopicDraft(number))
            dialect.fill(drafts[-1], zip(columns, fields, strict=False))
            if len(drafts) > MOST_TOPICS:
                _add_too_many(problems, f"{MOST_TOPICS:,} topics", number)
                return []
    dialect.note(problems)
    return drafts


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")]


def _are_headings(fields: Sequence[str]) -> bool:
    names = [plain_name(field) for field in fields]
    return (
        len(names) > 1 and any(name in PARTS["number"] for name in names) and all(name in NAMES for name in names[:2])
    )


def _jsonl_drafts(lines: Iterable[tuple[int, str]], problems: ProblemLog) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect, subtopics = Dialect("“{}”"), 0
    for number, line, value in json_objects(lines, problems):
        draft = TopicDraft(number)
        try:
            known = [key for key in value if plain_name(key) in NAMES]
            dialect.fill(draft, [(key, text_field(value, key)) for key in known])
            draft.subtopics = _json_subtopics(value.get("subtopics"), number)
            subtopics += len(draft.subtopics)
        except FieldError as error:
            problems.add("json_field", str(error), "Write texts as JSON strings.", line=number, excerpt=line)
        else:
            drafts.append(draft)
            if subtopics > MOST_SUBTOPICS or len(drafts) > MOST_TOPICS:
                many = f"{MOST_SUBTOPICS:,} subtopics" if subtopics > MOST_SUBTOPICS else f"{MOST_TOPICS:,} topics"
                _add_too_many(problems, many, number)
                return []
            dialect.left_out.update(key for key in value if key not in known and key != "subtopics")
    dialect.note(problems)
    return drafts


def _json_subtopics(value: object, line: int) -> list[tuple[int, str, str]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise FieldError("Field subtopics is not a list.")
    subtopics = []
    for position, item in enumerate(value, start=1):
        if isinstance(item, dict):
            number, text = text_field(item, "number", "num", "id"), text_field(item, "text", "description", "title")
        else:
            number, text = str(position), text_field({"subtopics": item}, "subtopics")
        subtopics.append((line, number.strip(), one_line(text)))
    return subtopics
