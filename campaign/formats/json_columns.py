"""Judgments and pools in JSON, as lines of columns: grades by topic and docno, docnos by topic, or an object for each pair."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from campaign.formats.column_names import DOCNO, GRADE, NOT_IN_NAMES, TOPIC, order_of, roles_of
from campaign.formats.encodings import add_not_utf8
from campaign.formats.json_values import TooManyValuesError, require_few_values
from campaign.formats.jsonlines import REPAIR
from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog, visible

MOST_BYTES = 64 << 20
BLANKS = re.compile(r"[ \t\r\n]*+")
NUMBERS = ("id", "number", "num")
"""Names of a topic's number where the object holds a list of docnos."""
LISTS_OF_DOCNOS = frozenset(
    {"documents", "docs", "docnos", "docids", "documentids", "relevant", "relevantdocs", "relevantdocuments", "reldocs"}
)
WRAPPERS = frozenset({"qrels", "judgments", "judgements", "labels", "pool", "data", "topics", "queries", "questions"})
"""Names of what is not the number of a topic, though its value has the shape of one."""
READ = (
    "Read are: grades by topic and docno; lists of docnos by topic; objects of topic, docno and grade; objects of a topic "
    "number and a list of docnos. Or write a line for each pair: topic, 0, docno and grade; of a pool topic and docno."
)
DECODER = json.JSONDecoder()
Pairs = Iterator[tuple[int, list[Any]]]


def json_lines(
    lines: Iterable[tuple[int, bytes]], problems: ProblemLog, listed_grade: str = ""
) -> Iterator[tuple[int, bytes]]:
    """Numbered lines `topic iteration docno grade`, or `topic docno` where JSON holds no grades; each has the number of its pair.

    `listed_grade`: the grade of a document in a list of docnos, and of an object without a grade; "" for none, as in a pool.
    What is left out is a warning. JSON of another shape is one error, and nothing is read of it.

    >>> problems = ProblemLog()
    >>> list(json_lines([(1, b'{"401":'), (2, b' {"d1": 2, "d2": 0}}')], problems))
    [(2, b'401\\t0\\td1\\t2'), (2, b'401\\t0\\td2\\t0')]
    >>> list(json_lines([(1, b'{"401": ["d1"]}')], problems)), list(json_lines([(1, b'{"401": ["d1"]}')], problems, "1"))
    ([(1, b'401\\td1')], [(1, b'401\\t0\\td1\\t1')])
    """
    numbered = list(lines)
    if (size := sum(len(line) for _, line in numbered)) > MOST_BYTES:
        message = f"The JSON has {size / (1 << 20):,.0f} MB; {MOST_BYTES >> 20} MB are read."
        problems.add("json_too_large", message, "Send it in parts, or as lines of topic, 0, docno and grade.")
        return
    text = _Text(numbered, problems)
    shape = _Shape(text, listed_grade)
    values = list(text.values()) if text.is_unicode else []
    if not problems.ok:
        return
    unknown = next((place for place, _, value in values if not shape.is_known(value)), None)
    if unknown is not None:
        message = "This is JSON, and not of a shape in which judgments or a pool are read."
        number, line = text.line_at(unknown)
        problems.add("columns_json", message, READ, line=number, excerpt=line)
        return
    for place, fields in (pair for at, _, value in values for pair in shape.pairs(at, value)):
        number, line = text.line_at(place)
        if (row := _row(fields, number, line, problems)) is not None:
            yield number, row
    shape.tell(problems)


def _row(fields: list[Any], number: int, line: bytes, problems: ProblemLog) -> bytes | None:
    for value in fields:
        text = _as_text(value)
        if not text or "\0" in text or len(text.encode(errors="surrogatepass").split()) != 1:
            message = f"The value {visible(json.dumps(value, ensure_ascii=False))} is no topic number, docno or grade."
            remedy = "Write texts without white space, and integers."
            problems.add("json_field", message, remedy, line=number, excerpt=line)
            return None
    return "\t".join(map(_as_text, fields)).encode(errors="surrogatepass")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, int | float) else ""


