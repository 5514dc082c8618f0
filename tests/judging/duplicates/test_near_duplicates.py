"""Near-identical documents: judged together or by one that stands for all, released, and never lost."""

import re
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from campaign.models import AuditEvent, Document, Job
from campaign.storage.reading import verified_bytes
from judging.checkouts.selectors import shortage
from judging.duplicates.services import handling_choose
from judging.judgments.selectors.own_documents import documents, items, unjudged
from judging.models import Assignment, Claim
from judging.progress.selectors.progress import progress_of
from judging.qrels.selectors.releases import release_draft, released_table, why_no_uniform_sample
from judging.qrels.services.releases import qrels_release
from pooling.models import DuplicateSearch, Pool, Twin
from pooling.selectors.duplicates import FIND_DUPLICATES
from pooling.services.duplicates import duplicates_find
from tests.factories import Cast, make_cast, make_user
from tests.judging.growing_pools import DOCNOS, handed_out, judge_all, make_growing_pool
from tests.judging.makers import assign, client_of, judge, make_assignment, make_subtopics
from tests.judging.qrels.test_samples import make_sampled_pool, sample_lines
from tests.pooling.test_pool_pages import words

ONE, TOGETHER, OFF = DuplicateSearch.ONE, DuplicateSearch.TOGETHER, DuplicateSearch.OFF
pytestmark = pytest.mark.django_db
IN_ORDER = ["D1", "D2", "D3", "D4", "D5"]
CLASSES = {"D2": ["D2", "D4"], "D3": ["D3", "D5"]}


def find(pool: Pool, classes: dict[str, list[str]] = CLASSES) -> None:
    """What a search would have found."""
    places = dict(pool.entries.values_list("docno", "position"))
    DuplicateSearch.objects.create(pool=pool, threshold=0.9, documents=len(places), found_at=timezone.now())
    for topic in {entry.topic for entry in pool.entries.select_related("topic")}:
        for leader, members in classes.items():
            for docno in members:
                values = {"docno": docno, "representative": leader, "place": places[leader], "similarity": 0.95}
                Twin.objects.create(pool=pool, topic=topic, **values)


def choose(cast: Cast, assignment: Assignment, handling: str) -> None:
    handling_choose(actor=cast.organiser, pool=assignment.pool, handling=handling)
    assignment.refresh_from_db()


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    made = make_assignment(cast, IN_ORDER)
    find(made.pool)
    return made


def shown(assignment: Assignment) -> list[str]:
    return [item.docno for item in items(assignment)]


def progress(assignment: Assignment) -> tuple[int, int, int]:
    [row] = progress_of([assignment])
    return row.judged, row.left, row.total


def lines(file: Any) -> list[str]:
    return verified_bytes(str(file.name), found_by="a test").decode().splitlines()


def test_as_long_as_nothing_is_chosen_the_order_is_that_of_the_pool(assignment: Assignment) -> None:
    assert shown(assignment) == IN_ORDER
    assert [row["alike"] for row in documents(assignment, ["D4"])] == [[]]


def test_together_the_documents_of_a_class_follow_its_first(cast: Cast, assignment: Assignment) -> None:
    choose(cast, assignment, TOGETHER)
    assert shown(assignment) == ["D1", "D2", "D4", "D3", "D5"]
    assert progress(assignment) == (0, 5, 5)


def test_the_desk_names_the_near_identical_documents_with_the_assessors_own_grades_only(
    cast: Cast, assignment: Assignment
) -> None:
    choose(cast, assignment, TOGETHER)
    judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 2), "D3", 3)
    judge(assignment, "D2", 2)
    client = client_of(cast, "assessor")
    desk = cast.task.url("desk", topic_number="401")
    assert "Near-identical to: D2 (you judged it 2)" in words(client.get(f"{desk}?docno=D4"))
    assert "Near-identical to: D3 (not judged yet)" in words(client.get(f"{desk}?docno=D5"))
    assert "Near-identical" not in words(client.get(f"{desk}?docno=D1"))


