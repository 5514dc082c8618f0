"""The rules that runs are checked by, and what a task makes of them. Standard library only, Python 3.9 or newer.

Every rule has one entry here: its code, the severity that it has unless a task says otherwise, its words. Both readers
report by code and values alone, so that page, API, command and check script show the same messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from campaign.formats.encodings import AS_UTF8
from campaign.formats.patterns import matches_whole
from campaign.formats.problems import KEY_LENGTH_LIMIT
from campaign.formats.runs.order_setting import AT_THE_CUT, BY_LINE, BY_RANK, BY_SCORE, Ordering

COLUMNS = "topic Q0 docno rank score tag"
DEFAULT_TAG_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,29}"
STEPS = r"(?:^|/)[.][.]?(?:/|$)"
"""What no docno holds: browsers fold such addresses. Means the same to the engine of polars as to Python's."""
ERROR, WARNING, OFF = "error", "warning", "off"
LINE, TOPIC, FILE = "line", "topic", "file"


@dataclass(frozen=True)
class Rule:
    """`unit`: what one violation is. `effect`: what counts of the run when the rule does not reject it.

    `by_rank`, `by_line`: what is different, and fixed, in a task that orders runs so.
    """

    code: str
    title: str
    message: str
    remedy: str
    default: str = ERROR
    unit: str = LINE
    effect: str = ""
    is_fixed: bool = False
    by_rank: Mapping[str, Any] = field(default_factory=dict, compare=False)
    by_line: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def under(self, run_order: str) -> Rule:
        """Return the rule as it is in tasks of this order."""
        return replace(self, **{BY_RANK: self.by_rank, BY_LINE: self.by_line}.get(run_order, {}))


_OFF = {"default": OFF, "is_fixed": True}
_TIES = (
    "In the whole file docno decides among equal scores at {tied} of {lines} places ({share} %), in {topics}; "
    "of the first 10 places of each topic at {first_tied} of {first}.{cause}"
)
_ORDER_BY_RANK = "Documents are ordered by rank here: write whole numbers, each once in a topic."

