"""The pages of campaigns and their tasks. Fixed words come before slugs: no campaign or task may bear their names."""

from django.urls import include, path

from campaign.views import (
    campaigns,
    check_script,
    documents,
    home,
    imports,
    people,
    phases,
    run_decisions,
    tasks,
    topics,
)

task_patterns = [
    path("", tasks.task_detail, name="task_detail"),
    path("edit/", tasks.task_edit, name="task_edit"),
    path("phase/", phases.task_phase, name="task_phase"),
    path("check-runs/", run_decisions.runs_recheck, name="runs_recheck"),
    path("check-runs/state/", run_decisions.runs_recheck_state, name="runs_recheck_state"),
    path("topics/", topics.topic_list, name="topic_list"),
    path("topics/<str:topic>/", topics.topic_detail, name="topic_detail"),
    path("check-script/", check_script.check_script, name="check_script"),
    path("documents/", documents.document_list, name="document_list"),
    path("documents/<path:docno>/", documents.document_detail, name="document_detail"),
    path("import/<str:kind>/", imports.import_create, name="import_create"),
    path("imports/<uuid:import_id>/", imports.import_detail, name="import_detail"),
    path("imports/<uuid:import_id>/state/", imports.import_state, name="import_state"),
    path("imports/<uuid:import_id>/confirm/", imports.import_confirm, name="import_confirm"),
    path("imports/<uuid:import_id>/discard/", imports.import_discard, name="import_discard"),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("campaign.participant_urls")),
    path("", include("campaign.organiser_urls")),
    path("c/new/", campaigns.campaign_create, name="campaign_create"),
    path("c/<slug:campaign>/", campaigns.campaign_detail, name="campaign_detail"),
    path("c/<slug:campaign>/edit/", campaigns.campaign_edit, name="campaign_edit"),
    path("c/<slug:campaign>/open/", campaigns.campaign_open, name="campaign_open"),
    path("c/<slug:campaign>/people/", people.people, name="people"),
    path("c/<slug:campaign>/new/", tasks.task_create, name="task_create"),
    path("c/<slug:campaign>/<slug:task>/", include(task_patterns)),
]
