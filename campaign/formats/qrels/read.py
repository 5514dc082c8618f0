"""Reading qrels that others made, with or without subtopics, of all pooled documents or of a sample, with every problem."""

from __future__ import annotations

import re
import zlib
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import BinaryIO, Literal

import polars as pl

from campaign.formats.columns import column_lines, lines_with_columns
from campaign.formats.encodings import add_not_utf8
from campaign.formats.keys import problem_without_collection
from campaign.formats.names import MOST_COUNTED, count_name, listed
from campaign.formats.near_keys import OF_COLLECTION, OF_TASK, FirstHints, missing_from
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.qrels.grade_columns import MOST_WORDS, SAY_COLUMN, SAY_WORDS, WORD, with_grade_from
from campaign.formats.qrels.layouts import (
    GRADE,
    LAYOUTS,
    LEVEL,
    NO_SUBTOPIC,
    SAYS_NOTHING,
    Layout,
    Sampling,
    are_of_smart,
    recognise_sampling,
)
from campaign.formats.qrels.lists import CHOOSE, whole_documents, with_grade
from campaign.formats.qrels.repeats import Repeated, Repeats
from campaign.formats.qrels.rows import JudgmentRows
from campaign.formats.qrels.table import NOT_DRAWN, QRELS_SCHEMA
from campaign.formats.qrels.training import without_features
from campaign.formats.source import MIB, Limits, add_empty, numbered_lines, separator_hint, text_chunks
from campaign.text.plurals import number_of

