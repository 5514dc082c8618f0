"""The way of a participant, by requests alone: team, registration, agreements, runs, results."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from campaign.models import Agreement, Allowance, Campaign, Job, Registration, Run, Task
from campaign.web.links import absolute
from evaluation.api.results import LeaderboardDetail
from tests.api.makers import World, make_token, operations_of, publish
from tests.campaign.runs.makers import RANKING, post_run
from tests.factories import make_task, make_topics, make_user, run_lines

pytestmark = pytest.mark.sqlite


def test_a_newcomer_founds_a_team_registers_and_submits(world: World) -> None:
    world.tokens["newcomer"] = make_token(make_user())
    campaign = f"campaigns/{world.cast.campaign.slug}"
    team = world.ask("newcomer", "teams", method="POST", data={"name": "Nova"})
    assert team["Location"].endswith("/api/v1/teams/nova")
    asked = world.ask("newcomer", campaign).json()
    assert asked["my_teams"] == [
        {"team": "nova", "state": "", "note": "", "missing_agreements": [world.values["agreement"]]}
    ]
    told = {"team": "nova", "agreements": [agreement["id"] for agreement in asked["agreements"]]}
    registered = world.ask("newcomer", f"{campaign}/registrations", method="POST", data=told)
    assert (registered.status_code, registered.json()["state"]) == (201, "approved")
    assert world.submit("newcomer", team="nova").status_code == 201
    assert world.ask("newcomer", f"{world.task}/runs/bm25").json()["state"] == "valid"


def test_a_team_that_does_not_accept_is_told_what_to_accept(world: World) -> None:
    campaign = f"campaigns/{world.cast.campaign.slug}"
    refused = world.ask("member", f"{campaign}/registrations", method="POST", data={"team": "free"})
    assert refused.json()["errors"][0]["field"] == "agreements"
    unknown = world.ask(
        "member", f"{campaign}/registrations", method="POST", data={"team": "free", "agreements": [10**6]}
    )
    assert f"It asks for: {world.values['agreement']}." in unknown.json()["detail"]
    assert not Registration.objects.filter(team__slug="free").exists()


def test_a_new_wording_is_accepted_before_the_next_run(world: World) -> None:
    Agreement.objects.create(campaign=world.cast.campaign, title="Licence", text="CC BY.")
    assert "Licence" in world.submit().json()["detail"]
    campaign = f"campaigns/{world.cast.campaign.slug}"
    [mine] = [t for t in world.ask("member", campaign).json()["my_teams"] if t["team"] == world.cast.team.slug]
    data = {"team": world.cast.team.slug, "agreements": mine["missing_agreements"]}
    assert world.ask("member", f"{campaign}/agreements", method="POST", data=data).json()["missing_agreements"] == []
    assert world.submit().status_code == 201


def test_where_organisers_decide_a_team_waits(world: World) -> None:
    Campaign.objects.update(registration=Campaign.APPROVED)
    data = {"team": "free", "agreements": [world.values["agreement"]]}
    campaign = f"campaigns/{world.cast.campaign.slug}"
    answer = world.ask("member", f"{campaign}/registrations", method="POST", data=data)
    assert answer.json()["state"] == "requested"
    assert "does not take part" in world.submit(team="free").json()["detail"]
    assert world.ask("member", f"{campaign}/registrations/free", method="DELETE").status_code == 204
    assert not Registration.objects.filter(team__slug="free").exists()


def test_members_come_and_go(world: World) -> None:
    team = f"teams/{world.cast.team.slug}"
    key = world.ask("member", team).json()["invitation_key"]
    assert world.ask("stranger", "teams/join", method="POST", data={"key": key}).status_code == 201
    assert world.ask("stranger", team).json()["invitation_key"] is None
    assert world.ask("stranger", f"{team}/leave", method="POST").status_code == 204
    assert world.ask("stranger", team).status_code == 404
    assert (
        "not valid any more" in world.ask("stranger", "teams/join", method="POST", data={"key": "x"}).json()["detail"]
    )
    mail.outbox.clear()
    invited = world.ask("member", f"{team}/invitations", method="POST", data={"email": "lee@example.org"})
    assert [sent.to for sent in mail.outbox] == [["lee@example.org"]]
    gone = world.ask("member", f"{team}/invitations/{invited.json()['id']}", method="DELETE")
    assert gone.status_code == 204
    wrong = world.ask("member", f"{team}/invitations", method="POST", data={"email": "no address"})
    assert wrong.json()["errors"][0]["field"] == "email"


def test_a_submission_is_answered_by_its_receipt(world: World) -> None:
    content = run_lines(RANKING, "bm25")
    response = world.submit(content=content, priority=2, description="BM25 – défaut", kind="manual")
    told = response.json()
    assert response.status_code == 201
    assert response["Location"] == absolute(f"/api/v1/{world.task}/runs/bm25")
    assert (told["sha256"], told["size"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert (told["tag"], told["attempt"], told["team"]) == ("bm25", 1, world.cast.team.slug)
    assert (told["priority"], told["kind"], told["description"]) == (2, "manual", "BM25 – défaut")
    assert told["submitted_at"].endswith("Z")
    assert "/runs/bm25/" in told["url"]
    assert world.ask("member", f"{world.task}/runs/bm25/file").content_seen == content  # type: ignore[attr-defined]


def test_a_run_without_a_priority_comes_after_the_other_runs_of_its_team_and_one_that_replaces_keeps_it(
    world: World,
) -> None:
    told = [world.submit(tag="second").json(), world.submit(tag="third").json()]
    told.append(world.submit(tag="second", content=b"1 Q0 a 1 9 second\n", replace="true").json())
    assert [(run["tag"], run["priority"]) for run in told] == [("second", 2), ("third", 3), ("second", 2)]


def test_a_waiting_run_tells_its_place_and_since_when(world: World) -> None:
    world.submit()
    Run.objects.filter(tag="bm25").update(state=Run.RECEIVED)
    Job.objects.update(state=Job.QUEUED)
    told = world.ask("member", f"{world.task}/runs/bm25").json()
    assert (told["state"], told["queue"]["state"]) == ("received", "waiting")
    assert told["queue"]["place"] >= 1
    assert told["queue"]["since"].endswith("Z")
    Job.objects.update(state=Job.FAILED)
    assert world.ask("member", f"{world.task}/runs/bm25").json()["queue"]["state"] == "stuck"


def test_a_rejected_run_tells_all_its_problems(world: World) -> None:
    world.submit(content=b"1 Q0 zzz 1 high bm25\n1 Q0 a 1 nan bm25\nnothing\n")
    assert world.ask("member", f"{world.task}/runs/bm25").json()["state"] == "rejected"
    told = world.ask("member", f"{world.task}/runs/bm25/problems").json()
    assert {"column_count", "score_not_finite"} <= {problem["code"] for problem in told["items"]}
    assert all(problem["remedy"] for problem in told["items"])
    assert told["count"] == len(told["items"])
    assert world.submit().json()["attempt"] == 2
    first = world.ask("member", f"{world.task}/runs/bm25?attempt=1").json()
    assert (first["state"], first["attempt"]) == ("rejected", 1)


def test_a_run_is_edited_replaced_and_withdrawn(world: World) -> None:
    world.submit()
    run = f"{world.task}/runs/bm25"
    edited = world.ask("member", run, method="PATCH", data={"priority": 4, "description": "Better words"}).json()
    assert (edited["priority"], edited["description"], edited["kind"]) == (4, "Better words", "automatic")
    assert world.submit().json()["errors"][0]["field"] == "tag"
    assert "the very same bytes" in world.submit(replace="true").json()["errors"][0]["message"]
    assert world.submit(content=b"1 Q0 a 1 9 bm25\n", replace="true").json()["attempt"] == 2
    assert world.ask("member", f"{run}/withdraw", method="POST").json()["state"] == "withdrawn"
    again = world.ask("member", f"{run}/withdraw", method="POST")
    assert again.status_code == 422
    assert "withdrawn" in again.json()["detail"]


def test_answers_are_a_json_object_in_the_types_of_the_questions(world: World) -> None:
    question = {"key": "dense", "label": "Dense?", "kind": "yes/no", "required": True}
    Task.objects.update(questions=[question])
    assert world.ask("member", world.task).json()["questions"][0]["key"] == "dense"
    for wrong in ("", "{", "[]", '{"dense": "perhaps"}', '{"dense": true, "other": 1}', "[" * 50_000):
        assert {error["field"] for error in world.submit(answers=wrong).json()["errors"]} == {"answers"}
    assert world.submit(answers=json.dumps({"dense": True})).json()["answers"] == {"dense": True}


def test_one_second_after_the_deadline_both_doors_say_the_same(world: World) -> None:
    Task.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    runs = Run.objects.count()
    refused = world.submit()
    assert refused.status_code == 422
    deadline, _, arrival = refused.json()["detail"].partition(", and the last byte of your file arrived at ")
    assert deadline.startswith("The deadline was")
    assert arrival.endswith("Ask the organisers if you need more time.")
    world.cast.task.refresh_from_db()
    page = post_run(world.cast, run_lines(RANKING, "bm25"))
    assert f"{deadline}, and the last byte of your file arrived at" in page.content.decode()
    assert Run.objects.count() == runs
    told = world.ask("member", world.task).json()
    assert told["why_no_runs"].startswith("The deadline was")
    assert told["zone"] == world.cast.campaign.time_zone
    assert told["closes_at"].endswith("Z")
    Allowance.objects.create(task=world.cast.task, team=world.cast.team, closes_at=timezone.now() + timedelta(hours=1))
    assert world.submit().status_code == 201


def test_nobody_submits_for_a_team_of_others(world: World) -> None:
    for role in ("other_member", "organiser", "stranger"):
        refused = world.submit(role)
        assert refused.json()["errors"][0]["field"] == "team"
    taken = world.submit("other_member", tag="one", team=world.cast.other_team.slug)
    assert taken.json()["errors"][0]["field"] == "tag"
    assert Run.objects.count() == 1


def test_a_file_that_is_too_large_is_refused_in_words(world: World, settings: Any) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100
    refused = world.submit(content=b"x" * 101)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "file"
    assert Run.objects.count() == 1


def test_lists_are_read_page_by_page(world: World) -> None:
    make_topics(make_task(world.cast.campaign, "many"), [str(number) for number in range(7)])
    address, seen = f"/api/v1/campaigns/{world.cast.campaign.slug}/tasks/many/topics?limit=3", []
    while address:
        page = world.ask("anonymous", address.removeprefix(absolute(""))).json()
        assert page["count"] == 7
        seen += [topic["number"] for topic in page["items"]]
        address = page["next"]
    assert seen == [str(number) for number in range(7)]
    assert world.ask("anonymous", "campaigns?limit=201").status_code == 422


def test_runs_are_listed_for_their_team_and_filtered(world: World) -> None:
    world.submit()
    world.submit("other_member", tag="theirs", team=world.cast.other_team.slug)

    def tags(role: str, query: str = "") -> list[str]:
        return [run["tag"] for run in world.ask(role, f"{world.task}/runs{query}").json()["items"]]

    assert tags("member") == ["one", "bm25"]
    assert tags("other_member") == ["theirs"]
    assert tags("organiser") == ["one", "bm25", "theirs"]
    assert tags("organiser", f"?team={world.cast.other_team.slug}") == ["theirs"]
    assert tags("member", "?state=rejected") == []
    assert tags("member", "?limit=1&offset=1") == ["bm25"]


def test_scores_are_shown_once_they_are_published(world: World) -> None:
    scores = f"{world.task}/runs/one/scores"
    assert world.ask("member", scores).json()["is_visible"] is False
    publish(world)
    told = world.ask("member", scores).json()
    assert told["is_visible"]
    assert told["measures"][0] == {
        "measure": "AP",
        "depends_on": ["relevant from grade 1"],
        "value": 1.0,
        "topics": {"1": 1.0, "2": 1.0},
    }
    board = world.ask("anonymous", f"{world.task}/leaderboards").json()["items"][0]
    whole = world.ask("anonymous", f"{world.task}/leaderboards/{board['number']}").json()
    assert LeaderboardDetail.model_validate(whole).runs[0].kind == "automatic"
    assert set(whole) == set(LeaderboardDetail.model_fields) - {"restored"}
    assert whole["sha256"] == board["sha256"]
    assert whole["runs"][0]["tag"] == "one"


def test_a_task_tells_its_rules_and_what_is_left(world: World) -> None:
    Task.objects.update(rule_severities={"not_q0": "error"})
    told = world.ask("member", world.task).json()
    assert {"code": "not_q0", "severity": "error"}.items() <= next(
        rule for rule in told["rules"] if rule["code"] == "not_q0"
    ).items()
    [quota] = told["quotas"]
    assert (quota["team"], quota["used"], quota["left"]) == (world.cast.team.slug, 1, 4)
    assert world.ask("anonymous", world.task).json()["quotas"] == []


def test_documents_are_found_by_a_search(world: World) -> None:
    found = world.ask("member", f"{world.task}/documents?search=b").json()
    assert [document["docno"] for document in found["items"]] == ["b"]
    assert world.ask("member", f"{world.task}/documents/b").json()["text"] == "text of b"


@pytest.mark.parametrize("role", ["anonymous", "organiser"])
def test_the_reference_page_shows_every_operation(world: World, role: str) -> None:
    page = world.ask(role, "/api/v1/").content.decode()
    document = world.ask(role, "/api/v1/openapi.json").json()
    for path, method, operation in operations_of(document):
        assert f"{method.upper()} {path}" in page
        assert f'id="{operation["operationId"]}"' in page
