"""Two writers of one task whose transactions overlap: neither stops the other for good, and neither works on what was.

Needs a database with several writers: PostgreSQL.
"""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Registration, Role, Task, User
from campaign.news.services.milestones import milestone_add
from campaign.permissions import held_organised_campaign_or_404, locked_organised_task_or_404
from campaign.setup.services.deletions import campaign_delete, task_delete
from campaign.setup.services.lifecycle import campaign_archive, campaign_close
from campaign.setup.services.people import role_revoke
from judging.adjudication.selectors.disagreements import dispute
from judging.adjudication.services import adjudication_record
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.reminders import reminders_send
from judging.assigning.services.self_assignment import assigning_rules_set, languages_set, topic_take
from judging.checkouts.selectors import free_entries
from judging.checkouts.services import claims_take
from judging.desk.services.judgments import Act, Outcome, judgments_record
from judging.model_assessors.services import ModelGrade, ModelOutcome, model_grades_record
from judging.models import (
    Adjudication,
    Assignment,
    Claim,
    Judgment,
    ModelJudgment,
    PreferenceAct,
    PreferenceAssignment,
    Qrels,
)
from judging.preferences.selectors import standing_of
from judging.preferences.services import Answered, preference_order_release, preferences_record, preferences_start
from judging.qrels.services.releases import qrels_release
from pooling.models import Pool
from runpool.account_data.services.deletion import user_delete
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_collection, make_topics, make_user
from tests.judging.growing_pools import make_growing_pool
from tests.judging.makers import PROMPT, assign, judge, make_assignment, make_model_assessor, make_pool, model_grades
from tests.judging.meanwhile import kill_who_waits, open_transaction
from tests.judging.preferences.makers import answer_all, make_comparison
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


@pytest.fixture
def second(cast: Cast) -> User:
    user = make_user()
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    return user


def release(cast: Cast, pool: Pool) -> Qrels:
    return qrels_release(actor=cast.organiser, task=cast.task, pool=pool)


def decide(cast: Cast, assignment: Assignment, uuid: object, seen: object) -> Adjudication:
    found = {"task": cast.task, "topic": assignment.topic, "docno": "D1", "seen": seen}
    return adjudication_record(actor=cast.organiser, uuid=uuid, grade=2, **found)  # type: ignore[arg-type]


def disputed(cast: Cast) -> tuple[Assignment, object]:
    assignment = make_assignment(cast, ["D1"])
    other = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, pass_number=2)
    judge(assignment, "D1", 0)
    judge(other, "D1", 3)
    found = dispute(cast.task, assignment.topic, "D1")
    assert found is not None
    return assignment, found.seen


def test_a_decision_and_a_release_at_once_are_both_made(cast: Cast) -> None:
    assignment, seen = disputed(cast)
    with open_transaction() as meanwhile:
        decide(cast, assignment, uuid4(), seen)
        released = meanwhile(lambda: release(cast, assignment.pool))
    assert released.result().version == 1
    assert Adjudication.objects.count() == 1


def test_a_decision_that_is_sent_twice_at_once_is_one_row_and_no_error(cast: Cast) -> None:
    assignment, seen = disputed(cast)
    uuid = uuid4()
    with open_transaction() as meanwhile:
        made = decide(cast, assignment, uuid, seen)
        again = meanwhile(lambda: decide(cast, assignment, uuid, seen))
    assert again.result() == made


def open_topics(cast: Cast) -> Pool:
    judged, free = make_topics(cast.task, ["401", "402"])
    pool = make_pool(cast.task, {judged: ["D1"], free: ["D1"]}, cast.organiser)
    judge(assign(pool, judged, cast.assessor, cast.organiser), "D1", 2)
    assigning_rules_set(actor=cast.organiser, task=cast.task, fields={"topics_are_open": True})
    return pool


