"""Every operation of the API for everybody who may ask for it. An operation without a row here fails the suite."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Membership, Role, Run, Task, User
from campaign.setup.services.people import role_revoke
from campaign.teams.services.teams import team_remove_member
from evaluation.models import Evaluation
from runpool.api import api
from tests.api.makers import (
    ROLES,
    World,
    ask,
    compare,
    disagree,
    follow_a_round,
    make_token,
    operations,
    publish,
    release_order,
    score,
)
from tests.evaluation.makers import rewrite_evaluation
from tests.factories import make_campaign, make_task, make_user, run_lines

PUBLIC = "200 200 200 200 200 200"
QRELS_FILES = {"download_qrels", "download_subtopic_qrels", "download_sample_qrels", "download_twins"}
SIGNED_IN = "401 200 200 200 200 200"
DOCUMENTS = "401 403 200 200 200 200"
FILES_OF_DOCUMENTS = "403 403 200 200 200 200"
"""A task may give them to everybody, so that they need no token; this one does not."""
OWN_RUN = "401 404 200 404 404 200"
OWNED_TEAM = "401 404 {} 404 404 403"
JUDGING = "401 403 403 403 200 200"
ORGANISED = "401 403 403 403 403 200"
CREATED, SENT, REMOVED, REFUSED = (ORGANISED.replace("200", status) for status in ("201", "202", "204", "422"))
DECIDED = "401 404 403 404 404 200"
"""Of a run: outsiders of its team do not see it, the team may not decide."""
NOBODY = "401 401 401 401 401 401"
"""Of the token of a model assessor only: test_model_assessors.py."""
TASK = "campaigns/{campaign}/tasks/{task}"
OWN_DESK = TASK + "/assignments/{assignment}"
OWN_PAIRS = TASK + "/comparisons/{preference}"
AGREEMENT_TEXT = "campaigns/{campaign}/agreement-texts/{agreement}"
IMPORT = TASK + "/imports/{import_id}"
MODEL = "model-assessor"
ARCHIVES, RESTORATION = "campaigns/{campaign}/archives", "restorations/{restoration}"
OWN_RESTORATION = "401 404 404 404 404 200"
MAIL = {
    "teams": ("{team}",),
    "subject": "News",
    "text": "The deadline is near.",
    "batch": "22222222-2222-4222-8222-222222222222",
    "confirm": True,
}
MILESTONES = "campaigns/{campaign}/milestones"
NOTICE = {"audience": "everybody", "subject": "News", "text": "Soon.", "confirm": True}
ANSWER = {"text": "No.", "audience": "everybody"}
WHY = {"reason": "A typo.", "note": "A word was wrong."}
JUDGMENT = {"uuid": "11111111-1111-4111-8111-111111111111", "docno": "{docno}", "grade": 1}
PREFERENCE = {"uuid": "44444444-4444-4444-8444-444444444444", "left": "{docno}", "right": "b", "answer": "left"}
NOT_THERE = ORGANISED.replace("200", "404")
"""The pool of these tests does not grow: test_judging_reports.py."""
WAITED_FOR = PUBLIC.replace("200", "202")
"""Jobs that publishing asks for are not done here."""
WITHDRAWAL = {"uuid": "33333333-3333-4333-8333-333333333333", "topic": "1", "docno": "{docno}"}
DECISION = {**WITHDRAWAL, "grade": 1, "seen": ("{vote}", "{other_vote}")}
MODEL_ASSESSOR = {"name": "Judge", "version": "1", "family": "llm", "prompt_sha256": "0" * 64}
MODEL_GRADE = {**JUDGMENT, "topic": "1", "prompt_sha256": "0" * 64}


@pytest.fixture
def world(world: World) -> World:
    return world


FILES = {
    "topics": b"3\tgarden tools\n",
    "documents": b'{"docno": "z", "title": "Zinc", "text": "A metal."}\n',
    "pool": b"1 a\n2 c\n",
    "archive": b"no archive",
    "qrels": b"1 0 a 1\n2 0 c 0\n",
    "judgments": b"topic,docno,assessor,grade\n1,a,nobody,1\n",
}


@dataclass(frozen=True)
class Row:
    """What each role gets, in the order of ROLES."""

    name: str
    address: str
    expected: str
    method: str = "GET"
    data: dict[str, Any] | None = None
    file: str = ""


ROWS = [
    Row("me", "me", SIGNED_IN),
    Row("list_new", "new", SIGNED_IN),
    Row("list_campaigns", "campaigns", PUBLIC),
    Row("read_campaign", "campaigns/{campaign}", PUBLIC),
    Row(
        "register_team",
        "campaigns/{campaign}/registrations",
        "401 422 201 422 422 422",
        "POST",
        {"team": "free", "agreements": ["{agreement}"]},
    ),
    Row("withdraw_registration", "campaigns/{campaign}/registrations/{team}", "401 404 422 404 404 404", "DELETE"),
    Row(
        "accept_agreements",
        "campaigns/{campaign}/agreements",
        "401 422 200 422 422 422",
        "POST",
        {"team": "{team}", "agreements": ["{agreement}"]},
    ),
    Row("list_rounds", "campaigns/{campaign}/rounds", PUBLIC),
    Row("list_tasks", "campaigns/{campaign}/tasks", PUBLIC),
    Row("read_task", TASK, PUBLIC),
    Row("download_check_script", TASK + "/check-script", PUBLIC),
    Row("download_topics", TASK + "/topic-files/xml", PUBLIC),
    Row("download_docnos", TASK + "/docnos", FILES_OF_DOCUMENTS),
    Row("download_documents", TASK + "/document-files/jsonl", "403 403 403 403 403 200"),
    Row("list_topics", TASK + "/topics", PUBLIC),
    Row("list_errata", TASK + "/errata", PUBLIC),
    Row("list_documents", TASK + "/documents", DOCUMENTS),
    Row("read_document", TASK + "/documents/{docno}", DOCUMENTS),
    Row("list_teams", "teams", SIGNED_IN),
    Row("found_team", "teams", "401 201 201 201 201 201", "POST", {"name": "New {role}"}),
    Row("join_team", "teams/join", "401 201 201 201 201 201", "POST", {"key": "{key}"}),
    Row("read_team", "teams/{team}", "401 404 200 404 404 200"),
    Row("update_team", "teams/{team}", OWNED_TEAM.format(200), "PUT", {"name": "Other"}),
    Row("leave_team", "teams/{team}/leave", "401 404 422 404 404 404", "POST"),
    Row("renew_invitation_key", "teams/{team}/invitation-key", OWNED_TEAM.format(200), "POST"),
    Row("invite", "teams/{team}/invitations", OWNED_TEAM.format(201), "POST", {"email": "lee@example.org"}),
    Row("withdraw_invitation", "teams/{team}/invitations/{invitation}", OWNED_TEAM.format(204), "DELETE"),
    Row("make_owner", "teams/{team}/owners", OWNED_TEAM.format(200), "POST", {"username": "{username}"}),
    Row("step_down", "teams/{team}/step-down", OWNED_TEAM.format(422), "POST"),
    Row("remove_member", "teams/{team}/members/{username}", OWNED_TEAM.format(204), "DELETE"),
    Row("list_runs", TASK + "/runs", "401 404 200 200 403 200"),
    Row(
        "submit_run",
        TASK + "/runs",
        "401 422 201 422 422 422",
        "POST",
        {"team": "{team}", "tag": "bm25"},
        file="bm25",
    ),
    Row("read_run", TASK + "/runs/{tag}", OWN_RUN),
    Row("edit_run", TASK + "/runs/{tag}", OWN_RUN, "PATCH", {"priority": 3}),
    Row("list_problems", TASK + "/runs/{tag}/problems", OWN_RUN),
    Row("withdraw_run", TASK + "/runs/{tag}/withdraw", OWN_RUN, "POST"),
    Row("download_run", TASK + "/runs/{tag}/file", OWN_RUN),
    Row("read_scores", TASK + "/runs/{tag}/scores", OWN_RUN),
    Row("list_earlier_runs", TASK + "/earlier-runs", SIGNED_IN),
    Row("enter_runs_again", TASK + "/earlier-runs", "401 422 200 422 422 422", "POST", {"tags": ("again",)}),
    Row("list_assignments", TASK + "/assignments", JUDGING),
    Row("next_documents", OWN_DESK + "/next-documents", "401 404 404 404 200 404", "POST", {"limit": 2}),
    Row("submit_judgments", OWN_DESK + "/judgments", "401 404 404 404 200 404", "POST", {"judgments": [JUDGMENT]}),
    Row("undo_judgment", OWN_DESK + "/undo", "401 404 404 404 422 404", "POST"),
    Row("list_judgments", TASK + "/judgments", JUDGING),
    Row("list_comparisons", TASK + "/comparisons", JUDGING),
    Row("next_pair", OWN_PAIRS + "/next-pair", "401 404 404 404 200 404", "POST"),
    Row(
        "submit_preferences",
        OWN_PAIRS + "/preferences",
        "401 404 404 404 200 404",
        "POST",
        {"preferences": [PREFERENCE]},
    ),
    Row("undo_preference", OWN_PAIRS + "/undo", "401 404 404 404 422 404", "POST"),
    Row("read_model_assessor", MODEL, NOBODY),
    Row("list_model_topics", MODEL + "/topics", NOBODY),
    Row("list_model_documents", MODEL + "/documents?topic=1", NOBODY),
    Row("post_model_grades", MODEL + "/grades", NOBODY, "POST", {"grades": [MODEL_GRADE]}),
    Row("list_qrels", TASK + "/qrels", PUBLIC),
    Row("download_qrels", TASK + "/qrels/{version}/file", PUBLIC),
    Row("download_sample_qrels", TASK + "/qrels/{version}/sample", PUBLIC),
    Row("download_subtopic_qrels", TASK + "/qrels/{version}/subtopics", PUBLIC),
    Row("download_twins", TASK + "/qrels/{version}/twins", PUBLIC),
    Row("read_topic", TASK + "/topics/1", PUBLIC),
    Row("create_campaign", "campaigns", "401 201 201 201 201 201", "POST", {"title": "New", "slug": "newest"}),
    Row("read_campaign_settings", "campaigns/{campaign}/settings", ORGANISED),
    Row("change_campaign", "campaigns/{campaign}/settings", ORGANISED, "PATCH", {"summary": "Other"}),
    Row("open_campaign", "campaigns/{campaign}/open", ORGANISED, "POST", {}),
    Row("read_campaign_state", "campaigns/{campaign}/state", ORGANISED),
    Row("change_campaign_state", "campaigns/{campaign}/state", ORGANISED, "POST", {"act": "close", "confirm": True}),
    Row("delete_campaign", "campaigns/{campaign}/delete", REFUSED, "POST", {"address": "{campaign}", "confirm": True}),
    Row("list_deleted", "trash", SIGNED_IN),
    Row("restore_deleted", "trash/task/{deleted}/restore", "401 404 404 404 404 204", "POST"),
    Row("list_archives", ARCHIVES, ORGANISED),
    Row("make_archive", ARCHIVES, SENT, "POST", {}),
    Row("read_archive", ARCHIVES + "/{archive}", ORGANISED),
    Row("download_archive", ARCHIVES + "/{archive}/file", ORGANISED),
    Row("send_archive", "restorations", "401 202 202 202 202 202", "POST", {}, file="archive"),
    Row("list_restorations", "restorations", SIGNED_IN),
    Row("read_restoration", RESTORATION, OWN_RESTORATION),
    Row(
        "confirm_restoration", RESTORATION + "/confirm", OWN_RESTORATION.replace("200", "202"), "POST", {"slug": "back"}
    ),
    Row("discard_restoration", RESTORATION + "/discard", OWN_RESTORATION, "POST"),
    Row("list_notices", "campaigns/{campaign}/notices", PUBLIC),
    Row("write_notice", "campaigns/{campaign}/notices", ORGANISED, "POST", NOTICE),
    Row("list_questions", TASK + "/questions", PUBLIC),
    Row("ask_organisers", TASK + "/questions", SIGNED_IN, "POST", {"text": "Are stop words removed?"}),
    Row("answer_question", TASK + "/questions/{question}/answer", ORGANISED, "POST", ANSWER),
    Row("withdraw_question", TASK + "/questions/{question}/withdraw", "401 404 204 404 404 404", "POST"),
    Row("list_milestones", MILESTONES, PUBLIC),
    Row("add_milestone", MILESTONES, ORGANISED, "POST", {"label": "Papers", "at": "2031-05-04T12:00:00"}),
    Row("change_milestone", MILESTONES + "/{milestone}", ORGANISED, "PATCH", {"label": "Papers"}),
    Row("remove_milestone", MILESTONES + "/{milestone}/remove", REMOVED, "POST", {"confirm": True}),
    Row("list_people", "campaigns/{campaign}/people", ORGANISED),
    Row("invite_person", "campaigns/{campaign}/people", ORGANISED, "POST", {"person": "{username}"}),
    Row("remove_person", "campaigns/{campaign}/people/assessor/{assessor}", REMOVED, "DELETE"),
    Row("withdraw_role_invitation", "campaigns/{campaign}/role-invitations/{role_invitation}", REMOVED, "DELETE"),
    Row("list_my_role_invitations", "me/role-invitations", SIGNED_IN),
    Row(
        "answer_role_invitation",
        "me/role-invitations/{role_invitation}",
        "401 204 404 404 404 404",
        "POST",
        {"accept": True},
    ),
    Row("list_agreement_texts", "campaigns/{campaign}/agreement-texts", ORGANISED),
    Row("create_agreement", "campaigns/{campaign}/agreement-texts", ORGANISED, "POST", {"title": "B", "text": "c"}),
    Row("replace_agreement", AGREEMENT_TEXT, ORGANISED, "PUT", {"title": "B", "text": "c"}),
    Row("retire_agreement", AGREEMENT_TEXT + "/retire", ORGANISED, "POST", {"confirm": True}),
    Row("create_task", "campaigns/{campaign}/tasks", CREATED, "POST", {"title": "New", "slug": "second"}),
    Row("read_task_settings", TASK + "/settings", ORGANISED),
    Row("change_task", TASK + "/settings", ORGANISED, "PATCH", {"title": "Other"}),
    Row("enter_phase", TASK + "/phase", ORGANISED, "POST", {"phase": "pool", "confirm": True}),
    Row("delete_task", TASK + "/delete", REFUSED, "POST", {"address": "{task}", "confirm": True}),
    Row("add_round", TASK + "/rounds", CREATED, "POST", {"title": "Two", "slug": "two", "round_kind": "test"}),
    Row("read_judged_before", TASK + "/judged-before", "401 404 404 404 404 404"),
    Row("fix_judged_before", TASK + "/judged-before", REFUSED, "POST"),
    Row("list_jobs", TASK + "/jobs", ORGANISED),
    Row("read_job", TASK + "/jobs/{job}", ORGANISED),
    Row("import_topics", TASK + "/imports/topics", SENT, "POST", {}, file="topics"),
    Row("import_documents", TASK + "/imports/documents", SENT, "POST", {}, file="documents"),
    Row("import_pool", TASK + "/imports/pool", SENT, "POST", {}, file="pool"),
    Row("import_qrels", TASK + "/imports/qrels", SENT, "POST", {}, file="qrels"),
    Row("import_judgments", TASK + "/imports/judgments", SENT, "POST", {}, file="judgments"),
    Row("list_imports", TASK + "/imports", ORGANISED),
    Row("read_import", IMPORT, ORGANISED),
    Row("check_import_again", IMPORT + "/check", SENT, "POST", {}),
    Row("confirm_import", IMPORT + "/confirm", SENT, "POST"),
    Row("discard_import", IMPORT + "/discard", ORGANISED, "POST"),
    Row("read_topic_texts", TASK + "/topics/1/texts", ORGANISED),
    Row("correct_topic", TASK + "/topics/1/texts", ORGANISED, "PATCH", {"title": "Other", **WHY}),
    Row(
        "change_topic_scoring", TASK + "/topics/1/scoring", ORGANISED, "POST", {"act": "remove", "confirm": True, **WHY}
    ),
    Row("read_document_texts", TASK + "/document-texts/{docno}", ORGANISED),
    Row("correct_document", TASK + "/document-texts/{docno}", ORGANISED, "PATCH", {"title": "Other", **WHY}),
    Row("read_guidelines", TASK + "/guidelines", ORGANISED),
    Row("correct_guidelines", TASK + "/guidelines", ORGANISED, "PATCH", {"guidelines": "Other", **WHY}),
    Row("list_registrations", "campaigns/{campaign}/registrations", ORGANISED),
    Row(
        "decide_registration",
        "campaigns/{campaign}/registrations/{team}/decision",
        ORGANISED,
        "POST",
        {"state": "approved", "note": "Welcome."},
    ),
    Row("read_allowance", TASK + "/allowances/{team}", ORGANISED),
    Row("give_allowance", TASK + "/allowances/{team}", ORGANISED, "PUT", {"extra_runs": 2, "reason": "A late start."}),
    Row("mail_teams", "campaigns/{campaign}/mails", ORGANISED, "POST", MAIL),
    Row("decide_run", TASK + "/runs/{tag}/decision", DECIDED, "POST", {"decision": "reject", "reason": "Wrong."}),
    Row("check_run_again", TASK + "/runs/{tag}/check", DECIDED, "POST"),
    Row("check_runs_again", TASK + "/check-runs", ORGANISED, "POST"),
    Row("list_pool_strategies", "pool-strategies", SIGNED_IN),
    Row("list_pools", TASK + "/pools", ORGANISED),
    Row("preview_pool", TASK + "/pool-preview", ORGANISED, "POST", {"settings": {"depth": 1}}),
    Row("freeze_pool", TASK + "/pools", SENT, "POST", {"settings": {"depth": 1}, "confirm": True}),
    Row("read_pool", TASK + "/pools/1", ORGANISED),
    Row("download_pool", TASK + "/pools/1/file", ORGANISED),
    Row("download_pool_docnos", TASK + "/pools/1/docnos", ORGANISED),
    Row("read_judging_progress", TASK + "/judging/progress", ORGANISED),
    Row("list_all_assignments", TASK + "/judging/assignments", ORGANISED),
    Row(
        "create_assignments",
        TASK + "/judging/assignments",
        CREATED,
        "POST",
        {"assessor": "{assessor}", "topics": ("1",)},
    ),
    Row("remove_assignment", TASK + "/judging/assignments/{assignment}", REMOVED, "DELETE"),
    Row("distribute_topics", TASK + "/judging/plans/distribute", ORGANISED, "POST", {"assessors": ("{assessor}",)}),
    Row("plan_second_opinions", TASK + "/judging/plans/overlap", ORGANISED, "POST", {"assessors": ("{assessor}",)}),
    Row("plan_repeats", TASK + "/judging/plans/repeats", ORGANISED, "POST", {}),
    Row("read_assigning_rules", TASK + "/judging/rules", ORGANISED),
    Row("change_assigning_rules", TASK + "/judging/rules", ORGANISED, "PATCH", {"topics_are_open": True}),
    Row("read_qrels_draft", TASK + "/qrels-draft", ORGANISED),
    Row("release_qrels", TASK + "/qrels", CREATED, "POST", {"confirm": True}),
    Row("show_qrels", TASK + "/qrels/{version}/show", ORGANISED, "POST", {"confirm": True}),
    Row("read_scoring", TASK + "/scoring", ORGANISED),
    Row("start_scoring", TASK + "/scoring", SENT, "POST"),
    Row("read_feedback_topics", TASK + "/feedback-topics", ORGANISED),
    Row("set_feedback_topics", TASK + "/feedback-topics", ORGANISED, "PUT", {"topics": ("1",)}),
    Row("link_run", TASK + "/runs/{tag}/links", OWN_RUN, "PATCH", {"paper_url": "https://example.org/p"}),
    Row("rank_run", TASK + "/runs/{tag}/ranked", "401 404 422 404 404 403", "PUT", {"is_ranked": False}),
    Row("read_working_board", TASK + "/working-board", ORGANISED),
    Row("read_board_tests", TASK + "/board-tests", ORGANISED),
    Row("change_board_tests", TASK + "/board-tests", ORGANISED, "PATCH", {"test": "tukey"}),
    Row("read_publication", TASK + "/publication", ORGANISED),
    Row("publish_leaderboard", TASK + "/leaderboards", CREATED, "POST", {"audience": "public", "confirm": True}),
    Row("list_leaderboards", TASK + "/leaderboards", PUBLIC),
    Row("read_leaderboard", TASK + "/leaderboards/{number}", PUBLIC),
    Row("read_live_board", TASK + "/live-board", "404 404 404 404 404 404"),
    Row("list_disagreements", TASK + "/judging/disagreements", ORGANISED),
    Row("read_disagreement", TASK + "/judging/disagreements/1/{docno}", ORGANISED),
    Row("decide_disagreement", TASK + "/judging/decisions", CREATED, "POST", DECISION),
    Row("withdraw_decision", TASK + "/judging/decisions/withdraw", REFUSED, "POST", WITHDRAWAL),
    Row("read_agreement", TASK + "/judging/agreement", ORGANISED),
    Row("read_pool_completeness", TASK + "/pools/1/completeness", ORGANISED),
    Row("read_pooled_runs_again", TASK + "/pools/1/completeness", ORGANISED, "POST"),
    Row("list_growing_topics", TASK + "/pools/1/topics", NOT_THERE),
    Row("download_choices", TASK + "/pools/1/choices", NOT_THERE),
    Row("stop_topic", TASK + "/pools/1/topics/1/stop", NOT_THERE, "POST", {"reason": "Enough."}),
    Row("go_on_topic", TASK + "/pools/1/topics/1/go-on", NOT_THERE, "POST", {"reason": "More.", "more": 5}),
    Row("list_model_assessors", TASK + "/model-assessors", ORGANISED),
    Row("declare_model_assessor", TASK + "/model-assessors", CREATED, "POST", MODEL_ASSESSOR),
    Row("renew_model_token", TASK + "/model-assessors/{model_assessor}/token", ORGANISED, "POST"),
    Row("revoke_model_token", TASK + "/model-assessors/{model_assessor}/revoke", ORGANISED, "POST"),
    Row("download_model_grades", TASK + "/model-assessors/{model_assessor}/grades", ORGANISED),
    Row("read_preferences", TASK + "/preferences", ORGANISED),
    Row(
        "start_preferences",
        TASK + "/preferences",
        CREATED,
        "POST",
        {"topics": ("1",), "assessors": ("{assessor}",)},
    ),
    Row("remove_preferences", TASK + "/preferences/{preference}", REMOVED, "DELETE"),
    Row("list_preference_orders", TASK + "/preference-orders", ORGANISED),
    Row("release_preference_order", TASK + "/preference-orders", CREATED, "POST", {"note": "By pairs."}),
    Row("download_preference_order", TASK + "/preference-orders/1/file", ORGANISED),
    Row("read_preference_manifest", TASK + "/preference-orders/1/manifest", ORGANISED),
    Row("download_beir", TASK + "/qrels/{version}/beir", "403 403 403 403 403 200"),
    Row("download_irds", TASK + "/qrels/{version}/ir-datasets", WAITED_FOR),
    Row("read_reliability", TASK + "/leaderboards/{number}/reliability", WAITED_FOR),
    Row("compute_reliability", TASK + "/leaderboards/{number}/reliability", SENT, "POST"),
    Row("read_working_reliability", TASK + "/working-board/reliability", REFUSED),
    Row("compute_working_reliability", TASK + "/working-board/reliability", SENT, "POST"),
    Row("read_curves", TASK + "/leaderboards/{number}/curves", PUBLIC),
    Row("read_working_curves", TASK + "/working-board/curves", ORGANISED),
]
SUBMIT_JUDGMENTS = next(row for row in ROWS if row.name == "submit_judgments")
OF_LEADERBOARDS = {
    "read_leaderboard",
    "download_beir",
    "download_irds",
    "read_reliability",
    "compute_reliability",
    "read_curves",
}
OF_WORKING_BOARDS = {
    "read_working_board",
    "read_working_reliability",
    "compute_working_reliability",
    "read_working_curves",
}
OF_COMPARISONS = {
    "remove_preferences",
    "release_preference_order",
    "next_pair",
    "submit_preferences",
    "undo_preference",
}
OF_ORDERS = {"download_preference_order", "read_preference_manifest"}
OF_SCORES = {"start_scoring", "publish_leaderboard", "change_board_tests", "show_qrels", "start_preferences"}
PREPARED: list[tuple[Callable[[World], Any], set[str]]] = [
    (publish, OF_LEADERBOARDS | QRELS_FILES),
    (score, OF_SCORES | OF_WORKING_BOARDS | OF_COMPARISONS | OF_ORDERS),
    (compare, OF_COMPARISONS),
    (release_order, OF_ORDERS),
    (disagree, {"read_disagreement", "decide_disagreement"}),
    (follow_a_round, {"enter_runs_again"}),
]
WRITING = [row for row in ROWS if row.method != "GET"]


def filled(value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: filled(entry, values) for key, entry in value.items()}
    if isinstance(value, tuple):  # of texts; a list holds numbers
        return [filled(entry, values) for entry in value]
    if isinstance(value, list):
        return [int(filled(entry, values)) if isinstance(entry, str) else filled(entry, values) for entry in value]
    return value.format(**values) if isinstance(value, str) else value


def send(world: World, row: Row, role: str, token: str | None = None, **headers: str) -> Any:
    values = {**world.values, "role": role}
    token = world.tokens.get(role, "") if token is None else token
    file = FILES.get(row.file) or (run_lines({"1": ["a"], "2": ["c"]}, row.file) if row.file else None)
    data = filled(row.data, values) if row.data is not None else None
    return ask(row.address.format(**values), token, method=row.method, data=data, file=file, **headers)


def described() -> dict[str, Any]:
    document = api.get_openapi_schema()
    return {operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


def organising() -> set[str]:
    return {op.view_func.__name__ for op in operations() if op.auth_callbacks[0].scope == "organise"}


def test_every_operation_has_a_row() -> None:
    assert {row.name for row in ROWS} == set(described())


def test_every_operation_says_who_may_ask() -> None:
    bound = operations()
    assert all(operation.auth_callbacks and operation.throttle_objects for operation in bound)
    writing = {operation.view_func.__name__ for operation in bound if operation.methods != ["GET"]}
    by_scope = {op.view_func.__name__ for op in bound if op.auth_callbacks[0].scope != "read"}
    assert writing == by_scope == {row.name for row in WRITING}


def prepare(world: World, row: Row) -> None:
    """What the operation rests on, beyond what the world has."""
    for make, names in PREPARED:
        if row.name in names:
            make(world)
    if row.name == "release_qrels":
        assert send(world, SUBMIT_JUDGMENTS, "assessor").status_code == 200


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_role_gets_what_the_matrix_says(world: World, row: Row) -> None:
    prepare(world, row)
    found = []
    for role in ROLES:
        with transaction.atomic():
            found.append(str(send(world, row, role).status_code))
            transaction.set_rollback(True)
    assert " ".join(found) == row.expected


def test_a_cookie_alone_gives_nothing(world: World) -> None:
    publish(world)
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.cast.organiser)
    for row in ROWS:
        address = row.address.format(**world.values)
        response = client.generic(row.method, f"/api/v1/{address}", "{}", content_type="application/json")
        assert response.status_code == int(row.expected.split()[0]), row.name
        assert b'"my_teams": [{' not in response.getvalue()


def test_a_token_that_may_only_read_changes_nothing(world: World) -> None:
    token = make_token(world.cast.member, "read")
    events = AuditEvent.objects.count()
    for row in WRITING:
        response = send(world, row, "member", token)
        if row.expected == NOBODY:
            assert response.status_code == 401, row.name
            continue
        assert response.status_code == 403, row.name
        needed = "organise" if row.name in organising() else "submit"
        assert f"scope “{needed}”" in response.json()["detail"]
    assert AuditEvent.objects.count() == events
    assert send(world, ROWS[0], "member", token).json()["token"]["scope"] == "read"


def test_a_token_for_runs_organises_nothing(world: World) -> None:
    """Tokens that are out there for submitting runs must not be able to publish scores some day."""
    token = make_token(world.cast.organiser, "submit")
    events = AuditEvent.objects.count()
    for row in WRITING:
        if row.name in organising():
            cache.clear()
            response = send(world, row, "organiser", token)
            assert response.status_code == 403, row.name
            assert "scope “organise”" in response.json()["detail"]
    assert AuditEvent.objects.count() == events


def test_a_wrong_token_is_never_taken_for_none(world: World) -> None:
    for row in ROWS:
        cache.clear()
        response = send(world, row, "member", "rp_wrong")
        assert response.status_code == 401, row.name
        assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_draft_does_not_exist_for_outsiders(world: World) -> None:
    Campaign.objects.update(opened_at=None)
    for row in ROWS:
        cache.clear()
        if "{campaign}" in row.address:
            for role in ("stranger", "member", "other_member"):  # who takes part in one that was restored, say
                cache.clear()
                assert send(world, row, role).status_code == 404, (row.name, role)
            assert send(world, row, "anonymous").status_code in (401, 404), row.name


def test_a_task_in_its_set_up_does_not_exist_for_outsiders(world: World) -> None:
    Task.objects.update(phase=Task.SETUP)
    for row in ROWS:
        cache.clear()
        if "{task}" in row.address:
            assert send(world, row, "stranger").status_code == 404, row.name


def test_no_token_changes_anything_in_an_archived_campaign(world: World) -> None:
    Campaign.objects.update(closed_at=timezone.now(), archived_at=timezone.now())
    for row in WRITING:
        if "{campaign}" not in row.address or row.name in {"change_campaign_state", "make_archive", "delete_campaign"}:
            continue
        for role in ROLES[1:]:
            cache.clear()
            answer = send(world, row, role)
            assert (answer.status_code, "archived" in answer.content.decode()) == (403, True), (row.name, role)
    for row in ROWS:
        if row.expected == NOBODY:
            cache.clear()
            answer = send(world, row, "model")
            assert (answer.status_code, "archived" in answer.content.decode()) == (403, True), row.name


def test_in_a_closed_campaign_tokens_of_others_than_organisers_change_links_of_runs_alone(world: World) -> None:
    Campaign.objects.update(closed_at=timezone.now())
    changed = set()
    for row in WRITING:
        for role in (*ROLES[1:-1], "model") if "{campaign}" in row.address or row.expected == NOBODY else ():
            cache.clear()
            with transaction.atomic():
                answer = send(world, row, role)
                if answer.status_code < 300 and b"campaign is closed" not in answer.content:
                    changed.add(row.name)
                transaction.set_rollback(True)
    assert changed == {"link_run"}


@pytest.mark.parametrize("what", [Campaign, Task])
def test_no_token_opens_what_is_deleted(world: World, what: type[Campaign] | type[Task]) -> None:
    for model in {what, Task}:  # with a campaign, its tasks are deleted
        model.everything.update(deleted_at=timezone.now())
    part = "{campaign}" if what is Campaign else "{task}"
    for row in ROWS:
        if part in row.address:
            for role in ROLES[1:]:
                cache.clear()
                assert send(world, row, role).status_code == 404, (row.name, role)
        elif row.expected == NOBODY:
            cache.clear()
            assert send(world, row, "model").status_code == 401, row.name


def without_role(world: World, role: str) -> None:
    """Another organiser takes the role of the cast's person of this name."""
    other = make_user()
    Role.objects.create(campaign=world.cast.campaign, user=other, role=Role.ORGANISER)
    role_revoke(actor=other, campaign=world.cast.campaign, user=getattr(world.cast, role), role=role)


