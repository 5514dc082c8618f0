"""All addresses of the site. Each app owns its pages; the task's address is the stem that all of them share."""

from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern

from runpool import api_pages


class LoadedWhenAsked(URLResolver):
    """Addresses that stand in a namespace and are named by their module, which is imported for a request or a name of them.

    Django asks each resolver for its names at the first `reverse`. It needs none of these: for a name in a namespace,
    it makes a resolver of the addresses in it.
    """

    def _populate(self) -> None:
        pass


handler400 = "runpool.errors.bad_request"
handler404 = "runpool.errors.page_not_found"
handler500 = "runpool.errors.server_error"

urlpatterns = [
    path("account/", include("campaign.accounts.urls")),
    path("account/", include("allauth.account.urls")),
    path("api/client.py", api_pages.api_client, name="api_client"),
    path("api/v1/", api_pages.api_docs, name="api_docs"),
    path("api/v1/openapi.json", api_pages.api_document, name="api_document"),
    path("api/v1/problems/<slug:kind>", api_pages.api_problem, name="api_problem"),
    # By name: the API is loaded by who asks it, and by web servers before they answer. Commands and workers go without.
    LoadedWhenAsked(RoutePattern("api/v1/"), "runpool.api", app_name="ninja", namespace="api"),
    path("account/", include("runpool.account_data.urls")),
    path("", include("runpool.operations.urls")),
    path("", include("runpool.archive.urls")),
    path("", include("campaign.urls")),
    path("", include("runpool.overview.urls")),
    path("", include("judging.site_urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("pooling.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("judging.urls")),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", include("evaluation.urls")),
]
