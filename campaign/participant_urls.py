"""Pages of those who take part: teams, registrations, runs; and of those who keep the site running."""

from django.urls import include, path

from campaign.views import (
    health,
    operations,
    registrations,
    run_decisions,
    run_lists,
    run_uploads,
    runs,
    team_members,
    teams,
)

team_patterns = [
    path("", teams.team_list, name="team_list"),
    path("new/", teams.team_create, name="team_create"),
    path("join/<str:key>/", teams.team_join, name="team_join"),
    path("<slug:team>/", teams.team_detail, name="team_detail"),
    path("<slug:team>/leave/", teams.team_leave, name="team_leave"),
    path("<slug:team>/edit/", teams.team_edit, name="team_edit"),
    path("<slug:team>/invitation/", team_members.team_invitation, name="team_invitation"),
    path("<slug:team>/invitations/", team_members.team_invite, name="team_invite"),
    path("<slug:team>/invitations/<int:invitation>/send/", team_members.invitation_send, name="invitation_send"),
    path(
        "<slug:team>/invitations/<int:invitation>/withdraw/",
        team_members.invitation_withdraw,
        name="invitation_withdraw",
    ),
    path("<slug:team>/owners/", team_members.team_owner, name="team_owner"),
    path("<slug:team>/owners/give-up/", team_members.team_give_up, name="team_give_up"),
    path("<slug:team>/members/<int:member>/remove/", team_members.team_remove, name="team_remove"),
]

registration_patterns = [
    path("", registrations.campaign_register, name="campaign_register"),
    path("<slug:team>/accept/", registrations.registration_accept, name="registration_accept"),
    path("<slug:team>/ask/", registrations.registration_ask, name="registration_ask"),
    path("<slug:team>/withdraw/", registrations.registration_withdraw, name="registration_withdraw"),
]

run_patterns = [
    path("", run_lists.run_list, name="run_list"),
    path("new/", run_uploads.run_create, name="run_create"),
    path("<str:tag>/", runs.run_detail, name="run_detail"),
    path("<str:tag>/state/", runs.run_state, name="run_state"),
    path("<str:tag>/edit/", runs.run_edit, name="run_edit"),
    path("<str:tag>/withdraw/", runs.run_withdraw, name="run_withdraw"),
    path("<str:tag>/check/", run_decisions.run_recheck, name="run_check"),
    path("<str:tag>/decide/<str:decision>/", run_decisions.run_decide, name="run_decide"),
    path("<str:tag>/file/", runs.run_download, name="run_download"),
]

urlpatterns = [
    path("teams/", include(team_patterns)),
    path("operations/", operations.operations, name="operations"),
    path("operations/<int:job_id>/send/", operations.operation_send, name="operation_send"),
    path("health/", health.health, name="health"),
    path("c/<slug:campaign>/register/", include(registration_patterns)),
    path("c/<slug:campaign>/<slug:task>/runs/", include(run_patterns)),
    # Beside runs/, where every name is the tag of some run.
    path("c/<slug:campaign>/<slug:task>/runs.csv", run_lists.run_table_csv, name="runs_csv"),
    path("c/<slug:campaign>/<slug:task>/runs.zip", run_lists.run_archive, name="run_archive"),
    path("c/<slug:campaign>/<slug:task>/run-rows/", run_lists.run_list_rows, name="run_list_rows"),
]
