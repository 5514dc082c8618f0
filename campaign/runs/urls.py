"""Below a task."""

from django.urls import include, path

from campaign.runs.views import decisions, lists, resubmission, run, upload

run_patterns = [
    path("", lists.run_list, name="run_list"),
    path("new/", upload.run_create, name="run_create"),
    path("<str:tag>/", run.run_detail, name="run_detail"),
    path("<str:tag>/state/", run.run_state, name="run_state"),
    path("<str:tag>/edit/", run.run_edit, name="run_edit"),
    path("<str:tag>/links/", run.run_links, name="run_links"),
    path("<str:tag>/withdraw/", run.run_withdraw, name="run_withdraw"),
    path("<str:tag>/check/", decisions.run_recheck, name="run_recheck"),
    path("<str:tag>/decide/<str:decision>/", decisions.run_decide, name="run_decide"),
    path("<str:tag>/file/", run.run_download, name="run_download"),
]

urlpatterns = [
    path("runs/", include(run_patterns)),
    # Beside runs/, where every name is the tag of some run.
    path("runs.csv", lists.run_table_csv, name="runs_csv"),
    path("runs.zip", lists.run_archive, name="run_archive"),
    path("resubmit-runs/", resubmission.runs_resubmit, name="runs_resubmit"),
    path("run-rows/", lists.run_list_rows, name="run_list_rows"),
    path("check-runs/", decisions.runs_recheck, name="runs_recheck"),
    path("check-runs/state/", decisions.runs_recheck_state, name="runs_recheck_state"),
    path("check-script/", upload.check_script, name="check_script"),
]
