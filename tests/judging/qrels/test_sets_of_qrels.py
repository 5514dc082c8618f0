"""Several named sets of qrels in one task: judgments of relevance, of something else, and of single assessors."""

import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaign.models import Import, Task
from evaluation.models import Evaluation
from evaluation.selectors.scores import scoring
from judging.core.set_names import set_name_problem, tidy_set_name
from judging.models import Qrels
from judging.qrels.selectors.differences import version_before
from judging.qrels.selectors.manifests import judgments_under
from judging.qrels.selectors.qrels_sets import assessor_sets, qrels_sets, set_named
from judging.qrels.selectors.releases import latest_qrels, released_table
from judging.qrels.services.releases import qrels_release
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment, send_qrels

HOSTILE = ("<b>x</b>", "a/b", "a\u202eb", "x" * 41, "--", 'a"b', "a;b", "=cmd")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_hostile_or_too_long_is_refused_with_the_remedy(name: str) -> None:
    assert set_name_problem(tidy_set_name(name)).startswith("Name the set with")


@pytest.mark.parametrize("name", ["relevance", " RELEVANCE ", "", "   "])
def test_relevance_is_the_default_set_however_it_is_written(name: str) -> None:
    assert tidy_set_name(name) == ""


@pytest.mark.django_db
def test_an_imported_set_has_its_own_grades_versions_and_scores_and_leaves_relevance_and_its_phase_alone(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    make_assignment(cast, ["D1", "D2", "D3"])
    run = make_valid_run(cast.task, cast.team, "tag", {"401": ["D1", "D2", "D3"]})
    phase = Task.objects.get(pk=cast.task.pk).phase
    client, capture = client_of(cast, "organiser"), django_capture_on_commit_callbacks

    def released(content: str, **values: str) -> Qrels:
        import_ = send_qrels(cast, content, capture, **values)
        with capture(execute=True):
            client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
        import_.refresh_from_db()
        assert import_.state == Import.DONE, import_.problems
        return cast.task.qrels.latest("version")

    read = released("401 0 D1 0\n401 0 D2 70\n", new_set=" Readability ")
    assert (read.version, read.set_name, read.highest_grade, str(read)) == (
        1,
        "Readability",
        70,
        "qrels v1 (Readability)",
    )
    assert (latest_qrels(cast.task), Task.objects.get(pk=cast.task.pk).phase) == (None, phase)
    relevance = released("401 0 D1 3\n401 0 D2 0\n")
    again = released("401 0 D1 0\n401 0 D2 80\n", set_name="Readability")
    assert (relevance.version, again.version) == (2, 3)
    assert (latest_qrels(cast.task), latest_qrels(cast.task, "Readability")) == (relevance, again)
    assert (qrels_sets(cast.task), set_named(cast.task, "READABILITY")) == (["", "Readability"], "Readability")
    assert (version_before(cast.organiser, again), version_before(cast.organiser, relevance)) == (read, None)
    assert set(Evaluation.objects.filter(run=run).values_list("qrels__version", flat=True)) == {1, 2, 3}
    assert (scoring(cast.task).qrels, scoring(cast.task).scored) == (relevance, 1)
    assert (scoring(cast.task, "Readability").qrels, scoring(cast.task, "Readability").scored) == (again, 1)

    page = client.get(cast.task.url("qrels_list")).content.decode()
    assert page.index("<strong>relevance</strong>") < page.index("<strong>Readability</strong>")
    page = client.get(again.get_absolute_url()).content.decode()
    assert "Qrels v3 (Readability)" in page
    assert "Difference to v1" in page
    assert "There is a newer version" in client.get(read.get_absolute_url()).content.decode()
    assert "There is a newer version" not in client.get(relevance.get_absolute_url()).content.decode()
    answer = client.get(cast.task.url("qrels_download", version=3))
    assert "-qrels-readability-v3.txt" in answer["Content-Disposition"]
    assert answer.getvalue().decode() == "401 0 D1 0\n401 0 D2 80\n"
    manifest = client.get(cast.task.url("qrels_manifest_download", version=3))
    assert json.loads(manifest.getvalue())["set"] == "Readability"
    cast.task.qrels.update(published_at=timezone.now())
    address = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/qrels"
    assert [one["set"] for one in client.get(address).json()["items"]] == ["Readability", "relevance", "Readability"]


@pytest.mark.django_db
def test_the_form_refuses_hostile_names_and_two_sets_at_once_and_the_check_a_merge_with_another_set(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 1)
    client, capture = client_of(cast, "organiser"), django_capture_on_commit_callbacks
    import_ = send_qrels(cast, "401 0 D1 101\n", capture, new_set="readability")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "Use the grades 0 to 100; -1 and -2 stand for pooled but not judged." in page
    import_ = send_qrels(cast, "401 0 D1 1\n", capture, new_set="readability", combine="here")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "they are not merged with a file of readability" in page
    for name in HOSTILE:
        file = SimpleUploadedFile("q.txt", b"401 0 D1 1\n")
        sent = {"file": file, "new_set": name, "combine": "alone", "policy": "latest"}
        answer = client.post(cast.task.url("qrels_import"), sent)
        assert (answer.status_code, "<b>x" in answer.content.decode()) == (422, False)


@pytest.mark.django_db
def test_judgments_of_one_assessor_become_a_set_under_the_pseudonym_and_name_nobody(cast: Cast) -> None:
    first = make_assignment(cast, ["D1", "D2", "D3"])
    client = client_of(cast, "organiser")
    assert (
        "No topic is judged by two assessors" in client.get(cast.task.url("qrels_release_assessors")).content.decode()
    )
    second = assign(first.pool, first.topic, make_user("second"), cast.organiser, pass_number=2)
    for docno, grade in (("D1", 1), ("D2", 0), ("D3", 1)):
        judge(first, docno, grade)
    judge(second, "D1", 0)
    judge(second, "D2", 1)
    named = [(one.person, one.set_name, one.topics, one.documents) for one in assessor_sets(cast.task)]
    assert named == [(first.assessor, "assessor A1", 1, 3), (second.assessor, "assessor A2", 1, 2)]
    url = cast.task.url("qrels_release_assessors")
    assert "as assessor A2: 2 graded documents of 1 topic" in client.get(url).content.decode()
    assert client.post(url, {}).status_code == 422
    assert client.post(url, {"assessors": [second.assessor.pk]}).status_code == 302
    qrels = Qrels.objects.get()
    assert (qrels.set_name, qrels.judgment_count, qrels.unjudged_count) == ("assessor A2", 2, 1)
    assert released_table(qrels, "overall").select("docno", "grade").rows() == [("D1", 0), ("D2", 1), ("D3", -1)]
    assert {row[1] for row in judgments_under(qrels)} == {"A2"}
    again = client.post(url, {"assessors": [second.assessor.pk]})
    assert "Nothing has changed since qrels v1 (assessor A2)" in again.content.decode()
    with pytest.raises(ValidationError, match="Nothing has changed"):
        qrels_release(actor=cast.organiser, task=cast.task, pool=first.pool, assessor=second.assessor)
