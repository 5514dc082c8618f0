from django.urls import include, path

from campaign.setup.views import campaigns, people, phases, tasks

campaign_patterns = [
    path("edit/", campaigns.campaign_edit, name="campaign_edit"),
    path("open/", campaigns.campaign_open, name="campaign_open"),
    path("people/", people.people, name="people"),
    path("new/", tasks.task_create, name="task_create"),
    path("<slug:task_slug>/edit/", tasks.task_edit, name="task_edit"),
    path("<slug:task_slug>/phase/", phases.task_phase, name="task_phase"),
]

urlpatterns = [
    path("invitations/<int:invitation_id>/", people.role_answer, name="role_answer"),
    path("c/new/", campaigns.campaign_create, name="campaign_create"),
    path("c/<slug:campaign_slug>/", include(campaign_patterns)),
]
