"""Parts of topics, shares for a second opinion and hidden repeats: drawn by seed, topic and docno, and by nothing else."""

from datetime import timedelta
from hashlib import md5

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import Mail, Role, Task, User
from judging.assigning.selectors.planning import (
    Distribution,
    Overlap,
    Plan,
    distribution_plan,
    overlap_plan,
    repeats_plan,
)
from judging.assigning.services.assignments import assignments_create
from judging.assigning.services.planning import plan_carry_out
from judging.assigning.services.self_assignment import topic_take
from judging.core.hashed_sampling import drawn, part_draw, share_draw
from judging.core.resolution import POLICIES
from judging.judgments.selectors.assigned_documents import entries_of
from judging.judgments.selectors.own_documents import REPEATED_AFTER, assignments_of, items, unjudged
from judging.models import AssigningRules, Assignment, Judgment
from judging.progress.selectors.progress import pools_assigned, progress_of, task_overall
from judging.progress.selectors.progress_counts import own_counts, shares_of
from judging.qrels.selectors.releases import release_draft
from pooling.models import Pool
from runpool.account_data.judging import open_topics_of
from tests.api.makers import make_token
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.growing_pools import make_growing_pool
from tests.judging.makers import client_of, judge, make_pool

DOCNOS = [f"D{number}" for number in range(60)]

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(cast: Cast) -> Pool:
    [topic] = make_topics(cast.task, ["401"])
    return make_pool(cast.task, {topic: DOCNOS}, cast.organiser)


@pytest.fixture
def second(cast: Cast) -> User:
    return new_assessor(cast)


def new_assessor(cast: Cast) -> User:
    user = make_user()
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    return user


def give(cast: Cast, pool: Pool, assessor: User, part: int = 1, parts: int = 1, pass_number: int = 1) -> Assignment:
    topics = list(pool.task.topics.all())
    who = {"actor": cast.organiser, "pool": pool, "assessor": assessor, "pass_number": pass_number}
    assignments_create(**who, topics=topics, part=part, parts=parts)
    return whole(Assignment.objects.get(pool=pool, assessor=assessor, part=part, pass_number=pass_number))


def whole(assignment: Assignment) -> Assignment:
    return Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=assignment.pk)


def docnos(assignment: Assignment) -> set[str]:
    return {item.docno for item in items(assignment)}


@pytest.mark.sqlite("judging.judgments.selectors.assigned_documents._in")
def test_the_database_draws_what_anybody_can_draw_from_seed_topic_and_docno(cast: Cast, pool: Pool) -> None:
    own = give(cast, pool, cast.assessor)
    Assignment.objects.filter(pk=own.pk).update(parts=3, part=2, part_seed=11, share=0.4, share_seed=5)
    own = whole(own)

    def place(seed: int, docno: str) -> float:
        return int(md5(f"{seed} 401 {docno}".encode(), usedforsecurity=False).hexdigest()[:8], 16) / 2**32

    expected = {docno for docno in DOCNOS if 1 / 3 <= place(11, docno) < 2 / 3 and place(5, docno) < 0.4}
    assert {entry.docno for entry in entries_of(own)} == expected == set(drawn(own.draws, "401", DOCNOS))
    assert 0 < len(expected) < len(DOCNOS)
    assert docnos(own) == expected
    assert (own_counts(own).judged, own_counts(own).left) == (0, len(expected))


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_are_disjoint_and_make_the_whole_and_a_greater_share_holds_a_smaller_one(parts: int) -> None:
    each = [set(drawn([part_draw(3, part, parts)], "1", DOCNOS)) for part in range(1, parts + 1)]
    assert sum(map(len, each)) == len(DOCNOS)
    assert set().union(*each) == set(DOCNOS)
    assert set(drawn([share_draw(3, 0.1)], "1", DOCNOS)) <= set(drawn([share_draw(3, 0.3)], "1", DOCNOS))


