"""What an act keeps besides its grade, what undoing it restores, and answers that do not go with a grade."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.collection.selectors.versions import guidelines_version, topic_version
from campaign.models import Task
from judging.desk.services.judgments import Act, judgment_record, judgment_undo, judgments_record
from judging.desk.services.submissions import judgments_submit
from judging.judgments.selectors.own_documents import items, unjudged
from judging.models import Assignment, Judgment
from judging.qrels.selectors.releases import release_draft
from tests.factories import Cast, make_cast
from tests.judging.makers import assign, judge, make_assignment, make_subtopics

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


@pytest.fixture
def with_subtopics() -> Assignment:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1", "D2"])
    make_subtopics(assignment.topic, ["a", "b"])
    return assignment


def undo(assignment: Assignment) -> Judgment | None:
    return judgment_undo(assessor=assignment.assessor, assignment=assignment)


def draft(assignment: Assignment, docno: str, **values: Any) -> Judgment:
    return judgment_record(
        assessor=assignment.assessor, assignment=assignment, uuid=uuid4(), docno=docno, verdict=Judgment.DRAFT, **values
    )


def current(assignment: Assignment, docno: str = "D1") -> Judgment:
    return Judgment.objects.get(topic=assignment.topic, docno=docno, is_current=True)


def test_undoing_a_change_restores_the_grade_and_the_note_before_it(assignment: Assignment) -> None:
    judge(assignment, "D1", 1, note="first thought")
    judge(assignment, "D1", 0, note="second thought")
    undone = undo(assignment)
    assert undone is not None
    now = current(assignment)
    assert (now.verdict, now.grade, now.note) == (Judgment.GRADED, 1, "first thought")
    assert [entry.docno for entry in unjudged(assignment)] == ["D2", "D3"]


def test_undo_goes_back_through_every_change_of_a_document_to_the_time_before_its_judgment(
    assignment: Assignment,
) -> None:
    for grade in (1, 0, None):
        judge(assignment, "D1", grade)
    states = []
    for _ in range(3):
        undo(assignment)
        states.append((current(assignment).verdict, current(assignment).grade))
    assert states == [("graded", 0), ("graded", 1), ("withdrawn", None)]
    assert undo(assignment) is None


def test_undo_restores_ticks_and_a_document_that_is_open_again_keeps_its_note_and_ticks(
    with_subtopics: Assignment,
) -> None:
    judge(with_subtopics, "D1", 2, answers={"subtopic": ["b"]}, note="see page 2")
    judge(with_subtopics, "D1", 3, answers={"subtopic": ["a"]})
    undo(with_subtopics)
    assert current(with_subtopics).details == {"a": 0, "b": 1}
    undo(with_subtopics)
    assert (current(with_subtopics).verdict, current(with_subtopics).details) == ("withdrawn", {"a": 0, "b": 1})
    [item, _] = items(with_subtopics)
    assert (item.is_judged, item.note, item.details) == (False, "see page 2", {"a": 0, "b": 1})


def test_an_act_and_its_undoing_in_one_batch_leave_what_was_there_before(assignment: Assignment) -> None:
    judge(assignment, "D1", 1)
    change = uuid4()
    start = timezone.now() - timedelta(minutes=1)
    acts = [
        Act(change, "D1", grade=0, judged_at=start + timedelta(seconds=1)),
        Act(uuid4(), "D1", verdict=Judgment.WITHDRAWN, undoes=change, judged_at=start + timedelta(seconds=2)),
    ]
    outcomes = judgments_record(assessor=assignment.assessor, assignment=assignment, acts=acts)
    assert [outcome.refusal for outcome in outcomes] == [None, None]
    assert current(assignment).grade == 1


def test_taking_back_an_act_that_never_arrived_takes_back_what_is_there(assignment: Assignment) -> None:
    judge(assignment, "D1", 1)
    act = Act(uuid4(), "D1", verdict=Judgment.WITHDRAWN, undoes=uuid4(), judged_at=timezone.now())
    judgments_record(assessor=assignment.assessor, assignment=assignment, acts=[act])
    assert (current(assignment).verdict, current(assignment).undoes) == ("withdrawn", None)


def test_taking_back_an_act_keeps_what_was_said_since_on_another_device(assignment: Assignment) -> None:
    first = judge(assignment, "D1", 1)
    judge(assignment, "D1", 2, note="looked again")
    taken_back = {"assignment": assignment, "docno": "D1", "undoes": first.uuid, "verdict": Judgment.WITHDRAWN}
    judgment_record(assessor=assignment.assessor, uuid=uuid4(), **taken_back)
    assert (current(assignment).grade, current(assignment).note) == (2, "looked again")
    undo(assignment)
    assert current(assignment).verdict == Judgment.WITHDRAWN


def test_taking_back_an_act_restores_what_was_said_before_it_though_it_arrived_later(assignment: Assignment) -> None:
    began = timezone.now() - timedelta(minutes=10)
    second = judge(assignment, "D1", 2, judged_at=began + timedelta(minutes=2))
    judge(assignment, "D1", 1, judged_at=began + timedelta(minutes=1), note="of a device that was offline")
    assert current(assignment) == second
    undo(assignment)
    assert (current(assignment).grade, current(assignment).note) == (1, "of a device that was offline")


def test_nobody_takes_back_the_act_of_another_assessor(cast: Cast, assignment: Assignment) -> None:
    others = judge(assignment, "D1", 3)
    second = assign(assignment.pool, assignment.topic, cast.organiser, cast.organiser, pass_number=2)
    act = Act(uuid4(), "D1", verdict=Judgment.WITHDRAWN, undoes=others.uuid)
    [outcome] = judgments_record(assessor=cast.organiser, assignment=second, acts=[act])
    assert outcome.judgment is not None
    assert (outcome.judgment.verdict, outcome.judgment.grade) == ("withdrawn", None)


def test_a_note_without_a_grade_is_kept_and_the_document_is_still_to_be_judged(assignment: Assignment) -> None:
    draft(assignment, "D2", note="compare with D1", flagged=True)
    [_, item, _] = items(assignment)
    assert (item.is_judged, item.note, item.flagged) == (False, "compare with D1", True)
    assert [entry.docno for entry in unjudged(assignment)] == ["D1", "D2", "D3"]
    judge(assignment, "D1", 1)
    assert release_draft(assignment.pool, "latest").judged == 1


def test_ticks_are_kept_before_the_grade_and_with_a_grade_of_0(with_subtopics: Assignment) -> None:
    draft(with_subtopics, "D1", answers={"subtopic": ["b"]})
    assert items(with_subtopics)[0].details == {"a": 0, "b": 1}
    assert judge(with_subtopics, "D1", 0, answers={"subtopic": ["b"]}).details == {"a": 0, "b": 1}


@pytest.mark.parametrize(
    ("grade", "ticked", "problem"),
    [(0, ["b"], "0 not relevant, but a subtopic is ticked"), (3, [], "3 perfect, but no subtopic is ticked")],
)
def test_where_the_organiser_stops_contradictions_they_are_refused(
    with_subtopics: Assignment, grade: int, ticked: list[str], problem: str
) -> None:
    task = with_subtopics.pool.task
    Task.objects.filter(pk=task.pk).update(contradictions=Task.STOP)
    strict = Assignment.objects.select_related("pool__task", "topic").get(pk=with_subtopics.pk)
    with pytest.raises(ValidationError, match=problem):
        judge(strict, "D1", grade, answers={"subtopic": ticked})
    assert judge(strict, "D1", grade, answers={"subtopic": ["a"] if not ticked else []}).grade == grade


def test_an_act_keeps_how_it_was_made_and_which_texts_were_shown(assignment: Assignment) -> None:
    topic, guidelines = topic_version(assignment.topic), guidelines_version(assignment.pool.task)
    facts = {"away_ms": 900, "input_method": "key", "position": 2, "extent": "full", "text_sha256": "ab" * 32}
    kept = judge(assignment, "D1", 1, **facts)
    assert {name: getattr(kept, name) for name in facts} == facts
    assert (kept.topic_sha256, kept.guidelines_sha256) == (topic, guidelines)
    assert judge(assignment, "D1", 2).previous == kept.uuid


def test_measurements_that_cannot_be_true_are_left_out_and_the_grade_is_kept(assignment: Assignment) -> None:
    wrong = {"away_ms": -5, "input_method": "brain", "position": -1, "extent": "half", "text_sha256": "<b>"}
    kept = judge(assignment, "D1", 1, **wrong)
    assert (kept.grade, kept.away_ms, kept.input_method, kept.position) == (1, None, "", None)
    assert (kept.extent, kept.text_sha256) == ("", "")


def test_why_a_document_could_not_be_judged_is_kept(assignment: Assignment) -> None:
    assert judge(assignment, "D1", None, reason="in a language that I do not read").reason
    assert judge(assignment, "D2", 1, reason="left over from before").reason == ""


def test_taking_back_counts_though_its_device_has_a_slow_clock_and_is_stored_once(assignment: Assignment) -> None:
    judged = judge(assignment, "D1", 1, judged_at=timezone.now() - timedelta(minutes=1))
    act = Act(uuid4(), "D1", undoes=judged.uuid, judged_at=judged.judged_at - timedelta(minutes=1))
    for _ in range(2):
        [outcome] = judgments_submit(assessor=assignment.assessor, assignment=assignment, acts=[act])
        assert outcome.refusal is None
    assert (current(assignment).verdict, current(assignment).undoes) == (Judgment.WITHDRAWN, judged.uuid)
    assert Judgment.objects.count() == 2
