import hashlib
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.models import AuditEvent, Task
from judging.events import qrels_released
from judging.models import Assignment, Qrels
from judging.qrels.selectors.release_counts import drafted_counts
from judging.qrels.selectors.releases import grade_counts, release_draft, released_table
from judging.qrels.services.releases import qrels_release
from tests.api.makers import ask, make_token
from tests.factories import Cast, make_cast, make_topics, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment, make_pool, make_subtopics

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def release(cast: Cast, assignment: Assignment, **values: Any) -> Qrels:
    return qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool, **values)


def lines(qrels: Qrels) -> list[str]:
    with default_storage.open(qrels.file.name) as file:
        return file.read().decode().splitlines()


@pytest.mark.sqlite("judging.qrels.services.releases._hold_judgments")
def test_released_qrels_hold_every_pooled_document_and_no_silent_zero(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", None)
    qrels = release(cast, assignment)
    assert lines(qrels) == ["401 0 D1 2", "401 0 D2 -2", "401 0 D3 -1"]
    assert (qrels.judgment_count, qrels.relevant_count, qrels.unjudged_count) == (1, 1, 2)
    assert qrels.topics == ["401"]


def test_the_checksum_is_that_of_the_file_and_the_file_reads_back(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    qrels = release(cast, assignment)
    with default_storage.open(qrels.file.name) as file:
        assert hashlib.sha256(file.read()).hexdigest() == qrels.sha256
    with default_storage.open(qrels.file.name) as file:
        read = read_qrels(file, QrelsRules())
    assert read.table is not None
    assert read.table.equals(released_table(qrels, "overall"))


def test_the_database_does_not_compare_judgments_with_the_documents_of_pools(cast: Cast) -> None:
    """PostgreSQL compared each of a million judgments with each of a million entries: see `acts_about`."""
    assignment = make_assignment(cast, ["D1", "D2"])
    make_pool(cast.task, {assignment.topic: ["D2", "D3"]}, cast.organiser, version=2)
    judge(assignment, "D1", 1)
    for pool in cast.task.pools.all():
        with CaptureQueriesContext(connection) as queries:
            assert release_draft(pool, "latest").judged == 1
        asked = [query["sql"] for query in queries]
        assert not [sql for sql in asked if "judging_judgment" in sql and "pooling_poolentry" in sql]


def test_topics_without_a_grade_are_left_out_and_their_documents_counted_as_unjudged(cast: Cast) -> None:
    first, second = make_topics(cast.task, ["9", "10"])
    pool = make_pool(cast.task, {first: ["D1"], second: ["D1", "D2"]}, cast.organiser)
    judge(assign(pool, first, cast.assessor, cast.organiser), "D1", 0)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
    assert qrels.topics == ["9"]
    assert lines(qrels) == ["9 0 D1 0"]
    assert qrels.unjudged_count == 2
    draft = drafted_counts(pool, "latest")
    assert (draft.topics_left_out, draft.unjudged) == (["10"], 0), "pairs of a topic left out are not released as -1"
    with pytest.raises(ValidationError, match="By strict-majority no document gets a grade"):
        qrels_release(actor=cast.organiser, task=cast.task, pool=pool, policy="strict-majority")


def test_topics_stand_in_byte_order(cast: Cast) -> None:
    topics = make_topics(cast.task, ["9", "10", "é1", "a"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    for topic in topics:
        judge(assign(pool, topic, cast.assessor, cast.organiser), "D1", 1)
    assert qrels_release(actor=cast.organiser, task=cast.task, pool=pool).topics == ["10", "9", "a", "é1"]


def test_several_assessors_are_resolved_by_the_policy(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 3)
    for number in (2, 3):
        judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser, number), "D1", 1)
    judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 4), "D1", 0)
    assert lines(release(cast, assignment))[0] == "401 0 D1 3"
    assert lines(release(cast, assignment, policy="plurality"))[0] == "401 0 D1 1"
    assert lines(release(cast, assignment, policy="strictest"))[0] == "401 0 D1 0"


