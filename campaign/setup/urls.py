from django.urls import include, path

from campaign.setup.views import blueprints, campaigns, lifecycle, log, people, phases, tasks

campaign_patterns = [
    path("edit/", campaigns.campaign_edit, name="campaign_edit"),
    path("edit/state/", lifecycle.campaign_state, name="campaign_state"),
    path("edit/profile/", campaigns.campaign_profile, name="campaign_profile"),
    path("edit/logo/", campaigns.campaign_logo, name="campaign_logo"),
    path("edit/log/", log.campaign_log, name="campaign_log"),
    path("edit/log.csv", log.campaign_log_csv, name="campaign_log_csv"),
    path("edit/campaign.toml", blueprints.campaign_blueprint, name="campaign_blueprint"),
    path("edit/copy/", blueprints.campaign_copy, name="campaign_copy"),
    path("open/", campaigns.campaign_open, name="campaign_open"),
    path("people/", people.people, name="people"),
    path("new/", tasks.task_create, name="task_create"),
    path("<slug:task_slug>/edit/", tasks.task_edit, name="task_edit"),
    path("<slug:task_slug>/next-round/", tasks.round_create, name="round_create"),
    path("<slug:task_slug>/guidelines/edit/", tasks.guidelines_edit, name="guidelines_edit"),
    path("<slug:task_slug>/edit/delete/", lifecycle.task_delete, name="task_delete"),
    path("<slug:task_slug>/phase/", phases.task_phase, name="task_phase"),
]

urlpatterns = [
    path("invitations/<int:invitation_id>/", people.role_answer, name="role_answer"),
    path("invitations/key/<str:key>/", people.role_key, name="role_key"),
    path("trash/", lifecycle.deleted_list, name="deleted_list"),
    path("c/new/", campaigns.campaign_create, name="campaign_create"),
    path("c/new/file/", blueprints.campaign_from_file, name="campaign_from_file"),
    path("c/<slug:campaign_slug>/", include(campaign_patterns)),
]
