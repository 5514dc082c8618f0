"""What all corrections have in common: when they become errata, and how a second editor learns of the first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Max

from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.errata import what_is_corrected
from campaign.formats.markup import one_line
from campaign.models import Correction, Task, User
from campaign.models.fields import NO_PLAIN_LINE, is_plain_line
from campaign.news.services.automatic import tell_of_erratum
from campaign.web.daily_limits import require_few_rows
from campaign.web.rendered_markdown import require_prose

MOST_CORRECTIONS_A_DAY = 1_000
"""Of a task: each keeps the texts before and after it, and is told to everybody who sees the task."""
NOTHING_CHANGED = "Nothing is changed: change a text, or cancel."
MISSING = {
    "reason": "Say why, for the organisers: teams or assessors may have seen the earlier text.",
    "note": "Say what changed, for everybody: teams or assessors may have seen the earlier text.",
}


class ChangedMeanwhileError(Exception):
    """The text is not the one that the editor had before them: nothing was saved."""


@dataclass(frozen=True, slots=True)
class Why:
    """`reason` is for organisers, `note` for everybody who sees the task."""

    reason: str = ""
    note: str = ""

    def require(self) -> None:
        """Raise ValidationError with what is missing of an erratum."""
        if missing := {name: text for name, text in MISSING.items() if not getattr(self, name).strip()}:
            raise ValidationError(missing)


@dataclass(frozen=True, slots=True)
class Change:
    """Of one text; `before` and `after` hold the changed parts by their names."""

    kind: str
    key: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    before_sha256: str = ""
    after_sha256: str = ""


def require_seen(seen_sha256: str | None, sha256: str) -> None:
    """Raise ChangedMeanwhileError where the editor had another text than this; None: a program that does not say."""
    if seen_sha256 is not None and seen_sha256 != sha256:
        raise ChangedMeanwhileError


def changed_parts(before: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields whose values are other ones; ValidationError for a field that the text lacks, or where none is.

    A title that changes stays one line: it stands in tables, mails and files.
    """
    if unknown := sorted(fields.keys() - before.keys()):
        raise ValidationError(f"There is no text “{unknown[0]}” to correct; there are {', '.join(before)}.")
    changed = {name: value for name, value in fields.items() if value != before[name]}
    if not changed:
        raise ValidationError(NOTHING_CHANGED)
    if wrong := [name for name, value in changed.items() if type(value) is not type(before[name])]:
        raise ValidationError({wrong[0]: "Write a text."})
    if "title" in changed:
        changed["title"] = changed["title"].strip()
        if not is_plain_line(changed["title"]):
            raise ValidationError({"title": NO_PLAIN_LINE})
    return changed


def correction_write(*, actor: User, task: Task, change: Change, why: Why) -> Correction | None:
    """Write the erratum of a change; None while nobody can have seen the text. Call it with the task locked."""
    if not texts_are_settled(task):
        return None
    why.require()
    of_task = Correction.objects.filter(task=task)
    require_few_rows(of_task, "at", {"by": actor}, MOST_CORRECTIONS_A_DAY, "corrections of this task")
    last = of_task.aggregate(last=Max("number"))["last"] or 0
    correction = Correction(
        task=task,
        number=last + 1,
        kind=change.kind,
        key=change.key,
        version=of_task.filter(kind=change.kind, key=change.key).count() + 2,
        before=dict(change.before),
        after=dict(change.after),
        before_sha256=change.before_sha256,
        after_sha256=change.after_sha256,
        reason=why.reason.strip(),
        note=why.note.strip(),
        by=actor,
    )
    correction.full_clean()
    correction.save()
    _tell(actor, correction)
    return correction


def _tell(actor: User, correction: Correction) -> None:
    """One notice to those who see the task. The note stands in it as Markdown, as in every notice."""
    task = correction.task
    require_prose("note", correction.note)
    title = one_line(f"{task}: erratum {correction.number}. {what_is_corrected(correction)}")
    page = f"{task.url('errata')}?upto={correction.number}#erratum-{correction.number}"
    tell_of_erratum(actor=actor, task=task, title=title, body=correction.note, page=page)