def test_what_earlier_pools_judged_belongs_to_a_later_release_but_not_the_other_way(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 2)
    delta = make_pool(cast.task, {assignment.topic: ["D8"]}, cast.organiser, version=2)
    judge(assign(delta, assignment.topic, cast.assessor, cast.organiser), "D8", 1)
    later = qrels_release(actor=cast.organiser, task=cast.task, pool=delta)
    assert lines(later) == ["401 0 D1 2", "401 0 D8 1"]
    earlier = release(cast, assignment)
    assert [line.split()[2] for line in lines(earlier)] == ["D1", "D2", "D3"]


def test_an_undone_judgment_is_not_released(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", 1)
    judge(assignment, "D2", None)
    assert lines(release(cast, assignment))[1] == "401 0 D2 -2"


def test_releasing_with_nothing_judged_is_refused(cast: Cast, assignment: Assignment) -> None:
    with pytest.raises(ValidationError, match="Nothing is judged yet"):
        release(cast, assignment)
    assert not Qrels.objects.exists()


def test_releasing_twice_without_a_change_is_refused(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    release(cast, assignment)
    with pytest.raises(ValidationError, match="Nothing has changed since qrels v1"):
        release(cast, assignment)
    judge(assignment, "D1", 3)
    assert release(cast, assignment).version == 2


def test_an_unknown_policy_is_refused(cast: Cast, assignment: Assignment) -> None:
    with pytest.raises(
        ValidationError,
        match="no policy “majority”: use latest, single, plurality, strict-majority",
    ):
        release(cast, assignment, policy="majority")


def test_a_release_is_announced_logged_and_moves_the_task_on(cast: Cast, assignment: Assignment) -> None:
    announced: list[Qrels] = []

    def receive(sender: type[Qrels], qrels: Qrels, **kwargs: Any) -> None:
        announced.append(qrels)

    judge(assignment, "D1", 2)
    qrels_released.connect(receive)
    try:
        qrels = release(cast, assignment)
    finally:
        qrels_released.disconnect(receive)
    assert announced == [qrels]
    assert AuditEvent.objects.filter(object_type="qrels", object_id=str(qrels.pk), verb="released").count() == 1
    cast.task.refresh_from_db()
    assert cast.task.phase == Task.SCORES


def test_subtopic_grades_are_released_beside_the_overall_grades() -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    make_subtopics(assignment.topic, ["a", "b"])
    judge(assignment, "D1", 2, answers={"subtopics": {"a": 1}})
    judge(assignment, "D2", 0)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    table = released_table(qrels, "by_subtopic")
    assert table is not None
    assert table.rows() == [("401", "a", "D1", 1), ("401", "a", "D2", 0), ("401", "b", "D1", 0), ("401", "b", "D2", 0)]
    assert lines(qrels) == ["401 0 D1 2", "401 0 D2 0", "401 0 D3 -1"]


def test_a_task_without_subtopics_has_no_subtopic_qrels(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    assert "by_subtopic" not in release(cast, assignment).files


def test_an_earlier_pool_released_again_keeps_what_was_changed_through_a_later_one(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 1)
    judge(assignment, "D2", 0)
    delta = make_pool(cast.task, {assignment.topic: ["D1", "D9"]}, cast.organiser, version=2)
    later = assign(delta, assignment.topic, cast.assessor, cast.organiser)
    judge(later, "D1", 3)
    judge(later, "D9", 2)
    assert lines(release(cast, assignment)) == ["401 0 D1 3", "401 0 D2 0", "401 0 D3 -1"]
    both = qrels_release(actor=cast.organiser, task=cast.task, pool=delta)
    assert lines(both) == ["401 0 D1 3", "401 0 D2 0", "401 0 D9 2"]


def test_only_documents_from_the_lowest_relevant_grade_are_counted_as_relevant(
    cast: Cast, assignment: Assignment
) -> None:
    cast.task.lowest_relevant_grade = 2
    cast.task.save()
    judge(assignment, "D1", 1)
    judge(assignment, "D2", 2)
    qrels = release(cast, Assignment.objects.get())
    assert (qrels.relevant_count, qrels.lowest_relevant_grade) == (1, 2)
    [row] = grade_counts(released_table(qrels, "overall"), [0, 1, 2, 3], qrels.lowest_relevant_grade)
    assert row["relevant"] == 1


def test_a_release_without_a_majority_is_refused_by_name_or_leaves_the_pair_unjudged(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 0)
    judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 2), "D1", 3)
    for number in (3, 4, 5):
        judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser, number), "D2", 2)
    with pytest.raises(ValidationError, match=r"No grade by strict-majority for 1 graded pair: D1 \(topic 401\)"):
        release(cast, assignment, policy="strict-majority")
    qrels = release(cast, assignment, policy="strict-majority", leave_undecided=True)
    assert lines(qrels) == ["401 0 D1 -1", "401 0 D2 2", "401 0 D3 -1"]