_RULES = [
    # Lines that cannot be read: no severity can make them count.
    Rule("column_count", "a line has other than six columns", "{found}",
         f"Write {COLUMNS}, separated by blanks or tabs.{{hint}}", is_fixed=True,
         effect="The line is left out."),
    Rule("description_open", "the description of the system (SYSDESC) has no end",
         "The description of the system has no end: its </SYSDESC> must come within 65,536 bytes, with nothing behind it on "
         "the line.",
         "Write </SYSDESC> at the end of its last line, or take <SYSDESC> out of the file.", is_fixed=True,
         effect="The line is left out."),
    Rule("not_utf8", "a line is not UTF-8", "The line is not valid UTF-8.",
         AS_UTF8.format("WINDOWS-1252") + " Name the encoding of the file in place of WINDOWS-1252.", is_fixed=True,
         effect="The line is left out."),
    Rule("score_not_finite", "a score is no finite number", "Score {score} is not a finite number.",
         "Write scores as decimal numbers such as 12.5 or -3e-4.{hint}", is_fixed=True, effect="The line is left out."),
    Rule("docno_long", "a document number has more than 200 characters",
         "The docno has {length} characters, the maximum is 200.", "Use the collection's docnos.", is_fixed=True,
         effect="The line is left out."),
    # Topics
    Rule("topic_unknown", "a topic is not one of the task's", "Topic {topic} is not a topic of this task.",
         "Use the task's topic numbers exactly as they are written.{hint}", WARNING, TOPIC,
         "Its lines are left out."),
    Rule("no_known_topic", "no topic is one of the task's", "None of the topics in the file is a topic of this task.",
         "Check that the run was made for this task; its topics are written like {topic}.", ERROR, FILE, is_fixed=True),
    Rule("topic_missing", "a topic has no document", "{missing} of {topics} topics without a document: {numbers}.",
         "Retrieve at least one document for every topic.", WARNING, TOPIC,
         "Each counts as the measure's worst value, mostly 0."),
    Rule("topic_ungrouped", "the lines of a topic do not stand together",
         "Topic {topic} goes on here after lines of other topics.",
         "Some tools read the topics of a run one after the other: sort the file by topic.", WARNING, TOPIC,
         "All lines of the topic count."),
    Rule("topic_too_deep", "a topic has more documents than the maximum",
         "Topic {topic} has {documents} documents, the maximum is {limit}.", "Keep the best {limit} of each topic.",
         WARNING, TOPIC, "The best {limit} count: {order}."),
    Rule("tie_at_cut", "equal scores at the maximum decide which documents count",
         "In topic {topic} the documents at places {limit} and {next} have the same score {score}.",
         "Which of them counts is decided by docno: {advice}, or cut the topic yourself.", WARNING, TOPIC,
         by_rank=_OFF, by_line=_OFF),
    Rule("topic_short", "a topic has fewer documents than the maximum",
         "Topic {topic} has {documents} documents, {limit} are asked for.", "Retrieve {limit} documents for each topic.",
         OFF, TOPIC),
    # Documents
    Rule("docno_unknown", "a document is not in the collection", "Docno {docno} is not in the collection.",
         "Use the collection's docnos.{hint}", effect="The line counts; nobody can judge the document."),
    Rule("docno_dots", "a document number holds a step of an address",
         "Docno {docno} leads to another place in an address.",
         "Browsers take . and .. between slashes for steps: write it otherwise.",
         effect="The line counts; pages of the document cannot be opened."),
    Rule("docno_pattern", "a document number does not match the pattern",
         "Docno {docno} does not match the pattern {pattern}.", "Use the collection's docnos.",
         effect="The line counts; nobody can judge the document."),
    Rule("docno_duplicate", "a document comes twice in a topic",
         "Docno {docno} was already retrieved for topic {topic} on line {first}.", "Keep one line for each document.",
         effect="The first line counts."),
    # Ranks and scores
    Rule("rank_not_integer", "a rank is no integer", "Rank {rank} is not an integer.",
         "The order comes from the {source}, so the rank is ignored; check that the columns are in order.", WARNING,
         by_rank={"default": ERROR, "is_fixed": True, "remedy": _ORDER_BY_RANK, "effect": "The line comes last."}),
    Rule("rank_duplicate", "a rank comes twice in a topic", "In topic {topic} more than one document has the rank {rank}.",
         "The order comes from the {source}, so the rank is ignored; other tools may read it.", OFF, TOPIC,
         by_rank={"default": ERROR, "is_fixed": True, "remedy": _ORDER_BY_RANK,
                  "effect": "Equal ranks are ordered by score, then docno."}),
    Rule("rank_negative", "a rank is below 0", "Rank {rank} is below 0.",
         "The order comes from the {source}, so the rank is ignored; check that the columns are in order.", WARNING,
         by_rank={"remedy": "Documents are ordered by rank here, the lowest first: check that the columns are in order."}),
    Rule("rank_constant", "all ranks are the same", "Every line of the file has the rank {rank}.",
         "The order comes from the {source}, so the rank is ignored; other tools may read it.", WARNING, FILE,
         by_rank=_OFF),
    Rule("score_rises", "scores and ranks disagree",
         "In topic {topic} a document has a higher score than one ranked before it. "
         "In the whole file this holds for {rising} of {lines} lines.",
         "The order comes from the scores: check that higher scores mean better documents.", WARNING, TOPIC,
         "The scores count.",
         by_rank={"effect": "The ranks count.", "remedy": "trec_eval and most other tools order by score and give this run "
                  "other values: check that the ranks are those of the run."},
         by_line=_OFF),
    Rule("score_reversed", "scores rise with the ranks throughout the file",
         "In every topic the scores rise from the first rank to the last. Line {first}: “{first_line}”. "
         "Line {last}: “{last_line}”. By score the top document of topic {topic} is {top}, by rank it is {first_docno}.",
         "If lower scores mean better documents, negate the scores: {first_docno} then comes first. If the ranks are "
         "wrong, write them anew by descending score: {top} stays first.", ERROR, FILE, "The scores count.",
         by_rank={"default": WARNING, "is_fixed": True, "effect": "The ranks count.",
                  "remedy": "trec_eval and most other tools order by score and turn this run around. If lower scores mean "
                  "better documents, negate the scores. If the ranks are wrong, write them by descending score."},
         by_line=_OFF),
    Rule("score_out_of_range", "a score is infinite or 0 in single precision",
         "Score {score} is {becomes} in single precision, in which this task compares scores as trec_eval 9 does.",
         "Scores that become the same are ordered by docno: write scores between 1e-38 and 1e38, or their negatives.", WARNING,
         by_rank=_OFF, by_line=_OFF),
    Rule("score_constant", "all documents of a topic have the same score",
         "In topic {topic} all {documents} documents have the score {score}. " + _TIES,
         "Documents of equal score are ordered by docno alone: {advice}", WARNING, TOPIC,
         by_rank=_OFF, by_line=_OFF),
    Rule("score_ties", "many documents of a topic have the same score", _TIES,
         "Documents of equal score are ordered by docno alone, whatever their ranks: {advice}",
         WARNING, FILE, by_rank=_OFF, by_line=_OFF),
    # The other columns, and the file
    Rule("head_line", "a line before the run describes the system (SYSDESC), or names the columns", "{what}",
         "Other tools may take it for a line of the run: take it out before you give the file to them.", WARNING, LINE,
         "The line is left out; a SYSDESC becomes the description of a run that has none, up to 5,000 characters."),
    Rule("comment_line", "a line among those of the run begins with #",
         "The line begins with #: it was taken for a comment and left out.",
         "Other tools may take it for a line of the run: take it out before you give the file to them.", WARNING, LINE,
         "The line is left out."),
    Rule("not_q0", "the second column is not Q0", "The second column is {value}, not Q0.",
         "Write Q0; the column is ignored here, but other tools may refuse it.", WARNING),
    Rule("tag_unexpected", "the tag in the file is not that of the submission",
         "The run tag is {tag}, but the run is submitted as {expected}.",
         "Write {expected} in the last column of every line.", WARNING, LINE, "The run is known as {expected}."),
    Rule("tag_varies", "there is more than one tag in the file",
         "Run tag {tag} differs from the first line's {first}.",
         "Write one tag in the whole file; send two runs as two files.", ERROR, LINE, "All lines count."),
    Rule("tag_pattern", "the tag in the file does not match the pattern", "Run tag {tag} does not match {pattern}.",
         "Use a tag of the form that the task asks for.", WARNING),
    Rule("byte_order_mark", "the file begins with a byte order mark",
         "The file begins with a byte order mark, which was ignored here.",
         "For tools that read the mark as part of the first field, save the file as UTF-8 without it.", WARNING, FILE),
]  # fmt: skip

