"""Judgments in a file: CSV as `export_judgments` writes it, or JSON lines with the same names; read with every problem."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final
from uuid import UUID

from campaign.collection.selectors.versions import is_sha256
from campaign.formats.json_values import RepeatedKeyError, count_values, json_with_single_keys
from campaign.formats.jsonlines import FieldError, json_objects, text_field
from campaign.formats.moments import MomentError, in_zone, read_moment
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.sent_tables import TableError, csv_rows, separator_of, why_unclear, without_empty_end
from campaign.formats.source import MIB, Limits, add_empty, text_lines, was_cut_short
from campaign.formats.spreadsheet import plain_text
from campaign.text.numbers import whole_number
from campaign.text.plurals import number_of
from judging.core.grade_reading import read_grade
from judging.core.modes.declaration import JudgingMode
from judging.core.modes.registry import answers_in
from judging.desk.services.judgments import Act
from judging.judgments.exports import HISTORY_COLUMNS, VERSIONS
from judging.models import Judgment

MOST_LINES = 100_000
"""While they are stored, the desks of their topics wait: about four minutes for so many."""
LIMITS = Limits(max_text_bytes=48 * MIB, max_line=MIB // 4, max_lines=MOST_LINES)
"""Each line stands in memory up to eight times: as it came, as its values, and as the JSON that its UUID follows from."""
MOST_VALUES, FREE_VALUES = 3_000_000, 50
"""JSON values of all lines that have more than the second: lists without end take much memory, up to 90 bytes for a value.

