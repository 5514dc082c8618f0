"""What a release records of itself, and what it makes of decisions, repeats and pairs without a grade."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from campaign.formats.qrels.table import write_qrels
from campaign.storage.reading import verified_bytes
from judging.core.resolution import as_released
from judging.judgments.selectors.at_revision import AsOf
from judging.models import Adjudication, Assignment, Judgment, Qrels
from judging.qrels.selectors.manifests import judgments_under, manifest_of
from judging.qrels.selectors.releases import release_draft, why_no_uniform_sample, with_no_subtopic
from judging.qrels.services.releases import qrels_release
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def release(cast: Cast, assignment: Assignment, **values: Any) -> Qrels:
    return qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool, **values)


def lines(qrels: Qrels) -> list[str]:
    return verified_bytes(str(qrels.file.name), found_by="a test").decode().splitlines()


def decide(cast: Cast, assignment: Assignment, docno: str, grade: int | None, **values: Any) -> Adjudication:
    verdict = Adjudication.CANNOT_JUDGE if grade is None else Adjudication.GRADED
    return Adjudication.objects.create(
        uuid=uuid4(),
        topic=assignment.topic,
        docno=docno,
        adjudicator=cast.organiser,
        **{"verdict": verdict, "grade": grade, **values},
    )


def test_what_was_adjudicated_stands_before_the_policy_which_decides_the_rest(
    cast: Cast, assignment: Assignment
) -> None:
    second = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 2)
    for one, given in ((assignment, (3, 1, 2)), (second, (0, 0, 2))):
        for docno, grade in zip(("D1", "D2", "D3"), given, strict=True):
            judge(one, docno, grade)
    decide(cast, assignment, "D1", 2)
    decide(cast, assignment, "D2", None)
    decide(cast, assignment, "D3", None, verdict=Adjudication.WITHDRAWN)
    decide(cast, assignment, "D9", 3)
    assert lines(release(cast, assignment, policy="median")) == ["401 0 D1 0", "401 0 D2 0", "401 0 D3 2"]
    qrels = release(cast, assignment, policy="median", adjudicated=True)
    assert lines(qrels) == ["401 0 D1 2", "401 0 D2 -2", "401 0 D3 2"], "of documents outside the pool nothing"
    assert qrels.policy == "adjudicated over median"
    with pytest.raises(ValidationError, match="No grade by adjudicated over strict-majority for 1 graded pair: D3"):
        release(cast, assignment, policy="strict-majority", adjudicated=True)


def test_a_repeat_by_the_same_person_is_no_second_vote(cast: Cast, assignment: Assignment) -> None:
    second = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 2)
    repeat = assign(assignment.pool, assignment.topic, cast.assessor, cast.organiser, 3)
    judge(assignment, "D1", 0)
    judge(second, "D1", 1)
    judge(assignment, "D2", None)
    _copy(judge(assignment, "D3", 1), repeat, docno="D1", grade=3, verdict=Judgment.GRADED)
    _copy(Judgment.objects.get(docno="D3"), repeat, docno="D2", grade=2, verdict=Judgment.GRADED)
    draft = release_draft(assignment.pool, "most-generous")
    assert draft.table.rows() == [("401", "D1", 1), ("401", "D2", 2), ("401", "D3", 1)]
    assert draft.votes_by_topic == {"401": {1: 2, 2: 1}}


def _copy(judgment: Judgment, assignment: Assignment, **values: Any) -> None:
    """An act of another pass as a desk that hands out hidden repeats stores it."""
    kept = {name: getattr(judgment, name) for name in ("topic", "assessor", "judged_at", "details")}
    Judgment.objects.create(
        **{**kept, "uuid": uuid4(), "assignment": assignment, "pass_number": assignment.pass_number, **values}
    )


@pytest.mark.parametrize(
    ("cannot_judge_as", "unjudged_as", "rest"),
    [
        ("-2", "-1", ["401 0 D2 -2", "401 0 D3 -1"]),
        ("-1", "-1", ["401 0 D2 -1", "401 0 D3 -1"]),
        ("left out", "-1", ["401 0 D3 -1"]),
        ("-2", "left out", ["401 0 D2 -2"]),
        ("-1", "left out", ["401 0 D2 -1"]),
        ("left out", "left out", []),
    ],
)
def test_pairs_without_a_grade_are_released_as_the_organiser_says(
    cast: Cast, assignment: Assignment, cannot_judge_as: str, unjudged_as: str, rest: list[str]
) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", None)
    qrels = release(cast, assignment, cannot_judge_as=cannot_judge_as, unjudged_as=unjudged_as)
    assert lines(qrels) == ["401 0 D1 2", *rest]
    assert (qrels.judgment_count, qrels.unjudged_count) == (1, 2)
    assert ("left out" in why_no_uniform_sample(qrels)) == (unjudged_as == "left out")


def test_another_treatment_is_refused_and_nothing_is_released(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    with pytest.raises(ValidationError, match="Pairs without a grade are released as -2, -1, left out"):
        release(cast, assignment, cannot_judge_as="0")
    assert not Qrels.objects.exists()


def test_a_version_is_made_again_byte_for_byte_from_its_manifest(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", 1)
    decision = decide(cast, assignment, "D1", 3)
    qrels = release(cast, assignment, adjudicated=True)
    judge(assignment, "D2", 0)
    judge(assignment, "D3", 3)
    Adjudication.objects.filter(pk=decision.pk).update(is_current=False)
    decide(cast, assignment, "D1", 0)
    manifest = manifest_of(qrels)
    as_of = AsOf(manifest["last_judgment"]["number"], manifest["last_decision"]["number"])
    draft = release_draft(assignment.pool, manifest["policy"], as_of)
    again = write_qrels(as_released(with_no_subtopic(draft.released), qrels.cannot_judge_as, qrels.unjudged_as))
    assert again.decode().splitlines() == lines(qrels) == ["401 0 D1 3", "401 0 D2 1", "401 0 D3 -1"]
    assert list(judgments_under(qrels)) == [("401", "A1", 1, "D1", 2), ("401", "A1", 1, "D2", 1)]


def test_the_manifest_tells_what_a_version_rests_on_and_names_nobody(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    last = judge(assignment, "D2", None)
    qrels = release(cast, assignment, cannot_judge_as="left out")
    content = verified_bytes(str(qrels.manifest_file.name), found_by="a test")
    manifest = json.loads(content)
    assert cast.assessor.username not in content.decode()
    assert manifest["files"] == {"qrels": {"sha256": qrels.sha256}}
    assert manifest["assessors"] == [{"assessor": "A1", "judgments": 2}]
    assert manifest["last_judgment"] == {"number": last.pk, "uuid": str(last.uuid)}
    assert manifest["pools"] == [{"version": 1, "sha256": "0" * 64, "size": 3, "strategy": "depth"}]
    assert manifest["pairs_of_each_grade"] == {"-1": 1, "2": 1}
    assert manifest["cannot_judge"] == "left out of the file"


def test_the_page_defends_the_qrels_and_its_files_are_downloaded(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    qrels = release(cast, assignment)
    client = client_of(cast, "organiser")
    page = client.get(qrels.get_absolute_url()).text
    assert "A1 (1)" in page
    assert qrels.manifest_sha256 in page
    manifest = client.get(cast.task.url("qrels_manifest_download", version=1))
    assert b"".join(manifest).startswith(b"{")
    judgments = client.get(cast.task.url("qrels_judgments_download", version=1))
    assert b"".join(judgments) == b"topic,assessor,pass,docno,grade\n401,A1,1,D1,2\n"


def test_the_form_offers_decisions_only_where_there_are_some(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_release")
    assert 'name="adjudicated"' not in client.get(url).text
    decide(cast, assignment, "D1", 1)
    assert 'name="adjudicated"' in client.get(url).text
    client.post(url, {"policy": "latest", "adjudicated": "on", "unjudged_as": "left out"})
    assert lines(Qrels.objects.get()) == ["401 0 D1 1"]
    refused = client.post(url, {"policy": "latest", "unjudged_as": "0"})
    assert refused.status_code == 422
