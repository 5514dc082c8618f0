"""PURE: what a judging mode declares.

A mode is a module of this folder that holds a `MODE`, and a line in `registry.py`. What a mode shows at the desk are
templates of its own, named here and rendered by `templates/judging/desk.html`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from campaign.formats.problems import ProblemLog
from campaign.modes import Mode

Answers = Mapping[str, Any]
"""The answers of an act besides its grade, as sent: values by name. A form sends lists of texts, a script any JSON."""

Details = Mapping[str, Any]
"""The answers as the mode stores them: JSON whose texts hold no NUL character."""

Subtopics = frozenset[tuple[str, str]]
"""(topic number, subtopic number) of all subtopics of a task."""

ACTS_SCHEMA: Final = pl.Schema(
    {
        "topic": pl.String(),
        "docno": pl.String(),
        "grade": pl.Int32(),
        "pass_number": pl.Int32(),
        "judged_at": pl.Datetime("us", "UTC"),
        "act": pl.Int64(),
    }
)


class RefusedActError(Exception):
    """An act cannot be stored; the message says why and what to do, and is shown to the assessor."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the task's grade scale."""

    value: int
    label: str
    key: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class SubtopicText:
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedTopic:
    """A topic that is judged. `steps` by rising value; `subtopics` is empty unless the mode needs them.

    `grade_first`: whether the subtopics come after the grade. `own_keys`: what the assessor has chosen for commands.
    """

    number: str
    steps: tuple[Step, ...]
    subtopics: tuple[SubtopicText, ...] = ()
    grade_first: bool = False
    own_keys: frozenset[str] = frozenset()

    @property
    def grades(self) -> list[int]:
        return [step.value for step in self.steps]


@dataclass(frozen=True, slots=True)
class CheckedAct:
    """An act that may be stored. Every act has a grade: a mode that does not ask for one computes it."""

    grade: int
    details: Details


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers that do not go with a grade: values of the control `answer` although there should be none, or none at all.

    `text` says so to the assessor, who corrects it or, where the organisers allow it, saves it as it is.
    """

    grade: int
    answer: str
    given: bool
    text: str


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A single key of the desk and what it does; without a key ("") it is not listed."""

    key: str
    does: str


@dataclass(frozen=True, slots=True)
class DeskParts:
    """What the desk shows of a mode for one topic.

    `form_parts` are the templates inside the form that judges a document, `topic_parts` those beside the topic's text.
    Each gets `shown` (the document and its judgment, or None), `topic` (a JudgedTopic) and `part` (this `context`).
    Controls in a `<fieldset data-answers>` are the mode's answers: the scripts send, keep and restore them by name.
    A button named `grade` judges. With `grade_first` the document stays until the same grade is given again.
    """

    form_parts: tuple[str, ...]
    topic_parts: tuple[str, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    shortcuts: tuple[Shortcut, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    grade_first: bool = False


@dataclass(frozen=True, slots=True)
class Acts:
    """The judgments from which qrels are made: each assessor's current one of each document.

    `table` has a row for each with the columns of ACTS_SCHEMA: `grade` is null for "cannot judge", `act` is the order of
    arrival. `details` has what each holds besides, in the order of the rows.
    """

    table: pl.DataFrame
    details: Sequence[Details]


@dataclass(frozen=True, slots=True)
class QrelsTables:
    """`overall`: topic, docno, grade, one row a pair. `by_subtopic`: topic, subtopic, docno, grade, or None."""

    overall: pl.DataFrame
    by_subtopic: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class QrelsFile:
    """A kind of qrels file, judged elsewhere, that can be imported.

    An organiser asks for it by ticking `option`, which the form calls `label`; the kind without an option is the usual
    one. With `by_subtopic` the second column is the subtopic. `check` takes the lines that were read (columns of
    QRELS_SCHEMA) and adds their errors to the problems.
    """

    name: str
    check: Callable[[pl.DataFrame, Subtopics, ProblemLog], None]
    tables: Callable[[pl.DataFrame, Subtopics], QrelsTables]
    option: str = ""
    label: str = ""
    by_subtopic: bool = False


def no_values(details: Details) -> dict[str, list[str]]:
    return {}


def nothing_kept(answers: Answers, topic: JudgedTopic) -> Details:
    return {}


def no_contradictions(topic: JudgedTopic) -> tuple[Contradiction, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class JudgingMode:
    """One way of judging documents.

    `check` takes the grade that was given (or None), the answers and the topic; it returns the act as it is stored, or
    raises RefusedActError. It must cope with any JSON. `answers` are the names that it reads.
    `keep` turns answers into details while the document has no grade yet; it raises RefusedActError like `check`.
    `contradictions` are the answers that do not go with a grade, for desk and server.
    `values` turns stored details back into the values of the desk's controls, by name; `details_as`: the answer that takes
    stored details as they are, where the values do not say all of them.
    `desk` takes the topic and the details of the document shown.
    `qrels` takes the acts and the name of a policy of `judging.core.resolution`.
    `files` are the kinds of qrels files that can be imported, the usual one first.
    """

    mode: Mode
    check: Callable[[int | None, Answers, JudgedTopic], CheckedAct]
    desk: Callable[[JudgedTopic, Details], DeskParts]
    qrels: Callable[[Acts, str], QrelsTables]
    files: tuple[QrelsFile, ...]
    answers: frozenset[str] = frozenset()
    values: Callable[[Details], dict[str, list[str]]] = no_values
    details_as: str = ""
    keep: Callable[[Answers, JudgedTopic], Details] = nothing_kept
    contradictions: Callable[[JudgedTopic], tuple[Contradiction, ...]] = no_contradictions

    @property
    def name(self) -> str:
        return self.mode.name

    def answers_of(self, details: Details) -> Answers:
        """The answers by which these details were stored, so that they can be sent once more."""
        return {self.details_as: details} if self.details_as and details else self.values(details)

    def contradiction(self, act: CheckedAct, topic: JudgedTopic) -> str:
        """What does not go together in the act, in words; "" if all does."""
        given = self.values(act.details)
        rules = (rule for rule in self.contradictions(topic) if rule.grade == act.grade)
        return next((rule.text for rule in rules if rule.given == bool(given.get(rule.answer))), "")

    def file_with(self, option: str) -> QrelsFile | None:
        """The kind of qrels file that is asked for by this option; None if the mode has no such kind."""
        return next((file for file in self.files if file.option == option), None)