def without_team(world: World, role: str) -> None:
    owner, team, member = make_user(), world.cast.team, getattr(world.cast, role)
    Membership.objects.create(team=team, user=owner, is_owner=True)
    team_remove_member(actor=owner, team=team, user=member)
    Membership.objects.filter(user=member).delete()  # of a team outside of the campaign


TOLD_WHY = {
    **dict.fromkeys(("list_assignments", "list_comparisons"), 200),
    **dict.fromkeys(("next_documents", "submit_judgments", "undo_judgment"), 403),
}
"""Whoever had topics sees that there were some, and is told why they judge no more."""
OF_THE_PERSON = {
    "read_restoration": 200,
    "confirm_restoration": 202,
    "discard_restoration": 200,
    "answer_role_invitation": 404,
    "withdraw_question": 204,
}
"""Archives that they gave the site themselves, and their own question; the invitation is that of the outsider."""


@pytest.mark.parametrize(
    ("lose", "role"), [(without_role, "assessor"), (without_role, "organiser"), (without_team, "member")]
)
def test_a_token_opens_to_who_lost_their_part_what_it_opens_to_an_outsider(
    world: World, lose: Callable[[World, str], None], role: str
) -> None:
    publish(world)
    lose(world, role)
    others = {**OF_THE_PERSON, **(TOLD_WHY if role == "assessor" else {})}
    for row in ROWS:
        cache.clear()
        with transaction.atomic():
            status = send(world, row, role).status_code
            transaction.set_rollback(True)
        outsider = int(row.expected.split()[1])
        assert status in {outsider, others.get(row.name, outsider)}, row.name


