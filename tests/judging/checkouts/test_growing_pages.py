"""What pages and desks say of a pool that grows, and what they never say."""

import json
from typing import Any
from uuid import uuid4

import pytest

from campaign.models import AuditEvent, Job, Role
from judging.checkouts.selectors import LOOK_AHEAD
from judging.checkouts.services import claims_take
from judging.desk.selectors.page import desk_url, growth_at_the_desk
from judging.judgments.selectors.own_documents import items
from judging.models import Assignment
from pooling.models import Pool, PoolChoice, TopicStop
from pooling.selectors.growth import CHOOSE_DOCUMENTS
from pooling.services.growth import choosing_request
from tests.factories import Cast, make_user
from tests.judging.growing_pools import DOCNOS, RANKINGS, chosen, handed_out, judge_all, make_growing_pool, work_off
from tests.judging.makers import assign, client_of, judge, make_assignment, make_pool
from tests.pooling.test_pool_pages import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(cast: Cast) -> Pool:
    return make_growing_pool(cast)


@pytest.fixture
def own(cast: Cast, pool: Pool) -> Assignment:
    return assign(pool, cast.task.topics.get(), cast.assessor, cast.organiser)


def send(cast: Cast, own: Assignment, *acts: dict[str, Any]) -> dict[str, Any]:
    sent = {"assessor": cast.assessor.pk, "assignment": own.pk, "judgments": list(acts)}
    address = cast.task.url("judgment_submit", topic_number="401")
    response = client_of(cast, "assessor").post(address, json.dumps(sent), content_type="application/json")
    return dict(response.json())


def grade(docno: str, value: int) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "docno": docno, "grade": value}


def test_an_answer_to_a_judgment_brings_the_next_documents(cast: Cast, own: Assignment) -> None:
    first = send(cast, own)
    assert len(first["growth"]["waiting"]) == LOOK_AHEAD
    second = send(cast, own, grade(first["growth"]["waiting"][0], 2))
    assert (second["saved"], second["total"]) == (1, LOOK_AHEAD + 1)
    assert second["growth"]["waiting"][: LOOK_AHEAD - 1] == first["growth"]["waiting"][1:]
    assert (second["growth"]["open"], second["growth"]["again"]) == (True, 1)


def test_who_lost_the_role_is_handed_no_documents(cast: Cast, own: Assignment) -> None:
    Role.objects.filter(user=cast.assessor).delete()
    send(cast, own)
    assert not own.claims.exists()


def test_an_empty_desk_says_what_it_waits_for(cast: Cast, pool: Pool, own: Assignment) -> None:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    theirs = assign(pool, cast.task.topics.get(), other, cast.organiser)
    while waiting := send(cast, own)["growth"]["waiting"]:
        send(cast, own, *(grade(docno, 0) for docno in waiting))
    page = client_of(cast, "assessor").get(desk_url(own)).content.decode()
    assert "Choosing the next documents …" in page
    assert "Look again" in page
    work_off()
    claims_take(theirs)
    judge_all(own, pool, truth=lambda docno: False)
    assert TopicStop.objects.filter(pool=pool).exists() is False  # choices of the other wait for their judgments
    send(cast, own)
    work_off()
    growth = send(cast, own)["growth"]
    assert growth["text"] == "What comes next in topic 401 depends on documents that other assessors are judging."
    assert (growth["open"], growth["again"]) == (True, 10)
    for item in items(theirs):
        judge(theirs, item.docno, 0)
    work_off()
    judge_all(own, pool, truth=lambda docno: False)
    growth = send(cast, own)["growth"]
    assert growth["text"].startswith("Topic 401 is done: you judged")
    assert (growth["open"], growth["again"]) == (False, None)


def test_a_desk_without_documents_says_that_others_hold_the_last_ones(cast: Cast, pool: Pool, own: Assignment) -> None:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    theirs = assign(pool, cast.task.topics.get(), other, cast.organiser)
    claims_take(theirs)
    TopicStop.objects.create(pool=pool, topic=own.topic, kind=TopicStop.HAND, reason="enough")
    judge_all(own, pool)
    growth = send(cast, own)["growth"]
    assert growth["text"] == "Other assessors are judging the last documents of topic 401."
    assert (growth["open"], growth["again"]) == (False, 10)


def test_judgments_made_in_an_earlier_pool_come_to_the_desk_with_their_document(cast: Cast, own: Assignment) -> None:
    topic = own.topic
    before = make_pool(cast.task, {topic: DOCNOS}, cast.organiser, version=2)
    earlier = assign(before, topic, cast.assessor, cast.organiser)
    for docno in DOCNOS[:9]:
        judge(earlier, docno, 3)
    judge_all(own, own.pool)
    growth = growth_at_the_desk(own, items(own))
    assert growth is not None
    held = {item["docno"]: item["grade"] for item in growth["earlier"]}
    assert held
    assert set(held) <= set(DOCNOS[:9])
    assert set(held.values()) == {3}


