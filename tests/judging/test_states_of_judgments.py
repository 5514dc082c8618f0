"""Whatever happens to pools, assignments and the order of acts: qrels follow from the acts alone, and every state comes again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from campaign.models import Role
from judging.models import Adjudication, Assignment, Judgment
from judging.modes.registry import judging_mode
from judging.resolution import POLICIES
from judging.selectors.as_of import judgments_as_of
from judging.selectors.desk import items, unjudged
from judging.selectors.drafted_counts import TopicCounts, drafted_counts
from judging.selectors.judged import judgments_version
from judging.selectors.shares import Share, own_counts, shares_of
from judging.selectors.votes import acts_of
from judging.services.assignments import assignments_create
from judging.services.judgments import Act, judgment_undo, judgments_record
from pooling.models import Pool, PoolEntry
from tests.draws import examples
from tests.factories import Cast
from tests.judging.makers import assign, make_assignment, make_pool

pytestmark = pytest.mark.django_db
DOCUMENTS = ["D1", "D2", "D3"]
BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
GRADES = st.sampled_from([None, 0, 1, 2])
ACTS = st.tuples(
    st.just("act"), st.integers(0, 5), st.sampled_from(DOCUMENTS), GRADES, st.integers(0, 4), st.booleans()
)
STEPS = st.lists(
    st.one_of(
        ACTS,
        ACTS,
        st.tuples(st.just("again"), st.integers(0, 20)),
        st.tuples(st.just("undo"), st.integers(0, 5)),
        st.tuples(st.just("new pool"), st.permutations([*DOCUMENTS, "D4"])),
        st.tuples(st.just("found"), st.sampled_from(["D5", "D6"])),
        st.tuples(st.just("hand over"), st.booleans()),
        st.tuples(st.just("decide"), st.sampled_from(DOCUMENTS), GRADES),
    ),
    min_size=3,
    max_size=12,
)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Examples share the test's transaction."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class Played:
    """A topic with two assessors in the first pass and one in the second, and what is done to it."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        first = make_assignment(cast, DOCUMENTS)
        self.topic, self.pool = first.topic, first.pool
        assign(first.pool, first.topic, cast.other_member, cast.organiser, pass_number=2)
        self.sent: list[tuple[Assignment, Act]] = []

    def do(self, step: tuple[Any, ...]) -> None:
        name, *values = step
        getattr(self, name.replace(" ", "_"))(*values)

    def assignment(self, number: int) -> Assignment:
        rows = list(Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").order_by("pk"))
        return rows[number % len(rows)]

    def act(self, who: int, docno: str, grade: int | None, minute: int, flagged: bool) -> None:
        verdict = Judgment.CANNOT_JUDGE if grade is None else Judgment.GRADED
        at = BEGAN + timedelta(minutes=minute)
        act = Act(uuid4(), docno, verdict, grade, judged_at=at, active_ms=1000 * minute, flagged=flagged)
        self.sent.append((self.assignment(who), act))
        self.again(-1)

    def again(self, which: int) -> None:
        if self.sent:
            assignment, act = self.sent[which % len(self.sent)]
            fresh = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=assignment.pk)
            judgments_record(assessor=fresh.assessor, assignment=fresh, acts=[act])

    def undo(self, who: int) -> None:
        assignment = self.assignment(who)
        if not assignment.is_handed_over:
            judgment_undo(assessor=assignment.assessor, assignment=assignment)

    def new_pool(self, docnos: list[str]) -> None:
        version = self.pool.version + 1
        self.pool = make_pool(self.cast.task, {self.topic: docnos}, self.cast.organiser, version=version)
        assign(self.pool, self.topic, self.cast.assessor, self.cast.organiser)

    def found(self, docno: str) -> None:
        if not PoolEntry.objects.filter(pool=self.pool, docno=docno).exists():
            place = {"position": 100 + int(docno[1:]), "best_position": 0, "run_count": 0, "source": PoolEntry.FOUND}
            PoolEntry.objects.create(pool=self.pool, topic=self.topic, docno=docno, **place)

    def hand_over(self, back: bool) -> None:
        to = self.cast.assessor if back else self.cast.member
        Role.objects.get_or_create(campaign=self.cast.campaign, user=to, role=Role.ASSESSOR)
        assignments_create(actor=self.cast.organiser, pool=self.pool, topics=[self.topic], assessor=to)

    def decide(self, docno: str, grade: int | None) -> None:
        verdict = Adjudication.CANNOT_JUDGE if grade is None else Adjudication.GRADED
        Adjudication.objects.filter(topic=self.topic, docno=docno).update(is_current=False)
        made = {"uuid": uuid4(), "verdict": verdict, "grade": grade, "adjudicator": self.cast.organiser}
        Adjudication.objects.create(topic=self.topic, docno=docno, **made)

    def qrels(self, **until: Any) -> list[str]:
        of_task = Judgment.objects.filter(topic__task=self.cast.task)
        acts = acts_of(judgments_as_of(of_task, **until)) if until else acts_of(current(self.cast))
        mode = judging_mode(self.cast.task.judging_mode)
        return [mode.qrels(acts, policy).overall.write_csv() for policy in POLICIES]


