"""What organisers decide and read of the judging by API: the same as on pages."""

import io
import json
import zipfile
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.test import Client

from campaign.models import Job, Task, job_key
from evaluation.analysis.reliability.selectors import REPORT_OF_SCORES
from evaluation.models import WorkingBoard, WorkingTrust
from judging.models import Adjudication, Assignment
from pooling.selectors.holders import READ_HOLDERS
from tests.api.makers import World, ask, compare, disagree, make_token, publish, release_order, score
from tests.factories import Cast, make_cast
from tests.judging.growing_pools import make_growing_pool
from tests.judging.preferences.makers import answer_all


def read(world: World, path: str, role: str = "organiser") -> Any:
    answer = world.ask(role, f"{world.task}/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def post(world: World, path: str, data: dict[str, Any] | None = None) -> Any:
    return world.ask("organiser", f"{world.task}/{path}", method="POST", data=data or {})


def page_file(cast: Cast, name: str, **kwargs: Any) -> Any:
    """What the page offers for download, to the organiser."""
    client = Client()
    client.force_login(cast.organiser)
    answer = client.get(cast.task.url(name, **kwargs))
    assert answer.status_code == 200
    return answer


def test_a_disagreement_is_found_decided_and_taken_back_and_the_judgments_stay(world: World) -> None:
    disagree(world)
    [listed] = read(world, "judging/disagreements")["items"]
    assert {name: listed[name] for name in ("topic", "docno", "low", "high", "votes", "crosses", "decided")} == {
        "topic": "1",
        "docno": "a",
        "low": 0,
        "high": 1,
        "votes": 2,
        "crosses": True,
        "decided": None,
    }
    found = read(world, "judging/disagreements/1/a")
    assert [(vote["grade"], vote["assessor"]) for vote in found["votes"]] == [
        (0, world.cast.assessor.username),
        (1, world.cast.stranger.username),
    ]
    seen = [vote["uuid"] for vote in found["votes"]]
    sent = {"uuid": str(uuid4()), "topic": "1", "docno": "a", "grade": 1, "seen": seen, "note": "It names the tool."}
    made = post(world, "judging/decisions", sent)
    assert (made.status_code, made.json()["grade"], made.json()["adjudicator"]) == (
        201,
        1,
        world.cast.organiser.username,
    )
    assert post(world, "judging/decisions", sent).json() == made.json(), "sent again it is the same decision"
    assert Adjudication.objects.count() == 1
    assert read(world, "judging/disagreements")["count"] == 0
    assert read(world, "judging/disagreements?show=decided")["count"] == 1
    withdrawn = {"uuid": str(uuid4()), "topic": "1", "docno": "a", "previous": sent["uuid"]}
    assert post(world, "judging/decisions/withdraw", withdrawn).json()["verdict"] == "withdrawn"
    assert read(world, "judging/disagreements")["count"] == 1
    assert read(world, "judging/disagreements/1/a")["decision"] is None


def test_a_decision_about_judgments_that_changed_meanwhile_is_refused_and_stored_nowhere(world: World) -> None:
    disagree(world)
    about = {"topic": "1", "docno": "a", "grade": 1}
    for wrong, status in (
        ({"seen": [str(world.values["vote"])]}, 422),
        ({"seen": [str(world.values["vote"]), str(world.values["other_vote"])], "previous": str(uuid4())}, 422),
        ({"seen": [str(world.values["vote"]), str(world.values["other_vote"])], "grade": 9}, 422),
        ({"seen": [str(world.values["vote"]), str(world.values["other_vote"])], "topic": "9"}, 404),
    ):
        answer = post(world, "judging/decisions", {"uuid": str(uuid4()), **about, **wrong})
        assert answer.status_code == status, answer.content
    assert not Adjudication.objects.exists()


def test_agreement_and_completeness_are_those_of_the_files_of_the_pages(world: World) -> None:
    disagree(world)
    agreement = page_file(world.cast, "agreement_json").json()
    assert {**agreement, **read(world, "judging/agreement")} == agreement
    assert agreement["task"]["documents"] == 1
    assert read(world, "pools/1/completeness") == page_file(world.cast, "completeness_json", version=1).json()


def growing() -> World:
    cast = make_cast()
    make_growing_pool(cast)
    return World(cast, {role: make_token(getattr(cast, role)) for role in ("organiser", "assessor")}, {})


def test_a_topic_of_a_growing_pool_is_stopped_and_goes_on(db: None) -> None:
    world = growing()
    [topic] = read(world, "pools/1/topics")["items"]
    assert (topic["topic"], topic["state"]) == ("401", "on")
    address = "pools/1/topics/401"
    assert post(world, f"{address}/stop", {"reason": " "}).status_code == 422
    stopped = post(world, f"{address}/stop", {"reason": "Enough is found."})
    assert (stopped.status_code, stopped.json()["state"]) == (200, "hand")
    assert post(world, f"{address}/stop", {"reason": "Again."}).status_code == 422
    assert post(world, f"{address}/go-on", {"reason": "More."}).json()["state"] == "on"
    assert (
        world.ask("assessor", f"{world.task}/{address}/stop", method="POST", data={"reason": "No."}).status_code == 403
    )
    log = world.ask("organiser", f"{world.task}/pools/1/choices")
    page = page_file(world.cast, "pool_choices", version=1)
    assert log.content_seen == b"".join(page.streaming_content)  # type: ignore[attr-defined]


def test_a_model_assessor_is_declared_posts_grades_and_loses_its_token(world: World) -> None:
    declared = {"name": "Judge", "version": "2", "family": "llama", "prompt_sha256": "AB" * 32}
    made = post(world, "model-assessors", declared)
    assert (made.status_code, made.json()["prompt_sha256"]) == (201, "ab" * 32)
    token, key = made.json()["token"], made.json()["id"]
    assert ask("model-assessor", token).json()["name"] == "Judge"
    grade = {"uuid": str(uuid4()), "topic": "1", "docno": "a", "grade": 1, "prompt_sha256": "ab" * 32}
    assert ask("model-assessor/grades", token, method="POST", data={"grades": [grade]}).status_code == 200
    listed = {one["id"]: one for one in read(world, "model-assessors")["items"]}
    assert (listed[key]["graded"], "token" in listed[key]) == (1, False)
    grades = world.ask("organiser", f"{world.task}/model-assessors/{key}/grades")
    assert grades.content == page_file(world.cast, "model_grades", key=key).content
    renewed = post(world, f"model-assessors/{key}/token").json()["token"]
    assert [ask("model-assessor", one).status_code for one in (token, renewed)] == [401, 200]
    assert post(world, f"model-assessors/{key}/revoke").json()["revoked_at"]
    assert ask("model-assessor", renewed).status_code == 401


def test_an_organiser_who_judges_is_shown_no_grade_of_a_model_by_api_either(world: World) -> None:
    Assignment.objects.filter(pk=world.values["assignment"]).update(assessor=world.cast.organiser)
    for path in ("model-assessors", f"model-assessors/{world.values['model_assessor']}/grades"):
        assert world.ask("organiser", f"{world.task}/{path}").status_code == 403


def test_documents_are_compared_and_their_order_is_released(world: World) -> None:
    assert post(world, "preferences", {"topics": ["1"], "assessors": [world.cast.assessor.username]}).status_code == 422
    assert post(world, "preference-orders").status_code == 422
    score(world)
    assert [one["topic"] for one in read(world, "preferences")["candidates"]] == ["1", "2"]
    compare(world)
    [compared] = read(world, "preferences")["topics"]
    assert (compared["id"], compared["assessor"]) == (world.values["preference"], world.cast.assessor.username)
    answer_all(world.cast.task.qrels.get().preference_assignments.get())
    made = post(world, "preference-orders", {"note": "By pairs."})
    assert (made.status_code, made.json()["version"], made.json()["note"]) == (201, 1, "By pairs.")
    assert read(world, "preference-orders")["items"] == [made.json()]
    content = world.ask("organiser", f"{world.task}/preference-orders/1/file").content_seen  # type: ignore[attr-defined]
    assert content == b"".join(page_file(world.cast, "preference_order_download", version=1).streaming_content)
    manifest = page_file(world.cast, "preference_manifest", version=1).json()
    assert read(world, "preference-orders/1/manifest") == manifest


def test_a_test_collection_has_the_bytes_of_the_page_and_is_refused_to_who_may_not_have_the_texts(world: World) -> None:
    publish(world)
    answer = world.ask("organiser", f"{world.task}/qrels/1/beir")
    names = zipfile.ZipFile(io.BytesIO(answer.content_seen)).namelist()  # type: ignore[attr-defined]
    assert {name.split("/", 1)[1] for name in names} >= {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}
    assert world.ask("member", f"{world.task}/qrels/1/beir").status_code == 403
    Task.objects.update(texts_for=Task.EVERYBODY)
    assert world.ask("anonymous", f"{world.task}/qrels/1/beir").status_code == 200
    assert world.ask("anonymous", f"{world.task}/qrels/1/ir-datasets").status_code == 202  # it asked for the checksum
    module = world.ask("anonymous", f"{world.task}/qrels/1/ir-datasets")
    assert module.content == page_file(world.cast, "irds_download", version=1).content


def test_reports_on_boards_are_computed_and_read_as_their_pages_have_them(world: World) -> None:
    publish(world)
    early = world.ask("organiser", f"{world.task}/working-board/reliability")
    assert (early.status_code, early.json()["detail"][:18]) == (422, "There is no report")
    for address, name, number in (("working-board", "scores", None), ("leaderboards/1", "leaderboard", 1)):
        asked = post(world, f"{address}/reliability")
        assert (asked.status_code, asked.json()["state"]) == (202, "queued")
        where = {} if number is None else {"number": number}
        report = page_file(world.cast, f"{name}_reliability_json", **where)
        assert read(world, f"{address}/reliability") == json.loads(report.content)
        curves = page_file(world.cast, f"{name}_curves_file", file_format="json", **where)
        assert read(world, f"{address}/curves") == curves.json() | ({"is_current": True} if number is None else {})
    assert read(world, "leaderboards/1/reliability", "anonymous")["leaderboard"] == 1
    assert world.ask("member", f"{world.task}/working-board/curves").status_code == 403


def test_a_report_that_is_being_computed_is_told_as_that(world: World) -> None:
    score(world)
    key = job_key({"task_id": world.cast.task.pk})
    Job.objects.create(name=REPORT_OF_SCORES, key=key, task=world.cast.task, state=Job.WORKING)
    answer = world.ask("organiser", f"{world.task}/working-board/reliability")
    assert (answer.status_code, answer.json()["message"][:29]) == (202, "The report is being computed.")
    Job.objects.update(state=Job.FAILED, message="The disk was away.")
    failed = world.ask("organiser", f"{world.task}/working-board/reliability")
    assert failed.status_code == 422
    assert failed.json()["detail"].startswith(
        "The report has failed. The disk was away. Organisers have it computed by"
    )


def test_a_report_of_the_board_as_it_was_is_not_given_for_that_of_the_present_one(world: World) -> None:
    score(world)
    address = f"{world.task}/working-board/reliability"
    assert post(world, "working-board/reliability").status_code == 202
    assert world.ask("organiser", address).status_code == 200
    WorkingTrust.objects.update(mark="of the board before")
    changed = world.ask("organiser", address)
    assert (changed.status_code, changed.json()["detail"][:44]) == (422, "The report is of the board as it was before ")
    kept = page_file(world.cast, "scores_reliability_json")["Content-Disposition"]
    assert "earlier-unpublished-scores-reliability.json" in kept
    Job.objects.filter(name=REPORT_OF_SCORES).update(state=Job.QUEUED)
    waits = world.ask("organiser", address)
    assert (waits.status_code, waits["Location"]) == (202, f"http://localhost:8000/api/v1/{address}")
    Job.objects.all().delete()
    post(world, "working-board/reliability")
    assert world.ask("organiser", address).status_code == 200


def test_the_working_board_is_that_of_the_topics_that_count_not_that_of_the_live_board(world: World) -> None:
    score(world)
    of_feedback = WorkingBoard.objects.get()
    WorkingBoard.objects.all().delete()
    of_feedback.pk, of_feedback.scope = None, WorkingBoard.FEEDBACK
    of_feedback.save()
    assert world.ask("organiser", f"{world.task}/working-board").status_code == 404


def test_the_working_board_says_whether_it_is_computed_from_all_scores(world: World) -> None:
    score(world)
    assert read(world, "working-board")["is_current"] is True
    WorkingBoard.objects.update(mark="of other scores")
    assert read(world, "working-board")["is_current"] is False
    assert read(world, "working-board/curves")["is_current"] is False


def test_a_reading_of_pooled_runs_that_failed_is_told_with_its_cause_and_asked_for_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.completeness.holders.LINES_READ_AT_ONCE", -1)
    address = f"{world.task}/pools/1/completeness"
    assert read(world, "pools/1/completeness")["reading"]["state"] == "queued"
    Job.objects.filter(name=READ_HOLDERS).update(state=Job.FAILED, message="No storage.")
    caches["bulk"].clear()
    told = {"state": "failed", "message": "No storage."}
    assert read(world, "pools/1/completeness")["reading"] == told
    assert page_file(world.cast, "completeness_json", version=1).json()["reading"] == told
    assert b"reading of runs,failed," in page_file(world.cast, "completeness_csv", version=1).content
    again = post(world, "pools/1/completeness")
    assert (again.status_code, again["Location"]) == (202, f"http://localhost:8000/api/v1/{address}")
    whole = read(world, "pools/1/completeness")
    assert (whole["reading"], whole["runs"] is not None) == (None, True)
    assert post(world, "pools/1/completeness").json() == whole


def test_an_order_stands_beside_the_one_before_it(world: World) -> None:
    score(world)
    release_order(world)
    assert [one["version"] for one in read(world, "preference-orders")["items"]] == [1]