def test_a_topic_that_scores_every_run_0_is_named_and_can_be_left_out_of_the_scores(cast: Cast) -> None:
    first, second = make_topics(cast.task, ["9", "10"])
    pool = make_pool(cast.task, {first: ["D1", "D2"], second: ["D1"]}, cast.organiser)
    judge(assign(pool, first, cast.assessor, cast.organiser), "D1", 0)
    judge(assign(pool, first, make_user(), cast.organiser, 2), "D2", 1)
    judge(assign(pool, second, cast.assessor, cast.organiser), "D1", 0)
    assert drafted_counts(pool, "latest").topics_that_tell_nothing == {"10": "no relevant document among 1 judged"}
    with pytest.raises(ValidationError, match="no graded topic 11"):
        qrels_release(actor=cast.organiser, task=cast.task, pool=pool, not_scored=["11"])
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=pool, not_scored=["10"])
    assert (qrels.topics, qrels.topics_not_scored) == (["9"], ["10"])
    assert "10 0 D1 0" in lines(qrels), "its judgments are released all the same"
    page = client_of(cast, "organiser").get(qrels.get_absolute_url()).content.decode()
    assert "3, of 1 scored topic and 1 topic left out" in " ".join(page.split())


def strict_in_one_topic(cast: Cast) -> None:
    """The pool of two topics: of 10 the strictest grades leave nothing relevant, those of the first pass one."""
    first, second = make_topics(cast.task, ["9", "10"])
    pool = make_pool(cast.task, {first: ["D1"], second: ["D1"]}, cast.organiser)
    judge(assign(pool, first, cast.assessor, cast.organiser), "D1", 2)
    judge(assign(pool, second, cast.assessor, cast.organiser), "D1", 2)
    judge(assign(pool, second, make_user(), cast.organiser, 2), "D1", 0)


def test_the_page_of_a_release_speaks_of_the_policy_that_is_chosen(cast: Cast) -> None:
    strict_in_one_topic(cast)
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_release")
    shown = " ".join(client.post(url, {"policy": "strictest", "show": "1"}).content.decode().split())
    assert "Relevant (grade 1 or above): 1." in shown
    assert "The numbers here are by strictest." in shown
    assert "Without a relevant document by this choice: 10 (no relevant document among 1 judged)." in shown
    assert "The numbers here are by latest." in client.get(url).content.decode()
    client.post(url, {"policy": "strictest", "not_scored": ["10"]})
    assert Qrels.objects.get().topics_not_scored == ["10"]


def test_what_a_release_of_the_api_would_hold_is_by_its_own_policy(cast: Cast) -> None:
    strict_in_one_topic(cast)
    token = make_token(cast.organiser)
    task = f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}"
    draft = ask(f"{task}/qrels-draft?policy=strictest", token)
    assert draft.json()["topics_that_tell_nothing"] == {"10": "no relevant document among 1 judged"}
    assert "Relevant (grade 1 or above): 1." in draft.json()["consequences"]
    sent = {"policy": "strictest", "not_scored": ["10"]}
    unconfirmed = ask(f"{task}/qrels", token, method="POST", data=sent)
    assert unconfirmed.status_code == 409
    assert "Relevant (grade 1 or above): 1." in [error["message"] for error in unconfirmed.json()["errors"]]
    assert ask(f"{task}/qrels", token, method="POST", data={**sent, "confirm": True}).status_code == 201
    assert Qrels.objects.get().topics_not_scored == ["10"]