def test_no_token_of_a_closed_account_works(world: World) -> None:
    User.objects.update(is_active=False)
    for row in ROWS:
        for role in (*ROLES[1:], "model"):
            cache.clear()
            assert send(world, row, role).status_code == 401, (row.name, role)


def test_an_organiser_of_another_campaign_is_an_outsider(world: World) -> None:
    publish(world)
    foreign = make_campaign()
    Role.objects.create(campaign=foreign, user=world.cast.stranger, role=Role.ORGANISER)
    make_task(foreign)
    for row in ROWS:
        cache.clear()
        if "{task}" in row.address:
            assert send(world, row, "stranger").status_code == int(row.expected.split()[1]), row.name


def test_judgments_are_for_organisers_until_they_are_published(world: World) -> None:
    score(world)
    for row in ROWS:
        if row.name in QRELS_FILES:
            assert [send(world, row, role).status_code for role in ROLES] == [404, 404, 404, 404, 404, 200]
    assert world.ask("member", f"{world.task}/qrels").json()["count"] == 0


def test_no_score_leaks_before_publication(world: World) -> None:
    score(world)
    for evaluation in Evaluation.objects.all():
        marked = np.full_like(evaluation.matrix(), 0.7531).tobytes()
        rewrite_evaluation(evaluation, means={"AP": 0.7531, "RR": 0.7531}, values=marked)
    told = {}
    for role in ROLES:
        for row in ROWS:
            if row.method == "GET":
                response = send(world, row, role)
                content = response.content_seen if response.streaming else response.content
                told[role] = told.get(role, b"") + content
    assert [role for role, content in told.items() if b".7531" in content] == ["organiser"]


def test_nothing_is_written_by_a_refused_request(world: World) -> None:
    before = (Run.objects.count(), AuditEvent.objects.count())
    for_everybody = {
        "found_team",
        "join_team",
        "create_campaign",
        "answer_role_invitation",
        "send_archive",
        "ask_organisers",
    }
    for row in WRITING:
        for role in ("anonymous", "stranger"):
            cache.clear()
            if row.name not in for_everybody:
                assert send(world, row, role).status_code >= 400
    assert (Run.objects.count(), AuditEvent.objects.count()) == before
