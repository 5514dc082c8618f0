from typing import Any

from django.conf import settings
from django.http import HttpRequest

from campaign.version import VERSION


def site(request: HttpRequest) -> dict[str, Any]:
    return {"site_name": settings.SITE_NAME, "version": VERSION, "theme": request.COOKIES.get("theme", "")}
