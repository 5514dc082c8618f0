"""Topic files: TREC SGML, XML with subtopics, TSV and JSONL, recognised by their content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Literal

from campaign.formats.jsonlines import FieldError, json_objects, text_field
from campaign.formats.markup import one_line, paragraphs
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.source import MIB, Limits, add_empty, text_lines, was_cut_short
from campaign.formats.topics.drafts import SubtopicRecord, TopicDraft, TopicRecord, checked_topics
from campaign.formats.topics.sgml import sgml_drafts
from campaign.formats.topics.xml import xml_drafts

__all__ = ["TOPIC_LIMITS", "SubtopicRecord", "TopicFormat", "TopicRecord", "TopicsRead", "read_topics"]

TopicFormat = Literal["trec", "xml", "tsv", "jsonl"]
TOPIC_LIMITS = Limits(max_bytes=16 * MIB, max_text_bytes=64 * MIB)
NUMBER_KEYS = ("number", "num", "qid", "query_id", "topic_id", "id", "_id", "topic")
TITLE_KEYS = ("title", "query", "text", "question")
HEADINGS = frozenset(NUMBER_KEYS), frozenset(TITLE_KEYS)


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
    lines = list(text_lines(source, limits, problems))
    if was_cut_short(problems):  # problems of a part would be misleading
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


def _recognised(lines: Sequence[tuple[int, str]]) -> TopicFormat | None:
    first = next(line.strip() for _, line in lines if line.strip())
    if first.startswith("{"):
        return "jsonl"
    if first.startswith("<"):
        return "trec" if any("<top>" in line.lower() for _, line in lines) else "xml"
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
    first = True
    for number, line in lines:
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if first and len(fields) > 1 and all(fields[i].lower() in HEADINGS[i] for i in (0, 1)):
            message = f"The first line looks like headings ({visible(line)}) and was left out."
            problems.add("headings", message, "", line=number, severity="warning")
        elif not 2 <= len(fields) <= 4:
            message = f"There {'is 1 column' if len(fields) == 1 else f'are {len(fields)} columns'} instead of 2 to 4."
            remedy = "Write number, title, description and narrative with a tab between them."
            problems.add("column_count", message, remedy, line=number, excerpt=line)
        else:
            fields += [""] * (4 - len(fields))
            drafts.append(TopicDraft(number, fields[0], one_line(fields[1]), fields[2], fields[3]))
        first = False
    return drafts


def _jsonl_drafts(lines: Iterable[tuple[int, str]], problems: ProblemLog) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    for number, line, value in json_objects(lines, problems):
        try:
            draft = TopicDraft(
                number,
                text_field(value, *NUMBER_KEYS).strip(),
                one_line(text_field(value, *TITLE_KEYS)),
                paragraphs(text_field(value, "description", "desc")),
                paragraphs(text_field(value, "narrative", "narr")),
            )
            draft.subtopics = _json_subtopics(value.get("subtopics"), number)
        except FieldError as error:
            problems.add("json_field", str(error), "Write texts as JSON strings.", line=number, excerpt=line)
        else:
            drafts.append(draft)
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
