"""The pages of this app, room by room. Fixed words come before slugs: no campaign or task may bear their names."""

from django.urls import include, path

urlpatterns = [
    path("", include("campaign.news.urls")),
    path("", include("campaign.setup.urls")),
    path("", include("campaign.teams.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("campaign.collection.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("campaign.runs.urls")),
]
