"""Answers to pairs: stored once, refused with a reason, and never lost by what happens meanwhile."""

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.models import AuditEvent, Role
from campaign.storage.reading import verified_bytes
from judging.models import PreferenceAct, PreferenceAssignment
from judging.preferences.selectors import standing_of
from judging.preferences.services import (
    Answered,
    preference_order_release,
    preference_undo,
    preferences_record,
    preferences_start,
    preferences_take_back,
)
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.preferences.makers import answer_all, answer_next, by_docno, make_comparison, send

DOCNOS = ["D1", "D2", "D3", "D4"]


@pytest.fixture
def comparison(cast: Cast) -> PreferenceAssignment:
    topic, _ = make_topics(cast.task, ["401", "402"])
    make_collection(cast.task, DOCNOS)
    make_qrels(cast.task, {"401": dict.fromkeys(DOCNOS, 3)}, cast.organiser)
    return make_comparison(cast, topic, DOCNOS)


def test_answers_put_the_documents_in_order_and_finish_the_topic(comparison: PreferenceAssignment) -> None:
    answer_all(comparison)
    comparison.refresh_from_db()
    assert standing_of(comparison).state.levels == (("D1",), ("D2",), ("D3",), ("D4",))
    assert comparison.finished_at is not None


def test_an_answer_to_a_topic_that_was_taken_back_meanwhile_is_refused_in_words(
    cast: Cast, comparison: PreferenceAssignment
) -> None:
    left, right = standing_of(comparison).state.open[0]
    read_before = PreferenceAssignment.objects.select_related("qrels__task", "topic", "assessor").get()
    for _ in range(2):
        preferences_take_back(actor=cast.organiser, assignment=comparison)
    outcome = send(read_before, left=left, right=right, answer="left")
    assert "was taken back meanwhile" in str(outcome.refusal)
    assert AuditEvent.objects.filter(verb="took back preferences").count() == 1


@pytest.mark.sqlite("judging.preferences.services.preferences_record")
def test_an_answer_that_is_sent_again_is_stored_once(comparison: PreferenceAssignment) -> None:
    first = answer_next(comparison)
    again = send(comparison, uuid=first.uuid, left=first.left, right=first.right, answer=first.answer)
    assert again.act == first
    assert PreferenceAct.objects.count() == 1


def test_a_replay_with_another_answer_is_refused(comparison: PreferenceAssignment) -> None:
    first = answer_next(comparison)
    other = send(comparison, uuid=first.uuid, left=first.left, right=first.right, answer="equal")
    assert other.refusal is not None
    assert "with another answer" in other.refusal.messages[0]
    assert PreferenceAct.objects.get().answer == first.answer


def test_an_identifier_of_another_topic_is_refused(cast: Cast, comparison: PreferenceAssignment) -> None:
    first = answer_next(comparison)
    topic = cast.task.topics.get(number="402")
    other = make_comparison(cast, topic, DOCNOS)
    outcome = send(other, uuid=first.uuid, left=first.left, right=first.right, answer=first.answer)
    assert outcome.refusal is not None
    assert "belongs to another topic" in outcome.refusal.messages[0]


def test_somebody_else_cannot_answer(cast: Cast, comparison: PreferenceAssignment) -> None:
    with pytest.raises(ValidationError, match="another assessor"):
        preferences_record(assessor=cast.organiser, assignment=comparison, sent=[])


def test_who_lost_the_role_is_told_so_and_nothing_is_stored(cast: Cast, comparison: PreferenceAssignment) -> None:
    Role.objects.filter(user=cast.assessor, role=Role.ASSESSOR).delete()
    left, right = standing_of(comparison).state.open[0]
    outcome = send(comparison, left=left, right=right, answer="left")
    assert outcome.refusal is not None
    assert "no assessor" in outcome.refusal.messages[0]
    assert not PreferenceAct.objects.exists()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"answer": "better"}, "is no answer"),
        ({"right": "elsewhere"}, "not compared so"),
        ({"note": "x" * 4001}, "too long"),
        ({"undoes": uuid4()}, "no such answer"),
    ],
)
def test_what_no_answer_can_be_is_refused(
    comparison: PreferenceAssignment, values: dict[str, object], reason: str
) -> None:
    left, right = standing_of(comparison).state.open[0]
    outcome = send(comparison, **{"left": left, "right": right, "answer": "left", **values})
    assert outcome.refusal is not None
    assert reason in outcome.refusal.messages[0]
    assert not PreferenceAct.objects.exists()


def test_sides_are_drawn_and_not_chosen(comparison: PreferenceAssignment) -> None:
    left, right = standing_of(comparison).state.open[0]
    assert send(comparison, left=right, right=left, answer="left").refusal is not None


def test_undo_shows_the_pair_again_and_goes_back_step_by_step(cast: Cast, comparison: PreferenceAssignment) -> None:
    before = [standing_of(comparison).state]
    for _ in range(3):
        answer_next(comparison)
        before.append(standing_of(comparison).state)
    for state in reversed(before[:-1]):
        preference_undo(assessor=cast.assessor, assignment=comparison, uuid=uuid4())
        assert standing_of(comparison).state == state
    assert preference_undo(assessor=cast.assessor, assignment=comparison, uuid=uuid4()) is None
    assert PreferenceAct.objects.count() == 6


