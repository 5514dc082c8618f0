"""The pages about judging, below a task. A topic number is one step of an address: the addresses of the desk stay free."""

from django.urls import include, path

from campaign.collection.views import imports, together
from campaign.collection.views.import_pages import COLLECTION_PAGES
from campaign.models import Import
from judging.adjudication import views as adjudication
from judging.agreement import views as agreement
from judging.assigning.views import assigning, grid
from judging.completeness import views as completeness
from judging.desk.views import desk, document_search, own_judgments, topics
from judging.duplicates import views as duplicates
from judging.judgment_imports.views import JUDGMENTS_PAGES
from judging.model_assessors import views as model_assessors
from judging.practice import views as practice
from judging.progress.views import history, progress
from judging.qrels.views import assessor_qrels, earlier_rounds, qrels
from judging.qrels.views.qrels import QRELS_PAGES
from judging.test_collections import views as test_collections

PAGES = {"pages_by_kind": QRELS_PAGES}
TOGETHER = {"pages_by_kind": {**COLLECTION_PAGES, **QRELS_PAGES}}
OF_JUDGMENTS = {"pages_by_kind": JUDGMENTS_PAGES}
IMPORTED = "judging/import/<uuid:import_id>"

urlpatterns = [
    path("judge/", topics.my_topics, name="my_topics"),
    path("judge/take/", assigning.topic_claim, name="topic_claim"),
    path("judge/<topic:topic_number>/", desk.desk, name="desk"),
    path("judge/<topic:topic_number>/documents/", desk.judging_next, name="judging_next"),
    path("judge/<topic:topic_number>/judgments/", desk.judgment_submit, name="judgment_submit"),
    path("judge/<topic:topic_number>/own/", own_judgments.own_judgments, name="own_judgments"),
    path("judge/<topic:topic_number>/find/", document_search.desk_find, name="desk_find"),
    path("pools/<int:version>/topics/<topic:topic_number>/find/", document_search.pool_find, name="pool_find"),
    path("practice/", practice.practice, name="practice"),
    path("practice/answers/", practice.practice_answers, name="practice_answers"),
    path("judging/", progress.judging_progress, name="judging_progress"),
    path("judging/agreement/", agreement.judging_agreement, name="judging_agreement"),
    path("judging/agreement/over-time.<str:file_format>", agreement.agreement_over_time, name="agreement_over_time"),
    path("judging/agreement.csv", agreement.agreement_download, {"extension": "csv"}, name="agreement_csv"),
    path("judging/agreement.json", agreement.agreement_download, {"extension": "json"}, name="agreement_json"),
    path("judging/adjudicate/", adjudication.adjudication_queue, name="adjudication_queue"),
    path("judging/adjudicate/<topic:topic_number>/<path:docno>/", adjudication.adjudicate, name="adjudicate"),
    path("judging/assign/", assigning.assignment_create, name="assignment_create"),
    path("judging/assign/grid/", grid.assignment_grid, name="assignment_grid"),
    path("judging/models/", model_assessors.model_assessor_list, name="model_assessor_list"),
    path("judging/models/<int:key>/token/", model_assessors.model_token, name="model_token"),
    path("judging/models/<int:key>/grades.txt", model_assessors.model_grades, name="model_grades"),
    path("judging/judgments.csv", test_collections.history_download, {"extension": "csv"}, name="judgments_csv"),
    path("judging/judgments.jsonl", test_collections.history_download, {"extension": "jsonl"}, name="judgments_jsonl"),
    path("files/", test_collections.file_list, name="file_list"),
    path("judging/import/", imports.import_create, {**OF_JUDGMENTS, "kind": Import.JUDGMENTS}, name="judgments_import"),
    path(f"{IMPORTED}/", imports.import_detail, OF_JUDGMENTS, name="judgments_import_detail"),
    path(f"{IMPORTED}/state/", imports.import_state, OF_JUDGMENTS, name="judgments_import_state"),
    path(f"{IMPORTED}/confirm/", imports.import_confirm, OF_JUDGMENTS, name="judgments_import_confirm"),
    path(f"{IMPORTED}/discard/", imports.import_discard, OF_JUDGMENTS, name="judgments_import_discard"),
    path("judging/judgments/", history.judgment_list, name="judgment_list"),
    path("judging/judgments/<topic:topic_number>/", history.judgment_history, name="judgment_history"),
    path("judging/by-day.svg", progress.judging_by_day, name="judging_by_day"),
    path("judging/card/", progress.judging_card, name="judging_card"),
    path("pools/<int:version>/duplicates/", duplicates.pool_duplicates, name="pool_duplicates"),
    path("pools/<int:version>/completeness/", completeness.pool_completeness, name="pool_completeness"),
    path("pools/<int:version>/completeness/curve.svg", completeness.figures_picture, name="completeness_picture"),
    path(
        "pools/<int:version>/completeness/figures.csv",
        completeness.figures_download,
        {"extension": "csv"},
        name="completeness_csv",
    ),
    path(
        "pools/<int:version>/completeness/figures.json",
        completeness.figures_download,
        {"extension": "json"},
        name="completeness_json",
    ),
    path("import/", together.files_import, TOGETHER, name="files_import"),
    path("imports/", together.imports_together, TOGETHER, name="imports_together"),
    path("judged-before/", earlier_rounds.judged_before, name="judged_before"),
    path("preferences/", include("judging.preferences.urls")),
    path("qrels/", qrels.qrels_list, name="qrels_list"),
    path("qrels/release/", qrels.qrels_release, name="qrels_release"),
    path("qrels/release/counts/", qrels.qrels_release_counts, name="qrels_release_counts"),
    path("qrels/release/assessors/", assessor_qrels.qrels_release_assessors, name="qrels_release_assessors"),
    path("qrels/import/", imports.import_create, {**PAGES, "kind": Import.QRELS}, name="qrels_import"),
    path("qrels/import/<uuid:import_id>/", imports.import_detail, PAGES, name="qrels_import_detail"),
    path("qrels/import/<uuid:import_id>/state/", imports.import_state, PAGES, name="qrels_import_state"),
    path("qrels/import/<uuid:import_id>/repair/", imports.import_repair, PAGES, name="qrels_import_repair"),
    path("qrels/import/<uuid:import_id>/confirm/", imports.import_confirm, PAGES, name="qrels_import_confirm"),
    path("qrels/import/<uuid:import_id>/discard/", imports.import_discard, PAGES, name="qrels_import_discard"),
    path("qrels/<int:version>/", qrels.qrels_detail, name="qrels_detail"),
    path("qrels/<int:version>/show/", qrels.qrels_show, name="qrels_show"),
    path("qrels/<int:version>/qrels.txt", qrels.qrels_download, name="qrels_download"),
    path(
        "qrels/<int:version>/subtopics.txt",
        qrels.qrels_download,
        {"table": "by_subtopic"},
        name="subtopic_qrels_download",
    ),
    path("qrels/<int:version>/sample.txt", qrels.qrels_download, {"table": "sample"}, name="sample_qrels_download"),
    path("qrels/<int:version>/near-identical.txt", qrels.qrels_download, {"table": "twins"}, name="twins_download"),
    path(
        "qrels/<int:version>/manifest.json", qrels.qrels_download, {"table": "manifest"}, name="qrels_manifest_download"
    ),
    path("qrels/<int:version>/beir.zip", test_collections.beir_download, name="beir_download"),
    path("qrels/<int:version>/ir_datasets.py", test_collections.irds_download, name="irds_download"),
    path("qrels/<int:version>/judgments.csv", qrels.judgments_download, name="qrels_judgments_download"),
]