def test_each_judges_their_part_and_progress_counts_each_document_once(cast: Cast, pool: Pool, second: User) -> None:
    first, other = give(cast, pool, cast.assessor, 1, 2), give(cast, pool, second, 2, 2)
    assert docnos(first) | docnos(other) == set(DOCNOS)
    assert not docnos(first) & docnos(other)
    judge(first, min(docnos(first)), 2)
    with pytest.raises(ValidationError, match="not among your documents"):
        judge(first, min(docnos(other)), 1)
    rows = progress_of([first, other])
    assert [(row.total, row.judged) for row in rows] == [(len(docnos(first)), 1), (len(docnos(other)), 0)]
    pools = pools_assigned(cast.task)
    total = task_overall(pools, shares_of(pools))
    assert (total.judged, total.left) == (1, len(DOCNOS) - 1)


def test_parts_stay_what_they_are_in_a_new_version_with_another_order(cast: Cast, pool: Pool) -> None:
    first = give(cast, pool, cast.assessor, 1, 2)
    again = make_pool(cast.task, {first.topic: [*reversed(DOCNOS), "D99"]}, cast.organiser, version=2)
    Assignment.objects.filter(pk=first.pk).update(pool=again)
    assert docnos(whole(first)) - {"D99"} == {item for item in DOCNOS if item in drawn(first.draws, "401", DOCNOS)}


def test_a_part_is_handed_over_without_the_other_and_one_person_may_have_several(
    cast: Cast, pool: Pool, second: User
) -> None:
    first, other = give(cast, pool, cast.assessor, 1, 2), give(cast, pool, second, 2, 2)
    done = min(docnos(first))
    judge(first, done, 1)
    new = give(cast, pool, second, 1, 2)
    assert whole(first).is_handed_over
    assert not whole(other).is_handed_over
    assert docnos(whole(first)) == {done}
    assert {entry.docno for entry in unjudged(new)} == set(drawn(new.draws, "401", DOCNOS)) - {done}
    assert new.part_seed == first.part_seed


def test_a_topic_is_not_divided_while_somebody_has_it_otherwise(cast: Cast, pool: Pool, second: User) -> None:
    give(cast, pool, cast.assessor)
    with pytest.raises(ValidationError, match="assigned as a whole"):
        give(cast, pool, second, 1, 2)
    assert Assignment.objects.count() == 1


def test_a_growing_pool_takes_neither_parts_nor_shares_and_says_why(cast: Cast) -> None:
    growing = make_growing_pool(cast)
    with pytest.raises(ValidationError, match="grows while it is judged"):
        assignments_create(
            actor=cast.organiser,
            pool=growing,
            topics=list(cast.task.topics.all()),
            assessor=cast.assessor,
            part=1,
            parts=2,
        )
    assignments_create(actor=cast.organiser, pool=growing, topics=list(cast.task.topics.all()), assessor=cast.assessor)
    with pytest.raises(ValidationError, match="no share"):
        carry_out(cast, growing, overlap_plan(growing, Overlap(0.9, 1, [new_assessor(cast)])))


def carry_out(cast: Cast, pool: Pool, plan: Plan) -> list[Assignment]:
    return plan_carry_out(actor=cast.organiser, pool=pool, make=lambda: plan)


def test_a_second_assessor_gets_the_share_and_cannot_tell_it_from_a_first_pass(
    cast: Cast, pool: Pool, second: User
) -> None:
    give(cast, pool, cast.assessor)
    [own] = carry_out(cast, pool, overlap_plan(pool, Overlap(0.2, 77, [cast.assessor, second])))
    own = whole(own)
    assert (own.assessor, own.pass_number, own.share, own.share_seed) == (second, 2, 0.2, 77)
    assert docnos(own) == set(drawn([share_draw(77, 0.2)], "401", DOCNOS))
    client = client_of(cast, "stranger")
    client.force_login(second, backend="allauth.account.auth_backends.AuthenticationBackend")
    for name, named in (("my_topics", {}), ("desk", {"topic_number": "401"})):
        page = client.get(cast.task.url(name, **named)).content.decode()
        assert "401" in page
        assert "pass 2" not in page
        assert "share" not in page.partition("<main")[2]
        assert cast.assessor.username not in page


