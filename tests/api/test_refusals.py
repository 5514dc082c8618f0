"""One format for all errors, from whichever part of the site."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import encode_multipart

from campaign.api.document import resolved
from campaign.api.problems import KINDS
from campaign.models import AuditEvent, Run, Task, Team
from runpool.api import api
from tests.api.makers import World, ask, make_token
from tests.judging.makers import PROMPT

SHAPE = {"type", "title", "status", "detail", "instance", "errors"}


@pytest.fixture(autouse=True)
def no_requests_counted_yet(db: None) -> None:
    """Here they are counted in the table of a site without Redis."""
    cache.clear()


def problem(response: Any, status: int) -> Any:
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    told = response.json()
    assert set(told) == SHAPE
    assert told["status"] == status
    assert told["detail"]
    return told


def test_an_unknown_address_is_a_problem(db: None) -> None:
    for address in ("/api/v1/nothing", "/api/v2/me", "/api/", "/api/v1/campaigns/none"):
        assert problem(ask(address), 404)["instance"] == address


def test_a_wrong_method_names_the_right_ones(db: None) -> None:
    response = ask("campaigns", method="DELETE")
    problem(response, 405)
    assert sorted(response["Allow"].split(", ")) == ["GET", "HEAD", "POST"]
    assert sorted(ask("openapi.json", method="DELETE")["Allow"].split(", ")) == ["GET", "HEAD"]


def test_a_parameter_that_is_not_known_is_refused_by_every_operation_and_the_known_ones_are_named(world: World) -> None:
    told = problem(ask("campaigns?limt=5"), 400)
    assert told["detail"] == "limt: There is no such parameter. Parameters: limit, offset."
    token = world.tokens["organiser"]
    address = f"campaigns/{world.cast.campaign.slug}/tasks/{world.cast.task.slug}/judgments?passs=1"
    assert "Parameters: limit, offset" in problem(ask(address, token=token), 400)["detail"]
    assert problem(ask("me?x=1", token=token), 400)["detail"] == "x: This operation takes no parameters."
    problem(ask("me?x=1"), 401)


def test_a_missing_token_is_asked_for(db: None) -> None:
    response = ask("me")
    assert "/account/tokens/" in problem(response, 401)["detail"]
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic eDp5", "rp_x", "Bearer rp_x y", "Bearer \xff"])
def test_a_header_that_is_no_token_is_refused_everywhere(db: None, header: str) -> None:
    for address in ("me", "campaigns"):
        problem(ask(address, authorization=header), 401)


def test_a_type_leads_to_its_explanation(db: None) -> None:
    told = problem(ask("me"), 401)
    assert re.fullmatch(r"http://\S+/api/v1/problems/no-valid-token", told["type"])
    response = Client().get("/api/v1/problems/no-valid-token")
    assert response["Location"] == "/api/v1/#problem-no-valid-token"
    page = Client().get("/api/v1/").content.decode()
    assert all(f'id="problem-{kind.slug}"' in page for kind in KINDS.values())


def operations_with_a_body() -> list[tuple[str, str, dict[str, Any]]]:
    document = api.get_openapi_schema()
    return [
        (method.upper(), path, next(iter(operation["requestBody"]["content"].values()))["schema"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation
    ]


def test_a_field_that_no_operation_knows_is_refused_everywhere_with_the_names_of_the_known_ones(world: World) -> None:
    found = operations_with_a_body()
    assert len(found) > 7
    for method, path, _ in found:
        address = path.format(**{"registration": 1, "comparison": 1, **world.values})
        cache.clear()
        if path.endswith("/runs"):
            response = world.submit(priorty="2")
        elif path.endswith("/check"):
            response = world.ask("organiser", address, method=method, data={"priorty": 2})
        elif "/imports/" in path or path.endswith("/restorations"):
            response = world.ask("organiser", address, method=method, data={"priorty": 2}, file=b"x")
        else:
            role = "model" if "/model-assessor/" in path else "member"
            response = world.ask(role, address, method=method, data={"priorty": 2})
        told = problem(response, 400)
        assert [error["field"] for error in told["errors"]] == ["priorty"], path
        assert re.search(r"priorty: There is no such field. Fields: \w+", told["detail"]), path
    assert not Run.objects.filter(tag="bm25").exists()


def test_the_document_enumerates_what_has_choices_and_types_scores_and_leaderboards() -> None:
    document = api.get_openapi_schema()
    schemas = document["components"]["schemas"]

    def choices(schema: str, field: str) -> set[str]:
        details = resolved(document, schemas[schema]["properties"][field])
        return {value for entry in (details, *details.get("anyOf", ())) for value in entry.get("enum", ())}

    for schema in ("RunOut", "RunEdit", "BoardRowOut"):
        assert choices(schema, "kind") == {"automatic", "manual"}, schema
    [form] = [schema for _, path, schema in operations_with_a_body() if path.endswith("/runs")]
    properties = resolved(document, form)["properties"]
    assert properties["kind"]["enum"] == ["automatic", "manual"]
    for schema, field in (("TaskOut", "phase"), ("CampaignOut", "registration"), ("ProblemOut", "severity")):
        assert choices(schema, field), field
    answer = document["paths"]["/api/v1/campaigns/{campaign}/tasks/{task}/leaderboards/{number}"]["get"]["responses"][
        200
    ]
    given = [schema["$ref"].rsplit("/", 1)[-1] for schema in answer["content"]["application/json"]["schema"]["anyOf"]]
    assert given == ["LeaderboardDetail", "OwnScoresDetail"]


def test_head_is_answered_like_get_without_the_content(world: World) -> None:
    for address in ("campaigns", f"{world.task}/runs/one/file", f"{world.task}/docnos", "nothing", "openapi.json"):
        get, head = (world.ask("member", address, method=method) for method in ("GET", "HEAD"))
        assert (head.status_code, head["Content-Type"]) == (get.status_code, get["Content-Type"]), address
        assert (head.content_seen if head.streaming else head.content) == b""
        assert get.streaming or int(head["Content-Length"]) == len(get.content)


def test_every_wrong_field_is_named(world: World) -> None:
    response = world.ask("member", f"{world.task}/runs?limit=many&offset=-1&state=lost")
    assert {error["field"] for error in problem(response, 422)["errors"]} == {"limit", "offset", "state"}


def test_a_submission_without_its_parts_names_them(world: World) -> None:
    response = world.ask("member", f"{world.task}/runs", method="POST", data={})
    assert {error["field"] for error in problem(response, 422)["errors"]} == {"team", "file"}


def test_what_is_no_json_is_refused(world: World) -> None:
    client = Client(headers={"authorization": f"Bearer {world.tokens['member']}"})
    for body in (
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"3",
        b"null",
        b'{"name": "\\ud800"}',
        b'{"name": "a\\u0000"}',
    ):
        response = client.post("/api/v1/teams", body, content_type="application/json")
        assert response.status_code in (400, 422), body[:20]
        problem(response, response.status_code)
    assert Team.objects.count() == 3


def test_a_change_that_is_no_object_is_refused_although_every_field_may_be_left_out(world: World) -> None:
    client = Client(headers={"authorization": f"Bearer {world.tokens['member']}"})
    for body in (b"null", b"[]", b"[1]", b'"tag"', b"3"):
        response = client.patch(f"/api/v1/{world.task}/runs/one", body, content_type="application/json")
        problem(response, 400)


def test_an_enormous_body_is_refused(world: World) -> None:
    client = Client(headers={"authorization": f"Bearer {world.tokens['member']}"})
    response = client.post("/api/v1/teams", b" " * 3_000_000, content_type="application/json")
    problem(response, 413)


@pytest.mark.parametrize(
    "body", [b"", b"--x", b"nothing of the kind", b'--x\r\nContent-Disposition: form-data; name="team"\r\n\r\nalba']
)
def test_a_form_that_breaks_off_stores_nothing(world: World, body: bytes) -> None:
    client = Client(headers={"authorization": f"Bearer {world.tokens['member']}"})
    runs, events = Run.objects.count(), AuditEvent.objects.count()
    for content_type in ("multipart/form-data; boundary=x", "multipart/form-data", "multipart/form-data; boundary="):
        response = client.generic("POST", f"/api/v1/{world.task}/runs", body, content_type=content_type)
        assert response.status_code in (400, 422)
        problem(response, response.status_code)
    assert (Run.objects.count(), AuditEvent.objects.count()) == (runs, events)


def test_an_upload_that_breaks_off_in_the_middle_of_its_file_stores_nothing(world: World) -> None:
    form = {
        "team": world.cast.team.slug,
        "tag": "bm25",
        "file": SimpleUploadedFile("run.txt", b"1 Q0 a 1 1 bm25\n" * 9),
    }
    whole = encode_multipart("x", form)
    client = Client(headers={"authorization": f"Bearer {world.tokens['member']}"})
    runs = Run.objects.count()
    for length in range(0, len(whole) - 10, 41):
        body = whole[:length]
        response = client.generic(
            "POST", f"/api/v1/{world.task}/runs", body, content_type="multipart/form-data; boundary=x"
        )
        assert response.status_code in (400, 422), body[-60:]
    assert Run.objects.count() == runs


@pytest.mark.parametrize(
    "address",
    [
        "campaigns/%00",
        "campaigns?limit=%00",
        "campaigns?offset=99999999999999999999999999",
        "campaigns/%ff%fe",
        "campaigns/x/tasks/y/leaderboards/99999999999999999999999999",
        "campaigns/x/tasks/y/runs/z?attempt=99999999999999999999",
        "teams/" + "x" * 5000,
        "campaigns?%ff=%fe",
    ],
)
def test_strange_addresses_are_refused_in_words(world: World, address: str) -> None:
    response = world.ask("member", address)
    assert response.status_code in (200, 400, 404, 422)
    if response.status_code != 200:
        problem(response, response.status_code)


def test_strange_values_are_refused_in_words(world: World) -> None:
    for address in ("documents?search=%00", "documents/a%00b", "runs?team=%00", "runs/%ff", "runs?tag=%0a"):
        assert world.ask("member", f"{world.task}/{address}").status_code in (200, 400, 404, 422)
    nul = world.submit(description="a\0b")
    assert problem(nul, 422)["errors"][0]["field"] == "description"


def test_an_unforeseen_failure_is_a_problem_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("runpool.overview.api.campaigns.campaign_out", fail)
    told = problem(ask(f"campaigns/{world.cast.campaign.slug}"), 500)
    assert "unforeseen" not in str(told)


def test_pages_keep_their_own_errors(db: None) -> None:
    assert Client().get("/nothing/")["Content-Type"].startswith("text/html")


def test_who_asks_too_often_is_told_when_to_go_on(world: World, settings: Any) -> None:
    settings.API_READS_PER_MINUTE = settings.API_ANONYMOUS_READS_PER_MINUTE = settings.API_WRITES_PER_MINUTE = 2
    for role, address, method in (
        ("anonymous", "campaigns", "GET"),
        ("member", "me", "GET"),
        ("member", "teams", "POST"),
    ):
        answers = [
            world.ask(role, address, method=method, data={"name": f"{n}"} if method == "POST" else None) for n in "abc"
        ]
        assert [answer.status_code < 400 for answer in answers] == [True, True, False]
        problem(answers[-1], 429)
        assert 1 <= int(answers[-1]["Retry-After"]) <= 60
    assert world.ask("stranger", "me").status_code == 200


def test_guessing_tokens_has_a_limit_that_leaves_the_right_ones_alone(world: World, settings: Any) -> None:
    settings.API_ANONYMOUS_READS_PER_MINUTE = 2
    answers = [ask("me", f"rp_{n}") for n in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert int(answers[-1]["Retry-After"]) >= 1
    assert world.ask("member", "me").status_code == 200


def test_an_address_cannot_be_made_up(db: None, settings: Any) -> None:
    settings.API_ANONYMOUS_READS_PER_MINUTE = 1
    told = [ask("campaigns", **{"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(2)]
    assert told == [200, 429]


def test_behind_a_proxy_its_word_counts_and_nothing_before_it(db: None, settings: Any) -> None:
    settings.API_ANONYMOUS_READS_PER_MINUTE, settings.TRUSTED_PROXY_COUNT = 1, 1
    cache.clear()
    ways = ["10.0.0.1", "1.1.1.1, 10.0.0.1", "10.0.0.2"]
    assert [ask("campaigns", **{"X-Forwarded-For": way}).status_code for way in ways] == [200, 429, 200]


def test_what_a_token_shows_is_kept_by_no_cache(world: World) -> None:
    assert world.ask("member", "me")["Cache-Control"] == "private, no-store"
    assert "Authorization" in ask("campaigns")["Vary"]


def test_a_token_of_scope_read_does_not_tell_the_key_that_lets_anybody_act_for_the_team(world: World) -> None:
    team = f"teams/{world.cast.team.slug}"
    assert ask(team, make_token(world.cast.member, "read")).json()["invitation_key"] is None
    assert world.ask("member", team).json()["invitation_key"] == world.cast.team.invitation_key


def test_answers_of_half_characters_are_refused(world: World) -> None:
    Task.objects.update(questions=[{"key": "model", "label": "Model", "kind": "text"}])
    told = problem(world.submit(tag="half", answers='{"model": "a\\ud800"}'), 422)
    assert told["errors"][0]["field"] == "answers"
    changed = world.ask("member", f"{world.task}/runs/one", method="PATCH", data={"answers": {"model": "\ud800"}})
    assert problem(changed, 422)["errors"][0]["field"] == "answers"
    assert Run.objects.count() == 1


def test_half_a_character_in_a_text_is_refused_with_the_name_of_its_field(world: World) -> None:
    """JSON can escape one (\\ud800); no database can store it."""
    act = {"uuid": str(uuid4()), "docno": "a", "grade": 1}
    address = f"{world.task}/assignments/{world.values['assignment']}/judgments"
    grade = {**act, "topic": "1", "prompt_sha256": PROMPT}
    for role, path, sent, name in (
        ("assessor", address, {"judgments": [{**act, "note": "a\ud800"}]}, "note"),
        ("assessor", address, {"judgments": [{**act, "docno": "a\udfff"}]}, "docno"),
        ("model", "model-assessor/grades", {"grades": [{**grade, "topic": "\ud800"}]}, "topic"),
        ("stranger", "teams", {"name": "Half \ud800"}, "name"),
    ):
        [error] = problem(world.ask(role, path, method="POST", data=sent), 422)["errors"]
        assert error["field"].endswith(name)


def test_a_token_of_scope_read_is_made_for_looking(world: World) -> None:
    token = make_token(world.cast.member, "read")
    assert ask(f"{world.task}/runs/one", token).status_code == 200
