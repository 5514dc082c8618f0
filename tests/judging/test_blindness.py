"""What who judges must not learn: whether somebody else judges as well, and what a model says."""

import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Role, Task, User
from judging.assigning.services.assignments import Extent, assignment_add
from judging.judgments.selectors.own_documents import REPEATED_AFTER
from judging.models import AssigningRules, Assignment
from pooling.models import Pool
from runpool.account_data.judging import judgments_of
from tests.api.makers import API, ask, make_token
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import assign, client_of, judge, make_model_assessor, make_pool
from tests.judging.preferences.makers import make_comparison

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(cast: Cast) -> Pool:
    topics = make_topics(cast.task, ["1", "2"])
    return make_pool(cast.task, {topic: ["a", "b"] for topic in topics}, cast.organiser)


def of_api(task: Task) -> str:
    return f"{API}/campaigns/{task.campaign.slug}/tasks/{task.slug}"


def page(cast: Cast, user: User, name: str, **named: str) -> str:
    client = client_of(cast, "anonymous")
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client.get(cast.task.url(name, **named)).content.decode()


def test_the_api_tells_an_assessor_of_a_second_opinion_what_it_tells_one_of_the_first(cast: Cast, pool: Pool) -> None:
    topic, second = pool.task.topics.get(number="1"), make_user()
    told = []
    for assessor, number in ((cast.assessor, 1), (second, 2)):
        judge(assign(pool, topic, assessor, cast.organiser, pass_number=number), "a", 1)
        token = make_token(assessor)
        [assigned] = ask(f"{of_api(cast.task)}/assignments", token).json()["items"]
        [judged] = ask(f"{of_api(cast.task)}/judgments", token).json()["items"]
        undone = ask(f"{of_api(cast.task)}/assignments/{assigned['id']}/undo", token, method="POST").json()
        own = {"id", "uuid", "assignment", "assessor", "undoes", "previous"}
        of_time = {"assigned_at", "judged_at", "received_at"}
        told.append([{key: row[key] for key in row if key not in own | of_time} for row in (assigned, judged, undone)])
    assert told[0] == told[1]


def test_a_judgment_of_a_repeat_that_is_still_hidden_is_told_to_organisers_alone(cast: Cast, pool: Pool) -> None:
    """A file that organisers import may hold it before its assessor knows that anything comes back."""
    topic = pool.task.topics.get(number="1")
    first = assign(pool, topic, cast.assessor, cast.organiser)
    repeat = assignment_add(
        actor=cast.organiser,
        pool=pool,
        topic=topic,
        assessor=cast.assessor,
        extent=Extent(),
        pass_number=2,
        is_repeat=True,
    )
    for assignment in (first, repeat):
        judge(assignment, "a", 1)

    def told(user: User) -> list[int]:
        judged = ask(f"{of_api(cast.task)}/judgments", make_token(user, name=str(uuid4()))).json()["items"]
        return [one["assignment"] for one in judged]

    def copied() -> list[object]:
        return [row["docno"] for row in next(judgments_of(cast.assessor)).rows()]

    assert (told(cast.assessor), copied(), told(cast.organiser)) == ([first.pk], ["a"], [first.pk, repeat.pk])
    Assignment.objects.filter(pk=first.pk).update(finished_at=timezone.now() - REPEATED_AFTER)
    assert (told(cast.assessor), copied()) == ([first.pk, repeat.pk], ["a", "a"])


def test_organisers_read_in_the_api_in_which_pass_a_document_was_judged(cast: Cast, pool: Pool) -> None:
    topic = pool.task.topics.get(number="1")
    judge(assign(pool, topic, make_user(), cast.organiser, pass_number=2), "a", 1)
    [judged] = ask(f"{of_api(cast.task)}/judgments", make_token(cast.organiser)).json()["items"]
    assert judged["pass_number"] == 2


