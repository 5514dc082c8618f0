"""A topic, the people who judge it, and steps that tests draw and play: acts, undos, pools, hand-overs, decisions."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from hypothesis import strategies as st

from campaign.models import Role
from judging.assigning.services.assignments import assignments_create
from judging.desk.services.judgments import Act, judgment_undo, judgments_record
from judging.models import Adjudication, Assignment, Judgment
from pooling.models import PoolEntry
from tests.factories import Cast
from tests.judging.makers import assign, make_assignment, make_pool

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
