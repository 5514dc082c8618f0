"""A phase bar does not say that judging is done while documents of the pool have no grade; only organisers are told."""

import pytest

from campaign.models import Task
from judging.qrels.services.releases import qrels_release
from tests.factories import Cast
from tests.judging.makers import ROLES, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db


def phase_bar(cast: Cast, role: str) -> str:
    page = client_of(cast, role).get(cast.task.get_absolute_url()).content.decode()
    return page.partition('class="phases"')[2].partition("</ol>")[0]


def go_on(task: Task, phase: str = Task.PUBLISHED) -> None:
    task.phase = phase
    task.save()


def test_a_release_with_pairs_without_a_grade_does_not_make_judging_done_for_organisers(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    judge(assignment, "D1", 1)
    judge(assignment, "D2", None)
    go_on(cast.task, Task.SCORES)
    assert "1 without a grade" in phase_bar(cast, "organiser")
    qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool, policy="latest")
    assert "2 without a grade" in phase_bar(cast, "organiser")
    assert "over, but not done" in phase_bar(cast, "organiser")
    others = [phase_bar(cast, role) for role in ROLES if role != "organiser"]
    assert not any("without a grade" in bar or "not done" in bar for bar in others)


def test_a_task_whose_pool_is_all_graded_and_one_without_a_pool_are_done(cast: Cast) -> None:
    go_on(cast.task)
    assert "without a grade" not in phase_bar(cast, "organiser")
    assignment = make_assignment(cast, ["D1"])
    assert "1 without a grade" in phase_bar(cast, "organiser")
    judge(assignment, "D1", 1)
    assert "without a grade" not in phase_bar(cast, "organiser")