class _Text:
    """The whole text of numbered lines, and where its values stand."""

    def __init__(self, lines: list[tuple[int, bytes]], problems: ProblemLog) -> None:
        self._lines, self._problems = lines, problems
        self.is_unicode, decoded = True, []
        for number, line in lines:
            try:
                decoded.append(line.decode())
            except UnicodeDecodeError:
                self.is_unicode = False
                add_not_utf8(problems, number, line)
        self.text = "\n".join(decoded)
        self._starts = list(accumulate((len(line) + 1 for line in decoded), initial=0))

    def line_at(self, place: int) -> tuple[int, bytes]:
        return self._lines[min(bisect_right(self._starts, place), len(self._lines)) - 1]

    def values(self) -> Iterator[tuple[int, str, Any]]:
        """The values that stand one after the other in the text; a problem where it is broken."""
        place = self._after_blanks(0)
        try:
            require_few_values(self.text)
            while place < len(self.text):
                value, end = DECODER.raw_decode(self.text, place)
                yield place, "", value
                place = self._after_blanks(end)
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, TooManyValuesError) else "too deep or too large"
            if isinstance(error, json.JSONDecodeError):
                reason, place = error.msg, error.pos
            number, line = self.line_at(place)
            self._problems.add("json_broken", f"The JSON is broken ({reason}).", REPAIR, line=number, excerpt=line)

    def members(self, place: int) -> Iterator[tuple[int, str, Any]]:
        """Where the value stands, the key and the value of each member of what is at `place`, also of keys that come again."""
        is_object = self.text[place] == "{"
        place = self._after_blanks(place + 1)
        while self.text[place] not in "]}":
            key = ""
            if is_object:
                key, end = DECODER.raw_decode(self.text, place)
                place = self._after_blanks(self._after_blanks(end) + 1)
            value, end = DECODER.raw_decode(self.text, place)
            yield place, key, value
            place = self._after_blanks(end)
            if self.text[place] == ",":
                place = self._after_blanks(place + 1)

    def places_of(self, place: int, key: str) -> Iterator[int]:
        return (at for at, name, _ in self.members(place) if name == key)

    def add_repeated_key(self, place: int) -> None:
        keys = Counter(key for _, key, _ in self.members(place))
        number, line = self.line_at(place)
        message = f"The key “{visible(keys.most_common(1)[0][0], 40)}” stands more than once in one object."
        self._problems.add("json_key_repeated", message, "Leave one of them.", line=number, excerpt=line)

    def _after_blanks(self, place: int) -> int:
        return BLANKS.match(self.text, place).end()  # type: ignore[union-attr]  # it matches nothing as well


def _is_one(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _is_list_of_docnos(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_one, value))