def test_a_share_is_refused_once_the_topic_is_being_judged_and_a_whole_second_pass_is_not(
    cast: Cast, pool: Pool, second: User
) -> None:
    judge(give(cast, pool, cast.assessor), "D1", 1)
    plan = overlap_plan(pool, Overlap(0.2, 77, [second]))
    assert plan.rows == ()
    assert "Topic 401: its judging has begun" in plan.left_out[0]
    [row] = overlap_plan(pool, Overlap(1, 77, [second])).rows
    assert (row.share, row.documents) == (None, len(DOCNOS))


@pytest.fixture
def repeated(cast: Cast, pool: Pool) -> tuple[Assignment, Assignment]:
    first = give(cast, pool, cast.assessor)
    [repeat] = carry_out(cast, pool, repeats_plan(pool, Overlap(0.1, 9)))
    return first, whole(repeat)


def finish(assignment: Assignment, grade: int = 2) -> None:
    for entry in list(unjudged(assignment)):
        judge(assignment, entry.docno, grade)


def test_a_repeat_comes_to_the_same_assessor_a_day_after_the_topic_was_finished(
    cast: Cast, repeated: tuple[Assignment, Assignment]
) -> None:
    first, repeat = repeated
    assert list(assignments_of(cast.assessor)) == [first]
    finish(first)
    assert list(assignments_of(cast.assessor)) == [first]
    client = client_of(cast, "assessor")
    address = cast.task.url("desk", topic_number="401")
    assert client.get(f"{address}?assignment={repeat.pk}").status_code == 404
    assert list(open_topics_of(cast.assessor)) == [], "the page that deletes an account counts what the desk shows"
    Assignment.objects.filter(pk=first.pk).update(finished_at=timezone.now() - REPEATED_AFTER - timedelta(seconds=1))
    assert set(assignments_of(cast.assessor)) == {first, repeat}
    assert docnos(repeat) == set(drawn(repeat.draws, "401", DOCNOS))
    assert all(not item.is_judged for item in items(repeat))
    desk = client.get(f"{address}?assignment={repeat.pk}")
    assert desk.context["last_judgment"] is None
    assert whole(repeat).finished_at is None


def test_no_page_and_no_answer_to_an_assessor_calls_a_repeat_one_or_tells_the_first_grade(
    cast: Cast, repeated: tuple[Assignment, Assignment]
) -> None:
    first, repeat = repeated
    AssigningRules.objects.create(task=cast.task, due_on=timezone.now().date() + timedelta(days=9))
    for place, entry in enumerate(list(unjudged(first))):
        judge(first, entry.docno, 3, note=f"first note {place}")
    Assignment.objects.filter(pk=first.pk).update(finished_at=timezone.now() - REPEATED_AFTER - timedelta(seconds=1))
    Mail.objects.all().delete()
    client, named = client_of(cast, "assessor"), {"topic_number": "401"}
    pages = [
        reverse("home"),
        reverse("next_judging"),
        reverse("whats_new"),
        cast.task.url("my_topics"),
        f"{cast.task.url('desk', **named)}?assignment={repeat.pk}",
        f"{cast.task.url('own_judgments', **named)}?assignment={repeat.pk}",
    ]
    shown = {address: client.get(address).content.decode().partition("<main")[2] for address in pages}
    api = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/assignments"
    token = {"Authorization": f"Bearer {make_token(cast.assessor, 'submit')}"}
    shown[api] = Client().get(api, headers=token).content.decode()
    taken = Client().post(f"{api}/{repeat.pk}/next-documents", {}, content_type="application/json", headers=token)
    assert taken.status_code == 200
    assert taken.json()["saved"] == 0
    shown["next documents"] = taken.content.decode()
    for address, content in shown.items():
        said = [word for word in ("repeat", "pass 2", "second time", "share", "first note") if word in content.lower()]
        assert not said, address
    assert not Mail.objects.exists()


