"""All addresses of the site. Each app owns its pages; the task's address is the stem that all of them share."""

from django.urls import include, path

urlpatterns = [
    path("account/", include("campaign.account_urls")),
    path("account/", include("allauth.account.urls")),
    path("", include("campaign.urls")),
    path("", include("judging.site_urls")),
    path("c/<slug:campaign>/<slug:task>/", include("pooling.urls")),
    path("c/<slug:campaign>/<slug:task>/", include("judging.urls")),
    path("c/<slug:campaign>/<slug:task>/", include("evaluation.urls")),
]