def test_a_pool_that_does_not_grow_answers_as_before(cast: Cast) -> None:
    own = make_assignment(cast, ["D1", "D2"])
    assert send(cast, own, grade("D1", 1)) | {"results": []} == {"results": [], "saved": 1, "total": 2}


def test_the_desk_tells_nothing_of_runs_or_of_how_a_document_came_in(cast: Cast, pool: Pool, own: Assignment) -> None:
    judge_all(own, pool, most=8)
    page = client_of(cast, "assessor").get(desk_url(own)).content.decode()
    answer = json.dumps(send(cast, own))
    for word in [*RANKINGS, "control", "stratum", "maxmean", "chosen"]:
        assert word not in page, word
        assert word not in answer, word


def test_an_organiser_stops_a_topic_and_lets_it_go_on_by_its_page(cast: Cast, pool: Pool) -> None:
    client = client_of(cast, "organiser")
    address = cast.task.url("pool_topic", version=1, topic_number="401")
    assert client.post(address, {"reason": ""}).status_code == 422
    assert "is stopped" in client.post(address, {"reason": "enough"}, follow=True).content.decode()
    assert client.post(address, {"reason": "more", "more": "0"}).status_code == 422
    assert "goes on" in client.post(address, {"reason": "more", "more": "7"}, follow=True).content.decode()
    kinds = TopicStop.objects.order_by("pk").values_list("kind", "until", "decided_by")
    assert list(kinds) == [("hand", None, cast.organiser.pk), ("on", pool.size + 7, cast.organiser.pk)]


@pytest.mark.parametrize(("name", "more"), [("pool_topics", {}), ("pool_topic", {"topic_number": "401"})])
def test_an_organiser_reads_why_choosing_failed_until_it_works_again(
    cast: Cast, pool: Pool, own: Assignment, name: str, more: dict[str, str]
) -> None:
    client, address = client_of(cast, "organiser"), cast.task.url(name, version=1, **more)
    claims_take(own)
    jobs = Job.objects.filter(name=CHOOSE_DOCUMENTS)
    jobs.update(state=Job.FAILED, message="Run <odd> is not the one that was pooled.")
    assert "Run &lt;odd&gt; is not the one that was pooled." in client.get(address).content.decode()
    choosing_request(pool, own.topic_id)
    assert "was pooled." not in client.get(address).content.decode()


def test_the_pool_page_counts_what_was_drawn_chosen_and_can_come(cast: Cast, pool: Pool, own: Assignment) -> None:
    judge_all(own, pool, most=4)
    page = " ".join(client_of(cast, "organiser").get(pool.get_absolute_url()).content.decode().split())
    assert "3 documents in the base, 3 in the control sample" in page
    assert f"{pool.entries.count()} documents so far, at most 16" in page
    card = client_of(cast, "stranger").get(cast.task.url("pool_card")).content.decode()
    assert "to judge so far" in card


def test_the_log_is_a_table_that_no_spreadsheet_takes_for_formulas(cast: Cast, pool: Pool, own: Assignment) -> None:
    first = judge_all(own, pool, most=4)[0]
    PoolChoice.objects.create(pool=pool, topic=own.topic, step=99, docno="=1+1", policy="maxmean", seed=7)
    response = client_of(cast, "organiser").get(cast.task.url("pool_choices", version=1))
    lines = b"".join(response.streaming_content).decode().splitlines()
    assert lines[0] == "topic,step,docno,run,policy,seed,known,pending,chosen_at,engine"
    assert len(lines) == 1 + len(chosen(pool))
    assert f"{first}=" in lines[1]
    assert "401,99,'=1+1," in lines[-1]


@pytest.mark.parametrize("name", ["pool_topics", "pool_choices"])
def test_a_pool_that_does_not_grow_has_no_such_page(cast: Cast, name: str) -> None:
    make_assignment(cast, ["D1"])
    assert client_of(cast, "organiser").get(cast.task.url(name, version=1)).status_code == 404


def test_an_organiser_sees_what_an_absent_assessor_holds_and_frees_it(cast: Cast, pool: Pool, own: Assignment) -> None:
    held = handed_out(own)
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    second = assign(pool, own.topic, other, cast.organiser)
    assert not set(handed_out(second)) & set(held)
    organiser, progress = client_of(cast, "organiser"), cast.task.url("judging_progress")
    assert f"holds {len(held)} documents, last act" in words(organiser.get(progress))
    form = organiser.get(progress).content.decode().partition('name="free"')[0].rpartition("<form")[2]
    assert "csrfmiddlewaretoken" in form
    free, taken = cast.task.url("assignment_create"), {"free": own.pk}
    assert f"{len(held)} documents of topic {own.topic.number} can go" in words(
        organiser.post(free, taken, follow=True)
    )
    assert "nothing has changed" in words(organiser.post(free, taken, follow=True))
    assert organiser.post(free, {"free": "x"}).status_code == 404
    for docno in handed_out(second):
        judge(second, docno, 0)
    assert set(handed_out(second)) & set(held), "the other assessor goes on with them"
    judge(own, held[0], 1)
    assert AuditEvent.objects.filter(verb="free held documents").count() == 1