def test_what_an_assessor_can_notice_of_a_repeat_is_what_the_page_of_the_organisers_says(
    cast: Cast, repeated: tuple[Assignment, Assignment]
) -> None:
    first, repeat = repeated
    Task.objects.filter(pk=cast.task.pk).update(
        assessors_add_documents=True, collection=make_collection(cast.task, DOCNOS)
    )
    AssigningRules.objects.create(task=cast.task, due_on=timezone.now().date() + timedelta(days=9))
    finish(first)
    Assignment.objects.filter(pk=first.pk).update(finished_at=timezone.now() - REPEATED_AFTER - timedelta(seconds=1))
    client = client_of(cast, "assessor")
    rows = client.get(cast.task.url("my_topics")).context["listed"].rows
    told = [(row["progress"].assignment, row["progress"].total, bool(row["due"])) for row in rows]
    assert told == [(first, len(DOCNOS), True), (repeat, len(docnos(repeat)), False)]
    desk = cast.task.url("desk", topic_number="401")
    finds = ["Find more documents" in client.get(f"{desk}?assignment={one.pk}").content.decode() for one in repeated]
    assert finds == [True, False]
    page = " ".join(client_of(cast, "organiser").get(cast.task.url("assignment_create")).content.decode().split())
    assert (
        "No page, mail or API answer of an assessor calls it a repeat. They can recognise it all the same: the topic stands a "
        "second time on their page My topics, with fewer documents, without a due date and without “Find more documents”; the "
        "first line still has their first grades."
    ) in page


def test_a_repeat_never_counts_in_qrels_whichever_the_policy(
    cast: Cast, pool: Pool, repeated: tuple[Assignment, Assignment]
) -> None:
    first, repeat = repeated
    shown = sorted(drawn(repeat.draws, "401", DOCNOS))
    judge(first, shown[0], None)
    for docno in shown[1:]:
        judge(first, docno, 1)
    before = {policy: release_draft(pool, policy).table.rows() for policy in POLICIES}
    for docno in shown:
        judge(repeat, docno, 3)
    assert {policy: release_draft(pool, policy).table.rows() for policy in POLICIES} == before
    assert Judgment.objects.filter(pass_number=repeat.pass_number, grade=3).count() == len(shown)


def test_what_is_kept_of_repeats_and_shares_is_what_would_be_counted(
    cast: Cast, repeated: tuple[Assignment, Assignment]
) -> None:
    first, repeat = repeated
    assert progress_of([repeat])[0].total == 0
    shown = min(drawn(repeat.draws, "401", DOCNOS))
    judge(first, shown, 1)
    assert (progress_of([repeat])[0].total, len(items(repeat))) == (1, 1)
    judge(repeat, shown, 0)
    assert progress_of([repeat])[0].left == len(list(unjudged(repeat))) == 0


def test_topics_above_a_size_are_divided_and_what_is_missing_of_them_is_given_later(
    cast: Cast, pool: Pool, second: User
) -> None:
    wish = Distribution([cast.assessor, second], most=25)
    plan = distribution_plan(pool, wish)
    assert [(row.parts, row.part, row.documents) for row in plan.rows] == [(3, 1, 20), (3, 2, 20), (3, 3, 20)]
    created = carry_out(cast, pool, plan)
    assert {one.part_seed for one in created} == {created[0].part_seed}
    assert set().union(*(docnos(whole(one)) for one in created)) == set(DOCNOS)
    created[1].delete()
    [missing] = distribution_plan(pool, Distribution([second])).rows
    assert (missing.parts, missing.part) == (3, 2)


def test_nobody_takes_a_topic_of_which_parts_are_given(cast: Cast, pool: Pool, second: User) -> None:
    give(cast, pool, cast.assessor, 1, 2)
    with pytest.raises(ValidationError, match="none can be taken"):
        topic_take(assessor=second, pool=pool, topic=cast.task.topics.get())