def test_a_topic_that_is_taken_and_a_release_at_once_are_both_made(cast: Cast, second: User) -> None:
    pool = open_topics(cast)
    topic = cast.task.topics.get(number="402")
    with open_transaction() as meanwhile:
        topic_take(assessor=second, pool=pool, topic=topic)
        released = meanwhile(lambda: release(cast, pool))
    assert released.result().version == 1
    assert Assignment.objects.filter(assessor=second).count() == 1


def test_a_topic_that_is_taken_while_it_is_assigned_by_hand_is_judged_by_one_of_both(cast: Cast, second: User) -> None:
    pool = open_topics(cast)
    topic = cast.task.topics.get(number="402")
    with open_transaction() as meanwhile:
        topic_take(assessor=second, pool=pool, topic=topic)
        by_hand = {"actor": cast.organiser, "pool": pool, "topics": [topic], "assessor": cast.assessor}
        assigned = meanwhile(lambda: assignments_create(**by_hand))
    assert [one.assessor for one in assigned.result()] == [cast.assessor]
    going_on = Assignment.objects.filter(pool=pool, topic=topic, handed_over_at=None)
    assert [one.assessor for one in going_on] == [cast.assessor]


def test_nobody_gets_two_passes_of_a_topic_that_are_assigned_at_once(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["401"])
    pool = make_pool(cast.task, {topic: ["D1"]}, cast.organiser)
    to = {"actor": cast.organiser, "pool": pool, "topics": [topic], "assessor": cast.assessor}
    with open_transaction() as meanwhile:
        assignments_create(**to)
        second_pass = meanwhile(lambda: assignments_create(**to, pass_number=2))
    with pytest.raises(ValidationError, match="in pass 1 already"):
        second_pass.result()


def test_topics_that_are_handed_over_while_their_dates_are_looked_at_do_not_stop_each_other(
    cast: Cast, second: User
) -> None:
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    for topic in reversed(topics):
        assign(pool, topic, cast.assessor, cast.organiser)
    to = {"actor": cast.organiser, "pool": pool, "topics": topics, "assessor": second}
    first = Assignment.objects.order_by("pk")[0]
    with open_transaction() as meanwhile:
        Assignment.objects.select_for_update().get(pk=first.pk)
        handed_over = meanwhile(lambda: assignments_create(**to))
        list(Assignment.objects.select_for_update().order_by("pk"))
        reminders_send(cast.task)
    assert len(handed_over.result()) == 2


def test_what_is_judged_while_the_topic_is_handed_over_is_refused_or_kept_by_its_time(cast: Cast, second: User) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    to = {"actor": cast.organiser, "pool": assignment.pool, "topics": [assignment.topic], "assessor": second}

    def sent() -> list[Outcome]:
        return judgments_record(assessor=cast.assessor, assignment=assignment, acts=[Act(uuid4(), "D1", grade=1)])

    with open_transaction() as meanwhile:
        assignments_create(**to)
        refused = meanwhile(sent)
    [outcome] = refused.result()
    assert "was handed over" in str(outcome.refusal)
    assert not Judgment.objects.exists()


def test_an_assessor_who_is_removed_while_languages_are_noted_stays_removed(cast: Cast, second: User) -> None:
    role = Role.objects.get(user=second)
    with open_transaction() as meanwhile:
        role_revoke(actor=cast.organiser, campaign=cast.campaign, user=second, role=Role.ASSESSOR)
        noted = meanwhile(lambda: languages_set(actor=cast.organiser, task=cast.task, languages={role.pk: "de"}))
    noted.result()
    assert not Role.objects.filter(user=second).exists()


def judging(cast: Cast) -> Callable[[], str]:
    """Sends one judgment, as a page that was opened before; says why it is refused. So do the two below."""
    on_its_way = make_assignment(cast, ["a", "b"])
    assert not on_its_way.pool.task.campaign.why_closed

    def send() -> str:
        acts = [Act(uuid4(), "a", grade=1)]
        [outcome] = judgments_record(assessor=on_its_way.assessor, assignment=on_its_way, acts=acts)
        return str(outcome.refusal or "")

    return send


