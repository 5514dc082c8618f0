"""Topics in XML, such as those of the web tracks with their subtopics; documents that declare entities are refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from xml.parsers import expat

from campaign.formats.markup import character, one_line
from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.dialects import (
    AS_USUAL,
    NAMES,
    NUMBERS,
    PARTS,
    SECOND_CHOICES,
    Dialect,
    TopicChoices,
    is_subtopic,
    number_attribute,
    numbering_attribute,
    plain_name,
)
from campaign.formats.topics.drafts import TopicDraft

TOPIC_TAGS = frozenset(
    {"topic", "top", "query", "inex_topic", "productionrequest", "videoinstancetopic", "videoadhocsearchtopic"}
)
DOCUMENT_TAGS = frozenset({"doc", "document"})
NUMBERED_TOPICS = frozenset({"session", "q"})
"""Of the session tracks and of question answering: with a number they are topics."""
CONTEXT = "context"
"""Of contextual suggestion: with a number it is a topic where the outermost element is called so, as `contexts` is."""
TEXT_OF_TOPIC = frozenset({"videoinstancetopic", "textinstancetopic"})
"""Of instance search: the text of the topic stands in the attribute text."""
TARGET = "target"
"""Of question answering: what its questions are about, in the attribute text."""
NUMBER_OF_NTCIR = "q"
"""The attribute in which NTCIR-1 numbers a topic; elsewhere it is a query."""
DIGITS = re.compile(r"\s*[0-9]{1,9}\s*")
CURRENT_QUERY = "currentquery"
CONTAINERS = frozenset({"topic", "query", CURRENT_QUERY, "subtopics"})
"""Within a topic: what they hold are parts of it, too."""
TITLES = frozenset(PARTS["title"]) - SECOND_CHOICES
DECLARATION = re.compile(r"\s*<\?xml\b[^<>]*\?>")
PROLOG = re.compile(
    r"(?:\s++|<!--.*?-->|<\?.*?\?>"
    r"|<!DOCTYPE\b[^<>\[]*+(?:\[(?:[^\]\"'<]++|\"[^\"]*+\"|'[^']*+'|<!--.*?-->|<\?.*?\?>|<(?!!--|\?))*+\]\s*+)?>)*+",
    re.DOTALL | re.IGNORECASE,
)
"""What may stand before the first element. A quoted value or a comment of a DOCTYPE may hold a bracket."""
BARE = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*+\Z)|&(?:amp|lt|gt|quot|apos);"
    r"|(?P<name>&[A-Za-z][A-Za-z0-9]{0,31};)|(?P<bare>&(?!#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};)|<(?![A-Za-z_/!?]))",
    re.DOTALL,
)
"""Signs that are no markup, and characters by their names in HTML, which XML does not know."""
ATTRIBUTES = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*+\Z)|<!--(?:.*?-->|.*+\Z)|<[A-Za-z][\w:.-]*+(?P<all>[^<>]*+)>", re.DOTALL
)
UNQUOTED = re.compile(r"""\"[^\"]*+\"|'[^']*+'|(?P<before>=\s*+)(?P<value>[^\s"'<>=]++)""")
ATTRIBUTE = re.compile(r"=\s*+[^\s=]")
MOST_ATTRIBUTES = 10_000
"""Of a tag. Their names and values are held at once, at 100 bytes each and more."""
RENAME = "Call the element of each topic <topic>, with its number in the attribute number or in <number>."
ROOT, END_OF_ROOT = "<topics>", "</topics>"
STANDALONE = '<?xml version="1.0" standalone="yes"?>'
"""Without it the parser drops names that it does not know where a DOCTYPE names another file."""


class _EntityDeclarationError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


