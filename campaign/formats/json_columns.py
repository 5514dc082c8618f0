"""Judgments and pools in JSON, as lines of columns: grades by topic and docno, docnos by topic, or an object for each pair."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaign.formats.column_names import DOCNO, GRADE, NOT_IN_NAMES, TOPIC, order_of, roles_of
from campaign.formats.encodings import add_not_utf8
from campaign.formats.json_values import TooManyValuesError, require_few_values
from campaign.formats.jsonlines import REPAIR
from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog, visible

MOST_BYTES, MOST_LINES = 32 << 20, 1_000_000
BLANKS = re.compile(r"[ \t\r\n]*+")
KEY_OR_BRACE = re.compile(r'(?P<string>"(?:[^"\\]++|\\.)*+")[ \t\r\n]*+(?P<colon>:)?|[{}]')
"""Of sound JSON: each string, which is a key where a colon follows."""
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
NAME_THE_GRADE = "Name it grade, label or relevance; a pair that is not judged has no object."
DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
"""Numbers stay as they are written: 1.10 and 1E5 may be docnos."""
Pairs = Iterator[tuple[int, list[Any]]]


def json_lines(
    lines: Iterable[tuple[int, bytes]], problems: ProblemLog, listed_grade: str = ""
) -> Iterator[tuple[int, bytes]]:
    """Numbered lines `topic iteration docno grade`, or `topic docno` where JSON holds no grades; each has the number of its pair.

    `listed_grade`: of qrels, the grade of a document in a list of docnos, where an object of a pair must have a grade; "" for
    a pool. What is left out is a warning. JSON of another shape, or with a key that stands twice in an object, is an error, and
    nothing is read of it.

    >>> problems = ProblemLog()
    >>> list(json_lines([(1, b'{"401":'), (2, b' {"d1": 2, "d2": 0}}')], problems))
    [(2, b'401\\t0\\td1\\t2'), (2, b'401\\t0\\td2\\t0')]
    >>> list(json_lines([(1, b'{"401": ["d1"]}')], problems)), list(json_lines([(1, b'{"401": ["d1"]}')], problems, "1"))
    ([(1, b'401\\td1')], [(1, b'401\\t0\\td1\\t1')])
    """
    text = _Text(lines, problems)
    shape = _Shape(text, listed_grade)
    values = list(text.values()) if problems.ok else []
    if not problems.ok:
        return
    for place, _, value in values:
        if not shape.is_known(value):
            text.add_problem(
                "columns_json", "This is JSON, and not of a shape in which judgments or a pool are read.", READ, place
            )
            return
    for place, fields in (pair for at, _, value in values for pair in shape.pairs(at, value)):
        number, line = text.line_at(place)
        if (row := _row(fields, number, line, problems)) is not None:
            yield number, row
    shape.tell(problems)


def _row(fields: list[Any], number: int, line: str, problems: ProblemLog) -> bytes | None:
    for value in fields:
        if not isinstance(value, str) or "\0" in value or len(value.encode(errors="surrogatepass").split()) != 1:
            message = f"The value {visible(json.dumps(value, ensure_ascii=False))} is no topic number, docno or grade."
            remedy = "Write texts without white space, and integers."
            problems.add("json_field", message, remedy, line=number, excerpt=line)
            return None
    return "\t".join(fields).encode(errors="surrogatepass")


class _Text:
    """The whole text of numbered lines, and where its values stand."""

    def __init__(self, lines: Iterable[tuple[int, bytes]], problems: ProblemLog) -> None:
        self._problems = problems
        self._numbers, self._starts = array("L"), array("L")
        decoded: list[str] = []
        size = place = 0
        for number, line in lines:
            size += len(line) + 1
            if size > MOST_BYTES or len(decoded) == MOST_LINES:
                message = f"JSON is read up to {MOST_BYTES >> 20} MB and {MOST_LINES:,} lines."
                problems.add("json_too_large", message, "Send it in parts, or as lines of topic, 0, docno and grade.")
                decoded.clear()
                break
            try:
                decoded.append(line.decode())
            except UnicodeDecodeError:
                add_not_utf8(problems, number, line)
                decoded.append("")
            self._numbers.append(number)
            self._starts.append(place)
            place += len(decoded[-1]) + 1
        self.text = "\n".join(decoded)

    def line_at(self, place: int) -> tuple[int, str]:
        """The number of a line, and its beginning."""
        found = bisect_right(self._starts, place) - 1
        start = self._starts[found]
        return self._numbers[found], self.text[start : start + 300].partition("\n")[0]

    def add_problem(self, code: str, message: str, remedy: str, place: int) -> None:
        number, line = self.line_at(place)
        self._problems.add(code, message, remedy, line=number, excerpt=line)

    def values(self) -> Iterator[tuple[int, str, Any]]:
        """The values that stand one after the other in the text; a problem where it is broken, or an object has a key twice."""
        place = self._after_blanks(0)
        try:
            require_few_values(self.text)
            while place < len(self.text):
                value, end = DECODER.raw_decode(self.text, place)
                if self._has_repeated_key(place, end):
                    return
                yield place, "", value
                place = self._after_blanks(end)
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, TooManyValuesError) else "too deep or too large"
            if isinstance(error, json.JSONDecodeError):
                reason, place = error.msg, error.pos
            self.add_problem("json_broken", f"The JSON is broken ({reason}).", REPAIR, place)

    def _has_repeated_key(self, place: int, end: int) -> bool:
        """Of a key that stands twice, Python keeps the last value: what the others say would be lost.

        Read from the text: values of values that are made one by one would be as many copies as the JSON is deep.
        """
        keys: list[set[str]] = []
        for found in KEY_OR_BRACE.finditer(self.text, place, end):
            if found[0] == "{":
                keys.append(set())
            elif found[0] == "}":
                keys.pop()
            elif found["colon"]:
                if (key := json.loads(found["string"])) in keys[-1]:
                    message = f"The key “{visible(key, 40)}” stands more than once in one object."
                    self.add_problem("json_key_repeated", message, "Leave one of them.", found.start())
                    return True
                keys[-1].add(key)
        return False

    def members(self, place: int) -> Iterator[tuple[int, str, Any]]:
        """Where the value stands, the key and the value of each member of the object or list at `place`."""
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
        if _is_pair(value) or _documents_of_topic(value) or _graded_of_topic(value):
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
            yield from self._pair(place, value)
        elif names := _documents_of_topic(value):
            self._leave_out(value, names)
            for at in self._places_of(place, names[1]):
                yield from self._listed(at, value[names[0]])
        elif names := _graded_of_topic(value):
            yield from self._graded(place, value, *names)
        elif key := _key_of_inner(value):
            self._leave_out(value, (key,))
            for at in self._places_of(place, key):
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
            message = f"Documents are listed without a grade ({self.without_grade:,}): each has the grade {self.listed_grade}."
            remedy = (
                "This is right for lists of relevant documents alone. All other documents are not judged by the file."
            )
            problems.add("json_listed", message, remedy, severity="warning", times=self.without_grade)
        if self.left_out:
            message = f"Keys are left out: {listed(self.left_out, '“{}”')}."
            problems.add("json_left_out", message, "Check that none of them is needed.", severity="warning")

    def _pair(self, place: int, value: Mapping[str, Any]) -> Pairs:
        names = list(value)
        chosen = [names[at] for at in order_of(names)]
        roles = dict(zip(roles_of(chosen), chosen, strict=True))
        topic, docno = value[roles[TOPIC]], value[roles[DOCNO]]
        if GRADE in roles:
            self._leave_out(value, chosen)
            iteration = [value[name] for name in chosen if name not in (roles[TOPIC], roles[DOCNO], roles[GRADE])]
            yield place, [topic, *(iteration or ["0"]), docno, value[roles[GRADE]]]
        elif self.listed_grade:
            message = (
                f"The object has no grade that is known by its name: its keys are {', '.join(map(visible, names[:8]))}."
            )
            self.text.add_problem("json_without_grade", message, NAME_THE_GRADE, place)
        else:
            self._leave_out(value, chosen)
            yield place, [topic, docno]

    def _listed(self, place: int, topic: Any) -> Pairs:
        for at, _, docno in self.text.members(place):
            self.without_grade += 1
            yield at, [topic, "0", docno, self.listed_grade] if self.listed_grade else [topic, docno]

    def _graded(self, place: int, value: Mapping[str, Any], number: str, documents: str) -> Pairs:
        self._leave_out(value, (number, documents))
        for listed_at in self._places_of(place, documents):
            for at, _, item in self.text.members(listed_at):
                yield from self._pair(at, {number: value[number], **item})

    def _places_of(self, place: int, key: str) -> Iterator[int]:
        return (at for at, name, _ in self.text.members(place) if name == key)

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
    """The keys of the number and of the list of docnos in an object of one topic; None where a list beside it may hold grades.

    >>> _documents_of_topic({"id": "5a", "body": "Is it?", "documents": ["d1"]}), _documents_of_topic({"5a": ["d1"]})
    (('id', 'documents'), None)
    >>> _documents_of_topic({"qid": "1", "docids": ["a", "b"], "labels": ["0", "1"]})
    """
    plain = {NOT_IN_NAMES.sub("", name.lower()): name for name in value}
    numbers = [plain[name] for name in plain if roles_of([name]) == [TOPIC]] + [plain[n] for n in NUMBERS if n in plain]
    number = next((name for name in numbers if _is_one(value[name])), None)
    lists = [plain[name] for name in plain if name in LISTS_OF_DOCNOS and _is_list_of_docnos(value[plain[name]])]
    if number is None or len(lists) != 1:
        return None
    docnos = value[lists[0]]
    beside = [name for name in value if name != lists[0] and _is_list_of_docnos(value[name]) and value[name]]
    may_be_grades = any(
        roles_of([name.rstrip("sS")]) == [GRADE] or len(value[name]) == len(docnos) > 1 for name in beside
    ) or any(role == GRADE for role in roles_of(value))
    return None if may_be_grades else (number, lists[0])


def _graded_of_topic(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """The keys of the number and of the list of documents with grades in an object of one topic, as in fair ranking.

    >>> _graded_of_topic({"qid": "1", "query": "mills", "documents": [{"doc_id": "d1", "relevance": "1"}]})
    ('qid', 'documents')
    """
    numbers = [name for name in value if roles_of([name]) == [TOPIC] and _is_one(value[name])]
    numbers = [numbers[order_of([*numbers, "docno"])[0]]] if numbers else []
    lists = [name for name in value if NOT_IN_NAMES.sub("", name.lower()) in LISTS_OF_DOCNOS]
    if not numbers or len(lists) != 1 or not isinstance(items := value[lists[0]], list) or not items:
        return None
    are_graded = all(
        isinstance(item, dict)
        and {DOCNO, GRADE} <= set(roles := roles_of(item))
        and TOPIC not in roles
        and _is_pair({numbers[0]: "", **item})
        for item in items
    )
    return (numbers[0], lists[0]) if are_graded else None


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
