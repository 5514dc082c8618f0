"""Pages of organisers about the teams of their campaign: who takes part, and what they agreed to."""

from django.urls import include, path

from campaign.views import agreements, team_table

team_patterns = [
    path("", team_table.registration_list, name="registration_list"),
    path("table.csv", team_table.registration_csv, name="registration_csv"),
    path("decide/", team_table.registration_decide_page, name="registration_decide"),
    path("mail/", team_table.registration_mail, name="registration_mail"),
    path("<slug:team>/allowances/", team_table.team_allowances, name="team_allowances"),
]

agreement_patterns = [
    path("", agreements.agreement_list, name="agreement_list"),
    path("record.csv", agreements.agreement_record, name="agreement_record"),
    path("<int:agreement>/", agreements.agreement_edit, name="agreement_edit"),
    path("<int:agreement>/retire/", agreements.agreement_retired, name="agreement_retire"),
]

urlpatterns = [
    path("c/<slug:campaign>/teams/", include(team_patterns)),
    path("c/<slug:campaign>/agreements/", include(agreement_patterns)),
]