def current(cast: Cast) -> Any:
    return Judgment.objects.filter(topic__task=cast.task, is_current=True)


def drafts() -> list[dict[str, TopicCounts]]:
    """What the page of a release says of each pool, by two policies."""
    return [
        dict(drafted_counts(pool, policy).topics)
        for pool in Pool.objects.select_related("task")
        for policy in ("latest", "adjudicated over median")
    ]


def shares() -> dict[tuple[int, int, int], Share]:
    return shares_of(Pool.objects.select_related("task"))


def desks() -> dict[int, tuple[int, int]]:
    """What each desk is told after a save: judged and left."""
    rows = Assignment.objects.select_related("pool__task", "topic", "assessor")
    return {row.pk: (counts.judged, counts.left) for row in rows for counts in [own_counts(row)]}


def documents_of_desks() -> dict[int, tuple[int, int]]:
    """The same, counted among the documents that each desk lists."""
    rows = Assignment.objects.select_related("pool__task", "topic", "assessor")
    return {row.pk: (sum(item.is_judged for item in items(row)), unjudged(row).count()) for row in rows}


@examples(20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_what_is_kept_of_acts_equals_what_is_counted_and_every_state_comes_again(
    cast: Cast, django_capture_on_commit_callbacks: Any, steps: list[tuple[Any, ...]]
) -> None:
    with rolled_back():
        caches["bulk"].clear()
        played = Played(cast)
        states: dict[int, list[str]] = {}
        now = played.qrels()
        for place, step in enumerate(steps, start=1):
            before, version, acts = now, judgments_version(played.cast.task), Judgment.objects.count()
            is_last = place == len(steps)  # drafts and desks are dear: what is kept of them is looked at once
            if is_last:
                with django_capture_on_commit_callbacks(execute=True):
                    _ = drafts(), desks()
            with django_capture_on_commit_callbacks(execute=True):
                played.do(step)
                kept, told = (shares(), drafts() if is_last else []), desks() if is_last else {}
            with django_capture_on_commit_callbacks(execute=True):
                caches["bulk"].clear()
                assert kept == (shares(), drafts() if is_last else [])
            assert not is_last or told == documents_of_desks()
            assert (judgments_version(played.cast.task) != version) == (Judgment.objects.count() > acts)
            now = played.qrels()
            if step[0] not in ("act", "undo"):
                assert now == before or step[0] == "again"
            last = Judgment.objects.order_by("pk").last()
            if last is not None:
                states[last.pk] = now
        assert {act: played.qrels(number=act) for act in states} == states


@examples(10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(DOCUMENTS), GRADES, st.integers(0, 2)), min_size=1, max_size=8), st.randoms())
def test_acts_that_arrive_in_another_order_and_twice_give_the_same_qrels(
    cast: Cast, told: list[tuple[str, int | None, int]], chance: Any
) -> None:
    acts = [("act", who, docno, grade, minute, False) for minute, (docno, grade, who) in enumerate(told)]
    results = []
    for order in (acts, chance.sample(acts, len(acts))):
        with rolled_back():
            played = Played(cast)
            for step in order:
                played.do(step)
                played.do(("again", chance.randrange(20)))
            results.append(played.qrels())
    assert results[0] == results[1]
