"""The same acts sent by several tabs at once. Needs a database with several writers: PostgreSQL."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from judging.desk.services.judgments import Act, judgments_record
from judging.judgments.selectors.own_documents import own_current
from judging.models import Assignment, Judgment
from judging.qrels.selectors.manifests import manifest_of
from judging.qrels.services.releases import qrels_release
from tests.factories import Cast, make_cast
from tests.judging.makers import judge, make_assignment
from tests.judging.meanwhile import open_transaction
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def test_tabs_that_send_the_same_acts_at_once_record_them_once(cast: Cast) -> None:
    assignment = make_assignment(cast, [f"D{number}" for number in range(10)])
    start = timezone.now() - timedelta(hours=1)
    acts = [
        Act(uuid4(), f"D{number % 10}", grade=number % 4, judged_at=start + timedelta(seconds=number))
        for number in range(40)
    ]

    def tab(shift: int) -> int:
        try:
            own = Assignment.objects.select_related("pool__task", "topic", "assessor").get(pk=assignment.pk)
            order = acts[shift * 5 :] + acts[: shift * 5]
            outcomes = [
                outcome
                for begin in range(0, 40, 4)
                for outcome in judgments_record(assessor=own.assessor, assignment=own, acts=order[begin : begin + 4])
            ]
            return sum(outcome.is_new for outcome in outcomes)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        recorded = list(pool.map(tab, range(8)))
    assert sum(recorded) == 40
    assert Counter(Judgment.objects.values_list("uuid", flat=True)) == Counter(act.uuid for act in acts)
    standing = {one.docno: one.grade for one in own_current(assignment)}
    assert standing == {act.docno: act.grade for act in acts}


def test_a_release_waits_for_judgments_that_are_being_stored_and_names_the_last_of_them(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 1)

    def release() -> int:
        qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
        return int(manifest_of(qrels)["last_judgment"]["number"]) * 10 + qrels.judgment_count

    with open_transaction() as meanwhile:
        stored = judge(assignment, "D2", 2)
        released = meanwhile(release)
        assert not released.done()
    assert released.result() == stored.pk * 10 + 2
