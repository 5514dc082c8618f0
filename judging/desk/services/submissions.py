"""Judgments that programs send: as from the desk, but a UUID that is used again for something else is refused."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from campaign.models import User
from judging.desk.services.judgments import Act, Outcome, judgments_record, says_the_same
from judging.models import Assignment, Judgment

SAID = ("docno", "verdict", "grade", "note", "flagged")
"""By what a judgment that is sent again is compared with one that could not be stored today."""


def judgments_submit(*, assessor: User, assignment: Assignment, acts: Sequence[Act]) -> list[Outcome]:
    """Store acts as `judgments_record` does. A desk never changes what it sends again; a program may, by mistake."""
    outcomes = judgments_record(assessor=assessor, assignment=assignment, acts=acts)
    return [_refused_if_other(act, outcome) for act, outcome in zip(acts, outcomes, strict=True)]


def _refused_if_other(act: Act, outcome: Outcome) -> Outcome:
    stored = outcome.judgment
    if stored is None or outcome.is_new or not _differs(act, stored):
        return outcome
    return Outcome(
        refusal=ValidationError(
            f"The UUID {act.uuid} is that of a judgment that is stored already: {stored.docno}, {_in_words(stored)}. "
            "It stays as it is. Send another judgment under a new UUID."
        )
    )


def _differs(act: Act, stored: Judgment) -> bool:
    if act.undoes is not None or stored.undoes is not None:
        return (act.docno, act.undoes) != (stored.docno, stored.undoes)
    try:
        return not says_the_same(act, stored)
    except ValidationError:  # the scale or the subtopics have changed since it was stored
        return any(getattr(act, name) != getattr(stored, name) for name in SAID if name != "grade" or _has_grade(act))


def _has_grade(act: Act) -> bool:
    """A grade beside another verdict is not stored, so that it says nothing."""
    return act.verdict == Judgment.GRADED


def _in_words(judgment: Judgment) -> str:
    return judgment.get_verdict_display() if judgment.grade is None else f"grade {judgment.grade}"