def comparing(cast: Cast) -> Callable[[], str]:
    pooled = make_assignment(cast, ["a", "b"])
    qrels = make_qrels(cast.task, {pooled.topic.number: {"a": 3, "b": 3}}, cast.organiser)
    on_its_way = make_comparison(cast, pooled.topic, ["a", "b"], qrels=qrels)
    assert not on_its_way.qrels.task.campaign.why_closed
    [(left, right), *_] = standing_of(on_its_way).state.open

    def send() -> str:
        sent = [Answered(uuid4(), left=left, right=right, answer="left")]
        [outcome] = preferences_record(assessor=on_its_way.assessor, assignment=on_its_way, sent=sent)
        return str(outcome.refusal or "")

    return send


def grading_by_model(cast: Cast) -> Callable[[], str]:
    make_assignment(cast, ["a", "b"])
    on_its_way, _ = make_model_assessor(cast.task, cast.organiser)
    assert not on_its_way.task.campaign.why_closed

    def send() -> str:
        [outcome] = model_grades(on_its_way, "401", {"a": 1})
        return outcome.refusal

    return send


ENDS: dict[str, Callable[..., object]] = {"is closed": campaign_close, "is archived": campaign_archive}
SENDERS = [judging, comparing, grading_by_model]
STORED = (Judgment, PreferenceAct, ModelJudgment)


@pytest.mark.parametrize("told", ENDS)
@pytest.mark.parametrize("sender", SENDERS)
def test_what_is_sent_while_the_campaign_ends_waits_and_is_refused(
    cast: Cast, sender: Callable[[Cast], Callable[[], str]], told: str
) -> None:
    send = sender(cast)
    with open_transaction() as meanwhile:
        ENDS[told](actor=cast.organiser, campaign=cast.campaign)
        sent = meanwhile(send)
    assert told in sent.result()
    assert not any(model._default_manager.exists() for model in STORED)


@pytest.mark.parametrize("end", ENDS.values())
@pytest.mark.parametrize("sender", SENDERS)
def test_a_campaign_ends_after_what_is_being_stored(
    cast: Cast, sender: Callable[[Cast], Callable[[], str]], end: Callable[..., object]
) -> None:
    send = sender(cast)
    with open_transaction() as meanwhile:
        assert send() == ""
        ended = meanwhile(lambda: end(actor=cast.organiser, campaign=cast.campaign))
        assert not ended.done()
    ended.result()
    assert any(model._default_manager.exists() for model in STORED)


def revoke(cast: Cast) -> object:
    gone = {"campaign": cast.campaign, "user": cast.assessor, "role": Role.ASSESSOR}
    return role_revoke(actor=cast.organiser, **gone)


LEAVES: list[Callable[[Cast], object]] = [
    revoke,
    lambda cast: user_delete(actor=cast.assessor, user=cast.assessor, release=True),
]


@pytest.mark.parametrize("leave", LEAVES, ids=["by an organiser", "with the account"])
@pytest.mark.parametrize("has_begun", [True, False])
@pytest.mark.parametrize("sender", [judging, comparing])
def test_what_is_sent_while_its_assessor_leaves_waits_and_is_refused_and_what_was_judged_stays(
    cast: Cast, sender: Callable[[Cast], Callable[[], str]], has_begun: bool, leave: Callable[[Cast], object]
) -> None:
    send = sender(cast)
    assert not has_begun or send() == ""
    before = [model._default_manager.count() for model in STORED]
    with open_transaction() as meanwhile:
        leave(cast)
        sent = meanwhile(send)
        assert not sent.done()
    assert sent.result()
    assert [model._default_manager.count() for model in STORED] == before