@dataclass(slots=True)
class _Reader:
    parser: expat.XMLParserType
    dialect: Dialect
    topic_tags: frozenset[str]
    drafts: list[TopicDraft] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_around: list[str] = field(default_factory=list)
    own_text: list[str] = field(default_factory=list)
    elements: list[tuple[str, str]] = field(default_factory=list)
    languages: dict[int, str] = field(default_factory=dict)
    """Those that they name, by their places."""
    ntcir: dict[str, str] = field(default_factory=dict)
    """The attribute of the topic's element that numbers it if nothing else does."""
    topic_depth: int = 0
    target: str = ""
    outer: Counter[str] = field(default_factory=Counter)
    part_depth: int = 0
    attributes: dict[str, str] = field(default_factory=dict)
    """Of the part that is being read."""
    label: str = ""
    subtopic: tuple[int, str, str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self.path.append(name)
        if not self.topic_depth:
            if name.lower() in self.topic_tags or (self._may_be_topic(name) and self.dialect.number_in(attributes)):
                self._start_topic(name, attributes)
            else:
                count_name(self.outer, name)
                if name.lower() == TARGET:
                    self.target = attributes.get("text", "")
        elif len(self.path) == self.topic_depth + 1 or self._is_part_within(name, attributes):
            self._start_part(name, attributes)
        else:
            self.text.append("\n\n")  # elements within an element are paragraphs of its text
            if self.dialect.choices.appends:
                self.dialect.leave_out_attributes(name, attributes)

    def _may_be_topic(self, name: str) -> bool:
        is_context = name.lower() == CONTEXT and self.path[0].lower().startswith(CONTEXT)
        return is_context or name.lower() in NUMBERED_TOPICS

    def _start_topic(self, name: str, attributes: dict[str, str]) -> None:
        self.topic_depth = len(self.path)
        number, language = self.dialect.number_in(attributes), self.dialect.language_in(attributes)
        self.drafts.append(TopicDraft(self.parser.CurrentLineNumber, number=number, language=language))
        if self.topic_tags is not TOPIC_TAGS:
            count_name(self.dialect.topics, name)
        self.dialect.see(attributes)
        read = {"name", *self.dialect.read_attributes(attributes), *_text_attribute(name)}
        numbering = {} if "number" in self.dialect.chosen else attributes
        self.ntcir = {
            key: text
            for key, text in numbering.items()
            if key.lower() == NUMBER_OF_NTCIR and key not in read and DIGITS.fullmatch(text)
        }
        self.dialect.leave_out_attributes(name, attributes, read | self.ntcir.keys())
        self.own_text.clear()
        self.languages.clear()
        self.elements = [(TARGET, self.target)] if TARGET in map(str.lower, self.path) else []
        self.elements += [
            (key, text)
            for key, text in attributes.items()
            if key == "name" or self.dialect.is_chosen("title", key) or key in _text_attribute(name)
        ]

    def _is_part_within(self, name: str, attributes: dict[str, str]) -> bool:
        is_within = len(self.path) == self.topic_depth + 2 and self.path[-2].lower() in CONTAINERS
        return is_within and (self.dialect.plain(name) in NAMES or is_subtopic(name, attributes))

    def _start_part(self, name: str, attributes: dict[str, str]) -> None:
        self.part_depth = len(self.path)
        self.text_around = self.text if self.part_depth > self.topic_depth + 1 else []
        self.text = []
        self.label = name
        read = {"name", numbering_attribute(attributes)} if is_subtopic(name, attributes) else set()
        if self.dialect.plain(name) not in NAMES and attributes.get("name", "").strip():
            self.label = attributes["name"].strip()  # the fields of clinical trials
            read |= {"name"} if self.dialect.choices.appends else set()
        elif self.path[-2].lower() == CURRENT_QUERY:
            self.label = self.path[-2]
        self.subtopic = None
        if is_subtopic(name, attributes):
            self.subtopic = (
                self.parser.CurrentLineNumber,
                number_attribute(attributes),
                attributes.get("name", "").strip(),
            )
        label = f"{name} {self.subtopic[1]}" if self.subtopic else ""
        self.attributes = attributes
        read |= _text_attribute(name)
        self.dialect.leave_out_attributes(name, attributes, read, label)

    def data(self, text: str) -> None:
        if self.topic_depth == len(self.path):
            self.own_text.append(text)
        elif self.topic_depth:
            self.text.append(text)

    def end(self, _tag: str) -> None:
        name = self.path.pop()
        depth = len(self.path) + 1
        if self.topic_depth and depth == self.part_depth:
            self._end_part()
        elif depth == self.topic_depth:
            self.topic_depth = 0
            draft = self.drafts[-1]
            # Some tracks put the question straight into the topic element.
            own_text = "".join(self.own_text)
            if "title" not in self.dialect.chosen and not self._has_title():
                draft.set("title", own_text)
            if own_text.strip() and not draft.title:
                self.elements.append((f"text of {name}", own_text))
            self._number_as_ntcir(name, draft)
            self.dialect.fill(draft, self.dialect.chosen_first(self.elements, self.languages))

    def _number_as_ntcir(self, name: str, draft: TopicDraft) -> None:
        is_numbered = draft.number or any(plain_name(key) in NUMBERS and text.strip() for key, text in self.elements)
        for key, text in self.ntcir.items():
            if is_numbered:
                self.dialect.leave_out(f"{name} {key}", text)
            else:
                draft.set("number", text.strip())

    def _has_title(self) -> bool:
        return any(self.dialect.plain(name) in TITLES and text.strip() for name, text in self.elements)

    def _end_part(self) -> None:
        text = "".join(self.text)
        if self.subtopic:
            line, number, name = self.subtopic
            self.drafts[-1].subtopics.append((line, number, one_line(name or text)))
            if name and text.strip():  # the passages of the dynamic domain track
                self.dialect.leave_out("text of subtopic", text, f"text of subtopic {number}")
        else:
            self.languages[len(self.elements)] = self.dialect.language_in(self.attributes, self.label)
            for key in _text_attribute(self.label):
                text = self.attributes.get(key, text)
            self.elements.append((self.label, text))
            if not text.strip():
                self.dialect.leave_out_empty(self.label, self.attributes)
        is_within = self.part_depth > self.topic_depth + 1
        self.text, self.subtopic = self.text_around, None
        self.part_depth = self.topic_depth + 1 if is_within else 0
        self.label = self.path[-1] if is_within else ""


def _text_attribute(name: str) -> set[str]:
    return {"text"} if name.lower() in TEXT_OF_TOPIC else set()


def _refuse_entity(parser: expat.XMLParserType) -> Callable[..., None]:
    def refuse(*_declaration: object) -> None:
        raise _EntityDeclarationError(parser.CurrentLineNumber)

    return refuse


def xml_drafts(
    lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices = AS_USUAL
) -> list[TopicDraft]:
    text = _with_root("\n".join(line for _, line in lines))
    if line := _line_of_many_attributes(text):
        message = f"A tag has more than {MOST_ATTRIBUTES:,} attributes."
        problems.add("xml_attributes", message, "Send only what people need of a topic.", line=line)
        return []
    try:
        try:
            reader = _read(text, choices)
        except expat.ExpatError as error:
            reader = _read_mended(text, choices, error, problems)
    except _EntityDeclarationError as found:
        remedy = "Take the DOCTYPE out and write the characters themselves."
        problems.add("xml_entity", "The XML declares entities.", remedy, line=found.line)
        return []
    except expat.ExpatError as error:
        _add_broken(error, lines, problems)
        return []
    reader.dialect.note(problems)
    if not reader.drafts:
        problems.add("topics_none", f"No element of the file is a topic: {listed(reader.outer, '<{}>')}.", RENAME)
    return reader.drafts


class _FoundError(Exception):
    """The rest of the file says nothing more."""


@dataclass(slots=True)
class _Entries:
    """The children of the outermost element: what is called otherwise than topics may still be some."""

    dialect: Dialect
    depth: int = 0
    name: str = ""
    part: str = ""
    is_numbered: bool = False
    has_text: bool = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        name = tag.rpartition(":")[2].lower()
        if self.depth == 2:
            if name in TOPIC_TAGS | DOCUMENT_TAGS | NUMBERED_TOPICS or name != (self.name or name):
                self.name = ""
                raise _FoundError
            self.name, self.is_numbered, self.has_text = name, bool(self.dialect.number_in(attributes)), False
        elif self.depth == 3:
            self.part = self.dialect.plain(name)
            self.is_numbered |= self.part in NUMBERS
            self.has_text |= self.part in TITLES | SECOND_CHOICES
        if self.depth > 2 and self.part in TOPIC_TAGS and (self.depth > 3 or self.dialect.number_in(attributes)):
            self.name = ""  # the topics stand deeper
            raise _FoundError

    def end(self, _tag: str) -> None:
        if self.depth == 2 and not (self.is_numbered and self.has_text):
            self.name = ""
            raise _FoundError
        self.depth -= 1


def _unusual_tag(text: str, dialect: Dialect) -> str:
    """The name of all children of the outermost element, where each has a number and a text as topics have; else ""."""
    parser, entries = expat.ParserCreate(), _Entries(dialect)
    parser.StartElementHandler, parser.EndElementHandler = entries.start, entries.end
    parser.EntityDeclHandler = _refuse_entity(parser)
    with suppress(_FoundError):
        parser.Parse(STANDALONE + text, True)
    return entries.name


def _read(text: str, choices: TopicChoices) -> _Reader:
    unusual = _unusual_tag(text, Dialect(choices=choices))
    parser = expat.ParserCreate()
    reader = _Reader(parser, Dialect(choices=choices), frozenset({unusual}) if unusual else TOPIC_TAGS)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = _refuse_entity(parser)
    parser.Parse(STANDALONE + text, True)
    return reader


def _read_mended(text: str, choices: TopicChoices, error: expat.ExpatError, problems: ProblemLog) -> _Reader:
    """Read the text with bare signs escaped, attributes quoted, comments left out; raises `error` where there are none."""
    plain = ATTRIBUTES.sub(_without_comment, text)
    quoted = ATTRIBUTES.sub(lambda tag: UNQUOTED.sub(_quoted, tag[0]) if tag["all"] else tag[0], plain)
    mended = BARE.sub(_escaped, quoted)
    if mended == text:
        raise error
    reader = _read(mended, choices)
    remedy = "Check these texts on the pages of the topics."
    if mended != quoted:
        message = "XML does not allow a bare & or <, or a name such as &nbsp;: they were read as the characters."
        problems.add("xml_bare_signs", message, remedy, line=error.lineno, severity="warning")
    if quoted != plain:
        message = "XML does not allow an attribute without quotation marks: it was read up to the next blank."
        problems.add("xml_unquoted", message, "Check the numbers of the topics.", line=error.lineno, severity="warning")
    return reader


def _without_comment(match: re.Match[str]) -> str:
    """SGML allows -- within comments, XML does not. A comment with a tag in it stays: its end may be that of another one."""
    is_comment = match[0].startswith("<!--") and match[0].endswith("-->") and match[0].count("<") == 1
    return "\n" * match[0].count("\n") if is_comment else match[0]


def _quoted(match: re.Match[str]) -> str:
    return f'{match["before"]}"{match["value"]}"' if match["before"] else match[0]


def _escaped(match: re.Match[str]) -> str:
    """Of a name that neither XML nor HTML knows, the sign before it is bare."""
    return escape(character(match["name"]) if match["name"] else match["bare"]) if match.lastgroup else match[0]


def _with_root(text: str) -> str:
    """NTCIR's files hold one topic after the other, without an element around them."""
    if match := DECLARATION.match(text):  # what it declares is decoded by now, and nothing may stand before it
        text = "\n" * match[0].count("\n") + text[match.end() :]
    prolog = PROLOG.match(text)
    start = prolog.end() if prolog else 0
    if not re.match(r"<(top|topic|query|target)\b", text[start:], re.IGNORECASE):
        return text
    return f"{text[:start]}{ROOT}{text[start:]}{END_OF_ROOT}"


def _line_of_many_attributes(text: str) -> int:
    """The line of the first tag with too many attributes; 0 for none. No value holds the sign that begins a tag.

    >>> _line_of_many_attributes("<topics>\\n<topic " + "a='>' " * 10_001 + "/></topics>")
    2
    """
    if text.count("=") <= MOST_ATTRIBUTES:
        return 0
    at = 0
    while at >= 0:
        end = text.find("<", at + 1)
        part = text[at : end if end >= 0 else None]
        if part.count("=") > MOST_ATTRIBUTES and sum(1 for _ in ATTRIBUTE.finditer(part)) > MOST_ATTRIBUTES:
            return text.count("\n", 0, at) + 1
        at = end
    return 0


def _add_broken(error: expat.ExpatError, lines: Sequence[tuple[int, str]], problems: ProblemLog) -> None:
    excerpt = lines[error.lineno - 1][1] if error.lineno <= len(lines) else ""
    message = f"The XML is broken: {expat.ErrorString(error.code)}."
    remedy = "Close every element and write & as &amp; and < as &lt;."
    problems.add("xml_broken", message, remedy, line=error.lineno, excerpt=visible(excerpt))