MOST_OFF_SCALE = 50
"""Grades that are kept by number; more than a scale holds."""
QRELS_LIMITS = Limits(max_text_bytes=512 * MIB, max_lines=5_000_000)
LINES_AT_ONCE = 1 << 16
CANNOT_JUDGE = -2
UNJUDGED_GRADES = frozenset({-1, CANNOT_JUDGE})  # pooled, but not judged
DECIMAL_GRADE = re.compile(rb"[+-]?[0-9]{1,9}(\.0{0,20})?([eE][+-]?0{1,3})?")
"""Such as 1., 1.0, and 1.000000000000000000e+00 of numpy.savetxt."""
NO_GRADE = re.compile(rb"[?*-]+")
FRACTION = re.compile(rb"[+-]?[0-9]*[.,][0-9]+")
LONG_GRADE = re.compile(rb"[+-]?[0-9]{10,}")
STRATUM = re.compile(rb"[0-9]{1,9}")
PROBABILITY = re.compile(rb"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
OF_LEGAL = tuple(map(re.compile, (rb"[+-]?[0-9]{1,9}", rb"[01]?\.[0-9]+|[01]", rb"[0-9]+")))
"""Grade, probability and rank, the fourth to sixth of seven fields. The last one, the system, holds a letter."""
PLACES = re.compile(rb"[0-9]{1,12}[:-][0-9]{1,12}")
LETTER = re.compile(rb"[A-Za-z]")
LETTER_AND_DIGIT = re.compile(r"(?=.*[0-9]).*[A-Za-z]")
BEIR_HEADINGS = re.compile(rb"\s*query[-_]?id\s+(?:corpus|doc)[-_]?id\s+(?:score|relevance)\s*$", re.IGNORECASE)
DOCNO = re.compile(rb"[^,;\s\"]+")
OF_DOCNOS = (
    " If these are docnos alone, import them on the page Documents of the task, as a plain list of document numbers "
    "(import_documents --docnos-only by command, docnos_only by program)."
)
AS_TREC = "awk 'NR > 1 {print $1, 0, $2, $3}' FILE > NEW_FILE writes the four columns."
OF_RUN = " If it is a run (topic, Q0, docno, rank, score and tag), send it as a run, and not as qrels."
SCORE = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
OF_RELEVANT_ALONE = (
    f" If it is a list of relevant documents, {CHOOSE} If it is a pool, in which nothing is judged, import it on the page "
    "Pools."
)
OF_INTENTS = (
    " If these are the probabilities of intents or subtopics, they are not used here: send the file that judges documents, "
    "with topic, 0, docno and grade on each line."
)
OF_PATTERNS = (
    "If these are patterns of answers, they are not used here, where documents are judged: send the file of judgments, with "
    "topic, 0, docno and grade on each line."
)
PATTERN = re.compile(rb"\\[sdwbSDWB.]|\[[^\]\s]+\]|\.[*+?]|\S\|\S|\(\?")
NUMBERED = re.compile(rb"\S*[0-9]\S*\s+\S*[0-9]\S*")
OF_SAMPLE: Mapping[Sampling, str] = {
    "stratum": "The fourth column was read as the stratum of a sample, and the fifth as the grade.",
    "probability": "The fourth column was read as the grade, and the fifth as the probability with which a document was drawn.",
}
CERTAIN_METHODS = frozenset({b"0", b"2"})  # of prels: the document was chosen by another rule than the draw, or by both


@dataclass(frozen=True, slots=True)
class QrelsRules:
    """`None` switches a rule off; with `subtopic` the second column is a subtopic number.

    `topic_names`: the topic that stands for a number of the file that is spelt otherwise.

    `grades`: the single grades of a scale, or all of a range.

    `for_scoring` takes every negative grade for pooled but not judged, not -1 and -2 only, and fields of any length; white
    space alone separates columns, and a pair that comes twice is an error in any case.

    `listed_grade`: of a document in a list of relevant documents, as JSON may hold it, or two columns.

    `are_listed`: whether files of two columns, and of passages, hold relevant documents alone.

    `repeated`: the line that counts of a pair that comes twice with different grades, strata or probabilities. A pair that
    comes twice alike counts once, with a warning.

    `word_grades`: the grades of words that stand for them. `grade_column`: the one that holds the grade, from 1, where the
    file has more of them; 0 goes by the number of columns.

    In files of three and four columns grades may be written as NTCIR does: L2.

    `sampling` names the columns, which describe the sample that was judged:

    - none: `topic 0 docno grade`.
    - stratum: `topic 0 docno stratum grade`, as sample_eval.pl reads it. The table has a column `stratum` (Int32), a whole
      number from 0. Every pooled document has a line; the grade -1 says that it is not in the sample.
    - probability: `topic 0 docno grade probability`, as the Legal track of 2007 gave it. The table has a column
      `probability` (Float64), above 0 and up to 1, null where the file says NA: judged, but not drawn for the sample.
    - prels: `topic docno grade method probability`, as statAP_MQ_eval.pl reads it. There is a column `probability` as
      above; it is 1 for the methods 0 and 2, unless the file says NA. There are no subtopics.
    - triples: `topic docno grade`, as BEIR writes it, and NTCIR. There are no subtopics.
    - any: whichever of these the lines show.
    """

    topics: frozenset[str] | None = None
    topic_names: Mapping[str, str] = field(default_factory=dict)
    docnos: Set[str] | None = None
    grades: frozenset[int] | range | None = None
    subtopic: bool = False
    for_scoring: bool = False
    sampling: Sampling | Literal["any"] = "none"
    repeated: Repeated = "refuse"
    listed_grade: int = 1
    are_listed: bool = False
    word_grades: Mapping[str, int] = field(default_factory=dict)
    grade_column: int = 0


@dataclass(frozen=True, slots=True)
class QrelsRead:
    """`table` has one row a line in file order, and is `None` when there are errors.

    Its columns are those of `QRELS_SCHEMA`, and then the one that the rules' `sampling` names. `sampling`: how the columns
    were read, never "any". `line_numbers`: the line of each row, from 1. `grades_off_scale`: the grades that a scale of single
    grades lacks, of which up to MOST_OFF_SCALE are kept.
    """

    table: pl.DataFrame | None
    problems: ProblemLog
    lines: int
    topics: int
    sampling: Sampling = "none"
    line_numbers: Sequence[int] = ()
    grades_off_scale: Set[int] = frozenset()
    grade_words: Set[str] = frozenset()

    def lines_of(self, pairs: pl.DataFrame) -> list[int]:
        """The first line of each pair (topic, docno), all of which are in the table.

        >>> from io import BytesIO
        >>> read = read_qrels(BytesIO(b"1 0 a 2\\n\\n1 0 b 0\\n"), QrelsRules())
        >>> read.lines_of(pl.DataFrame({"topic": ["1"], "docno": ["b"]}))
        [3]
        """
        if self.table is None:
            raise ValueError("Qrels with errors have no table.")
        placed = self.table.select("topic", "docno", line=pl.Series(self.line_numbers, dtype=pl.UInt32))
        first = (
            placed.join(pairs, on=["topic", "docno"], how="semi").group_by("topic", "docno").agg(pl.col("line").min())
        )
        return pairs.join(first, on=["topic", "docno"], how="left", maintain_order="left")["line"].to_list()


def read_qrels(
    source: BinaryIO,
    rules: QrelsRules,
    limits: Limits = QRELS_LIMITS,
    problems: ProblemLog | None = None,
    encoding: str = "",
) -> QrelsRead:
    """Read qrels, plain or gzip, and find every problem that they have under the rules; `problems` is the log to fill.

    Commas and semicolons separate columns where the first line shows it, and headings are left out, as `column_lines` does.
    `encoding`: as of `text_chunks`.

    >>> from io import BytesIO
    >>> read = read_qrels(BytesIO(b"1 0 d1 2\\n1 0 d2 x\\n"), QrelsRules())
    >>> read.table is None, [(problem.line, problem.code) for problem in read.problems.shown]
    (True, [(2, 'grade_not_integer')])
    """
    problems = ProblemLog() if problems is None else problems
    lines: Iterable[tuple[int, bytes]]
    if rules.for_scoring and rules.sampling != "any":
        lines = numbered_lines(text_chunks(source, limits, problems, encoding), limits, problems)
    else:
        lines = without_features(lines_with_columns(source, limits, problems, encoding), problems)
        lines = column_lines(lines, rules.topics, problems, str(rules.listed_grade))
    if rules.grade_column:
        lines = with_grade_from(iter(lines), rules.grade_column, problems)
    sampling = rules.sampling
    if sampling == "any":
        whole = _without_who_retrieved(iter(lines), problems)
        whole = whole_documents(whole, problems, rules.listed_grade, are_listed=rules.are_listed)
        held = _HeldLines(_without_places(whole, problems))
        sampling, lines = recognise_sampling(held.look()), held.take()
        if sampling == "none" and are_of_smart(line.split() for line in held.look_again() if line.strip()):
            sampling, lines = "triples", with_grade(lines, 4, rules.listed_grade, problems)
    reader = _QrelsLines(rules, problems, LAYOUTS[sampling])
    reader.read(lines)
    return reader.result(sampling)


def _without_who_retrieved(lines: Iterator[tuple[int, bytes]], problems: ProblemLog) -> Iterator[tuple[int, bytes]]:
    """Of the seven columns of the Legal track of 2009 the first five: a rank and the system that retrieved it stand last."""
    number, first = next(((number, line) for number, line in lines if line.strip()), (0, b""))
    if not _is_of_legal(first.split()):
        return chain([(number, first)] if number else [], lines)
    message = "The sixth and seventh column are left out: a rank, and the system that retrieved the document there."
    problems.add("columns_of_legal", message, "", line=number, excerpt=first, severity="warning")
    return (
        (at, b" ".join(line.split()[:5]) if len(line.split()) == 7 else line)
        for at, line in chain([(number, first)], lines)
    )


def _is_of_legal(fields: Sequence[bytes]) -> bool:
    """By fields: one pattern for the whole line took 18 seconds for a line of 60,000 characters.

    >>> _is_of_legal(b"1 0 d 1 0.5 1 kite".split()), _is_of_legal(b"1 0 d 1 0.5 1 7".split())
    (True, False)
    """
    if len(fields) != 7 or not LETTER.search(fields[6]):
        return False
    return all(pattern.fullmatch(field) for pattern, field in zip(OF_LEGAL, fields[3:6], strict=True))


def _is_pattern(line: bytes) -> bool:
    """Whether a pattern of answers stands behind the topic; a docno may be an address, and single bars may separate columns.

    >>> _is_pattern(b"201 kite|oars"), _is_pattern(b"401 http://a.b/c?x=[1]"), _is_pattern(b"401|0|a d|1")
    (True, False, False)
    """
    first, *behind = line.split(maxsplit=1)
    return bool(behind and PATTERN.search(behind[0])) and b"|" not in first and b"://" not in behind[0]


def _may_be_of_run(fields: Sequence[bytes]) -> bool:
    """Whether a score and a tag may stand in the fifth and sixth of six columns.

    >>> _may_be_of_run(b"1 Q0 d12 1 12.3 bm25".split()), _may_be_of_run(b"1 0 d12 1 1 0".split())
    (True, False)
    """
    return len(fields) == 6 and bool(SCORE.fullmatch(fields[4]) and LETTER.search(fields[5]))


def _without_places(lines: Iterator[tuple[int, bytes]], problems: ProblemLog) -> Iterator[tuple[int, bytes]]:
    """The lines without a fourth column of places such as 0:10, where the dynamic domain track has the passage."""
    number, first = next(((number, line) for number, line in lines if line.strip()), (0, b""))
    lines = chain([(number, first)] if number else [], lines)
    fields = first.split()
    if len(fields) != 5 or not PLACES.fullmatch(fields[3]):
        return lines
    message = "The fourth column, a place within the document, is left out: judgments are of whole documents here."
    remedy = "You say which grade counts where a pair has several."
    problems.add("columns_of_places", message, remedy, line=number, excerpt=first, severity="warning")
    return ((at, _without_place(line.split())) for at, line in lines)


def _without_place(fields: Sequence[bytes]) -> bytes:
    is_place = len(fields) == 5 and PLACES.fullmatch(fields[3])
    return b" ".join((*fields[:3], fields[4]) if is_place else fields)


class _HeldLines:
    """Lines with their numbers, of which those that were looked at are held packed until they are taken."""

    def __init__(self, lines: Iterable[tuple[int, bytes]]) -> None:
        self._remaining = iter(lines)
        self._held: deque[tuple[array[int], bytes]] = deque()

    def look(self) -> Iterator[bytes]:
        while part := list(islice(self._remaining, LINES_AT_ONCE)):
            text = zlib.compress(b"\n".join(line for _, line in part), level=1)
            self._held.append((array("I", [number for number, _ in part]), text))
            yield from (line for _, line in part)

    def look_again(self) -> Iterator[bytes]:
        """The lines from the first one on, as far as they are asked for."""
        for _ in self.look():
            pass
        for _, text in self._held:
            yield from zlib.decompress(text).split(b"\n")

    def take(self) -> Iterator[tuple[int, bytes]]:
        """Yield all lines, also those that nobody looked at; what is wrong with the text as such is found before."""
        for _ in self.look():
            pass
        while self._held:
            numbers, text = self._held.popleft()
            yield from zip(numbers, zlib.decompress(text).split(b"\n"), strict=True)


def _schema(layout: Layout) -> pl.Schema:
    schema = QRELS_SCHEMA.copy()
    if layout.stratum is not None:
        schema["stratum"] = pl.Int32()
    if layout.probability is not None:
        schema["probability"] = pl.Float64()
    return pl.Schema(schema)


def _scale_in_words(grades: frozenset[int] | range) -> str:
    return f"{grades[0]} to {grades[-1]}" if isinstance(grades, range) else ", ".join(map(str, sorted(grades)))


@dataclass(slots=True)
class _QrelsLines:
    rules: QrelsRules
    problems: ProblemLog
    layout: Layout
    rows: JudgmentRows = field(init=False)
    repeats: Repeats = field(init=False)
    topics: set[str] = field(default_factory=set)
    lines: int = 0
    hints: FirstHints = field(default_factory=FirstHints)
    second_columns: Counter[str] = field(default_factory=Counter)
    second_lines: dict[tuple[str, str], int] = field(default_factory=dict)
    """The first line of each topic and second column; 0 where the docno of a line is the same, as in no preference."""
    methods: Counter[str] = field(default_factory=Counter)
    cannot_judge: int = 0
    decimals: int = 0
    off_scale: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        schema, rules = _schema(self.layout), self.rules
        self.rows = JudgmentRows(schema)
        self.repeats = Repeats(
            *(self.rows, self.problems, list(schema)[3:]), rules.repeated, rules.subtopic, is_strict=rules.for_scoring
        )

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        for number, line in lines:
            fields = line.split()
            if not fields:
                continue
            self.lines += 1
            try:
                line.decode()
            except UnicodeDecodeError:
                add_not_utf8(self.problems, number, line)
                continue
            if len(fields) == self.layout.columns:
                self._read_fields(number, line, fields)
            else:
                self._add_column_problem(number, line, len(fields))

    def result(self, sampling: Sampling) -> QrelsRead:
        """What was read, once all lines are."""
        self.name_what_is_not_stored()
        problems = self.problems
        if not self.lines and problems.ok:
            add_empty(problems, "judgments")
        table = self.rows.table() if problems.ok else None
        numbers, topics = self.rows.line_numbers, len(self.topics)
        words = frozenset[str]() if len(self.words) > MOST_WORDS else frozenset(self.words)
        return QrelsRead(table, problems, self.lines, topics, sampling, numbers, self.off_scale, words)

    def _read_fields(self, number: int, line: bytes, fields: list[bytes]) -> None:
        layout = self.layout
        has_subtopic = self.rules.subtopic and layout.subtopic is not None
        subtopic = fields[layout.subtopic or 0].decode() if has_subtopic else NO_SUBTOPIC
        topic = fields[0].decode()
        key = (self.rules.topic_names.get(topic, topic), subtopic, fields[layout.docno].decode())
        if layout.subtopic is not None and not has_subtopic and fields[layout.subtopic] not in SAYS_NOTHING:
            self._see_second(number, key[0], fields[layout.subtopic].decode(), key[2])
        if layout.method is not None:
            count_name(self.methods, fields[layout.method].decode())
        self.topics.add(key[0])
        self._check_key(number, line, key)
        row = self.rows.row(key, number)
        values: list[int | float | None] = [self._grade(number, line, fields[layout.grade])]
        if layout.stratum is not None:
            values.append(self._stratum(number, line, fields[layout.stratum]))
        if layout.probability is not None:
            values.append(self._probability(number, line, fields))
        if row is None:
            self.rows.add_values(tuple(values))
        else:
            self.repeats.add(number, line, key, row, tuple(values))

    def _see_second(self, number: int, topic: str, second: str, docno: str) -> None:
        count_name(self.second_columns, second)
        if (topic, second) in self.second_lines or len(self.second_lines) < MOST_COUNTED:
            first = self.second_lines.get((topic, second), number)
            self.second_lines[topic, second] = 0 if second == docno else first

    def name_what_is_not_stored(self) -> None:
        """Rounds of a campaign, or who judged; methods of prels; grades that are none; lines of which others count."""
        self.repeats.tell()
        if self.rules.for_scoring:
            return
        if self.decimals:
            message = f"Grades are written with decimals: {number_of(self.decimals, 'line')}."
            remedy = "1.0 is read as 1. A grade such as 1.5 would be refused."
            self.problems.add("grade_decimal", message, remedy, severity="warning", times=self.decimals)
        if self.rules.sampling == "any" and self.problems.ok and self.layout in map(LAYOUTS.get, OF_SAMPLE):
            sampling = next(name for name in OF_SAMPLE if LAYOUTS[name] is self.layout)
            remedy = f"If the file is of no sample, send four columns.{SAY_COLUMN}"
            self.problems.add("sample_columns", OF_SAMPLE[sampling], remedy, severity="warning")
        if lines := self._lines_of_pairs():
            pairs = Counter({name: self.second_columns[name] for _, name in lines})
            message = f"The second column holds docnos that are judged themselves: {listed(pairs, '{}')}."
            remedy = "Preferences between two documents are no grades: state them at the desk or by API."
            self.problems.add("qrels_of_pairs", message, remedy, line=min(lines.values()))
        elif self.second_columns:
            message = f"The second column is left out: {listed(self.second_columns, '{}')}."
            remedy = "It would be the subtopic in a task that is judged by subtopics."
            self.problems.add("second_column", message, remedy, severity="warning")
        if self.methods:
            message = f"The fourth column is the method by which documents were chosen: {listed(self.methods, '{}')}."
            remedy = (
                "It is not stored. Documents of the methods 0 and 2, which another rule than the draw chose, or both, have "
                "the probability 1, unless the fifth column is NA; for all others the fifth column counts."
            )
            self.problems.add("method_column", message, remedy, severity="warning")
        if self.cannot_judge:
            message = (
                f"The grade -2 says here that a document could not be judged: {number_of(self.cannot_judge, 'line')}."
            )
            remedy = "If the campaign means one that is not relevant, such as spam, write 0 instead."
            self.problems.add("grade_cannot_judge", message, remedy, severity="warning", times=self.cannot_judge)

    def _lines_of_pairs(self) -> dict[tuple[str, str], int]:
        """The first lines by topic and second column, where at least half of these are docnos that the topic judges.

        Numbers of rounds and subtopics may be docnos as well: only words with a letter and a digit count.
        """
        seen = [pair for pair, line in self.second_lines.items() if line and LETTER_AND_DIGIT.match(pair[1])]
        if 2 * len(seen) < len(self.second_lines) or not seen:
            return {}
        keys = ["topic", "docno"]
        judged = pl.DataFrame(seen, schema=keys, orient="row").join(self.rows.table().select(keys), on=keys, how="semi")
        found = {(topic, docno): self.second_lines[topic, docno] for topic, docno in judged.iter_rows()}
        return found if 2 * len(found) >= len(self.second_lines) else {}

    def _check_key(self, number: int, line: bytes, key: tuple[str, str, str]) -> None:
        topic, _, docno = key
        rules, problems = self.rules, self.problems
        if max(map(len, key)) > KEY_LENGTH_LIMIT and not rules.for_scoring:
            message = f"A field is longer than {KEY_LENGTH_LIMIT} characters."
            problems.add("field_long", message, "Check the columns.", line=number, excerpt=line)
        if rules.topics is not None and topic not in rules.topics:
            remedy = "Use the task's topic numbers exactly as they are written."
            remedy += self.hints.hint(topic, missing_from(rules.topics), OF_TASK)
            message = f"Topic {visible(topic)} is not a topic of this task."
            problems.add("topic_unknown", message, remedy, line=number, excerpt=line)
        if rules.docnos is not None and docno not in rules.docnos:
            message = f"Docno {visible(docno)} is not in the collection."
            remedy = "It stays in the qrels and counts as a document that no run can retrieve."
            remedy += self.hints.hint(docno, missing_from(rules.docnos), OF_COLLECTION)
            problems.add("docno_unknown", message, remedy, line=number, excerpt=line, severity="warning")
        elif rules.docnos is None and not rules.for_scoring:
            odd = problem_without_collection(docno) if len(docno) <= KEY_LENGTH_LIMIT else None
            if odd is not None:
                problems.add(f"docno_{odd[0]}", *odd[1:3], line=number, excerpt=line, severity=odd[3])

    def _grade(self, number: int, line: bytes, value: bytes) -> int | None:
        if self.layout.columns < 5:
            value = LEVEL.sub(b"", value)
        if not GRADE.fullmatch(value) and DECIMAL_GRADE.fullmatch(value):
            self.decimals += 1
            value = re.split(rb"[.eE]", value)[0]
        grade = int(value) if GRADE.fullmatch(value) else self.rules.word_grades.get(value.decode())
        grades = self.rules.grades
        if grade is None and LONG_GRADE.fullmatch(value):
            size, code = "small" if value.startswith(b"-") else "large", "grade_out_of_range"
            message, remedy = f"Grade {visible(value)} is too {size}.", "Write grades of at most nine digits."
        elif grade is None:
            message, code = f"Grade {visible(value)} is not an integer.", "grade_not_integer"
            remedy = (
                SAY_WORDS if self._is_word(value.decode()) else f"Write grades as integers such as 0, 1, 2{_why(value)}"
            )
            if self.layout is LAYOUTS["triples"] and PROBABILITY.fullmatch(value) and float(value) < 1:
                remedy += OF_INTENTS
        elif self._says_unjudged(grade) or (grade >= 0 if grades is None else grade in grades):
            self.cannot_judge += grade == CANNOT_JUDGE and not self.rules.for_scoring
            return grade
        else:
            message, code = f"Grade {grade} is not on the scale.", "grade_unknown"
            scale = "0 and above" if grades is None else _scale_in_words(grades)
            remedy = f"Use the grades {scale}{self._or_add(grade)}; -1 and -2 stand for pooled but not judged."
        self.problems.add(code, message, remedy, line=number, excerpt=line)
        return None

    def _is_word(self, value: str) -> bool:
        """Whether it may stand for a grade; such words are kept, and one more than a file may have."""
        if self.rules.for_scoring or not WORD.fullmatch(value):
            return False
        if len(self.words) <= MOST_WORDS:
            self.words.add(value)
        return True

    def _or_add(self, grade: int) -> str:
        """The other remedy, where the scale is one of single grades, which a task names; such a grade is kept."""
        if self.rules.grades is None or isinstance(self.rules.grades, range) or grade < 0:
            return ""
        if len(self.off_scale) < MOST_OFF_SCALE:
            self.off_scale.add(grade)
        return ", or add this one to the scale of the task"

    def _says_unjudged(self, grade: int) -> bool:
        return grade in UNJUDGED_GRADES or (self.rules.for_scoring and grade < 0)

    def _stratum(self, number: int, line: bytes, value: bytes) -> int | None:
        if STRATUM.fullmatch(value):
            return int(value)
        message = f"Stratum {visible(value)} is not a whole number from 0."
        remedy = f"Number the strata 1, 2, 3, ...; the columns are {self.layout.columns_in_words}."
        self.problems.add("stratum_unknown", message, remedy, line=number, excerpt=line)
        return None

    def _probability(self, number: int, line: bytes, fields: list[bytes]) -> float | None:
        value = fields[self.layout.probability or -1]
        if value == NOT_DRAWN.encode():
            return None
        if self.layout.method is not None and fields[self.layout.method] in CERTAIN_METHODS:
            return 1.0
        probability = float(value) if PROBABILITY.fullmatch(value) else 0.0
        if 0.0 < probability <= 1.0:
            return probability
        message = f"Probability {visible(value)} is not a number above 0 and up to 1."
        remedy = "Write the probability with which the document was drawn, or NA if it was judged without being drawn."
        if LETTER.match(value):
            remedy += f" If words stand behind the grade, the file is of no sample.{SAY_COLUMN}"
        self.problems.add("probability_unknown", message, remedy, line=number, excerpt=line)
        return None

    def _add_column_problem(self, number: int, line: bytes, count: int) -> None:
        columns = self.layout.columns
        message = f"There {'is 1 column' if count == 1 else f'are {count} columns'} instead of {columns}."
        code, remedy = (
            "column_count",
            f"Write {self.layout.columns_in_words}, separated by blanks or tabs.{separator_hint(line, count, columns)}",
        )
        if count == 1 and DOCNO.fullmatch(line.strip()) and not self.rules.for_scoring:
            remedy += OF_DOCNOS
        if count == 3 and BEIR_HEADINGS.match(line):
            remedy = f"These are qrels of BEIR: {AS_TREC}"
        if count == 2 and NUMBERED.fullmatch(line.strip()) and not self.rules.for_scoring:
            code, remedy = "listed_pairs", remedy + OF_RELEVANT_ALONE.format(grade=self.rules.listed_grade)
        if _is_pattern(line) and not self.rules.for_scoring:
            code, remedy = "column_count", OF_PATTERNS
        if count > 5 and columns == 4:
            is_run = _may_be_of_run(fields := line.split())
            code = "grades_several" if not is_run and all(map(GRADE.fullmatch, fields[3:6])) else code
            remedy += OF_RUN if is_run else SAY_COLUMN
        if count == columns + 1 and self.rules.sampling == "none":
            code = "qrels_stratum"
            remedy = "Qrels with a fifth column (stratum or sampling rate) are not read: send the four columns."
        self.problems.add(code, message, remedy, line=number, excerpt=line)


def _why(value: bytes) -> str:
    """The end of the remedy for what is no grade, with what is wrong with it where that is known.

    >>> _why(b"2,0"), _why(b"?")
    (', without a decimal comma.', '. Take the line out if nobody judged the document, or write -1.')
    """
    if re.fullmatch(rb"[+-]?[0-9]+,0+", value):
        return ", without a decimal comma."
    if FRACTION.fullmatch(value):
        return ": multiply all grades by the same number, such as 2 where there are halves."
    if NO_GRADE.fullmatch(value):
        return ". Take the line out if nobody judged the document, or write -1."
    return "."