@pytest.mark.parametrize("leave", LEAVES, ids=["by an organiser", "with the account"])
@pytest.mark.parametrize("sender", [judging, comparing])
def test_an_assessor_leaves_after_what_is_being_stored(
    cast: Cast, sender: Callable[[Cast], Callable[[], str]], leave: Callable[[Cast], object]
) -> None:
    send = sender(cast)
    with open_transaction() as meanwhile:
        assert send() == ""
        left = meanwhile(lambda: leave(cast))
        assert not left.done()
    left.result()
    assert any(model._default_manager.exists() for model in STORED)
    assert not Role.objects.filter(user=cast.assessor).exists()


@pytest.mark.parametrize("leave", LEAVES, ids=["by an organiser", "with the account"])
def test_documents_that_a_desk_had_taken_are_free_for_the_next_one_who_asks_once_its_assessor_left(
    cast: Cast, second: User, leave: Callable[[Cast], object]
) -> None:
    pool = make_growing_pool(cast)
    topic = pool.task.topics.get()
    own, other = (assign(pool, topic, user, cast.organiser) for user in (cast.assessor, second))
    claims_take(own)
    held = set(Claim.objects.filter(assignment=own).values_list("docno", flat=True))
    judge(own, min(held), 1)
    leave(cast)
    claims_take(other)
    its_own = Claim.objects.filter(assignment=other).values_list("docno", flat=True)
    assert held - {min(held)} <= {*its_own, *free_entries(other).values_list("docno", flat=True)}
    assert Judgment.objects.filter(docno=min(held), is_current=True).exists()


@pytest.mark.parametrize("is_of_campaign", [True, False])
def test_who_changes_a_task_that_is_deleted_at_the_same_moment_is_first_and_neither_fails(
    cast: Cast, is_of_campaign: bool
) -> None:
    Task.objects.update(phase=Task.SETUP)
    Registration.objects.all().delete()
    with open_transaction() as meanwhile:
        locked_organised_task_or_404(cast.organiser, cast.task)
        if is_of_campaign:
            deleted = meanwhile(lambda: campaign_delete(actor=cast.organiser, campaign=cast.campaign))
        else:
            deleted = meanwhile(lambda: task_delete(actor=cast.organiser, task=cast.task))
        audit(cast.organiser, "update", cast.task, campaign=cast.campaign)
    deleted.result()
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    "hold",
    [
        lambda actor, task: locked_organised_task_or_404(actor, task),
        lambda actor, task: held_organised_campaign_or_404(actor, task.campaign),
    ],
)
def test_a_role_is_taken_away_after_what_its_holder_is_doing(cast: Cast, hold: Callable[[User, Task], object]) -> None:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ORGANISER)
    with open_transaction() as meanwhile:
        hold(other, cast.task)
        gone = {"campaign": cast.campaign, "user": other, "role": Role.ORGANISER}
        revoked = meanwhile(lambda: role_revoke(actor=cast.organiser, **gone))
        assert not revoked.done()
    revoked.result()
    assert not Role.objects.filter(user=other).exists()


def test_organisers_who_only_need_their_role_do_not_wait_for_each_other(cast: Cast) -> None:
    with open_transaction() as meanwhile:
        held_organised_campaign_or_404(cast.organiser, cast.campaign)
        asked = meanwhile(
            lambda: milestone_add(actor=cast.organiser, campaign=cast.campaign, label="Talk", at=timezone.now())
        )
        assert asked.done()