def test_undoing_the_last_answer_opens_a_finished_topic_again(cast: Cast, comparison: PreferenceAssignment) -> None:
    answer_all(comparison)
    preference_undo(assessor=cast.assessor, assignment=comparison, uuid=uuid4())
    comparison.refresh_from_db()
    assert comparison.finished_at is None


def test_of_two_answers_to_one_pair_the_later_counts_whichever_arrives_first(comparison: PreferenceAssignment) -> None:
    now, (left, right) = timezone.now(), standing_of(comparison).state.open[0]
    send(comparison, left=left, right=right, answer="left", answered_at=now)
    late = send(comparison, left=left, right=right, answer="right", answered_at=now - timedelta(minutes=1))
    assert late.act is not None
    assert standing_of(comparison).answers == {(left, right): "left"}


def test_a_refused_answer_holds_up_none_of_its_batch(comparison: PreferenceAssignment) -> None:
    left, right = standing_of(comparison).state.open[0]
    sent = [
        Answered(uuid4(), left, "elsewhere", "left"),
        Answered(uuid4(), left, right, "equal", active_ms=-5, input_method="telepathy"),
    ]
    bad, good = preferences_record(assessor=comparison.assessor, assignment=comparison, sent=sent)
    assert bad.refusal is not None
    assert good.act is not None
    assert (good.act.active_ms, good.act.input_method) == (None, "")


def test_repeats_are_marked_and_counted(comparison: PreferenceAssignment) -> None:
    PreferenceAssignment.objects.filter(pk=comparison.pk).update(control_percent=50)
    comparison.refresh_from_db()
    answer_all(comparison, lambda left, right: "left")
    counts = standing_of(comparison).consistency
    assert counts.repeats == counts.same_side == PreferenceAct.objects.filter(is_repeat=True).count() > 0


def test_topics_of_the_best_grade_go_to_assessors_with_about_equal_work(cast: Cast) -> None:
    make_topics(cast.task, ["1", "2", "3", "4"])
    many = {f"D{place}": 3 for place in range(8)}
    grades = {"1": {**many, "X": 1}, "2": {"a": 2, "b": 2, "c": 0}, "3": {"a": 1, "b": 1, "c": 1}, "4": {"a": 0}}
    qrels = make_qrels(cast.task, grades, cast.organiser)
    other = make_user("second")
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    preferences_start(
        actor=cast.organiser, qrels=qrels, topics=["1", "2", "3"], assessors=[cast.assessor, other], best=5
    )
    found = {one.topic.number: one for one in PreferenceAssignment.objects.select_related("topic")}
    assert {number: (one.grade, len(one.documents), one.best) for number, one in found.items()} == {
        "1": (3, 8, 5),
        "2": (2, 2, 5),
        "3": (1, 3, 5),
    }
    assert found["1"].assessor != found["2"].assessor == found["3"].assessor
    with pytest.raises(ValidationError, match="compared already, or has no relevant document"):
        preferences_start(actor=cast.organiser, qrels=qrels, topics=["1", "4"], assessors=[cast.assessor])


def test_only_assessors_of_the_campaign_compare(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    qrels = make_qrels(cast.task, {"1": {"a": 1, "b": 1}}, cast.organiser)
    with pytest.raises(ValidationError, match="not an assessor"):
        preferences_start(actor=cast.organiser, qrels=qrels, topics=["1"], assessors=[cast.stranger])


def test_a_topic_with_one_best_document_is_done_from_the_start(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    qrels = make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    preferences_start(actor=cast.organiser, qrels=qrels, topics=["1"], assessors=[cast.assessor])
    order = preference_order_release(actor=cast.organiser, task=cast.task, qrels=qrels)
    assert verified_bytes(order.file.name, found_by="a test") == b"1 a 1\n"


def test_later_grades_do_not_change_what_is_compared(cast: Cast, comparison: PreferenceAssignment) -> None:
    answer_next(comparison)
    before = standing_of(comparison).state
    make_qrels(cast.task, {"401": {"D1": 0, "D9": 3}}, cast.organiser)
    assert standing_of(PreferenceAssignment.objects.get()).state == before


def test_what_was_compared_is_not_taken_back(cast: Cast, comparison: PreferenceAssignment) -> None:
    answer_next(comparison)
    with pytest.raises(ValidationError, match="answers are kept"):
        preferences_take_back(actor=cast.organiser, assignment=comparison)


def test_a_release_holds_the_finished_topics_and_stays_as_it_is(cast: Cast, comparison: PreferenceAssignment) -> None:
    make_comparison(cast, cast.task.topics.get(number="402"), ["A", "B"])
    release = partial(preference_order_release, actor=cast.organiser, task=cast.task, qrels=comparison.qrels)
    with pytest.raises(ValidationError, match="no order to release"):
        release()
    answer_all(comparison, lambda left, right: "equal" if {left, right} == {"D2", "D3"} else by_docno(left, right))
    order = release()
    assert (order.version, order.topic_numbers) == (1, ["401"])
    with pytest.raises(ValidationError, match="Nothing has changed"):
        release()
    preference_undo(assessor=cast.assessor, assignment=comparison, uuid=uuid4())
    assert verified_bytes(order.file.name, found_by="a test") == b"401 D1 1\n401 D2 2\n401 D3 2\n401 D4 3\n"
