"""Progress against plain counts from the rows of acts, after drawn histories: undo, hand-over, new pools, found documents."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from hypothesis import HealthCheck, given

from campaign.models import Role
from judging.assigning.services.assignments import assignments_create
from judging.models import Assignment, Judgment
from judging.progress.selectors.progress import overall, pools_assigned, progress_of, task_overall
from judging.progress.selectors.progress_counts import shares_of
from pooling.models import PoolEntry
from tests.draws import examples
from tests.factories import Cast, make_user
from tests.judging.makers import assign, judge, make_assignment, make_pool
from tests.judging.replay import BEGAN, STEPS, Played, rolled_back

pytestmark = pytest.mark.django_db
Said = dict[tuple[int, int, str], Judgment]


def last_acts() -> Said:
    """What each assessor said last of each document in each pass: by its time, then by arrival."""
    last: Said = {}
    for act in Judgment.objects.order_by("pk"):
        key = (act.pass_number, act.assessor_id, act.docno)
        if key not in last or last[key].judged_at <= act.judged_at:
            last[key] = act
    return {key: act for key, act in last.items() if act.verdict in ("graded", "cannot_judge")}


def check(cast: Cast) -> None:
    said = last_acts()
    graded = {(number, docno) for (number, _, docno), act in said.items() if act.grade is not None}
    rows = progress_of(Assignment.objects.select_related("pool__task", "topic", "assessor"))
    judged_by_all, left_to_all = set(), set()
    for row in rows:
        one = row.assignment
        number, assessor = one.pass_number, one.assessor_id
        docnos = set(PoolEntry.objects.filter(pool=one.pool_id).values_list("docno", flat=True))
        own = {docno: said[number, assessor, docno] for docno in docnos if (number, assessor, docno) in said}
        left = set() if one.is_handed_over else {docno for docno in docnos - set(own) if (number, docno) not in graded}
        assert (row.judged, row.left) == (len(own), len(left))
        assert +row.grades == Counter(act.grade for act in own.values() if act.grade is not None)
        timed = [act.active_ms for act in own.values() if act.active_ms is not None]
        assert row.mean_seconds == (sum(timed) / len(timed) / 1000 if timed else None)
        judged_by_all |= {(number, assessor, docno) for docno in own}
        left_to_all |= {(number, assessor, docno) for docno in left}
    pools = pools_assigned(cast.task)
    total = task_overall(pools, shares_of(pools))
    assert total.judged == len(judged_by_all)
    assert total.cannot_judge == sum(said[key].grade is None for key in judged_by_all)
    assert total.left == len({(number, docno) for number, _, docno in left_to_all})
    for assessor in {row.assignment.assessor_id for row in rows}:
        own_rows = [row for row in rows if row.assignment.assessor_id == assessor]
        of_one = overall(own_rows)
        assert of_one.judged == sum(key[1] == assessor for key in judged_by_all)
        assert of_one.left == sum(key[1] == assessor for key in left_to_all)


@examples(8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_whatever_happens_progress_is_what_the_rows_say(
    cast: Cast, django_capture_on_commit_callbacks: Any, steps: list[tuple[Any, ...]]
) -> None:
    with rolled_back():
        caches["bulk"].clear()
        played = Played(cast)
        for step in steps:
            with django_capture_on_commit_callbacks(execute=True):
                played.do(step)
        check(cast)


def test_what_two_versions_of_a_pool_hold_is_judged_once_and_left_once(cast: Cast) -> None:
    first = make_assignment(cast, ["D1", "D2", "D3"])
    judge(first, "D1", 2, active_ms=60_000)
    newer = make_pool(cast.task, {first.topic: ["D1", "D2", "D4"]}, cast.organiser, version=2)
    second = assign(newer, first.topic, cast.assessor, cast.organiser)
    pools = pools_assigned(cast.task)
    rows = progress_of([first, second])
    for total in (task_overall(pools, shares_of(pools)), overall(rows)):
        assert (total.judged, total.left, total.total) == (1, 3, 4)
        assert total.hours_left == pytest.approx(3 / 60)
    check(cast)


def test_time_left_goes_by_the_pace_of_those_to_whom_documents_are_left(cast: Cast) -> None:
    fast = make_assignment(cast, ["D1", "D2", "D3"])
    judge(fast, "D1", 1, active_ms=2000, judged_at=BEGAN + timedelta(minutes=1))
    slow = make_user("slow")
    Role.objects.create(campaign=cast.campaign, user=slow, role=Role.ASSESSOR)
    assignments_create(actor=cast.organiser, pool=fast.pool, topics=[fast.topic], assessor=slow)
    now = Assignment.objects.select_related("pool__task", "topic", "assessor").get(assessor=slow, pass_number=1)
    judge(now, "D2", 1, active_ms=100_000)
    pools = pools_assigned(cast.task)
    assert task_overall(pools, shares_of(pools)).hours_left == pytest.approx(100 / 3600)