def test_a_document_that_another_assessor_has_judged_is_not_named(cast: Cast, assignment: Assignment) -> None:
    choose(cast, assignment, TOGETHER)
    judge(assign(assignment.pool, assignment.topic, make_user(), cast.organiser), "D2", 3)
    [row] = documents(assignment, ["D4"])
    assert row["alike"] == []


def test_one_stands_for_all_until_the_assessor_has_judged_another_already(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D4", 1)
    choose(cast, assignment, ONE)
    assert shown(assignment) == ["D1", "D2", "D3", "D4"]
    assert progress(assignment) == (1, 3, 4)
    assert [entry.docno for entry in unjudged(assignment)] == ["D1", "D2", "D3"]


def test_progress_and_desk_count_alike_for_two_assessors_of_a_topic(cast: Cast, assignment: Assignment) -> None:
    other = assign(assignment.pool, assignment.topic, make_user(), cast.organiser)
    judge(other, "D2", 1)
    judge(other, "D5", None)
    for handling in (ONE, TOGETHER, OFF):
        choose(cast, assignment, handling)
        for row in progress_of([assignment, other]):
            assert row.total == len(items(row.assignment)), handling
            assert row.left == unjudged(row.assignment).count(), handling


def test_a_change_finishes_assignments_and_opens_them_again(cast: Cast, assignment: Assignment) -> None:
    for docno in ("D1", "D2", "D3"):
        judge(assignment, docno, 1)
    choose(cast, assignment, ONE)
    assert assignment.finished_at is not None
    choose(cast, assignment, TOGETHER)
    assert assignment.finished_at is None
    assert assignment.judgments.count() == 3
    told = AuditEvent.objects.filter(verb="handled near-duplicates").order_by("pk")
    assert [event.data["handling"] for event in told] == [[OFF, ONE], [ONE, TOGETHER]]


def test_an_act_on_a_document_that_is_left_out_meanwhile_is_kept(cast: Cast, assignment: Assignment) -> None:
    choose(cast, assignment, ONE)
    judge(assignment, "D5", 3)
    assert shown(assignment) == ["D1", "D2", "D3", "D5"]


def test_nothing_can_be_chosen_before_the_search_and_one_not_while_it_runs(cast: Cast) -> None:
    assignment = make_assignment(cast, IN_ORDER)
    with pytest.raises(ValidationError, match="not found yet"):
        choose(cast, assignment, ONE)
    find(assignment.pool)
    arguments = {"task_id": cast.task.pk, "pool_id": assignment.pool_id}
    Job.objects.create(name=FIND_DUPLICATES, key="k", arguments=arguments, task=cast.task)
    with pytest.raises(ValidationError, match="are being looked for"):
        choose(cast, assignment, ONE)
    with pytest.raises(ValidationError, match="no handling"):
        choose(cast, assignment, "both")


def test_a_twin_takes_the_grade_unless_it_has_a_judgment_of_its_own(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D5", 0)
    choose(cast, assignment, ONE)
    for docno, grade in (("D1", 1), ("D2", 2), ("D3", 3)):
        judge(assignment, docno, grade)
    page = client_of(cast, "organiser").get(cast.task.url("qrels_release"))
    assert "1 grade taken from near-identical documents" in words(page)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert lines(qrels.file) == ["401 0 D1 1", "401 0 D2 2", "401 0 D3 3", "401 0 D4 2", "401 0 D5 0"]
    assert lines(qrels.twins_file) == ["401 D4 D2", "401 D5 D3"]
    assert qrels.checksums["twins_sha256"] == qrels.twins_sha256 in str(qrels.twins_file.name)
    assert (qrels.judgment_count, qrels.unjudged_count) == (5, 0)
    download = client_of(cast, "organiser").get(cast.task.url("twins_download", version=1))
    assert b"".join(download.streaming_content) == b"401 D4 D2\n401 D5 D3\n"


@pytest.mark.parametrize("handling", [OFF, TOGETHER])
def test_otherwise_nothing_is_taken_and_no_class_is_published(
    cast: Cast, assignment: Assignment, handling: str
) -> None:
    choose(cast, assignment, handling)
    judge(assignment, "D2", 2)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert "401 0 D4 -1" in lines(qrels.file)
    assert (qrels.twins_file, qrels.twins_sha256) == ("", "")
    assert "twins_sha256" not in qrels.checksums
    assert client_of(cast, "organiser").get(cast.task.url("twins_download", version=1)).status_code == 404


def test_what_could_not_be_judged_or_has_no_majority_is_taken_over_as_such(cast: Cast, assignment: Assignment) -> None:
    choose(cast, assignment, ONE)
    judge(assignment, "D1", 1)
    judge(assignment, "D2", None)
    draft = release_draft(assignment.pool, "latest")
    assert dict(draft.table.select("docno", "grade").iter_rows())["D4"] == -2
    assert draft.taken_by_topic == {}
    judge(assignment, "D2", 2)
    draft = release_draft(assignment.pool, "strict-majority")
    assert dict(draft.table.select("docno", "grade").iter_rows())["D4"] == -1
    assert draft.undecided == (("401", "D1"), ("401", "D2"))


def test_the_choice_makes_a_new_version_of_the_same_judgments(cast: Cast, assignment: Assignment) -> None:
    for docno in IN_ORDER:
        judge(assignment, docno, 1)
    first = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    choose(cast, assignment, ONE)
    second = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert (second.version, second.sha256) == (2, first.sha256)
    assert why_no_uniform_sample(second) == ""


def test_part_of_a_class_judged_is_no_uniform_sample(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 1)
    choose(cast, assignment, TOGETHER)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert "near-identical" in why_no_uniform_sample(qrels)


def test_subtopics_are_taken_over_too() -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, IN_ORDER)
    make_subtopics(assignment.topic, ["1", "2"])
    find(assignment.pool)
    choose(cast, assignment, ONE)
    judge(assignment, "D2", 2, answers={"subtopics": ["2"]})
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    rows = released_table(qrels, "by_subtopic").select("subtopic", "docno", "grade").rows()
    assert sorted(rows) == [("1", "D2", 0), ("1", "D4", 0), ("2", "D2", 1), ("2", "D4", 1)]


def test_strata_count_what_their_documents_take_over(cast: Cast) -> None:
    assignment = make_sampled_pool(cast)
    drawn = list(assignment.pool.entries.order_by("position").values_list("docno", flat=True))
    find(assignment.pool, {drawn[0]: drawn[:2]})
    choose(cast, assignment, ONE)
    for docno in (drawn[0], *drawn[2:]):
        judge(assignment, docno, 1)
    assignment.refresh_from_db()
    assert assignment.finished_at is not None
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    graded = {line.split()[2] for line in sample_lines(qrels) if not line.endswith("-1")}
    assert graded == set(drawn)


def test_a_pool_that_grows_hands_out_no_document_that_another_stands_for_and_comes_to_its_end(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = assign(pool, pool.task.topics.get(), cast.assessor, cast.organiser)
    for place in range(0, len(DOCNOS), 2):
        text = f"all the words of pair {place} are the same in both of its documents"
        Document.objects.filter(docno__in=DOCNOS[place : place + 2]).update(title="", text=text)
    judge_all(own, pool, most=4)
    held = handed_out(own)
    duplicates_find(pool=pool)
    Job.objects.filter(name=FIND_DUPLICATES).update(state=Job.DONE)
    led = {twin.docno for twin in Twin.objects.filter(pool=pool) if twin.docno != twin.representative}
    assert led & set(held)
    handling_choose(actor=cast.organiser, pool=pool, handling=ONE)
    assert not Claim.objects.filter(docno__in=led).exists()
    assert not set(handed_out(own)) & led
    judged = judge_all(own, pool)
    assert judged
    assert not set(judged) & led
    own.refresh_from_db()
    assert own.finished_at is not None
    assert shortage(pool, own.topic_id) > 0


def test_it_tells_what_was_found_what_each_handling_costs_and_keeps_the_choice(
    cast: Cast, assignment: Assignment
) -> None:
    client = client_of(cast, "organiser")
    url = cast.task.url("pool_duplicates", version=1)
    text = words(client.get(url))
    assert "2 classes of 4 documents" in text
    assert "judged each in its place (5 documents, 2 min)" in text
    assert "judged by one that stands for all (3 documents, 2 min; 2 fewer, 1 min)" in text
    assert client.post(url, {"handling": ONE}).status_code == 302
    assert DuplicateSearch.objects.get().handling == ONE
    text = words(client.get(url))
    assert "Choose another handling to look again" in text
    client.post(url, {"again": "1"})
    assert not Job.objects.filter(name=FIND_DUPLICATES).exists()
    assert client.post(url, {"handling": "both"}).status_code == 422


def test_its_forms_hold_a_token(cast: Cast, assignment: Assignment) -> None:
    text = client_of(cast, "organiser").get(cast.task.url("pool_duplicates", version=1)).content.decode()
    assert len(re.findall('<form[^>]*method="post"', text)) == text.count("csrfmiddlewaretoken") > 2


def test_it_looks_again_when_asked_and_says_how_far_it_is(cast: Cast, assignment: Assignment) -> None:
    client = client_of(cast, "organiser")
    url = cast.task.url("pool_duplicates", version=1)
    client.post(url, {"again": "1"})
    assert "waiting for a worker" in words(client.get(url))
    Job.objects.update(state=Job.FAILED, message="No disk.")
    assert "The search for near-duplicates failed. No disk." in words(client.get(url))
    Job.objects.update(state=Job.DONE)
    answer = client.get(url, headers={"HX-Request": "true"})
    assert answer["HX-Refresh"] == "true"


def test_without_a_search_or_texts_or_twins_it_says_so(cast: Cast, client: Client) -> None:
    assignment = make_assignment(cast, IN_ORDER)
    client = client_of(cast, "organiser")
    url = cast.task.url("pool_duplicates", version=1)
    assert "Not searched yet" in words(client.get(url))
    duplicates_find(pool=assignment.pool)
    assert "No near-duplicates" in words(client.get(url))
    Document.objects.update(has_text=False, text="")
    duplicates_find(pool=assignment.pool)
    assert "None of its documents has a text" in words(client.get(url))


def test_what_the_pool_bought_counts_the_grades_taken(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D2", 2)
    client = client_of(cast, "organiser")
    url = cast.task.url("pool_completeness", version=1)
    assert "1 of 5 pooled documents judged" in words(client.get(url))
    choose(cast, assignment, ONE)
    shown = words(client.get(url))
    assert "2 of 5 pooled documents judged" in shown
    assert "Of the judged ones, 1 document took the grade of a near-identical one" in shown
    told = client.get(cast.task.url("completeness_json", version=1)).json()
    assert (told["judged"], told["relevant"], told["grades_taken"]) == (2, 2, 1)
    sums = [sum(row["judged"] for row in told[table]) for table in ("topics", "slices", "components")]
    assert sums == [2, 2, 2]
    assert (told["curve"][-1]["judged"], told["curve"][-1]["relevant"]) == (2, 2)


def test_classes_without_the_record_of_their_search_ask_to_look_again(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("pool_duplicates", version=1)
    DuplicateSearch.objects.all().delete()
    assert Twin.objects.filter(pool=assignment.pool).exists()
    answer = client.get(url)
    assert answer.status_code == 200
    assert "Look now" in words(answer)
