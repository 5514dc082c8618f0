"""Pages of those who take part: teams, registrations, runs; and of those who keep the site running."""

from django.urls import include, path

from campaign.views import health, operations, registrations, runs, teams

team_patterns = [
    path("", teams.team_list, name="team_list"),
    path("new/", teams.team_create, name="team_create"),
    path("join/<str:key>/", teams.team_join, name="team_join"),
    path("<slug:team>/", teams.team_detail, name="team_detail"),
    path("<slug:team>/leave/", teams.team_leave, name="team_leave"),
    path("<slug:team>/invitation/", teams.team_invitation, name="team_invitation"),
    path("<slug:team>/owners/", teams.team_owner, name="team_owner"),
]

run_patterns = [
    path("", runs.run_list, name="run_list"),
    path("new/", runs.run_create, name="run_create"),
    path("<str:tag>/", runs.run_detail, name="run_detail"),
    path("<str:tag>/state/", runs.run_state, name="run_state"),
    path("<str:tag>/withdraw/", runs.run_withdraw, name="run_withdraw"),
    path("<str:tag>/check/", runs.run_recheck, name="run_check"),
    path("<str:tag>/file/", runs.run_download, name="run_download"),
]

urlpatterns = [
    path("teams/", include(team_patterns)),
    path("operations/", operations.operations, name="operations"),
    path("operations/<int:job_id>/send/", operations.operation_send, name="operation_send"),
    path("health/", health.health, name="health"),
    path("c/<slug:campaign>/register/", registrations.campaign_register, name="campaign_register"),
    path("c/<slug:campaign>/<slug:task>/runs/", include(run_patterns)),
]