def test_assignments_that_are_taken_back_keep_only_themselves_from_others(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1"])
    with open_transaction() as meanwhile:
        assignment_remove(actor=cast.organiser, assignment=assignment)
        asked = meanwhile(
            lambda: assigning_rules_set(actor=cast.organiser, task=cast.task, fields={"topics_are_open": True})
        )
        assert asked.done()


def test_comparisons_that_are_assigned_and_an_order_that_is_released_at_once_are_both_made(cast: Cast) -> None:
    first, _ = make_topics(cast.task, ["401", "402"])
    make_collection(cast.task, ["D1", "D2"])
    qrels = make_qrels(cast.task, {number: {"D1": 3, "D2": 3} for number in ("401", "402")}, cast.organiser)
    answer_all(make_comparison(cast, first, ["D1", "D2"]))
    with open_transaction() as meanwhile:
        preferences_start(actor=cast.organiser, qrels=qrels, topics=["402"], assessors=[cast.assessor])
        released = meanwhile(lambda: preference_order_release(actor=cast.organiser, task=cast.task, qrels=qrels))
    assert released.result().topic_numbers == ["401"]
    assert PreferenceAssignment.objects.count() == 2


def test_one_uuid_of_two_model_assessors_at_once_is_stored_for_one_and_refused_to_the_other(cast: Cast) -> None:
    make_topics(cast.task, ["401"])
    make_collection(cast.task, ["D1"])
    one, other = (make_model_assessor(cast.task, cast.organiser, version)[0] for version in ("1", "2"))
    grades = [ModelGrade(uuid4(), "401", "D1", 2, PROMPT)]

    def post() -> list[ModelOutcome]:
        return model_grades_record(assessor=other, grades=grades)

    with open_transaction() as meanwhile:
        model_grades_record(assessor=one, grades=grades)
        posted = meanwhile(post)
    assert [outcome.refusal for outcome in posted.result()] == ["This UUID is taken. Send the grade under a new one."]
    assert ModelJudgment.objects.get().model_assessor == one


def test_a_batch_of_a_model_assessor_that_is_killed_half_way_stores_nothing_and_sent_again_all_of_it_once(
    cast: Cast,
) -> None:
    make_topics(cast.task, ["401"])
    docnos = [f"D{number}" for number in range(9)]
    make_collection(cast.task, docnos)
    one, other = (make_model_assessor(cast.task, cast.organiser, version)[0] for version in ("1", "2"))
    model_grades(other, "401", dict.fromkeys(docnos, 0))
    before = list(ModelJudgment.objects.order_by("pk").values("uuid", "grade", "is_current"))
    grades = [ModelGrade(uuid4(), "401", docno, 2, PROMPT) for docno in docnos]

    def post() -> list[ModelOutcome]:
        return model_grades_record(assessor=other, grades=grades)

    with open_transaction() as meanwhile:
        # The first rows are written when the batch comes to the one whose UUID somebody else is storing.
        model_grades_record(assessor=one, grades=grades[5:6])
        posted = meanwhile(post)
        kill_who_waits()
        transaction.set_rollback(True)
    with pytest.raises(OperationalError):
        posted.result()
    assert list(ModelJudgment.objects.order_by("pk").values("uuid", "grade", "is_current")) == before
    for _ in range(2):
        assert [outcome.refusal for outcome in post()] == [""] * 9
    assert ModelJudgment.objects.filter(is_current=True, grade=2).count() == 9
    assert ModelJudgment.objects.count() == 18


def test_a_batch_of_judgments_that_is_killed_half_way_stores_nothing_and_sent_again_all_of_it_once(cast: Cast) -> None:
    docnos = [f"D{number}" for number in range(9)]
    assignment = make_assignment(cast, docnos)
    other = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, pass_number=2)
    first = [judge(assignment, docno, 0) for docno in docnos]
    acts = [Act(uuid4(), docno, grade=2) for docno in docnos]

    def send(to: Assignment, some: list[Act]) -> list[Outcome]:
        return judgments_record(assessor=to.assessor, assignment=to, acts=some)

    with open_transaction() as meanwhile:
        send(other, acts[5:6])
        sent = meanwhile(lambda: send(assignment, acts))
        kill_who_waits()
        transaction.set_rollback(True)
    with pytest.raises(OperationalError):
        sent.result()
    assert list(Judgment.objects.filter(is_current=True).order_by("pk")) == first
    for _ in range(2):
        assert [outcome.refusal for outcome in send(assignment, acts)] == [None] * 9
    assert Judgment.objects.filter(is_current=True, grade=2).count() == 9
    assert Judgment.objects.count() == 18
