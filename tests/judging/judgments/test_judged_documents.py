from datetime import UTC, datetime

import pytest

from campaign.models import Topic
from judging.desk.services.judgments import judgment_record
from judging.models import judgment
from judging.selectors.judged_documents import judged_documents
from tests.factories import Cast, make_task
from tests.judging.makers import assign, judge, make_assignment

pytestmark = pytest.mark.django_db


def test_the_judged_documents_of_a_task_are_the_grades_that_stand(cast: Cast) -> None:
    assignment = make_assignment(cast, ["a", "b", "c", "d"])
    judge(assignment, "a", 1)
    judge(assignment, "a", 3)
    judge(assignment, "b", None)
    taken_back = judge(assignment, "c", 2)
    judgment_record(
        assessor=cast.assessor,
        assignment=assignment,
        uuid="00000000-0000-4000-8000-000000000001",
        docno="c",
        verdict=taken_back.WITHDRAWN,
    )
    assert judged_documents(cast.task).rows() == [("401", "a", 3), ("401", "b", -2)]


def test_of_two_assessors_of_a_pass_the_later_grade_counts_and_a_second_pass_leaves_it(cast: Cast) -> None:
    first = make_assignment(cast, ["a"])
    other = assign(first.pool, first.topic, cast.member, cast.organiser)
    second = assign(first.pool, first.topic, cast.organiser, cast.organiser, pass_number=2)
    judge(second, "a", 0, judged_at=datetime(2026, 1, 3, tzinfo=UTC))
    judge(other, "a", 2, judged_at=datetime(2026, 1, 2, tzinfo=UTC))
    judge(first, "a", 1, judged_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert judged_documents(cast.task).rows() == [("401", "a", 2)]


def test_other_tasks_have_judgments_of_their_own(cast: Cast) -> None:
    judge(make_assignment(cast, ["a"]), "a", 1)
    assert judged_documents(make_task(cast.campaign)).height == 0


@pytest.mark.parametrize("most", [1, 10_000])
def test_a_task_of_more_topics_than_are_named_one_by_one_has_the_same_judgments(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(judgment, "MOST_KEYS", most)
    Topic.objects.create(task=cast.task, number="900", position=9, title="Nobody judges this one")
    judge(make_assignment(cast, ["a"]), "a", 1)
    assert judged_documents(cast.task).rows() == [("401", "a", 1)]
    assert judged_documents(make_task(cast.campaign)).height == 0
