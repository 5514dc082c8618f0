"""Judgments that programs send: as from the desk, but a UUID that is used again for something else is refused."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.core.exceptions import ValidationError

from campaign.models import User
from judging.core.modes.declaration import JudgingMode
from judging.core.modes.registry import judging_mode
from judging.desk.services.judgments import STATED, Act, Outcome, as_stored, judgments_record, judgments_try
from judging.models import Assignment, Judgment

SAID = ("docno", "verdict", "grade", "note", "flagged")
"""By what a judgment that is sent again is compared with one that could not be stored today."""
TWO = (
    "This takes a judgment back (`undoes`) and states another one: what counted before counts again, not what is stated. "
    "Leave out verdict, grade, answers, note, reason and flagged, or leave out `undoes`."
)
AT_ARRIVAL = timedelta(minutes=1)


def judgments_submit(*, assessor: User, assignment: Assignment, acts: Sequence[Act]) -> list[Outcome]:
    """Store acts as `judgments_record` does. A desk never changes what it sends again; a program may, by mistake."""
    refused = _saying_two(assignment, acts)
    allowed = [act for act in acts if act.uuid not in refused]
    recorded = iter(judgments_record(assessor=assessor, assignment=assignment, acts=allowed))
    outcomes = [Outcome(refusal=ValidationError(TWO)) if act.uuid in refused else next(recorded) for act in acts]
    known = [
        (place, act, outcome.judgment)
        for place, (act, outcome) in enumerate(zip(acts, outcomes, strict=True))
        if outcome.judgment is not None and not outcome.is_new
    ]
    if not known:
        return outcomes
    undone = {
        one.uuid: one for one in Judgment.objects.filter(uuid__in=[act.undoes for _, act, _ in known if act.undoes])
    }
    again = as_stored(assignment, [act for _, act, _ in known])
    for (place, act, stored), sent in zip(known, again, strict=True):
        if _differs(act, stored, sent, undone.get(act.undoes) if act.undoes else None):
            outcomes[place] = _refused(act, stored)
    return outcomes


def _saying_two(assignment: Assignment, acts: Sequence[Act]) -> set[UUID]:
    """New acts that take back and state what does not count then: it would be dropped in silence.

    What was exported says what counts since: it comes in again.
    """
    if all(act.undoes is None for act in acts):
        return set()
    mode = judging_mode(assignment.pool.task.judging_mode)
    tried = judgments_try(assessor=assignment.assessor, assignment=assignment, acts=acts)
    return {
        act.uuid
        for act, outcome in zip(acts, tried, strict=True)
        if act.undoes is not None and outcome.is_new and outcome.judgment and _says_more(act, outcome.judgment, mode)
    }


def _says_more(act: Act, left: Judgment, mode: JudgingMode) -> bool:
    """Whether the act states something that `left`, which counts after it, does not say. What is empty states nothing."""
    if act.verdict not in (Judgment.GRADED, Judgment.WITHDRAWN, left.verdict):
        return True
    if act.answers and dict(act.answers) != dict(mode.answers_of(left.details)):
        return True
    if act.grade is not None and act.grade != left.grade:
        return True
    return any(getattr(act, name) not in ("", False, getattr(left, name)) for name in ("note", "reason", "flagged"))


def undoes_the_same(act: Act, stored: Judgment, undone: Judgment | None) -> bool:
    """Whether both take back the same. What was not here when the act was stored (or is of others) was not taken back by it."""
    if act.undoes == stored.undoes:
        return True
    return stored.undoes is None and (undone is None or undone.pk > stored.pk or place_of(undone) != place_of(stored))


def is_at(stated: datetime | None, stored: Judgment, undone: Judgment | None) -> bool:
    """Whether a moment that is sent is that of the judgment. Programs that save files leave out the parts of a second.

    What was stored at its arrival may have been sent by a clock that runs ahead, or to one that was set back; what was stored
    at the moment of the judgment `undone` that it takes back, by a slow clock.
    """
    moment, arrival = stored.judged_at, stored.received_at
    if stated is None or stated in (moment, moment.replace(microsecond=0)):
        return True
    if undone is not None and stored.undoes == undone.uuid and moment == undone.judged_at and stated < moment:
        return True
    return moment > arrival or (stated > arrival and moment > arrival - AT_ARRIVAL)


def in_words(judgment: Judgment) -> str:
    """What it says, and when it was made."""
    said = judgment.get_verdict_display() if judgment.grade is None else f"grade {judgment.grade}"
    return f"{said}, {judgment.judged_at:%Y-%m-%d %H:%M:%S} UTC"


def place_of(judgment: Judgment) -> tuple[object, ...]:
    """Who judged what: only what is there can be taken back by an act."""
    return judgment.topic_id, judgment.assessor_id, judgment.pass_number, judgment.docno


def _refused(act: Act, stored: Judgment) -> Outcome:
    return Outcome(
        refusal=ValidationError(
            f"The UUID {act.uuid} is that of a judgment that is stored already: {stored.docno}, {in_words(stored)}. "
            "It stays as it is. Send another judgment under a new UUID."
        )
    )


def _differs(act: Act, stored: Judgment, sent: Judgment | None, undone: Judgment | None) -> bool:
    if act.docno != stored.docno or not undoes_the_same(act, stored, undone):
        return True
    if not is_at(act.judged_at, stored, undone):
        return True
    if stored.undoes is not None:
        return False
    if sent is not None:
        return any(getattr(sent, name) != getattr(stored, name) for name in STATED)
    return any(getattr(act, name) != getattr(stored, name) for name in SAID if name != "grade" or _has_grade(act))


def _has_grade(act: Act) -> bool:
    """A grade beside another verdict is not stored, so that it says nothing."""
    return act.verdict == Judgment.GRADED