SOURCES = {BY_SCORE: "scores", BY_RANK: "ranks", BY_LINE: "lines"}
RULES: Mapping[str, Rule] = {rule.code: rule for rule in _RULES}
BYTE_ORDER_MARK = "byte_order_mark"
"""The one rule that is broken before a line is read: `without_mark` reports it, with the severity that it is given."""


class KnownDocnos(Protocol):
    """A list of docnos of any size that returns which docnos are not in it."""

    def missing(self, docnos: Iterable[str]) -> set[str]: ...


@dataclass(frozen=True)
class DocnoSet:
    """A list of docnos that fits into memory."""

    docnos: frozenset[str]

    def missing(self, docnos: Iterable[str]) -> set[str]:
        return set(docnos) - self.docnos


@dataclass(frozen=True)
class RunRules:
    """What a task asks of a run; `None` means that nothing is asked. Patterns are for the whole field (see `patterns.py`).

    `unscored`: topics of the task that are removed from scoring.

    `severities` holds what differs from the defaults: rule code to error, warning or off; those of fixed rules have no effect.
    """

    topics: frozenset[str] | None = None
    max_documents_per_topic: int = 1000
    docnos: KnownDocnos | None = None
    docno_pattern: str | None = None
    tag: str | None = None
    tag_pattern: str = DEFAULT_TAG_PATTERN
    severities: Mapping[str, str] = field(default_factory=dict)
    unscored: frozenset[str] = frozenset()
    ordering: Ordering = field(default_factory=Ordering)

    def rule(self, code: str) -> Rule:
        """Return the rule as it is in the order of the task."""
        return RULES[code].under(self.ordering.run_order)

    def severity(self, code: str) -> str:
        rule = self.rule(code)
        return rule.default if rule.is_fixed else self.severities.get(code, rule.default)

    def is_scored(self, topic: str) -> bool:
        return (self.topics is None or topic in self.topics) and topic not in self.unscored

    def tag_is_well_formed(self, tag: str) -> bool:
        return len(tag) <= KEY_LENGTH_LIMIT and matches_whole(self.tag_pattern, tag)

    def docno_is_well_formed(self, docno: str) -> bool:
        if self.docno_pattern is None or len(docno) > KEY_LENGTH_LIMIT:  # docno_long reports what is too long
            return True
        return matches_whole(self.docno_pattern, docno)


def words_of_order(run_order: str) -> dict[str, str]:
    """What messages say of the order: the values that all of them may use."""
    return {"order": AT_THE_CUT[run_order], "source": SOURCES[run_order]}


def is_severity_setting(code: str, severity: str) -> bool:
    """Whether a task may set this severity for this rule.

    >>> is_severity_setting("column_count", OFF), is_severity_setting("tie_at_cut", OFF)
    (False, True)
    """
    return code in RULES and not RULES[code].is_fixed and severity in (ERROR, WARNING, OFF)