@dataclass(slots=True)
class _Shape:
    text: _Text
    listed_grade: str
    left_out: Counter[str] = field(default_factory=Counter)
    without_grade: int = 0

    def is_known(self, value: Any, *, is_inner: bool = False) -> bool:
        """Whether the pairs of a value can be read, as `pairs` does."""
        if isinstance(value, list):
            return all(isinstance(item, dict) and self.is_known(item, is_inner=True) for item in value)
        if not isinstance(value, dict):
            return False
        if _is_pair(value) or _documents_of_topic(value):
            return True
        if key := _key_of_inner(value):
            return not is_inner and self.is_known(value[key], is_inner=True)
        return all(_is_list_of_docnos(item) or _are_grades(item) for item in value.values())

    def pairs(self, place: int, value: Any) -> Pairs:
        """The topic, iteration, docno and grade of each pair with its place; the topic and the docno where there is no grade."""
        if isinstance(value, list):
            for at, _, item in self.text.members(place):
                yield from self.pairs(at, item)
        elif _is_pair(value):
            if sum(1 for _ in self.text.members(place)) > len(value):
                self.text.add_repeated_key(place)
            yield place, self._pair(value)
        elif names := _documents_of_topic(value):
            self._leave_out(value, names)
            for at in self.text.places_of(place, names[1]):
                yield from self._listed(at, value[names[0]])
        elif key := _key_of_inner(value):
            self._leave_out(value, (key,))
            for at in self.text.places_of(place, key):
                yield from self.pairs(at, value[key])
        else:
            yield from self._by_topic(place)

    def _by_topic(self, place: int) -> Pairs:
        for at, topic, item in self.text.members(place):
            if isinstance(item, list):
                yield from self._listed(at, topic)
            else:
                yield from ((there, [topic, "0", docno, grade]) for there, docno, grade in self.text.members(at))

    def tell(self, problems: ProblemLog) -> None:
        message = "This is JSON: its pairs of topic and document were read."
        problems.add("json_read", message, "Check the numbers of topics and judgments.", severity="warning")
        if self.without_grade and self.listed_grade:
            message = f"Documents without a grade are listed ({self.without_grade:,}): each has the grade {self.listed_grade}."
            remedy = "Documents that are not in the file are not judged by it."
            problems.add("json_listed", message, remedy, severity="warning", times=self.without_grade)
        if self.left_out:
            message = f"Keys are left out: {listed(self.left_out, '“{}”')}."
            problems.add("json_left_out", message, "Check that none of them is needed.", severity="warning")

    def _pair(self, value: Mapping[str, Any]) -> list[Any]:
        names = list(value)
        chosen = [names[place] for place in order_of(names)]
        self._leave_out(value, chosen)
        roles = dict(zip(roles_of(chosen), chosen, strict=True))
        if GRADE not in roles:
            return self._without_grade(value[roles[TOPIC]], value[roles[DOCNO]])
        iteration = [value[name] for name in chosen if name not in (roles[TOPIC], roles[DOCNO], roles[GRADE])] or ["0"]
        return [value[roles[TOPIC]], *iteration, value[roles[DOCNO]], value[roles[GRADE]]]

    def _listed(self, place: int, topic: Any) -> Pairs:
        for at, _, docno in self.text.members(place):
            yield at, self._without_grade(topic, docno)

    def _without_grade(self, topic: Any, docno: Any) -> list[Any]:
        self.without_grade += 1
        return [topic, "0", docno, self.listed_grade] if self.listed_grade else [topic, docno]

    def _leave_out(self, value: Mapping[str, Any], kept: Iterable[str]) -> None:
        for name in value.keys() - set(kept):
            count_name(self.left_out, name)


def _are_grades(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_one, value.values()))


def _is_pair(value: Mapping[str, Any]) -> bool:
    names = list(value)
    chosen = [names[place] for place in order_of(names)]
    return {TOPIC, DOCNO} <= set(roles_of(chosen)) and all(_is_one(value[name]) for name in chosen)


def _documents_of_topic(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """The keys of the number and of the list of docnos in an object of one topic.

    >>> _documents_of_topic({"id": "5a", "body": "Is it?", "documents": ["d1"]}), _documents_of_topic({"5a": ["d1"]})
    (('id', 'documents'), None)
    """
    plain = {NOT_IN_NAMES.sub("", name.lower()): name for name in value}
    numbers = [plain[name] for name in plain if roles_of([name]) == [TOPIC]] + [plain[n] for n in NUMBERS if n in plain]
    number = next((name for name in numbers if _is_one(value[name])), None)
    lists = [plain[name] for name in plain if name in LISTS_OF_DOCNOS and _is_list_of_docnos(value[plain[name]])]
    return (number, lists[0]) if number is not None and len(lists) == 1 else None


def _key_of_inner(value: Mapping[str, Any]) -> str:
    """The key of the list of objects, or of the object by topics, that stands alone beside single values; "" for none.

    >>> _key_of_inner({"version": 1, "questions": [{"id": "5a"}]}), _key_of_inner({"1": {"d1": 2}})
    ('questions', '')
    """
    inner = [name for name, item in value.items() if not _is_one(item)]
    if len(inner) != 1:
        return ""
    item = value[inner[0]]
    if isinstance(item, list):
        return inner[0] if item and all(isinstance(one, dict) for one in item) else ""
    return inner[0] if NOT_IN_NAMES.sub("", inner[0].lower()) in WRAPPERS else ""
