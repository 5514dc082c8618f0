"""Plans that are shown first, topics that assessors take, due dates and their mails, and what assessors never see."""

import re
from datetime import date, timedelta
from unittest.mock import ANY

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from campaign.models import Job, Mail, Role, User
from judging.assigning.selectors.planning import Distribution, Overlap, distribution_plan, repeats_plan
from judging.assigning.selectors.workload import loads, overdue, topics_to_take
from judging.assigning.services.assignments import assignments_create
from judging.assigning.services.reminders import reminders_send
from judging.assigning.services.self_assignment import assigning_rules_set, topic_take
from judging.core.load_balancing import Judge, Work, balanced
from judging.jobs import remind_assessors
from judging.models import AssigningRules, Assignment
from judging.progress.selectors.progress import progress_of, task_overall
from judging.progress.selectors.progress_counts import shares_of
from judging.selectors.todo import judging_to_organise
from pooling.models import Pool, PoolRun
from runpool.jobs import sweep
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.makers import client_of, judge, make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def second(cast: Cast) -> User:
    user = make_user()
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    return user


@pytest.fixture
def pool(cast: Cast) -> Pool:
    topics = make_topics(cast.task, ["1", "2", "3"])
    docnos = {"1": 30, "2": 20, "3": 10}
    make_collection(cast.task, [f"D{n}" for n in range(30)])
    return make_pool(cast.task, {one: [f"D{n}" for n in range(docnos[one.number])] for one in topics}, cast.organiser)


def give(cast: Cast, pool: Pool, number: str, assessor: User, due_on: date | None = None) -> Assignment:
    topics = [pool.task.topics.get(number=number)]
    assignments_create(actor=cast.organiser, pool=pool, topics=topics, assessor=assessor, due_on=due_on)
    found = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor")
    return found.get(pool=pool, topic__number=number, assessor=assessor)


def rules(cast: Cast, **fields: object) -> AssigningRules:
    return assigning_rules_set(actor=cast.organiser, task=cast.task, fields=fields)


def test_nobody_who_is_barred_gets_work_and_the_rest_is_balanced_by_the_pace() -> None:
    work = [Work(30, frozenset({"ann"})), Work(20), Work(10), Work(5, frozenset({"ann", "bob"}))]
    assert balanced(work, [Judge("ann"), Judge("bob")]) == ["bob", "ann", "ann", None]
    assert balanced(work[1:3], [Judge("ann", seconds=50), Judge("bob", seconds=10)]) == ["bob", "bob"]


def test_hours_follow_the_pace_of_each_assessor_where_it_is_known(cast: Cast, pool: Pool, second: User) -> None:
    judge(give(cast, pool, "3", cast.assessor), "D1", 1, active_ms=90_000)
    slow, unknown = loads(pool, [cast.assessor, second])
    assert (slow.documents, slow.seconds, slow.is_known) == (10, 90, True)
    assert (unknown.documents, unknown.seconds, unknown.is_known) == (0, 30, False)
    plan = distribution_plan(pool, Distribution([cast.assessor, second], by_hours=True))
    assert [(row.topic.number, row.assessor) for row in plan.rows] == [("1", second), ("2", second)]


def test_time_left_goes_by_the_pace_in_the_topic_then_by_that_of_the_assessor(
    cast: Cast, pool: Pool, second: User
) -> None:
    begun, next_one = give(cast, pool, "3", cast.assessor), give(cast, pool, "2", cast.assessor)
    of_second = give(cast, pool, "1", second)
    judge(begun, "D1", 1, active_ms=90_000)
    shown = {row.assignment: row.hours_left for row in progress_of([begun, next_one, of_second])}
    left = {begun: 9 * 90, next_one: 20 * 90, of_second: 30 * 30}
    assert shown == {one: pytest.approx(seconds / 3600) for one, seconds in left.items()}
    assert task_overall([pool], shares_of([pool])).hours_left == pytest.approx(sum(left.values()) / 3600)


