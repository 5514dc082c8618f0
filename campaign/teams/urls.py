from django.urls import include, path

from campaign.teams.views import agreements, registrations, team_members, team_table, teams

team_patterns = [
    path("", teams.team_list, name="team_list"),
    path("new/", teams.team_create, name="team_create"),
    path("join/<str:key>/", teams.team_join, name="team_join"),
    path("<slug:team_slug>/", teams.team_detail, name="team_detail"),
    path("<slug:team_slug>/leave/", teams.team_leave, name="team_leave"),
    path("<slug:team_slug>/edit/", teams.team_edit, name="team_edit"),
    path("<slug:team_slug>/invitation/", team_members.team_invitation, name="team_invitation"),
    path("<slug:team_slug>/invitations/", team_members.team_invite, name="team_invite"),
    path(
        "<slug:team_slug>/invitations/<int:invitation_id>/send/", team_members.invitation_send, name="invitation_send"
    ),
    path(
        "<slug:team_slug>/invitations/<int:invitation_id>/withdraw/",
        team_members.invitation_withdraw,
        name="invitation_withdraw",
    ),
    path("<slug:team_slug>/owners/", team_members.team_owner, name="team_owner"),
    path("<slug:team_slug>/owners/give-up/", team_members.team_give_up, name="team_give_up"),
    path("<slug:team_slug>/members/<int:member_id>/remove/", team_members.team_remove, name="team_remove"),
]

registration_patterns = [
    path("", registrations.campaign_register, name="campaign_register"),
    path("<slug:team_slug>/accept/", registrations.registration_accept, name="registration_accept"),
    path("<slug:team_slug>/ask/", registrations.registration_ask, name="registration_ask"),
    path("<slug:team_slug>/withdraw/", registrations.registration_withdraw, name="registration_withdraw"),
]

table_patterns = [
    path("", team_table.registration_list, name="registration_list"),
    path("table.csv", team_table.registration_csv, name="registration_csv"),
    path("decide/", team_table.registration_decide_page, name="registration_decide"),
    path("mail/", team_table.registration_mail, name="registration_mail"),
    path("<slug:team_slug>/allowances/", team_table.team_allowances, name="team_allowances"),
]

agreement_patterns = [
    path("", agreements.agreement_list, name="agreement_list"),
    path("record.csv", agreements.agreement_record, name="agreement_record"),
    path("<int:agreement_id>/", agreements.agreement_edit, name="agreement_edit"),
    path("<int:agreement_id>/retire/", agreements.agreement_retired, name="agreement_retire"),
]

urlpatterns = [
    path("teams/", include(team_patterns)),
    path("c/<slug:campaign_slug>/register/", include(registration_patterns)),
    path("c/<slug:campaign_slug>/teams/", include(table_patterns)),
    path("c/<slug:campaign_slug>/agreements/", include(agreement_patterns)),
]
