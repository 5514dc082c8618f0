"""Qrels of a file that are released together with what was judged here."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.utils import timezone

from campaign.models import Import
from judging.models import Adjudication, Assignment, Qrels
from judging.progress.selectors.pool_share import pool_share
from judging.qrels.selectors.manifests import judgments_under, manifest_of
from judging.qrels.selectors.releases import released_table, why_no_uniform_sample
from judging.qrels.services.releases import qrels_release
from pooling.models import PoolEntry
from tests.factories import Cast, make_cast
from tests.judging.makers import assign, client_of, judge, make_assignment, make_subtopics, send_qrels

pytestmark = pytest.mark.django_db

FILE = "\n401 0 D1 0\n401 0 D2 1\n401 0 D9 3\n401 0 D8 -1\n"


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    """D1 and D2 have a grade, D3 could not be judged, D4 is not judged."""
    made = make_assignment(cast, ["D1", "D2", "D3", "D4"])
    for docno, grade in (("D1", 3), ("D2", 1), ("D3", None)):
        judge(made, docno, grade)
    return made


def add_entries(assignment: Assignment, docnos: list[str], **values: Any) -> None:
    PoolEntry.objects.bulk_create(
        PoolEntry(
            pool=assignment.pool,
            topic=assignment.topic,
            docno=docno,
            position=position,
            best_position=1,
            run_count=1,
            **values,
        )
        for position, docno in enumerate(docnos, start=10)
    )


def page_of(cast: Cast, import_: Import) -> str:
    url = cast.task.url("qrels_import_detail", import_id=import_.pk)
    return str(client_of(cast, "organiser").get(url).content.decode())


def confirm(cast: Cast, import_: Import, capture: Any) -> None:
    with capture(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))


def grades_of(qrels: Qrels) -> dict[str, int]:
    return dict(released_table(qrels, "overall").select("docno", "grade").iter_rows())


@pytest.mark.parametrize(("combine", "grade"), [("here", 3), ("file", 0)])
def test_where_both_grade_a_pair_the_chosen_side_stands_and_the_preview_counts_the_pairs_of_each(
    cast: Cast, assignment: Assignment, combine: str, grade: int, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine=combine)
    page = " ".join(page_of(cast, import_).split())
    assert "<dt>Graded here only</dt><dd>0 pairs</dd>" in page
    assert "<dt>Graded in the file only</dt><dd>1 pair</dd>" in page
    assert "<dt>Graded alike by both</dt><dd>1 pair</dd>" in page
    assert (
        f"<dt>Graded differently</dt> <dd>1 pair: the grade {'given here' if combine == 'here' else 'of the file'} stands"
        in page
    )
    assert '<td>D1</td> <td class="num">3</td> <td class="num">0</td>' in page
    assert "Release 6 merged lines" in page
    assert not Qrels.objects.exists()
    confirm(cast, import_, django_capture_on_commit_callbacks)
    qrels = Qrels.objects.get()
    assert grades_of(qrels) == {"D1": grade, "D2": 1, "D3": -2, "D4": -1, "D8": -1, "D9": 3}
    assert (qrels.source, qrels.policy, qrels.pool, qrels.unjudged_count) == ("merged", "latest", assignment.pool, 3)


def test_a_merged_version_says_on_its_page_and_in_its_manifest_where_its_grades_come_from(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here", policy="median")
    confirm(cast, import_, django_capture_on_commit_callbacks)
    qrels = Qrels.objects.get()
    manifest = manifest_of(qrels)
    assert manifest["imported_file"] == {"name": "q.txt", "sha256": import_.sha256, "lines": 4}
    assert manifest["merged"] == {
        "rule": "here",
        "rule_in_words": "the grade given here stands",
        "only_here": 0,
        "only_in_file": 1,
        "same": 1,
        "different": 1,
    }
    assert manifest["policy"] == "median"
    assert manifest["assessors"] == [{"assessor": "A1", "judgments": 3}]
    assert [row[3:] for row in judgments_under(qrels)] == [("D1", 3), ("D2", 1), ("D3", -2)]
    page = " ".join(client_of(cast, "organiser").get(qrels.get_absolute_url()).content.decode().split())
    assert "judged here, merged with a file" in page
    assert (
        "0 pairs graded here only, 1 in the file only, 1 alike by both, 1 differently: the grade given here stands"
        in page
    )
    assert "q.txt, 4 lines" in page
    assert why_no_uniform_sample(qrels) == "how the graded documents of an imported file were chosen is not recorded"
    share = pool_share(cast.task)
    assert share is not None
    assert (share.judged, share.total) == (3, 4)


def test_acts_after_the_check_change_nothing_in_the_release_and_the_page_says_that_they_came(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here")
    assert "More was judged or decided since" not in page_of(cast, import_)
    judge(assignment, "D4", 2)
    judge(assignment, "D2", 3, judged_at=timezone.now() + timedelta(seconds=1))
    assert "More was judged or decided since" in page_of(cast, import_)
    confirm(cast, import_, django_capture_on_commit_callbacks)
    qrels = Qrels.objects.get()
    assert grades_of(qrels) == {"D1": 3, "D2": 1, "D3": -2, "D4": -1, "D8": -1, "D9": 3}
    assert manifest_of(qrels)["assessors"] == [{"assessor": "A1", "judgments": 3}]


def test_what_can_no_longer_be_read_as_at_the_check_is_not_released(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here")
    add_entries(assignment, ["D5"], source=PoolEntry.FOUND)
    confirm(cast, import_, django_capture_on_commit_callbacks)
    assert not Qrels.objects.exists()
    assert "What was judged here is read differently than at the check. Send the file again." in page_of(cast, import_)


def test_differing_grades_refuse_the_file_if_asked_with_line_and_both_grades(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="refuse")
    assert import_.state == Import.BAD
    page = page_of(cast, import_)
    assert "Docno D1 of topic 401: grade 3 here, grade 0 in the file." in page
    assert "line 2" in page
    agreeing = send_qrels(cast, FILE.replace("D1 0", "D1 3"), django_capture_on_commit_callbacks, combine="refuse")
    confirm(cast, agreeing, django_capture_on_commit_callbacks)
    assert grades_of(Qrels.objects.get())["D9"] == 3


def test_where_grades_differ_a_button_says_whose_stand_and_checks_the_same_file_again(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    client, grades = client_of(cast, "organiser"), []
    for repair, whose in (("here", "given here"), ("file", "of the file")):
        import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="refuse")
        assert f"Let the grades {whose} stand and check again" in " ".join(page_of(cast, import_).split())
        with django_capture_on_commit_callbacks(execute=True):
            client.post(cast.task.url("qrels_import_repair", import_id=import_.pk), {"repair": repair})
        confirm(cast, Import.objects.get(pk=import_.pk), django_capture_on_commit_callbacks)
        grades.append(grades_of(Qrels.objects.latest("version"))["D1"])
    assert grades == [3, 0]


def test_more_differences_than_are_named_are_counted(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    documents = [f"E{number:02}" for number in range(23)]
    add_entries(assignment, documents)
    for docno in documents:
        judge(assignment, docno, 1)
    lines = "".join(f"401 0 {docno} 2\n" for docno in documents)
    import_ = send_qrels(cast, lines, django_capture_on_commit_callbacks, combine="refuse")
    assert import_.problems["errors"] == 23
    assert "3 more pairs with different grades." in page_of(cast, import_)


def test_decisions_of_adjudicators_stand_before_the_policy_if_ticked(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    Adjudication.objects.create(
        uuid=uuid4(),
        topic=assignment.topic,
        docno="D1",
        adjudicator=cast.organiser,
        verdict=Adjudication.GRADED,
        grade=2,
    )
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here", adjudicated="on")
    confirm(cast, import_, django_capture_on_commit_callbacks)
    qrels = Qrels.objects.get()
    assert (qrels.policy, grades_of(qrels)["D1"]) == ("adjudicated over latest", 2)


def test_pairs_that_the_policy_leaves_undecided_take_the_grade_of_the_file_or_are_named_as_not_judged(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    second = assign(assignment.pool, assignment.topic, cast.member, cast.organiser, pass_number=2)
    judge(second, "D1", 0)
    judge(second, "D4", 2)
    judge(assignment, "D4", 0)
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here", policy="single")
    assert "1 pair judged here without a grade by the policy, and without one in the file." in page_of(cast, import_)
    confirm(cast, import_, django_capture_on_commit_callbacks)
    assert grades_of(Qrels.objects.get()) == {"D1": 0, "D2": 1, "D3": -2, "D4": -1, "D8": -1, "D9": 3}


def test_a_sample_is_not_merged(cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any) -> None:
    strata = send_qrels(cast, "401 0 D1 1 3\n", django_capture_on_commit_callbacks, combine="here")
    reason = "The file is a sample: its strata or probabilities say nothing of the documents judged here."
    assert reason in page_of(cast, strata)
    add_entries(assignment, ["D5"], source=PoolEntry.DRAWN, inclusion_probability=0.5)
    caches["bulk"].clear()  # a draw never changes, and this one did
    of_sample = send_qrels(cast, FILE, django_capture_on_commit_callbacks, combine="here")
    assert "estimators would take documents that the file adds for drawn ones" in page_of(cast, of_sample)


def test_the_form_offers_to_merge_where_something_is_judged_and_takes_the_file_alone_unless_asked(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_import")
    fields = [
        "file",
        "encoding",
        "new_set",
        "combine",
        "policy",
        "leave_out",
        "repeated",
        "listed",
        "grade_words",
        "grade_column",
        "match_topics",
        "note",
    ]
    assert list(client.get(url).context["form"].fields) == fields
    qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    import_ = send_qrels(cast, FILE, django_capture_on_commit_callbacks, policy="median")
    confirm(cast, import_, django_capture_on_commit_callbacks)
    alone = Qrels.objects.get(version=2)
    assert (alone.source, grades_of(alone)) == ("imported", {"D1": 0, "D2": 1, "D8": -1, "D9": 3})
    assert "merged" not in json.dumps(manifest_of(alone))
    assert client.post(url, {"file": "", "combine": "both"}).status_code == 422


def test_subtopics_of_a_file_are_merged_with_those_ticked_here(
    db: None, django_capture_on_commit_callbacks: Any
) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1", "D2"])
    make_subtopics(assignment.topic, ["a", "b"])
    judge(assignment, "D1", 2, answers={"subtopics": {"a": 2}})
    import_ = send_qrels(
        cast, "401 a D1 2\n401 b D3 3\n", django_capture_on_commit_callbacks, combine="refuse", subtopics="on"
    )
    confirm(cast, import_, django_capture_on_commit_callbacks)
    subtopics = released_table(Qrels.objects.get(), "by_subtopic")
    assert subtopics.rows() == [("401", "a", "D1", 2), ("401", "b", "D1", 0), ("401", "b", "D3", 3)]


def test_a_document_that_came_after_a_merged_release_is_not_judged_by_it(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    file = "401 0 D1 0\n401 0 D2 1\n401 0 D3 0\n401 0 D4 1\n"
    confirm(
        cast,
        send_qrels(cast, file, django_capture_on_commit_callbacks, combine="file"),
        django_capture_on_commit_callbacks,
    )
    whole = pool_share(cast.task)
    assert whole is not None
    assert (whole.judged, whole.total) == (4, 4)
    add_entries(assignment, ["D8", "D9"], source=PoolEntry.FOUND)
    share = pool_share(cast.task)
    assert share is not None
    assert (share.judged, share.total) == (4, 6)