def test_a_plan_names_every_topic_that_it_leaves_out(cast: Cast, pool: Pool) -> None:
    give(cast, pool, "1", cast.assessor)
    judge(give(cast, pool, "2", cast.assessor), "D1", 1)
    plan = repeats_plan(pool, Overlap(0.0001, seed=9))
    assert plan.rows == ()
    assert plan.left_out == (
        "Topic 2: its judging has begun. Shares are drawn before that.",
        "Topic 1: the share holds none of its documents.",
    )


def test_topics_removed_from_scoring_are_not_planned_offered_or_waited_for(cast: Cast, pool: Pool) -> None:
    give(cast, pool, "2", cast.assessor)
    cast.task.topics.filter(number="1").update(removed_at=timezone.now())
    plan = distribution_plan(pool, Distribution([cast.assessor], most=10))
    assert [row.topic.number for row in plan.rows] == ["3"]
    assert plan.left_out == ("Topic 1: it was removed from scoring. It can be given by hand.",)
    assert [topic.number for topic in topics_to_take(cast.assessor, pool)] == ["3"]
    [waits] = judging_to_organise(cast.organiser, [cast.task])
    assert waits.text == "1 topic without an assessor"
    give(cast, pool, "1", cast.assessor)


def test_members_of_teams_with_runs_in_the_pool_are_left_out_by_name_unless_they_are_allowed(
    cast: Cast, pool: Pool, second: User
) -> None:
    Role.objects.create(campaign=cast.campaign, user=cast.member, role=Role.ASSESSOR)
    run = make_valid_run(cast.task, cast.team, "mine", {"1": ["D1"]})
    PoolRun.objects.create(pool=pool, run=run, sha256="0" * 64, contributed=1, unique=1, priority=1)
    both = [cast.member, second]
    avoided = distribution_plan(pool, Distribution(both, avoids_conflicts=True))
    assert {row.assessor for row in avoided.rows} == {second}
    assert f"a member of {cast.team.name}" in avoided.left_out[0]
    assert {row.assessor for row in distribution_plan(pool, Distribution(both)).rows} == set(both)
    rules(cast, topics_are_open=True)
    with pytest.raises(ValidationError, match=f"a member of {cast.team.name}"):
        topic_take(assessor=cast.member, pool=pool, topic=cast.task.topics.get(number="1"))


def test_a_plan_is_carried_out_as_it_was_shown_or_shown_again(cast: Cast, pool: Pool, second: User) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    chosen = {"assessors": [cast.assessor.pk, second.pk], "by": "documents", "most": ""}
    page = client.post(url, {**chosen, "distribute": "preview"})
    assert page.status_code == 200
    assert "3 assignments for 2 assessors, 60 documents" in page.content.decode()
    shown = page.context["preview"]["plan"].fingerprint
    give(cast, pool, "1", second)
    again = client.post(url, {**chosen, "distribute": shown})
    assert again.status_code == 422
    assert "Something was assigned or judged since this was shown" in again.content.decode()
    assert Assignment.objects.count() == 1
    client.post(url, {**chosen, "distribute": again.context["preview"]["plan"].fingerprint})
    by_topic = {one.topic.number: one.assessor for one in Assignment.objects.select_related("topic", "assessor")}
    assert by_topic == {"1": second, "2": cast.assessor, "3": cast.assessor}


@pytest.mark.parametrize(
    ("act", "sent", "said"),
    [
        ("distribute", {}, "Choose at least one assessor."),
        ("distribute", {"assessors": ["x"], "by": "documents"}, "not a valid"),
        ("distribute", {"most": "0"}, "greater than or equal to 1"),
        ("overlap", {"percent": "0", "seed": "1"}, "greater than or equal to 0.1"),
        ("overlap", {"percent": "nan", "seed": "1"}, "Enter a number"),
        ("repeats", {"percent": "101", "seed": "-1"}, "less than or equal to 100"),
        ("rules", {"due_on": "03/04/2027"}, "is no date. Write it like 2026-11-30."),
        ("rules", {"topics_at_once": "0"}, "greater than or equal to 1"),
        ("assign", {"part": "2 of 1"}, "There is no part 2 of 1"),
        ("assign", {"part": "x" * 50}, "for example 2 of 3"),
        ("assign", {"part": "1 of 1000"}, "99 at most"),
        ("assign", {"due_on": "never"}, "is no date"),
    ],
)
def test_what_cannot_be_assigned_is_answered_at_its_field(
    cast: Cast, pool: Pool, act: str, sent: dict[str, object], said: str
) -> None:
    page = client_of(cast, "organiser").post(cast.task.url("assignment_create"), {act: "preview", **sent})
    assert page.status_code == 422
    assert said in page.content.decode()
    assert not Assignment.objects.exists()