def test_a_topic_of_which_one_is_the_second_assessor_is_not_offered_and_taking_it_tells_nothing_of_it(
    cast: Cast, pool: Pool
) -> None:
    AssigningRules.objects.create(task=cast.task, topics_are_open=True, topics_at_once=5)
    first, _ = pool.task.topics.order_by("number")
    assign(pool, first, cast.assessor, cast.organiser, pass_number=2)
    offered = page(cast, cast.assessor, "my_topics").partition("Self-assignment")[2]
    assert "<strong>1 topic</strong>" in offered
    assert f'value="{first.pk}"' not in offered
    answer = client_of(cast, "assessor").post(cast.task.url("topic_claim"), {"topic": first.pk}, follow=True)
    said = answer.content.decode()
    assert "Topic 1 is not free" in said
    assert "second opinion" not in said
    assert "in pass" not in said


def test_topics_to_take_are_offered_to_assessors_only(cast: Cast, pool: Pool) -> None:
    AssigningRules.objects.create(task=cast.task, topics_are_open=True, topics_at_once=5)
    assign(pool, pool.task.topics.get(number="1"), cast.assessor, cast.organiser)
    assert "Take this topic" in page(cast, cast.assessor, "my_topics")
    assert "Take this topic" not in page(cast, cast.organiser, "my_topics")
    Role.objects.filter(user=cast.assessor).delete()
    assert "Take this topic" not in page(cast, cast.assessor, "my_topics")


def test_who_lost_the_role_is_not_sent_to_desks_that_refuse_them(cast: Cast, pool: Pool) -> None:
    assign(pool, pool.task.topics.get(number="1"), cast.assessor, cast.organiser)
    client = client_of(cast, "assessor")
    addresses = [reverse("next_judging"), cast.task.url("judging_card"), cast.task.url("my_topics")]
    desk = cast.task.url("desk", topic_number="1")
    assert [desk in client.get(address).content.decode() for address in addresses] == [True, False, True]
    Role.objects.filter(user=cast.assessor).delete()
    waits = [client.get(address) for address in addresses[:2]]
    assert [desk in answer.content.decode() for answer in waits] == [False, False]
    assert waits[1].context["waits"] is None


def test_who_compares_documents_sees_no_grades_of_model_assessors(cast: Cast, pool: Pool) -> None:
    assessor, _ = make_model_assessor(cast.task, cast.organiser)
    client = client_of(cast, "organiser")
    addresses = [
        cast.task.url("model_assessor_list"),
        cast.task.url("model_grades", key=assessor.pk),
        cast.task.url("model_scores", key=assessor.pk),
    ]
    assert [client.get(address).status_code for address in addresses] == [200, 200, 200]
    qrels = make_qrels(cast.task, {"1": {"a": 3, "b": 3}}, cast.organiser)
    make_comparison(cast, pool.task.topics.get(number="1"), ["a", "b"], qrels=qrels, assessor=cast.organiser)
    assert [client.get(address).status_code for address in addresses] == [403, 403, 403]


@pytest.mark.parametrize("phase", [Task.JUDGING, Task.PUBLISHED])
def test_the_share_of_the_pool_tells_no_assessor_whether_something_was_judged_before(
    cast: Cast, pool: Pool, phase: str
) -> None:
    Task.objects.filter(pk=cast.task.pk).update(phase=phase)
    topic, second = pool.task.topics.get(number="1"), make_user()
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    judge(assign(pool, topic, cast.assessor, cast.organiser), "a", 1)
    token = make_token(second)
    assert shares_told(cast, second, token) == set()
    own = assign(pool, topic, second, cast.organiser, pass_number=2)
    judge(own, "a", 0)
    assert shares_told(cast, second, token) == set()
    Campaign.objects.filter(pk=cast.campaign.pk).update(closed_at=timezone.now())
    assert shares_told(cast, second, token) != set()


def shares_told(cast: Cast, assessor: User, token: str) -> set[str]:
    """What an assessor finds of the share of the pool, signed in, by the API and as a visitor."""
    pages = [cast.task.url(name) for name in ("task_detail", "judging_card", "scores_card", "pool_card", "my_topics")]
    found = set()
    for role in (client_of(cast, "anonymous"), _signed_in(assessor)):
        for address in [*pages, cast.campaign.get_absolute_url(), "/"]:
            text = role.get(address).content.decode()
            found |= set(re.findall(r"\d+ %(?=[^<]{0,40}(?:<[^>]*>[^<]{0,20})?of the pool)", text))
    percent = ask(of_api(cast.task), token).json()["pool_judged_percent"]
    return found | ({str(percent)} if percent is not None else set())


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client
