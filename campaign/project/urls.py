"""All addresses of the site. Each app owns its pages; the task's address is the stem that all of them share."""

from django.urls import include, path

from campaign.api import views as api_views
from campaign.project.api import api

handler400 = "campaign.project.errors.bad_request"
handler500 = "campaign.project.errors.server_error"

urlpatterns = [
    path("account/", include("campaign.accounts.urls")),
    path("account/", include("allauth.account.urls")),
    path("api/client.py", api_views.api_client, name="api_client"),
    path("api/v1/", api_views.api_docs, name="api_docs"),
    path("api/v1/problems/<slug:kind>", api_views.api_problem, name="api_problem"),
    path("api/v1/", api.urls),
    path("", include("campaign.urls")),
    path("", include("judging.site_urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("pooling.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("judging.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("evaluation.urls")),
]