def test_topics_of_a_language_go_to_those_who_read_it(cast: Cast, pool: Pool, second: User) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    role = Role.objects.get(user=second)
    said = {"languages": "1", f"languages_{role.pk}": "EN, de"}
    assert client.post(url, said).status_code == 302
    wish = Distribution([cast.assessor, second], reads="De", only=frozenset({"1", "3"}))
    plan = distribution_plan(pool, wish)
    assert [(row.topic.number, row.assessor) for row in plan.rows] == [("1", second), ("3", second)]
    assert plan.left_out == (f"{cast.assessor}: reads no language that is known.",)
    assert client.post(url, {**said, f"languages_{role.pk}": "x" * 101}).status_code == 422
    assert client.post(url, {**said, f"languages_{role.pk}": "en\u202ede"}).status_code == 422
    role.refresh_from_db()
    assert role.languages == "EN, de"


def test_assessors_take_open_topics_up_to_the_limit_at_once(cast: Cast, pool: Pool) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("topic_claim")
    topics = {one.number: one for one in cast.task.topics.all()}

    def take(number: str) -> str:
        return client.post(url, {"topic": topics[number].pk}, follow=True).content.decode()

    assert "Take this topic" not in client.get(cast.task.url("my_topics")).content.decode()
    assert "none can be taken" in take("1")
    rules(cast, topics_are_open=True, topics_at_once=1)
    assert "Take this topic" in client.get(cast.task.url("my_topics")).content.decode()
    assert "Topic 3 is yours now" in take("3")
    assert "You have 1 unfinished, of 1 at once" in take("1")
    own = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get()
    for number in range(10):
        judge(own, f"D{number}", 0)
    assert "Topic 3 is not free any more" in take("3")
    assert "Topic 1 is yours now" in take("1")
    assert Assignment.objects.filter(assigned_by=cast.assessor).count() == 2
    assert client.post(url, {"topic": "9" * 30}).status_code == 404


def test_a_topic_is_taken_from_a_browser_whose_forms_need_a_token(cast: Cast, pool: Pool) -> None:
    rules(cast, topics_are_open=True)
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.assessor, backend="allauth.account.auth_backends.AuthenticationBackend")
    _, _, offer = client.get(cast.task.url("my_topics")).content.decode().partition('id="offer-title"')
    sent = {"topic": cast.task.topics.get(number="1").pk}
    sent |= dict(re.findall(r'name="(csrfmiddlewaretoken)" value="(\w+)"', offer))
    assert client.post(cast.task.url("topic_claim"), sent)["Location"] == cast.task.url("my_topics")
    assert Assignment.objects.get().assessor == cast.assessor


def today() -> date:
    return timezone.now().date()


def test_a_date_of_ones_own_goes_before_the_date_of_the_task(cast: Cast, pool: Pool, second: User) -> None:
    cast.campaign.time_zone = "UTC"
    cast.campaign.save()
    rules(cast, due_on=today() - timedelta(days=2))
    late, dated = give(cast, pool, "1", cast.assessor), give(cast, pool, "2", cast.assessor, today())
    assert list(overdue(cast.task)) == [late]
    assignments_create(
        actor=cast.organiser, pool=pool, topics=[late.topic], assessor=cast.assessor, due_on=today() + timedelta(days=9)
    )
    assert list(overdue(cast.task)) == []
    assert dated.due_on == today()
    page = client_of(cast, "assessor").get(cast.task.url("my_topics")).content.decode()
    assert f"{today():%-d %b %Y}" in page
    assert (
        f"due {today():%-d %b %Y}"
        in client_of(cast, "assessor").get(cast.task.url("desk", topic_number="2")).content.decode()
    )


