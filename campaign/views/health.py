from dataclasses import asdict

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.selectors.operations import health as measured


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """For monitoring, without login: whether this server can do its work. A late queue is told, but is no failure of it."""
    found = measured()
    return JsonResponse({"status": "ok" if found.ok else "failing", **asdict(found)}, status=200 if found.ok else 503)
