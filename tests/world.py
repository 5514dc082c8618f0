"""Every address of the site, what each role gets there, and one world of rows in which every page has something to show.

Tests that ask all addresses share it: the access matrix and `tests/security`.
"""

import re
from base64 import b64decode
from dataclasses import asdict, dataclass, field
from html import unescape
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.http import HttpResponse
from django.test import Client
from django.test.client import ClientHandler
from django.urls import reverse
from django.utils import timezone

from campaign.collection.services.document_corrections import document_correct
from campaign.collection.services.imports import import_store
from campaign.collection.services.search_index import texts_index
from campaign.collection.services.topic_corrections import topic_correct
from campaign.mail.choices import SIGNER
from campaign.models import (
    Agreement,
    ApiToken,
    Archive,
    Collection,
    DataExport,
    Import,
    Job,
    Restoration,
    Role,
    Topic,
    User,
)
from campaign.models.mail import NOTICE
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.people import role_invite
from campaign.setup.services.profiles import campaign_describe
from campaign.storage import store
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.teams import team_invite
from evaluation.analysis.reliability.services import working_report_compute
from evaluation.models import Evaluation, WorkingBoard
from evaluation.preferences.services import order_score
from evaluation.services.scoring import task_score
from evaluation.services.working_boards import working_board_compute
from judging.assigning.services.assignments import assignments_create
from judging.models import PracticeAnswer
from judging.preferences.services import preference_order_release, preference_undo
from pooling.core.strategies.spec import PoolSpec
from pooling.models import DuplicateSearch, Pool, TopicStop, Twin
from pooling.selectors.duplicates import FIND_DUPLICATES
from pooling.selectors.growth import topic_lists_of
from pooling.services.added_documents import search_log
from pooling.services.growth import documents_choose, topic_stop
from pooling.services.pools import pool_freeze
from runpool.archive.services.checking import restoration_check
from runpool.archive.services.requests import archive_request, restoration_receive
from tests.campaign.news.makers import make_milestone, make_notices, make_questions
from tests.evaluation.makers import make_qrels, make_valid_run, rewrite_evaluation
from tests.factories import Cast, make_cast, make_collection, make_topics, make_user
from tests.judging.makers import make_model_assessor, model_grades
from tests.judging.preferences.makers import answer_all, make_comparison
from tests.pooling.makers import depth_k

ROLES = ("anonymous", "stranger", "member", "other_member", "assessor", "organiser", "operator")
GET, POST = "GET", "POST"
FORM = {"content_type": "application/x-www-form-urlencoded"}

ALL = "ok ok ok ok ok ok ok"
SIGNED_IN = "login ok ok ok ok ok ok"
ORGANISER = "login 403 403 403 403 ok ok"
OWN_TEAM = "login 404 ok 404 404 ok ok"
OWN_TEAM_OWNER = "login 404 ok 404 404 403 403"
OPERATOR = "login 404 404 404 404 404 ok"
DOCUMENTS = "login 403 ok ok ok ok ok"
ONE_RUN = "login 403 403 403 403 404 404"
"""Of a comparison: the world has one run only."""
NO_COSTS = ONE_RUN
"""Of costs: the run of the world gives none."""
PUBLISHED_ONLY = "404 404 404 404 404 404 404"

CAMPAIGN = {"campaign_slug": "{campaign}"}
TASK = {"campaign_slug": "{campaign}", "task_slug": "{task}"}
RUN, TOPIC, VERSION, NUMBER = (
    {**TASK, "tag": "{tag}"},
    {**TASK, "topic_number": "{topic}"},
    {**TASK, "version": 1},
    {**TASK, "number": 1},
)
GROWING = {**TASK, "version": 2}
MODEL = {**TASK, "key": "{model}"}
TEAM, IMPORT = {"team_slug": "{team}"}, {**TASK, "import_id": "{import}"}
REGISTRATION = {"campaign_slug": "{campaign}", "team_slug": "{team}"}
RESTORATION = {"restoration_id": "{restoration}"}
OWN_RESTORATION = "login 404 404 404 404 ok ok"
QRELS_IMPORT = {**TASK, "import_id": "{qrels_import}"}
JUDGMENTS_IMPORT = {**TASK, "import_id": "{judgments_import}"}
POOL_IMPORT = {**TASK, "import_id": "{pool_import}"}


@dataclass(frozen=True)
class Row:
    name: str
    kwargs: dict[str, object]
    expected: str
    method: str = GET