def test_assessors_get_one_mail_before_a_date_and_one_after_it_however_often_the_job_runs(
    cast: Cast, pool: Pool, second: User
) -> None:
    cast.campaign.time_zone = "UTC"
    cast.campaign.save()
    User.objects.filter(pk__in=[cast.assessor.pk, second.pk]).update(email="")
    User.objects.filter(pk=cast.assessor.pk).update(email="assessor@example.org")
    for number in ("1", "2"):
        give(cast, pool, number, cast.assessor)
    give(cast, pool, "3", second)
    Mail.objects.all().delete()  # which tell of the topics themselves
    rules(cast, due_on=today() + timedelta(days=5), remind_days=3)
    assert reminders_send(cast.task) == 0
    rules(cast, due_on=today() + timedelta(days=3))
    sweep()
    sweep()
    remind_assessors.body(ANY, task_id=cast.task.pk)
    assert [(mail.address, "soon due" in mail.body) for mail in Mail.objects.all()] == [("assessor@example.org", True)]
    assert Job.objects.filter(name="remind assessors").count() <= 1
    rules(cast, due_on=today() - timedelta(days=1))
    assert [reminders_send(cast.task), reminders_send(cast.task)] == [2, 0]
    latest = Mail.objects.first()
    assert latest is not None
    assert "their date is past" in latest.body
    assert "topic 1" in latest.body
    assert Mail.objects.count() == 2


def test_who_has_finished_handed_over_or_lost_the_role_is_not_reminded(cast: Cast, pool: Pool, second: User) -> None:
    finished, gone = give(cast, pool, "3", cast.assessor), give(cast, pool, "1", second)
    for number in range(10):
        judge(finished, f"D{number}", 0)
    Role.objects.filter(user=gone.assessor, role=Role.ASSESSOR).delete()
    rules(cast, due_on=today() - timedelta(days=3))
    assert reminders_send(cast.task) == 0


def test_no_page_of_an_assessor_names_runs_or_other_assessors(cast: Cast, pool: Pool) -> None:
    hidden = ["secretrun", "otherassessor", "98765", "43210", "0.4321", "a note of another"]
    other = User.objects.create_user("otherassessor", "hidden@example.org")
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    run = make_valid_run(cast.task, cast.team, "secretrun", {"1": ["D1"]})
    PoolRun.objects.create(pool=pool, run=run, sha256="0" * 64, contributed=1, unique=1, priority=1)
    own, theirs = give(cast, pool, "1", cast.assessor), give(cast, pool, "2", other)
    assignments_create(actor=cast.organiser, pool=pool, topics=[own.topic], assessor=other, pass_number=2)
    again = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pass_number=2)
    judge(again, "D1", 2, note="a note of another")
    judge(theirs, "D1", 2, note="a note of another")
    judge(own, "D2", 1)
    rules(cast, topics_are_open=True, topics_at_once=5, avoids_conflicts=False)
    client, named = client_of(cast, "assessor"), {"topic_number": "1"}
    addresses = [
        cast.task.url("my_topics"),
        cast.task.url("judging_card"),
        "/next/judging/",
        cast.task.url("desk", **named),
        f"{cast.task.url('desk', **named)}?docno=D1",
        f"{cast.task.url('desk', **named)}?assignment={own.pk}",
        f"{cast.task.url('judging_next', **named)}?docno=D1&docno=D2",
    ]
    for address in addresses:
        page = seen(client, address)
        assert [text for text in hidden if text in page] == [], address
    assert client.get(f"{cast.task.url('desk', **named)}?assignment={again.pk}").status_code == 404
    saved = client.post(
        cast.task.url("judgment_submit", **named),
        {"assessor": cast.assessor.pk, "assignment": own.pk, "judgments": []},
        content_type="application/json",
    )
    assert saved.json() == {"results": [], "saved": 1, "total": 30}


def seen(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200, address
    return page.content.decode()
