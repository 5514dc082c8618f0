"""Pictures, and what else takes a second to compute: kept for the next requests, and so many a minute of each reader."""

import math
from collections.abc import Callable

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

from campaign.api.limits import PICTURES


def draw_once(request: HttpRequest, key: str, draw: Callable[[], bytes], content_type: str) -> HttpResponse:
    """The picture of this key."""
    picture: bytes | None = caches["bulk"].get(key)
    if picture is None:
        if refused := refuse_too_many(request):
            return refused
        picture = draw()
        caches["bulk"].set(key, picture)
    return HttpResponse(picture, content_type=content_type)


def refuse_too_many(request: HttpRequest) -> HttpResponse | None:
    """The answer to whoever asks for more without end, and waits for the next minute: each holds a whole core for a while."""
    if PICTURES.allow_request(request):
        return None
    wait = {"Cache-Control": "no-store", "Retry-After": str(max(1, math.ceil(PICTURES.wait())))}
    return HttpResponse("Too many at once. Ask again in a minute.\n", "text/plain", 429, headers=wait)
