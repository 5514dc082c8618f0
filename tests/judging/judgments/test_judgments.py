from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from campaign.database import clock
from campaign.integrity import Extent
from judging.desk.services.judgments import Act, judgment_record, judgment_undo, judgments_record
from judging.judgments.selectors.own_documents import items, own_current, unjudged
from judging.models import Assignment, Judgment
from judging.selectors.integrity import verify_judgments
from tests.draws import examples
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import assign, judge, make_assignment, make_pool, make_subtopics
from tests.requirements import require_postgresql

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def grades(assignment: Assignment) -> dict[str, int | None]:
    return {item.docno: item.grade for item in items(assignment) if item.is_judged}


def test_a_change_of_mind_is_a_new_row_and_the_old_one_stays(assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D1", 3)
    rows = Judgment.objects.order_by("pk").values_list("grade", "is_current")
    assert list(rows) == [(2, False), (3, True)]


@pytest.mark.sqlite("judging.desk.services.judgments.judgments_record")
def test_the_same_identifier_twice_gives_the_first_row_again(assignment: Assignment) -> None:
    uuid = uuid4()
    values = {"assessor": assignment.assessor, "assignment": assignment, "uuid": uuid, "docno": "D1"}
    first = judgment_record(**values, grade=2)
    again = judgment_record(**values, grade=0)
    assert again.pk == first.pk
    assert again.grade == 2
    assert Judgment.objects.count() == 1


def test_the_same_identifier_twice_in_one_batch_is_one_row(assignment: Assignment) -> None:
    act = Act(uuid4(), "D1", grade=1)
    first, second = judgments_record(assessor=assignment.assessor, assignment=assignment, acts=[act, act])
    assert Judgment.objects.count() == 1
    assert first.is_new
    assert not second.is_new


def test_an_identifier_of_another_assignment_is_refused(cast: Cast, assignment: Assignment) -> None:
    known = judge(assignment, "D1", 1)
    other = assign(assignment.pool, assignment.topic, cast.assessor, cast.organiser, pass_number=2)
    with pytest.raises(ValidationError, match="belongs to another assignment"):
        judgment_record(assessor=cast.assessor, assignment=other, uuid=known.uuid, docno="D1", grade=1)


def test_an_act_that_arrives_late_does_not_displace_a_newer_one(assignment: Assignment) -> None:
    now = timezone.now()
    judge(assignment, "D1", 3, judged_at=now)
    late = judge(assignment, "D1", 1, judged_at=now - timedelta(minutes=5))
    assert not late.is_current
    assert grades(assignment) == {"D1": 3}


def test_a_clock_that_runs_ahead_does_not_make_a_judgment_that_nothing_can_replace(assignment: Assignment) -> None:
    judge(assignment, "D1", 3, judged_at=timezone.now() + timedelta(days=400))
    judge(assignment, "D1", 1)
    assert grades(assignment) == {"D1": 1}


def test_a_change_of_mind_counts_at_once_though_the_server_that_reads_it_is_a_minute_behind(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser's clock follows the server that made the page."""
    require_postgresql(connection.vendor)
    judge(assignment, "D1", 3)
    true_now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true_now() - timedelta(minutes=1))
    judge(assignment, "D1", 1, judged_at=true_now())
    assert grades(assignment) == {"D1": 1}


@pytest.mark.parametrize("by_browser", [True, False])
def test_judgments_before_the_clock_was_set_back_can_be_changed_and_taken_back(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch, by_browser: bool
) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    with monkeypatch.context() as patch:
        for module in (clock, timezone):
            patch.setattr(module, "now", lambda: tomorrow)
        judge(assignment, "D1", 3, judged_at=tomorrow)
    judge(assignment, "D1", 1, judged_at=timezone.now() if by_browser else None)
    judge(assignment, "D1", 2, judged_at=timezone.now() if by_browser else None)
    assert grades(assignment) == {"D1": 2}
    judgment_undo(assessor=assignment.assessor, assignment=assignment)
    assert grades(assignment) == {"D1": 1}
    assert list(verify_judgments(Extent())) == []


def test_one_refused_act_holds_up_none_of_its_batch(assignment: Assignment) -> None:
    acts = [Act(uuid4(), "D1", grade=1), Act(uuid4(), "D2", grade=9), Act(uuid4(), "D3", grade=0)]
    outcomes = judgments_record(assessor=assignment.assessor, assignment=assignment, acts=acts)
    assert [outcome.refusal is None for outcome in outcomes] == [True, False, True]
    assert grades(assignment) == {"D1": 1, "D3": 0}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"docno": "D9", "grade": 1}, "D9 is not in the pool of topic 401"),
        ({"docno": "D1", "grade": 7}, "Grade 7 is not on the task's scale: use 0, 1, 2, 3"),
        ({"docno": "D1", "grade": None}, "Grade None is not on"),
        ({"docno": "D1", "grade": -1}, "Grade -1 is not on"),
        ({"docno": "D1", "verdict": "maybe"}, "“maybe” is no verdict"),
        ({"docno": "D1", "grade": 1, "note": "x" * 4001}, "at most 4,000 characters"),
        ({"docno": "D1", "grade": 1, "answers": {"subtopic": ["1"]}}, "mode graded takes no subtopic"),
    ],
)
def test_a_wrong_act_is_refused_with_what_to_do(assignment: Assignment, values: dict, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        judgment_record(assessor=assignment.assessor, assignment=assignment, uuid=uuid4(), **values)
    assert not Judgment.objects.exists()


def test_nobody_judges_for_another_assessor(cast: Cast, assignment: Assignment) -> None:
    with pytest.raises(ValidationError, match="assigned to another assessor"):
        judgment_record(assessor=cast.organiser, assignment=assignment, uuid=uuid4(), docno="D1", grade=1)


def test_an_assignment_closes_with_its_last_document_and_opens_again_with_an_undo(assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", None)
    assignment.refresh_from_db()
    assert assignment.finished_at is None
    judge(assignment, "D3", 0)
    assignment.refresh_from_db()
    assert assignment.finished_at is not None
    undone = judgment_undo(assessor=assignment.assessor, assignment=assignment)
    assignment.refresh_from_db()
    assert undone is not None
    assert undone.docno == "D3"
    assert assignment.finished_at is None
    assert [entry.docno for entry in unjudged(assignment)] == ["D3"]


def test_undo_takes_back_one_judgment_after_the_other_and_then_nothing(assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", 1)
    undone = [judgment_undo(assessor=assignment.assessor, assignment=assignment) for _ in range(3)]
    assert [act.docno if act else None for act in undone] == ["D2", "D1", None]
    assert grades(assignment) == {}
    assert Judgment.objects.count() == 4


def test_undo_does_not_reach_into_another_pool(cast: Cast, assignment: Assignment) -> None:
    delta = make_pool(cast.task, {assignment.topic: ["D9"]}, cast.organiser, version=2)
    later = assign(delta, assignment.topic, cast.assessor, cast.organiser)
    judge(assignment, "D1", 2)
    assert judgment_undo(assessor=cast.assessor, assignment=later) is None
    assert grades(assignment) == {"D1": 2}


def test_a_judgment_cannot_be_deleted(assignment: Assignment) -> None:
    judgment = judge(assignment, "D1", 2)
    with pytest.raises(TypeError, match="never deleted"):
        judgment.delete()


def test_subtopics_left_open_count_as_not_covered() -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1"])
    make_subtopics(assignment.topic, ["a", "b"])
    assert judge(assignment, "D1", 2, answers={"subtopic": ["b"]}).details == {"a": 0, "b": 1}


@pytest.mark.parametrize(("subtopics", "message"), [({"z": 1}, "no subtopic z"), ({"a": 8}, "Grade 8 of subtopic a")])
def test_subtopic_grades_must_be_of_the_topic_and_on_the_scale(subtopics: dict[str, int], message: str) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1"])
    make_subtopics(assignment.topic, ["a", "b"])
    with pytest.raises(ValidationError, match=message):
        judge(assignment, "D1", 2, answers={"subtopics": subtopics})


def test_a_later_pool_asks_only_for_what_is_not_judged_yet(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    delta = make_pool(cast.task, {assignment.topic: ["D9", "D1", "D2"]}, cast.organiser, version=2)
    other = make_user()
    own = assign(delta, assignment.topic, cast.assessor, cast.organiser)
    others = assign(delta, assignment.topic, other, cast.organiser)
    assert [item.docno for item in items(own) if not item.is_judged] == ["D9", "D2"]
    assert [item.docno for item in items(others)] == ["D9", "D2"]


def test_a_second_pass_is_blind_to_the_first(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    second = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, pass_number=2)
    assert [(item.docno, item.verdict) for item in items(second)] == [("D1", ""), ("D2", ""), ("D3", "")]


def test_who_takes_over_a_topic_judges_the_rest_and_what_the_first_could_not(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", None)
    rest = assign(assignment.pool, assignment.topic, make_user(), cast.organiser)
    assert [item.docno for item in items(rest)] == ["D2", "D3"]


def test_judging_through_two_pools_keeps_one_current_row(cast: Cast, assignment: Assignment) -> None:
    delta = make_pool(cast.task, {assignment.topic: ["D1"]}, cast.organiser, version=2)
    later = assign(delta, assignment.topic, cast.assessor, cast.organiser)
    judge(assignment, "D1", 2)
    judge(later, "D1", 3)
    assert [judgment.grade for judgment in own_current(assignment)] == [3]


DOCNOS = ["D1", "D2", "D3"]
act_values = st.tuples(
    st.sampled_from(DOCNOS),
    st.sampled_from([Judgment.GRADED, Judgment.CANNOT_JUDGE, Judgment.WITHDRAWN]),
    st.integers(0, 3),
)


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(acts=st.lists(act_values, min_size=1, max_size=12), data=st.data())
def test_in_whatever_order_and_however_often_acts_arrive_the_last_one_by_time_stands(
    assignment: Assignment, acts: list[tuple[str, str, int]], data: st.DataObject
) -> None:
    """Nothing is ever deleted either: every act of ours is a row afterwards."""
    start = timezone.now() - timedelta(days=1)
    made = [
        Act(
            uuid4(),
            docno,
            verdict,
            grade if verdict == Judgment.GRADED else None,
            judged_at=start + timedelta(seconds=i),
        )
        for i, (docno, verdict, grade) in enumerate(acts)
    ]
    deliveries = data.draw(st.permutations(made + data.draw(st.lists(st.sampled_from(made), max_size=6))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(deliveries)), max_size=4)))
    before = set(Judgment.objects.values_list("uuid", flat=True))
    _put_aside_the_example_before()
    for begin, end in zip([0, *cuts], [*cuts, len(deliveries)], strict=True):
        judgments_record(assessor=assignment.assessor, assignment=assignment, acts=deliveries[begin:end])
    expected = {act.docno: (act.verdict, act.grade) for act in made}
    standing = {one.docno: (one.verdict, one.grade) for one in own_current(assignment)}
    assert {docno: standing[docno] for docno in expected} == expected
    after = set(Judgment.objects.values_list("uuid", flat=True))
    assert after == before | {act.uuid for act in made}
    left = sum(standing.get(docno, ("withdrawn",))[0] == Judgment.WITHDRAWN for docno in DOCNOS)
    assignment.refresh_from_db()
    assert (assignment.finished_at is not None) == (left == 0)


def _put_aside_the_example_before() -> None:
    """The examples of a property share the database of one test."""
    Judgment.objects.filter(is_current=True).update(is_current=False)
    Assignment.objects.update(finished_at=None)


def test_judgments_cannot_be_changed_or_deleted_in_bulk_either(assignment: Assignment) -> None:
    judgment = judge(assignment, "D1", 2)
    with pytest.raises(TypeError, match="never changed"):
        Judgment.objects.update(grade=3)
    with pytest.raises(TypeError, match="never changed"):
        assignment.judgments.update(assessor=make_user())
    with pytest.raises(TypeError, match="never changed"), transaction.atomic():
        Judgment.objects.bulk_update([judgment], ["grade"])
    with pytest.raises(TypeError, match="never changed"):
        judgment.save()
    with pytest.raises(TypeError, match="never deleted"):
        Judgment.objects.all().delete()
    assert grades(assignment) == {"D1": 2}
