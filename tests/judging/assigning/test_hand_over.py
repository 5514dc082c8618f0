"""Whoever judges a topic alone, the one who had it before stops, sees why, and loses nothing."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.models import AuditEvent, Role, User
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.desk.services.judgments import judgment_record
from judging.judgments.selectors.own_documents import items, unjudged
from judging.models import Assignment, Judgment
from judging.progress.selectors.progress import Progress, pools_assigned, progress_of, task_overall
from judging.progress.selectors.progress_counts import shares_of
from tests.factories import Cast, make_user
from tests.judging.makers import client_of, judge, make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


@pytest.fixture
def second(cast: Cast) -> User:
    user = make_user()
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    return user


def hand_over(cast: Cast, assignment: Assignment, assessor: User) -> Assignment:
    assignments_create(actor=cast.organiser, pool=assignment.pool, topics=[assignment.topic], assessor=assessor)
    assignment.refresh_from_db()
    return Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(
        pool=assignment.pool, topic=assignment.topic, assessor=assessor
    )


def test_the_first_assessor_stops_and_each_document_is_counted_once(
    cast: Cast, assignment: Assignment, second: User
) -> None:
    judge(assignment, "D1", 2)
    new = hand_over(cast, assignment, second)
    assert assignment.is_handed_over
    assert [item.docno for item in items(assignment)] == ["D1"]
    assert [entry.docno for entry in unjudged(assignment)] == []
    assert [entry.docno for entry in unjudged(new)] == ["D2", "D3"]
    pools = pools_assigned(cast.task)
    total = task_overall(pools, shares_of(pools))
    assert (total.judged, total.left, total.total) == (1, 2, 3)
    [first] = progress_of([assignment])
    assert (first.state, first.left, first.judged) == (Progress.HANDED_OVER, 0, 1)
    assert AuditEvent.objects.filter(verb="handed over").count() == 1


def test_what_was_judged_before_counts_however_late_it_arrives_and_what_comes_after_is_refused(
    cast: Cast, assignment: Assignment, second: User
) -> None:
    before = timezone.now()
    hand_over(cast, assignment, second)
    kept = judge(assignment, "D1", 2, judged_at=before)
    assert (kept.grade, kept.is_current) == (2, True)
    with pytest.raises(ValidationError, match="was handed over to another assessor"):
        judge(assignment, "D2", 1, judged_at=timezone.now() + timedelta(seconds=1))
    assert list(Judgment.objects.values_list("docno", flat=True)) == ["D1"]


def test_an_assignment_that_was_read_before_the_hand_over_takes_no_more(
    cast: Cast, assignment: Assignment, second: User
) -> None:
    read_before = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=assignment.pk)
    hand_over(cast, assignment, second)
    with pytest.raises(ValidationError, match="was handed over to another assessor"):
        judge(read_before, "D1", 1)
    assert not Judgment.objects.exists()


def test_what_is_sent_for_an_assignment_that_was_taken_back_meanwhile_is_refused_in_words(
    cast: Cast, assignment: Assignment
) -> None:
    read_before = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=assignment.pk)
    for _ in range(2):
        assignment_remove(actor=cast.organiser, assignment=assignment)
    with pytest.raises(ValidationError, match="was taken back meanwhile"):
        judge(read_before, "D1", 1)
    assert AuditEvent.objects.filter(verb="unassigned").count() == 1


def test_a_late_act_of_the_first_assessor_closes_and_reopens_the_topic_of_the_second(
    cast: Cast, assignment: Assignment, second: User
) -> None:
    before = timezone.now()
    new = hand_over(cast, assignment, second)
    judge(new, "D2", 1)
    judge(new, "D3", 1)
    late = judge(assignment, "D1", 2, judged_at=before)
    new.refresh_from_db()
    assert new.finished_at is not None
    assert not unjudged(new).exists()
    late_undo = {"uuid": uuid4(), "docno": "D1", "undoes": late.uuid, "judged_at": before}
    judgment_record(assessor=cast.assessor, assignment=assignment, **late_undo)
    new.refresh_from_db()
    assert new.finished_at is None
    assert [entry.docno for entry in unjudged(new)] == ["D1"]


def test_the_desk_says_that_the_topic_was_handed_over(cast: Cast, assignment: Assignment, second: User) -> None:
    hand_over(cast, assignment, second)
    page = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401")).content.decode()
    assert "Topic 401 was handed over to another assessor" in page
    assert second.username not in page


def test_a_topic_that_comes_back_is_judged_on_by_its_first_assessor(
    cast: Cast, assignment: Assignment, second: User
) -> None:
    other = hand_over(cast, assignment, second)
    judge(other, "D3", 1)
    hand_over(cast, assignment, cast.assessor)
    assert not assignment.is_handed_over
    assert assignment.finished_at is None
    assert [entry.docno for entry in unjudged(assignment)] == ["D1", "D2"]
    other.refresh_from_db()
    assert other.is_handed_over


def test_assigning_the_same_assessor_again_changes_nothing(cast: Cast, assignment: Assignment) -> None:
    hand_over(cast, assignment, cast.assessor)
    assert not assignment.is_handed_over
    assert not AuditEvent.objects.filter(verb="handed over").exists()