ROWS = [
    # The site
    Row("home", {}, ALL),
    Row("whats_new", {}, SIGNED_IN),
    Row("whats_new_count", {}, ALL),
    Row("whats_new_seen", {}, "login -> -> -> -> -> ->", POST),
    Row("search", {}, ALL),
    Row("glossary", {}, ALL),
    Row("health", {}, ALL),
    Row("livez", {}, ALL),
    Row("readyz", {}, ALL),
    Row("metrics", {}, ALL),
    Row("account_signup", {}, "ok -> -> -> -> -> ->"),
    Row("account_settings", {}, SIGNED_IN),
    Row("desk_keys", {}, SIGNED_IN),
    Row("mail_settings", {}, SIGNED_IN),
    Row("mail_off", {"key": "{mail_off}"}, ALL),
    Row("token_list", {}, SIGNED_IN),
    Row("data_exports", {}, SIGNED_IN),
    Row("data_export_download", {"export_id": "{export}"}, "login 404 ok 404 404 404 404"),
    Row("account_delete", {}, SIGNED_IN),
    Row("token_revoke", {"token_id": "{token}"}, "login 404 ok 404 404 404 404"),
    Row("api_docs", {}, ALL),
    Row("api_document", {}, ALL),
    Row("api_client", {}, ALL),
    Row("api_problem", {"kind": "not-found"}, "-> -> -> -> -> -> ->"),
    Row("operations", {}, OPERATOR),
    Row("operations_storage", {}, OPERATOR),
    Row("operations_slow", {}, OPERATOR),
    Row("operations_workers", {}, OPERATOR),
    Row("operation_verify", {}, "login 404 404 404 404 404 ->", POST),
    Row("operation_send_failed", {}, "login 404 404 404 404 404 ->", POST),
    Row("operation_send", {"job_id": "{job}"}, "login 404 404 404 404 404 ->", POST),
    Row("next_judging", {}, ALL),
    # Teams
    Row("team_list", {}, SIGNED_IN),
    Row("team_create", {}, SIGNED_IN),
    Row("team_join", {"key": "{key}"}, "login ok -> ok ok ok ok"),
    Row("team_detail", TEAM, OWN_TEAM),
    Row("team_leave", TEAM, "login 404 ok 404 404 404 404"),
    Row("team_edit", TEAM, OWN_TEAM_OWNER),
    Row("team_invitation", TEAM, "login 404 -> 404 404 403 403", POST),
    Row("team_invite", TEAM, OWN_TEAM_OWNER, POST),
    Row("invitation_send", {**TEAM, "invitation_id": "{invitation}"}, "login 404 -> 404 404 403 403", POST),
    Row("invitation_withdraw", {**TEAM, "invitation_id": "{invitation}"}, "login 404 -> 404 404 403 403", POST),
    Row("team_owner", TEAM, "login 404 -> 404 404 403 403", POST),
    Row("team_give_up", TEAM, "login 404 -> 404 404 403 403", POST),
    Row("team_remove", {**TEAM, "member_id": "{membership}"}, OWN_TEAM_OWNER),
    # Campaigns
    Row("campaign_create", {}, SIGNED_IN),
    Row("campaign_from_file", {}, SIGNED_IN),
    Row("campaign_detail", {"campaign_slug": "{campaign}"}, ALL),
    Row("campaign_rounds", {"campaign_slug": "{campaign}"}, ALL),
    Row("campaign_edit", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("campaign_blueprint", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("campaign_copy", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("archive_list", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("archive_state", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("archive_download", {"campaign_slug": "{campaign}", "archive_id": "{archive}"}, ORGANISER),
    Row("restoration_create", {}, SIGNED_IN),
    Row("restoration_detail", RESTORATION, OWN_RESTORATION),
    Row("restoration_state", RESTORATION, OWN_RESTORATION),
    Row("restoration_discard", RESTORATION, "login 404 404 404 404 -> ->", POST),
    Row("campaign_open", {"campaign_slug": "{campaign}"}, "login 403 403 403 403 -> ->"),
    Row("campaign_state", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("campaign_profile", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("campaign_logo", {"campaign_slug": "{campaign}"}, ALL),
    Row("campaign_log", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("campaign_log_csv", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("deleted_list", {}, SIGNED_IN),
    Row("people", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("role_key", {"key": "{role_key}"}, SIGNED_IN),
    Row("role_answer", {"invitation_id": "{role_invitation}"}, "login ok 404 404 404 404 404"),
    Row("campaign_register", {"campaign_slug": "{campaign}"}, SIGNED_IN),
    Row("registration_accept", REGISTRATION, "login 404 -> 404 404 404 404", POST),
    Row("registration_ask", REGISTRATION, "login 404 -> 404 404 404 404", POST),
    Row("registration_withdraw", REGISTRATION, "login 404 ok 404 404 404 404"),
    Row("registration_list", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("registration_csv", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("registration_decide", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("registration_mail", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("team_allowances", REGISTRATION, ORGANISER),
    Row("agreement_list", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("agreement_record", {"campaign_slug": "{campaign}"}, ORGANISER),
    Row("agreement_edit", {"campaign_slug": "{campaign}", "agreement_id": "{agreement}"}, ORGANISER),
    Row("agreement_retire", {"campaign_slug": "{campaign}", "agreement_id": "{agreement}"}, ORGANISER),
    Row("task_create", {"campaign_slug": "{campaign}"}, ORGANISER),
    # News
    Row("news_list", CAMPAIGN, ALL),
    Row("news_feed", CAMPAIGN, ALL),
    Row("notice_detail", {**CAMPAIGN, "notice_id": "{notice}"}, ALL),
    Row("notice_create", CAMPAIGN, ORGANISER),
    Row("notice_recipients", CAMPAIGN, ORGANISER),
    Row("mail_list", CAMPAIGN, ORGANISER),
    Row("mail_csv", CAMPAIGN, ORGANISER),
    Row("milestone_list", CAMPAIGN, ORGANISER),
    Row("milestone_edit", {**CAMPAIGN, "milestone_id": "{milestone}"}, ORGANISER),
    Row("milestone_remove", {**CAMPAIGN, "milestone_id": "{milestone}"}, ORGANISER),
    Row("campaign_calendar", CAMPAIGN, ALL),
    Row("question_list", TASK, ALL),
    Row("question_ask", TASK, SIGNED_IN),
    Row("question_answer", {**TASK, "question_id": "{question}"}, ORGANISER),
    Row("question_withdraw", {**TASK, "question_id": "{question}"}, "login 404 ok 404 404 404 404"),
    # Tasks
    Row("task_detail", TASK, ALL),
    Row("task_edit", TASK, ORGANISER),
    Row("round_create", TASK, ORGANISER),
    Row("task_delete", TASK, ORGANISER),
    Row("task_phase", TASK, ORGANISER),
    Row("runs_recheck", TASK, ORGANISER),
    Row("runs_recheck_state", TASK, ORGANISER),
    Row("topic_list", TASK, ALL),
    Row("topic_download", {**TASK, "file_format": "xml"}, ALL),
    Row("docno_download", TASK, DOCUMENTS),
    Row("document_download", {**TASK, "file_format": "jsonl"}, ORGANISER),
    Row("file_list", TASK, ALL),
    Row("check_script", TASK, ALL),
    Row("topic_detail", TOPIC, ALL),
    Row("topic_edit", TOPIC, ORGANISER),
    Row("topic_scoring", TOPIC, ORGANISER),
    Row("errata", TASK, ALL),
    Row("guidelines_edit", TASK, ORGANISER),
    Row("document_edit", {**TASK, "docno": "{docno}"}, ORGANISER),
    Row("document_list", TASK, DOCUMENTS),
    Row("document_detail", {**TASK, "docno": "{docno}"}, DOCUMENTS),
    Row("document_page", {**TASK, "docno": "{docno}"}, "login 403 404 404 404 404 404"),
    Row("files_import", TASK, ORGANISER),
    Row("imports_together", TASK, "login 403 403 403 403 404 404"),
    Row("import_create", {**TASK, "kind": "topics"}, ORGANISER),
    Row("import_detail", IMPORT, ORGANISER),
    Row("import_state", IMPORT, ORGANISER),
    Row("import_confirm", IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("import_discard", IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("import_repair", IMPORT, "login 403 403 403 403 -> ->", POST),
    # Runs
    Row("run_list", TASK, "login 404 ok ok 403 ok ok"),
    Row("run_list_rows", TASK, "login 404 ok ok 403 ok ok"),
    Row("runs_csv", TASK, "login 404 ok ok 403 ok ok"),
    Row("run_archive", TASK, ORGANISER),
    Row("runs_resubmit", TASK, "login -> ok ok -> -> ->"),
    Row("run_create", TASK, "login -> ok ok -> -> ->"),
    Row("run_detail", RUN, OWN_TEAM),
    Row("run_state", RUN, OWN_TEAM),
    Row("run_scores", RUN, OWN_TEAM),
    Row("run_scores_file", {**RUN, "file_format": "csv"}, "login 404 404 404 404 ok ok"),
    Row("run_ranked", RUN, "login 404 -> 404 404 403 403", POST),
    Row("feedback_topics", TASK, ORGANISER),
    Row("with_removed", TASK, ORGANISER),
    Row("with_removed_csv", TASK, "login 403 403 403 403 404 404"),
    Row("live_board", TASK, PUBLISHED_ONLY),
    Row("live_csv", TASK, PUBLISHED_ONLY),
    Row("live_json", TASK, PUBLISHED_ONLY),
    Row("live_picture", {**TASK, "measure": "AP"}, PUBLISHED_ONLY),
    Row("run_download", RUN, OWN_TEAM),
    Row("run_edit", RUN, OWN_TEAM),
    Row("run_links", RUN, OWN_TEAM),
    Row("run_withdraw", RUN, OWN_TEAM),
    Row("run_decide", {**RUN, "decision": "reject"}, "login 404 403 404 404 ok ok"),
    Row("run_recheck", RUN, "login 404 403 404 404 -> ->", POST),
    # Pools
    Row("pool_list", TASK, ORGANISER),
    Row("pool_create", TASK, ORGANISER),
    Row("pool_preview", TASK, ORGANISER),
    Row("pool_differences", TASK, "login 403 403 403 403 -> ->"),
    Row("pool_detail", VERSION, ORGANISER),
    Row("pool_download", VERSION, ORGANISER),
    Row("pool_sample", VERSION, "login 403 403 403 403 404 404"),
    Row("pool_docnos", VERSION, ORGANISER),
    Row("pool_docnos_without_text", VERSION, ORGANISER),
    Row("pool_import", TASK, ORGANISER),
    Row("pool_import_detail", POOL_IMPORT, ORGANISER),
    Row("pool_import_state", POOL_IMPORT, ORGANISER),
    Row("pool_import_confirm", POOL_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("pool_import_repair", POOL_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("pool_import_discard", POOL_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("pool_topics", GROWING, ORGANISER),
    Row("pool_topic", {**GROWING, "topic_number": "{topic}"}, ORGANISER),
    Row("pool_choices", GROWING, ORGANISER),
    Row("pool_card", TASK, ALL),
    Row("pool_duplicates", VERSION, ORGANISER),
    Row("pool_completeness", VERSION, ORGANISER),
    Row("completeness_picture", VERSION, ORGANISER),
    Row("completeness_csv", VERSION, ORGANISER),
    Row("completeness_json", VERSION, ORGANISER),
    # Judging
    Row("my_topics", TASK, "login 403 403 403 ok ok ok"),
    Row("desk", TOPIC, "login 404 404 404 ok 404 404"),
    Row("own_judgments", TOPIC, "login 404 404 404 ok 404 404"),
    Row("judging_next", TOPIC, "401 404 404 404 ok 404 404"),
    Row("judgment_submit", TOPIC, "401 400 400 400 400 400 400", POST),
    Row("practice", TASK, "login 403 403 403 ok ok ok"),
    Row("practice_answers", TASK, ORGANISER),
    Row("desk_find", TOPIC, "login 404 404 404 ok 404 404"),
    Row("pool_find", {**VERSION, "topic_number": "{topic}"}, ORGANISER),
    Row("judging_progress", TASK, ORGANISER),
    Row("judging_agreement", TASK, ORGANISER),
    Row("agreement_over_time", {**TASK, "file_format": "svg"}, "login 403 403 403 403 404 404"),
    Row("adjudication_queue", TASK, ORGANISER),
    Row("adjudicate", {**TOPIC, "docno": "{docno}"}, "login 403 403 403 403 404 404"),
    Row("agreement_csv", TASK, ORGANISER),
    Row("agreement_json", TASK, ORGANISER),
    Row("assignment_create", TASK, ORGANISER),
    Row("assignment_grid", TASK, ORGANISER),
    Row("topic_claim", TASK, "login 403 403 403 404 404 404", POST),
    Row("model_assessor_list", TASK, ORGANISER),
    Row("model_token", MODEL, "login 403 403 403 403 ok ok", POST),
    Row("model_grades", MODEL, ORGANISER),
    Row("judging_by_day", TASK, ORGANISER),
    Row("judging_card", TASK, ALL),
    # Preferences
    Row("preferences", TASK, ORGANISER),
    Row("preferences_begin", TASK, "login 403 403 403 403 ok ok", POST),
    Row("preferences_remove", TASK, "login 403 403 403 403 404 404", POST),
    Row("preferences_release", TASK, "login 403 403 403 403 ok ok", POST),
    Row("my_preferences", TASK, "login 403 403 403 ok ok ok"),
    Row("preference_desk", TOPIC, "login 404 404 404 ok 404 404"),
    Row("preference_documents", TOPIC, "401 404 404 404 ok 404 404"),
    Row("preference_submit", TOPIC, "401 400 400 400 400 400 400", POST),
    Row("preference_order", VERSION, ORGANISER),
    Row("preference_order_download", VERSION, ORGANISER),
    Row("preference_manifest", VERSION, ORGANISER),
    Row("preference_scores", VERSION, ORGANISER),
    Row("preference_scores_csv", VERSION, ORGANISER),
    Row("preference_score", VERSION, "login 403 403 403 403 -> ->", POST),
    Row("judgments_import", TASK, ORGANISER),
    Row("judgments_import_detail", JUDGMENTS_IMPORT, ORGANISER),
    Row("judgments_import_state", JUDGMENTS_IMPORT, ORGANISER),
    Row("judgments_import_confirm", JUDGMENTS_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("judgments_import_discard", JUDGMENTS_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("judgment_list", TASK, ORGANISER),
    Row("judgments_csv", TASK, ORGANISER),
    Row("judgments_jsonl", TASK, ORGANISER),
    Row("judgment_history", TOPIC, "login 403 403 403 403 -> ->"),
    # Qrels
    Row("qrels_list", TASK, ALL),
    Row("qrels_release", TASK, ORGANISER),
    Row("qrels_release_assessors", TASK, ORGANISER),
    Row("qrels_release_counts", TASK, "login 403 403 403 403 -> ->"),
    Row("qrels_import", TASK, ORGANISER),
    Row("qrels_import_detail", QRELS_IMPORT, ORGANISER),
    Row("qrels_import_state", QRELS_IMPORT, ORGANISER),
    Row("qrels_import_confirm", QRELS_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("qrels_import_repair", QRELS_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("qrels_import_discard", QRELS_IMPORT, "login 403 403 403 403 -> ->", POST),
    Row("judged_before", TASK, "login 404 404 404 404 404 404"),
    Row("qrels_detail", VERSION, "404 404 404 404 404 ok ok"),
    Row("qrels_show", VERSION, "login 403 403 403 403 ok ok"),
    Row("qrels_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("subtopic_qrels_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("sample_qrels_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("twins_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("qrels_manifest_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("qrels_judgments_download", VERSION, ORGANISER),
    Row("beir_download", VERSION, "404 404 404 404 404 ok ok"),
    Row("irds_download", VERSION, "404 404 404 404 404 -> ->"),
    # Scores
    Row("score_board", TASK, ORGANISER),
    Row("score_board_csv", TASK, ORGANISER),
    Row("scores_picture", {**TASK, "measure": "AP"}, ORGANISER),
    Row("score_all", TASK, "login 403 403 403 403 -> ->", POST),
    Row("scores_card", TASK, ALL),
    Row("runs_unjudged", TASK, ORGANISER),
    Row("qrels_effect", VERSION, ORGANISER),
    Row("model_scores", MODEL, ORGANISER),
    Row("board_settings", TASK, ORGANISER),
    Row("scores_compare", TASK, ORGANISER),
    Row("scores_compare_file", {**TASK, "file_format": "csv"}, ONE_RUN),
    Row("scores_compare_topic", {**TASK, "topic": "{topic}"}, ONE_RUN),
    Row("scores_run", RUN, ORGANISER),
    Row("scores_run_file", {**RUN, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_run", {**NUMBER, "tag": "{tag}"}, PUBLISHED_ONLY),
    Row("leaderboard_run_file", {**NUMBER, "tag": "{tag}", "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_tables", TASK, ORGANISER),
    Row("leaderboard_tables", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_changes", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_changes_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("leaderboard_history_file", {**NUMBER, "file_format": "svg"}, PUBLISHED_ONLY),
    Row("leaderboard_citation", {**NUMBER, "file_format": "bib"}, PUBLISHED_ONLY),
    Row("scores_topics", TASK, ORGANISER),
    Row("scores_topics_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("scores_topic", {**TASK, "topic": "{topic}"}, ORGANISER),
    Row("leaderboard_topics", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_topics_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("leaderboard_topic", {**NUMBER, "topic": "{topic}"}, PUBLISHED_ONLY),
    Row("scores_pairs", TASK, ORGANISER),
    Row("leaderboard_pairs", NUMBER, PUBLISHED_ONLY),
    Row("scores_assumptions", TASK, ORGANISER),
    Row("leaderboard_assumptions", NUMBER, PUBLISHED_ONLY),
    Row("scores_pairs_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_pairs_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_groups_file", {**TASK, "file_format": "svg"}, ORGANISER),
    Row("leaderboard_groups_file", {**NUMBER, "file_format": "svg"}, PUBLISHED_ONLY),
    Row("scores_heatmap", TASK, ORGANISER),
    Row("leaderboard_heatmap", NUMBER, PUBLISHED_ONLY),
    Row("scores_heatmap_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_heatmap_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_measures", TASK, ORGANISER),
    Row("leaderboard_measures", NUMBER, PUBLISHED_ONLY),
    Row("scores_measures_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_measures_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_curves", TASK, ORGANISER),
    Row("leaderboard_curves", NUMBER, PUBLISHED_ONLY),
    Row("scores_curves_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_curves_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_run_curve_file", {**RUN, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_run_curve_file", {**NUMBER, "tag": "{tag}", "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_efficiency", TASK, ORGANISER),
    Row("leaderboard_efficiency", NUMBER, PUBLISHED_ONLY),
    Row("scores_efficiency_file", {**TASK, "file_format": "csv"}, NO_COSTS),
    Row("leaderboard_efficiency_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_components", TASK, ORGANISER),
    Row("leaderboard_components", NUMBER, PUBLISHED_ONLY),
    Row("scores_components_file", {**TASK, "file_format": "csv"}, ORGANISER),
    Row("leaderboard_components_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("scores_reliability", TASK, ORGANISER),
    Row("leaderboard_reliability", NUMBER, PUBLISHED_ONLY),
    Row("scores_reliability_json", TASK, ORGANISER),
    Row("leaderboard_reliability_json", NUMBER, PUBLISHED_ONLY),
    Row("scores_reliability_picture", {**TASK, "picture": "saturation", "file_format": "svg"}, ORGANISER),
    Row("leaderboard_reliability_picture", {**NUMBER, "picture": "saturation", "file_format": "svg"}, PUBLISHED_ONLY),
    Row("scores_reliability_compute", TASK, "login 403 403 403 403 -> ->", POST),
    Row("leaderboard_reliability_compute", NUMBER, "login 403 403 403 403 404 404", POST),
    Row("leaderboard_compare", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_compare_file", {**NUMBER, "file_format": "csv"}, PUBLISHED_ONLY),
    Row("leaderboard_compare_topic", {**NUMBER, "topic": "{topic}"}, PUBLISHED_ONLY),
    Row("leaderboard_latest", TASK, ALL),
    Row("leaderboard_publish", TASK, ORGANISER),
    Row("leaderboard_detail", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_csv", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_json", NUMBER, PUBLISHED_ONLY),
    Row("leaderboard_picture", {**NUMBER, "measure": "AP"}, PUBLISHED_ONLY),
]
BELOW_BOARDS = [
    row
    for row in ROWS
    if row.method == GET and row.name.replace("scores_", "leaderboard_") in {other.name for other in ROWS} - {row.name}
]
NOT_BEFORE_PUBLICATION = ("scores_reliability_json", "scores_reliability_picture")
ROWS += [
    Row(
        row.name.replace("scores_", "preview_"),
        {**row.kwargs, "audience": "public"},
        ONE_RUN if row.name in NOT_BEFORE_PUBLICATION else row.expected,
    )
    for row in BELOW_BOARDS
]
"""What organisers see of the working board at its own addresses, they see as an audience would at those of previews."""
ROWS += [
    Row("preview_detail", {**TASK, "audience": "participants"}, ORGANISER),
    Row("preview_csv", {**TASK, "audience": "participants"}, ORGANISER),
    Row("preview_json", {**TASK, "audience": "anonymous"}, ORGANISER),
]
ACCOUNT_ROWS = [
    Row("account_login", {}, "ok -> -> -> -> -> ->"),
    Row("account_signup", {}, "ok -> -> -> -> -> ->"),
    Row("account_logout", {}, "-> ok ok ok ok ok ok"),
    Row("account_inactive", {}, ALL),
    Row("account_reauthenticate", {}, SIGNED_IN),
    Row("account_email", {}, SIGNED_IN),
    Row("account_email_verification_sent", {}, ALL),
    Row("account_change_password", {}, SIGNED_IN),
    Row("account_set_password", {}, "login -> -> -> -> -> ->"),
    Row("account_reset_password", {}, ALL),
    Row("account_confirm_login_code", {}, "login -> -> -> -> -> ->"),
    Row("account_confirm_email", {"key": "wrong"}, ALL),
    Row("account_reset_password_from_key", {"uidb36": "1", "key": "wrong-key"}, ALL),
    Row("account_reset_password_from_key_done", {}, ALL),
    Row("account_reset_password_done", {}, ALL),
]
"""The pages of accounts: the library's, with our templates."""
PUBLIC_ONCE_PUBLISHED = [
    "leaderboard_detail",
    "leaderboard_csv",
    "leaderboard_json",
    "leaderboard_picture",
    "leaderboard_compare",
    "leaderboard_tables",
    "leaderboard_changes",
    "leaderboard_history_file",
    "leaderboard_citation",
    "leaderboard_run",
    "leaderboard_run_file",
    "leaderboard_topics",
    "leaderboard_topics_file",
    "leaderboard_topic",
    "leaderboard_pairs",
    "leaderboard_pairs_file",
    "leaderboard_assumptions",
    "leaderboard_groups_file",
    "leaderboard_heatmap",
    "leaderboard_heatmap_file",
    "leaderboard_measures",
    "leaderboard_measures_file",
    "leaderboard_curves",
    "leaderboard_curves_file",
    "leaderboard_run_curve_file",
    "leaderboard_efficiency",
    "leaderboard_reliability",
    "leaderboard_components",
    "leaderboard_components_file",
    "qrels_detail",
    "qrels_download",
    "subtopic_qrels_download",
    "sample_qrels_download",
    "twins_download",
    "qrels_manifest_download",
]
TELL_NO_SCORE = "0.7531"
"""A value that stands in every cell of the scores: no answer to an outsider may hold it before publication."""

PIXELS = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G320AeXC6efoAAAAASUVORK5CYII="
)
"""A PNG of 64 by 64 pixels."""

HANDLER = ClientHandler(enforce_csrf_checks=False)
"""Of the requests of all clients here: each would make the whole middleware anew."""


@dataclass
class World:
    cast: Cast
    operator: User
    values: dict[str, object]
    sessions: dict[str, str] = field(default_factory=dict)

    def sign_in_everybody(self) -> None:
        """Once for all requests."""
        for role in ROLES[1:]:
            client = Client()
            client.force_login(self.user(role))
            self.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value

    def user(self, role: str) -> User | None:
        if role == "anonymous":
            return None
        return self.operator if role == "operator" else getattr(self.cast, role)

    def address(self, row: Row) -> str:
        kwargs = {key: str(value).format(**self.values) for key, value in row.kwargs.items()}
        kwargs = {
            key: int(value) if key in {"version", "number", "job_id", "archive_id"} else value
            for key, value in kwargs.items()
        }
        kwargs = {key: int(value) if key == "key" and value.isdigit() else value for key, value in kwargs.items()}
        kwargs = {
            key: UUID(value) if key in {"import_id", "restoration_id"} else value for key, value in kwargs.items()
        }
        return reverse(row.name, kwargs=kwargs)

    def client(self, role: str) -> Client:
        client = Client()
        client.handler = HANDLER
        if role in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[role]
        return client

    def ask(self, row: Row, role: str, method: str = "") -> HttpResponse:
        address = self.address(row)
        response = self.client(role).generic(
            method or row.method, address, **({} if method or row.method == GET else FORM)
        )
        if response.streaming:
            response.content_seen = b"".join(response.streaming_content)  # type: ignore[attr-defined]
        return response


@dataclass(frozen=True)
class Names:
    """The texts of files that become part of addresses."""

    tag: str = "one"
    topic: str = "1"
    docno: str = "a"


def make_world(names: Names = Names()) -> World:
    """A campaign in which every page has something to show."""
    cast = make_cast(judging_mode="subtopic", measures=["AP", "RR"], takes_runs_after_pool=True)
    make_topics(cast.task, [names.topic, "2"])
    make_collection(cast.task, [names.docno, "b", "c"])
    correct_texts(cast)
    make_valid_run(cast.task, cast.team, names.tag, {names.topic: [names.docno, "b"], "2": ["c"]})
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2))
    [topic, _] = cast.task.topics.order_by("position")
    assignments_create(actor=cast.organiser, pool=pool, topics=[topic], assessor=cast.assessor)
    PracticeAnswer.objects.create(task=cast.task, topic=topic, docno=names.docno, grade=1, why="Says so.", position=1)
    find_twins(pool, topic, [names.docno, "b"])
    grow_a_pool(cast)
    index_texts(cast)
    grades = {names.topic: {names.docno: 1, "b": 0}}
    by_subtopic = {names.topic: {"1": {names.docno: 1}}}
    strata = {names.topic: {names.docno: 1, "b": 1, "c": 1}}
    twins = [(names.topic, "b", names.docno)]
    make_qrels(cast.task, grades, cast.organiser, subtopic_grades=by_subtopic, strata=strata, twins=twins)
    task_score(task=cast.task, report=lambda done, total: None)
    working_report_compute(task=cast.task, report=lambda done, total, what: None)
    compare_the_best(cast)
    _mark_scores()
    campaign_describe(actor=cast.organiser, campaign=cast.campaign, logo=ContentFile(PIXELS), logo_text="A wheel")
    model, _ = make_model_assessor(cast.task, cast.organiser, family="bm25")
    model_grades(model, names.topic, {names.docno: 1, "b": 0})
    values = {
        **asdict(names),
        "model": model.pk,
        "campaign": cast.campaign.slug,
        "task": cast.task.slug,
        "team": cast.team.slug,
        "key": cast.team.invitation_key,
        "membership": cast.team.memberships.get().pk,
        "invitation": team_invite(actor=cast.member, team=cast.team, email="new@example.org").pk,
        "role_invitation": role_invite(
            actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR
        ).pk,
        "role_key": role_invite(
            actor=cast.organiser, campaign=cast.campaign, email="judge@example.org", role=Role.ASSESSOR
        ).key,
        "agreement": _accepted_agreement(cast).pk,
        "notice": make_notices(cast).pk,
        "milestone": make_milestone(cast.campaign).pk,
        "question": make_questions(cast).pk,
        "mail_off": SIGNER.sign(f"{cast.member.pk}.{NOTICE}"),
        "token": ApiToken.objects.create(user=cast.member, name="laptop", expires_at=timezone.now()).pk,
        "import": _import(cast, Import.TOPICS).pk,
        "qrels_import": _import(cast, Import.QRELS).pk,
        "pool_import": _import(cast, Import.POOL).pk,
        "judgments_import": _import(cast, Import.JUDGMENTS).pk,
        "archive": _archive(cast).pk,
        "restoration": _restoration(cast).pk,
        "export": _data_export(cast).pk,
        "job": Job.objects.create(name="check run", key="{}", arguments={"run_id": 0}, state=Job.DONE).pk,
    }
    world = World(cast, make_user(is_superuser=True), values)
    world.sign_in_everybody()
    return world


def correct_texts(cast: Cast) -> None:
    why = {"reason": "A typo.", "note": "Typo corrected."}
    [topic, _] = cast.task.topics.order_by("position")
    topic_correct(actor=cast.organiser, topic=topic, fields={"narrative": "All of it."}, **why)
    document = cast.task.collection.documents.order_by("pk")[0]
    document_correct(actor=cast.organiser, document=document, fields={"text": f"{document.text} anew"}, **why)


def find_twins(pool: Pool, topic: Topic, docnos: list[str]) -> None:
    """A class of near-identical documents, which are judged one after another."""
    Job.objects.filter(name=FIND_DUPLICATES).update(state=Job.DONE, finished_at=timezone.now())
    found = {"threshold": 0.9, "documents": 2, "found_at": timezone.now()}
    # Outside a transaction the search has run already.
    DuplicateSearch.objects.update_or_create(pool=pool, defaults={"handling": DuplicateSearch.TOGETHER, **found})
    Twin.objects.filter(pool=pool).delete()
    for docno in docnos:
        Twin.objects.create(pool=pool, topic=topic, docno=docno, representative=docnos[0], place=1, similarity=0.95)


def grow_a_pool(cast: Cast) -> None:
    """A version that grows: the first topic goes on after a choice, the second is stopped by hand."""
    parameters = {"depth": 1, "candidates": 2, "control": 0}
    spec = PoolSpec.with_defaults("maxmean", parameters)
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    [first, second] = cast.task.topics.order_by("position")
    lists = topic_lists_of(pool, first)
    documents_choose(pool=pool, topic=first, lists=lists, relevant={}, wanted=1)
    TopicStop.objects.create(pool=pool, topic=first, kind=TopicStop.ON, reason="more", until=9)
    topic_stop(actor=cast.organiser, pool=pool, topic=second, reason="enough")


def index_texts(cast: Cast) -> None:
    """The first topic's desk has searched the texts, which are indexed."""
    collection = Collection.objects.get(tasks=cast.task)
    texts_index(collection_id=collection.pk, version=collection.documents_version, report=lambda *progress: None)
    first = cast.task.topics.order_by("position")[0]
    search_log(actor=cast.assessor, pool=cast.task.pools.get(version=1), topic=first, query="wing", results=0)


def compare_the_best(cast: Cast) -> None:
    """The best documents of the first topic are in order, released and scored; then one answer was taken back."""
    first = cast.task.topics.order_by("position")[0]
    assignment = make_comparison(cast, first, ["a", "b", "c"])
    answer_all(assignment)
    order = preference_order_release(actor=cast.organiser, task=cast.task, qrels=assignment.qrels)
    order_score(order=order, report=lambda done, total: None)
    preference_undo(assessor=cast.assessor, assignment=assignment, uuid=uuid4())


def _mark_scores() -> None:
    for evaluation in Evaluation.objects.all():
        values = evaluation.matrix().copy()
        values[:] = float(TELL_NO_SCORE)
        means = dict.fromkeys(evaluation.means, float(TELL_NO_SCORE))
        rewrite_evaluation(evaluation, values=values.tobytes(), means=means)
    board = WorkingBoard.objects.get()
    board.delete()  # the scores that were rewritten have the keys of those from which it was computed
    working_board_compute(task=board.task)


def _accepted_agreement(cast: Cast) -> Agreement:
    agreement = agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text="Be fair.")
    for team, member in ((cast.team, cast.member), (cast.other_team, cast.other_member)):
        agreements_accept(actor=member, team=team, campaign=cast.campaign, agreements=[agreement])
    return agreement


def _archive(cast: Cast) -> Archive:
    """As it is when its job is done."""
    stored = store(ContentFile(b"a zip"), folder="archives", suffix=".zip")
    archive = archive_request(actor=cast.organiser, campaign=cast.campaign)
    facts = {"file": stored.name, "sha256": stored.sha256, "content_sha256": stored.sha256, "size": stored.size}
    Archive.objects.filter(pk=archive.pk).update(**facts, made_at=timezone.now())
    return archive


def _restoration(cast: Cast) -> Restoration:
    """An archive that was refused."""
    received = restoration_receive(actor=cast.organiser, file=ContentFile(b"no zip"), file_name="archive.zip")
    restoration_check(received, lambda *progress: None)
    return received


def _data_export(cast: Cast) -> DataExport:
    stored = store(ContentFile(b"a zip"), folder="data", suffix=".zip")
    return DataExport.objects.create(user=cast.member, file=stored.name, made_at=timezone.now())


def _import(cast: Cast, kind: str) -> Import:
    imported = import_store(actor=cast.organiser, task=cast.task, kind=kind, file=ContentFile(b"x"), file_name="x.txt")
    Import.objects.filter(pk=imported.pk).update(state=Import.BAD)
    return imported


def outcome(response: HttpResponse) -> str:
    if response.status_code in (301, 302, 303):
        return "login" if reverse("account_login") in response["Location"] else "->"
    return "ok" if response.status_code in (200, 204, 422) else str(response.status_code)


def is_page(response: HttpResponse) -> bool:
    return not response.streaming and response.content.lstrip().startswith(b"<!DOCTYPE html")


def is_html(response: HttpResponse) -> bool:
    return (
        response.status_code == 200
        and response.get("Content-Type", "").startswith("text/html")
        and response.content != b""
    )


def links_of(page: str) -> set[str]:
    """The paths of this site to which a page links."""
    return {unescape(link) for link in re.findall(r'<a\b[^>]*?\shref="(/[^"#?]*)', page)}
