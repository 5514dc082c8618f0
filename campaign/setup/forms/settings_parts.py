"""The form of a task in parts: folded ones say their present values beside their heading."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.forms import BoundField

from campaign.models import Task
from campaign.setup.forms.guidelines import GUIDELINES
from campaign.setup.forms.settings_page import TaskSettings
from campaign.text.plurals import listed, number_of

OPEN: Final = ("title", "slug", "judging_mode", "closes_at", "measures")
"""What every task needs a look at: it stands above the folded parts."""
OF_SUBTOPICS: Final = ("contradictions", "subtopics_after_grade")
"""They mean nothing in a mode without subtopics, and are not shown there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`fields`: names in the form of the task. `own`: the template of what follows them.

    `note`: what a change does to runs and scores that are there. `table`: the setting that its table of rows holds.
    """

    key: str
    title: str
    fields: tuple[str, ...]
    say: Callable[[TaskSettings], str]
    own: str = ""
    note: str = ""
    table: str = ""

    @property
    def holds(self) -> set[str]:
        """Names of settings, as the log has them."""
        return {*self.fields, self.table} - {""}


@dataclass(frozen=True, slots=True)
class Part:
    kind: Kind
    fields: list[BoundField]
    said: str
    is_open: bool


def task_parts(settings: TaskSettings, edited: Set[str] = frozenset()) -> list[Part]:
    """The folded parts in the order of the page. Open: those with an error, and with an entry that is named as `edited`."""
    return [
        Part(kind, fields, kind.say(settings), _has_errors(settings, kind, fields) or not edited.isdisjoint(kind.holds))
        for kind in KINDS
        for fields in [[settings.form[name] for name in kind.fields if name in settings.form.fields]]
    ]


def _has_errors(settings: TaskSettings, kind: Kind, fields: Sequence[BoundField]) -> bool:
    if any(field.errors for field in fields):
        return True
    own: Any = {"grades": settings.scale, "rules": settings.rules, "questions": settings.questions}.get(kind.key)
    return bool(own and own.is_bound and not own.is_valid())


def _chosen(settings: TaskSettings, name: str) -> str:
    """The words of the choice, as the form shows it."""
    value = str(settings.form[name].value() or "")
    choices = {str(key): str(words) for key, words in settings.form.fields[name].choices}  # type: ignore[attr-defined]
    return choices.get(value, value)


def _guidelines(settings: TaskSettings) -> str:
    if GUIDELINES not in settings.form.fields:
        return "seen by others"
    words = len(str(settings.form[GUIDELINES].value() or "").split())
    return number_of(words, "word") if words else "none yet"


def _schedule(settings: TaskSettings) -> str:
    form = settings.form
    opens = form["opens_at"].value()
    if isinstance(opens, datetime):  # in the zone of the campaign already
        opens = f"{opens:%Y-%m-%d %H:%M}"
    goes_on = bool(form["takes_runs_after_pool"].value())
    said = [
        f"opens {opens or 'with the phase Runs'}",
        "takes runs after a pool is frozen" if goes_on else "a frozen pool closes the uploads",
    ]
    if "round_kind" in form.fields:
        said.append(f"{_chosen(settings, 'round_kind').partition(':')[0]} round")
    return "; ".join(said)


def _grades(settings: TaskSettings) -> str:
    rows = [(row["value"].value(), row["label"].value()) for row in settings.scale]
    grades = ", ".join(f"{value} {label or ''}".strip() for value, label in rows if value not in (None, ""))
    lowest = settings.form["lowest_relevant_grade"].value()
    return f"{grades or 'those of the judging mode'}; relevant from {lowest or 'the grade of the judging mode'}"


def _desk(settings: TaskSettings) -> str:
    shown = _chosen(settings, "documents_shown_as").partition(",")[0].partition(":")[0]
    adds = settings.form["assessors_add_documents"].value()
    said = [
        f"documents as {shown}",
        "assessors may add documents" if adds else "assessors may not add documents",
    ]
    if settings.form["passage_first"].value():
        said.append("a passage first")
    return "; ".join(said)


def _rules(settings: TaskSettings) -> str:
    runs, documents = (
        _limit(settings, "max_runs_per_team", "run"),
        _limit(settings, "max_documents_per_topic", "document"),
    )
    said = [f"at most {runs} per team and {documents} per topic", _docnos(settings)]
    if changed := settings.rules.changed_count:
        said.append(f"{number_of(changed, 'severity,severities')} changed")
    return "; ".join(said)


def _limit(settings: TaskSettings, name: str, noun: str) -> str:
    value = str(settings.form[name].value())
    return number_of(int(value), noun) if value.isdecimal() and len(value) < 10 else f"{value[:10]} {noun}s"


def _docnos(settings: TaskSettings) -> str:
    words = "docnos of the collection only" if settings.form["docno_policy"].value() == Task.KNOWN else "any docno"
    return f"{words}, with a pattern" if settings.form["docno_pattern"].value() else words


def _order(settings: TaskSettings) -> str:
    return f"by {_chosen(settings, 'run_order')}; as trec_eval {settings.form['reference'].value()}"


def _questions(settings: TaskSettings) -> str:
    rows = [row for row in settings.questions if row["label"].value() or row["key"].value()]
    if not rows:
        return "none"
    required = sum(bool(row["required"].value()) for row in rows)
    return listed([number_of(len(rows), "question"), *([f"{required} must be answered"] if required else [])])


def _files(settings: TaskSettings) -> str:
    return f"texts for {_chosen(settings, 'texts_for')}"


def _scores(settings: TaskSettings) -> str:
    return _chosen(settings, "scores_shown")


KINDS: Final = (
    Kind("guidelines", "Guidelines", ("guidelines",), _guidelines, own="campaign/setup/_guidelines_elsewhere.html"),
    Kind("schedule", "Opening and uploads", ("opens_at", "takes_runs_after_pool", "round_kind"), _schedule),
    Kind(
        "grades",
        "Grades",
        ("lowest_relevant_grade",),
        _grades,
        table="grades",
        note="New gains and another lowest relevant grade apply to scores that are computed later. "
        "Published leaderboards stay as they are.",
    ),
    Kind(
        "desk",
        "Judging desk",
        (
            "documents_shown_as",
            "document_link",
            "assessors_add_documents",
            *OF_SUBTOPICS,
            "passage_first",
            "cannot_judge_reasons",
        ),
        _desk,
    ),
    Kind(
        "rules",
        "Rules for runs",
        (
            "max_runs_per_team",
            "max_documents_per_topic",
            "docno_policy",
            "collection",
            "docno_pattern",
            "tag_pattern",
        ),
        _rules,
        own="campaign/setup/_rule_severities.html",
        table="rule_severities",
        note="New rules apply to runs that are uploaded later. After you save you can check the existing runs again.",
    ),
    Kind(
        "order",
        "Ranking and tie-breaking",
        ("run_order", "reference"),
        _order,
        note="After a change all runs are checked and scored again; by rank, those whose ranks are missing or come twice are "
        "rejected. Frozen pools and published leaderboards keep the order that they were made in.",
    ),
    Kind(
        "questions",
        "Run metadata fields",
        (),
        _questions,
        own="campaign/setup/_question_rows.html",
        table="questions",
        note="A new question is asked for later runs. A question with answers keeps its key and its kind.",
    ),
    Kind("files", "Texts as files", ("texts_for",), _files),
    Kind(
        "scores",
        "Unpublished scores",
        ("scores_shown",),
        _scores,
        note="A change holds at once, for every run that is scored.",
    ),
)