20,000 lines with 60 subtopics each, which is much for one file, have half of them.
"""
MOST_COLUMNS, MOST_NAMED = 1_000, 20
PLAUSIBLE_YEARS = range(2000, 2101)
LARGEST = 2**31 - 1
NEEDED = ("topic", "docno")
CORRECT = "Correct the line, or take it out."

Line = tuple[int, str, Mapping[str, Any]]
"""The number of a line, its text, and its values by name; what it leaves empty is not among them."""


@dataclass(frozen=True, slots=True)
class FileJudgment:
    """One line. `assessor` is "", the others None, where it names none; `values`: of an `Act`, but for its UUID.

    `details`: as the judging mode stored them; they are among the answers of the act. `nth`: how many equal lines precede it.
    """

    line: int
    text: str
    topic: str
    assessor: str
    pass_number: int | None
    uuid: UUID | None
    details: Mapping[str, Any] | None
    values: Mapping[str, Any]
    nth: int = 0

    @property
    def text_and_count(self) -> str:
        """The line's text, and for a repeated line which of the equal lines it is: its UUID is made of it where it has none.

        Who judges A, B and A again says A twice, in equal lines.
        """
        return f"{self.text} {self.nth}" if self.nth else self.text

    @property
    def docno(self) -> str:
        return str(self.values["docno"])

    @property
    def was_judged(self) -> bool:
        """Whether the line says that its document was judged; to take something back, it must have been."""
        return self.values.get("verdict", Judgment.GRADED) in Judgment.JUDGED or "undoes" in self.values

    def act(self, uuid: UUID, **changed: Any) -> Act:
        return Act(uuid, **{**self.values, **changed})


def read_judgments(source: BinaryIO, mode: JudgingMode, problems: ProblemLog, encoding: str = "") -> list[FileJudgment]:
    """The sound lines, in the order of the file; they are the whole file only if `problems.ok`."""
    lines = list(text_lines(source, LIMITS, problems, encoding))
    if was_cut_short(problems):  # problems of a part would be misleading
        return []
    first = next((line for _, line in lines if line.strip()), "")
    budget = _Values(problems, MOST_VALUES)
    records = (
        _of_json(budget.within(lines), problems) if first.lstrip().startswith(("{", "[")) else _of_csv(lines, problems)
    )
    unknown: set[str] = set()
    read = [
        found
        for record in budget.within_details(records)
        if (found := _judgment(record, mode, unknown, problems)) is not None
    ]
    if unknown:
        shown = [visible(name, 40) or "a column without a name" for name in sorted(unknown)[:MOST_NAMED]]
        named = ", ".join(shown) + (f" and {len(unknown) - MOST_NAMED:,} more" if len(unknown) > MOST_NAMED else "")
        problems.add("judgment_field_unknown", f"This is not read: {named}.", "Check the names.", severity="warning")
    if not mode.answers and (count := sum(bool(line.details) for line in read)):
        message = f"The judging mode {mode.name} has no details: those of {number_of(count, 'line')} are not read."
        remedy = "Check that the file is of a task like this one."
        problems.add("judgment_details_unread", message, remedy, severity="warning", times=count)
    if not read and problems.ok:
        add_empty(problems, "judgments")
    return _counted(read)


def _counted(lines: Iterable[FileJudgment]) -> list[FileJudgment]:
    before: Counter[str] = Counter()
    counted = []
    for line in lines:
        counted.append(replace(line, nth=before[line.text]) if before[line.text] else line)
        before[line.text] += 1
    return counted


def _of_json(lines: Iterable[tuple[int, str]], problems: ProblemLog) -> Iterator[Line]:
    for number, line, value in json_objects(lines, problems):
        given = {name: one for name, one in value.items() if one is not None and one != ""}
        if "grade" in value and value["grade"] is None:
            given.setdefault("verdict", Judgment.CANNOT_JUDGE)
        yield number, line.strip(), given


@dataclass(slots=True)
class _Values:
    """Ends what is read before the file holds too much: what is read of all lines stands in memory at once."""

    problems: ProblemLog
    left: int

    def within(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for number, line in lines:
            if not self._takes(number, line, line):
                return
            yield number, line

    def within_details(self, records: Iterable[Line]) -> Iterator[Line]:
        """Details may be JSON in a text, as in CSV: what is in a text was not counted before."""
        for number, line, given in records:
            details = given.get("details")
            if isinstance(details, str) and not self._takes(number, line, details):
                return
            yield number, line, given

    def _takes(self, number: int, line: str, json_text: str) -> bool:
        if (marks := sum(map(json_text.count, "[{,"))) > FREE_VALUES:
            self.left -= min(marks, count_values(json_text))
        if self.left >= 0:
            return True
        message = f"The long lines up to this one hold more than {MOST_VALUES:,} values."
        remedy = "Send the file in parts, or take out of the lines what no judgment has."
        self.problems.add("judgment_values", message, remedy, line=number, excerpt=line)
        return False


def _of_csv(lines: Sequence[tuple[int, str]], problems: ProblemLog) -> Iterator[Line]:
    """A cell may hold several lines: a record has the number of its first."""
    separator = separator_of([line for _, line in lines])
    columns: list[str] = []
    try:
        for number, cells in csv_rows((line + "\n" for _, line in lines), separator):
            if not any(cells):
                continue
            if not columns:
                columns = without_empty_end([cell.strip().lower() for cell in cells], 0)
                if not _names_columns(columns, number, problems):
                    return
            elif why := why_unclear(found := without_empty_end(cells, len(columns)), columns, separator):
                problems.add("csv_cells", why, CORRECT, line=number)
            else:
                row = zip(columns, found, strict=False)
                yield number, json.dumps(cells), {name: plain_text(cell) for name, cell in row if cell}
    except TableError as error:
        for at, message in error.problems:
            problems.add("csv_broken", message, "", line=at)


def _names_columns(columns: Sequence[str], number: int, problems: ProblemLog) -> bool:
    if len(columns) > MOST_COLUMNS:
        message = f"The first line names {len(columns):,} columns, and {MOST_COLUMNS:,} is the most."
        problems.add("csv_columns", message, "Send judgments as they are exported.", line=number)
        return False
    missing = [name for name in NEEDED if name not in columns]
    counts = Counter(columns)
    twice = sorted(visible(name, 40) for name, count in counts.items() if name and count > 1)
    if not missing and not twice:
        return True
    message = f"The first line names no column {missing[0]}." if missing else f"Two columns are named {twice[0]}."
    remedy = (
        "Send judgments as they are exported, or JSON lines such as "
        '{"topic": "401", "docno": "D-1", "assessor": "anna", "grade": 2}; import lines of topic, 0, docno, grade as qrels.'
    )
    problems.add("csv_columns", message, remedy, line=number)
    return False


def _judgment(record: Line, mode: JudgingMode, unknown: set[str], problems: ProblemLog) -> FileJudgment | None:
    number, text, given = record
    read: dict[str, Any] = {}
    before = problems.errors
    answers = answers_in(given)
    unknown |= given.keys() - READERS.keys() - SET_HERE - answers.keys()
    for name, value in given.items():
        if name not in READERS:
            continue
        try:
            read[name] = READERS[name](name, value)
        except ValueError as problem:
            problems.add(f"judgment_{name}", str(problem), CORRECT, line=number, excerpt=text)
    for name in NEEDED:
        if name not in given:
            problems.add(f"judgment_{name}", f"The line names no {name}.", CORRECT, line=number, excerpt=text)
    if problems.errors == before and (message := _contradiction(read)):
        problems.add("judgment_grade", message, CORRECT, line=number, excerpt=text)
    if problems.errors > before:
        return None
    if (seconds := read.pop("seconds", None)) is not None:
        read.setdefault("active_ms", seconds)
    topic, assessor = read.pop("topic"), read.pop("assessor", "")
    pass_number, uuid, details = (read.pop(name, None) for name in ("pass", "uuid", "details"))
    read["answers"] = {**mode.answers_of(details or {}), **answers}
    return FileJudgment(number, text, topic, assessor, pass_number, uuid, details, read)


def _contradiction(read: Mapping[str, Any]) -> str:
    verdict = read.get("verdict", Judgment.GRADED)
    if verdict == Judgment.GRADED and "grade" not in read:
        return f"The line has no grade. Without one it needs a verdict: {', '.join(VERDICTS_WITHOUT_GRADE)}."
    if verdict != Judgment.GRADED and "grade" in read:
        return f"The line has a grade and the verdict {verdict}, which has none."
    return ""


def _text(name: str, value: Any) -> str:
    text = text_field({name: value}, name)  # FieldError is a ValueError
    if "\0" in text:
        raise FieldError(f"Field {name} holds a NUL.")
    return text


def _key(name: str, value: Any) -> str:
    text = _text(name, value)
    if not 0 < len(text) <= KEY_LENGTH_LIMIT:
        raise ValueError(f"The {name} has no character, or more than {KEY_LENGTH_LIMIT}.")
    return text


def _grade(name: str, value: Any) -> int:
    return read_grade(value)


def _whole(name: str, value: Any) -> int:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    number = whole_number(text)
    if number is None or number > LARGEST:
        raise ValueError(f"{name} is “{_shown(value)}”, not a whole number from 0.")
    return number


def _pass(name: str, value: Any) -> int:
    number = _whole(name, value)
    if not 1 <= number <= 2**15 - 1:
        raise ValueError("Passes are numbered from 1.")
    return number


def _seconds(name: str, value: Any) -> int:
    try:
        milliseconds = round(float(value) * 1000)
    except (TypeError, ValueError, OverflowError):
        milliseconds = -1
    if isinstance(value, bool) or not 0 <= milliseconds <= LARGEST:
        raise ValueError(f"{name} is “{_shown(value)}”, not a number of seconds.")
    return milliseconds


def _moment(name: str, value: Any) -> datetime:
    """Without a zone it is UTC, as exports write it."""
    try:
        moment = in_zone(read_moment(value), UTC).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name} is “{_shown(value)}”: the year lies outside 2000 to 2100.") from None
    except MomentError as problem:
        raise ValueError(f"{name}: {problem}.") from None
    if moment.year not in PLAUSIBLE_YEARS:
        raise ValueError(f"{name} is “{_shown(value)}”: the year lies outside 2000 to 2100.")
    return moment


def _uuid(name: str, value: Any) -> UUID:
    try:
        return UUID(value)
    except (TypeError, ValueError, AttributeError):
        raise ValueError(f"{name} is “{_shown(value)}”, not a UUID. Leave it out if there is none.") from None


def _flag(name: str, value: Any) -> bool:
    flags = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    flag = value if isinstance(value, bool) else flags.get(str(value).strip().lower())
    if flag is None:
        raise ValueError(f"{name} is “{_shown(value)}”, not yes or no.")
    return flag


def _sha256(name: str, value: Any) -> str:
    if not isinstance(value, str) or not is_sha256(value):
        raise ValueError(f"{name} is “{_shown(value)}”, not a SHA-256. Leave it out if it is not known.")
    return value


def _details(name: str, value: Any) -> Mapping[str, Any]:
    try:
        details = json_with_single_keys(value) if isinstance(value, str) else value
    except RepeatedKeyError as problem:
        raise ValueError(f"{name}: {problem}.") from None
    except (ValueError, RecursionError):
        details = None
    if not isinstance(details, dict):
        raise ValueError(f"{name} is “{_shown(value)}”, not a JSON object.")
    return details


def _one_of(values: Iterable[str]) -> Callable[[str, Any], str]:
    allowed = list(values)

    def read(name: str, value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"{name} is “{_shown(value)}”: use {', '.join(allowed)}.")
        return str(value)

    return read


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else repr(value)[:100], 40)


VERDICTS_WITHOUT_GRADE = [verdict for verdict in Judgment.VERDICTS if verdict != Judgment.GRADED]
READERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "topic": _key,
    "docno": _key,
    "assessor": _key,
    "pass": _pass,
    "uuid": _uuid,
    "verdict": _one_of(Judgment.VERDICTS),
    "grade": _grade,
    "details": _details,
    "reason": _text,
    "flagged": _flag,
    "note": _text,
    "shown_at": _moment,
    "judged_at": _moment,
    "active_ms": _whole,
    "away_ms": _whole,
    "seconds": _seconds,
    "position": _whole,
    "extent": _one_of(Judgment.EXTENTS),
    "text_sha256": _sha256,
    "topic_sha256": _sha256,
    "guidelines_sha256": _sha256,
    "undoes": _uuid,
}
SET_HERE: Final = frozenset([*HISTORY_COLUMNS, *VERSIONS]) - READERS.keys()
"""What a file says of the site that it is from: whoever stores the judgment sets it anew."""
