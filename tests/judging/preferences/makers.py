"""Comparisons made by hand: documents with the best grade of a topic, and answers to their pairs."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from campaign.models import Topic, User
from judging.models import PreferenceAct, PreferenceAssignment, Qrels
from judging.preferences.selectors import standing_of
from judging.preferences.services import Answered, Outcome, preferences_record
from tests.factories import Cast

Chooses = Callable[[str, str], str]


def by_docno(left: str, right: str) -> str:
    """The assessor prefers what comes first in the alphabet."""
    return "left" if left < right else "right"


def make_comparison(
    cast: Cast,
    topic: Topic,
    docnos: list[str],
    *,
    qrels: Qrels | None = None,
    assessor: User | None = None,
    **values: Any,
) -> PreferenceAssignment:
    return PreferenceAssignment.objects.create(
        qrels=qrels or cast.task.qrels.order_by("-version")[0],
        topic=topic,
        assessor=assessor or cast.assessor,
        grade=3,
        documents=sorted(docnos),
        assigned_by=cast.organiser,
        **{"seed": 1, "control_percent": 0, **values},
    )


def send(assignment: PreferenceAssignment, **values: Any) -> Outcome:
    sent = Answered(**{"uuid": uuid4(), **values})
    [outcome] = preferences_record(assessor=assignment.assessor, assignment=assignment, sent=[sent])
    return outcome


def answer_next(assignment: PreferenceAssignment, choose: Chooses = by_docno) -> PreferenceAct:
    left, right = standing_of(assignment).state.open[0]
    outcome = send(assignment, left=left, right=right, answer=choose(left, right))
    assert outcome.act is not None, outcome.refusal
    return outcome.act


def answer_all(assignment: PreferenceAssignment, choose: Chooses = by_docno) -> None:
    while standing_of(assignment).state.open:
        answer_next(assignment, choose)
