"""Topic files in the four formats that are read here. What is written is read back as the same topics."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from campaign.formats.markup import as_sgml, one_line
from campaign.formats.spreadsheet import guarded_in_tabs
from campaign.formats.topics.drafts import TopicRecord

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TITLE_LABEL = re.compile(r"\s*topic\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TopicFile:
    """A format of topic files; `lines` writes the topics. `loses`: what the format has no place for."""

    name: str
    title: str
    ending: str
    content_type: str
    lines: Callable[[Iterable[TopicRecord]], Iterator[str]]
    loses: str = ""


def trec_lines(topics: Iterable[TopicRecord]) -> Iterator[str]:
    for topic in topics:
        # The reader takes a label off a title: one that begins like it needs another before it.
        label = "Topic: " if TITLE_LABEL.match(topic.title) else ""
        yield f"<top>\n\n<num> Number: {as_sgml(topic.number)}\n<title> {label}{as_sgml(topic.title)}\n"
        if topic.description:
            yield f"\n<desc> Description:\n{as_sgml(topic.description)}\n"
        if topic.narrative:
            yield f"\n<narr> Narrative:\n{as_sgml(topic.narrative)}\n"
        for subtopic in topic.subtopics:
            yield f"\n<subtopic number={quoteattr(subtopic.number)}> {as_sgml(subtopic.text)}\n"
        yield "\n</top>\n\n"


def xml_lines(topics: Iterable[TopicRecord]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n'
    for topic in topics:
        yield f"  <topic number={quoteattr(_xml(topic.number))}>\n"
        for name in ("title", "description", "narrative"):
            if text := getattr(topic, name):
                yield f"    <{name}>{escape(_xml(text))}</{name}>\n"
        for subtopic in topic.subtopics:
            number = quoteattr(_xml(subtopic.number))
            yield f"    <subtopic number={number}>{escape(_xml(subtopic.text))}</subtopic>\n"
        yield "  </topic>\n"
    yield "</topics>\n"


def tsv_lines(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """A spreadsheet opens this file too: a text that it would take for a formula has a quote before it."""
    yield "number\ttitle\tdescription\tnarrative\n"
    for topic in topics:
        texts = (topic.number, topic.title, topic.description, topic.narrative)
        yield "\t".join(guarded_in_tabs(one_line(text)) for text in texts) + "\n"


def jsonl_lines(topics: Iterable[TopicRecord]) -> Iterator[str]:
    for topic in topics:
        value: dict[str, object] = {
            name: getattr(topic, name) for name in ("number", "title", "description", "narrative")
        }
        if topic.subtopics:
            value["subtopics"] = [{"number": subtopic.number, "text": subtopic.text} for subtopic in topic.subtopics]
        yield json.dumps(value, ensure_ascii=False) + "\n"


FILES = {
    file.name: file
    for file in (
        TopicFile("trec", "TREC", "trec.txt", "text/plain; charset=utf-8", trec_lines),
        TopicFile("xml", "XML", "xml", "application/xml; charset=utf-8", xml_lines),
        TopicFile(
            "tsv",
            "tab-separated",
            "tsv",
            "text/tab-separated-values; charset=utf-8",
            tsv_lines,
            "subtopics or paragraphs; a ' stands before what a spreadsheet would take for a formula",
        ),
        TopicFile("jsonl", "JSON Lines", "jsonl", "application/x-ndjson; charset=utf-8", jsonl_lines),
    )
}


def _xml(text: str) -> str:
    return NOT_IN_XML.sub(" ", text)
