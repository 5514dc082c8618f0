"""Pictures, and what else takes a second to compute: kept for the next requests, and so many a minute of each reader."""

import math
from collections.abc import Callable
from hashlib import sha256

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

from campaign.api.limits import PICTURES
from campaign.version import VERSION

CONTENT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
"""Of pictures, by the end of their addresses."""


def draw_once(request: HttpRequest, key: str, draw: Callable[[], bytes], content_type: str) -> HttpResponse:
    """The picture of this key as this version of the program draws it; 304 for a reader that holds it."""
    digest = sha256(f"{VERSION}:{key}".encode()).hexdigest()
    headers = {"Cache-Control": "private, no-cache", "ETag": f'"{digest}"'}
    key = f"picture:{digest}"
    picture: bytes | None = caches["bulk"].get(key)
    if picture is None:
        if refused := refuse_too_many(request):
            return refused
        picture = draw()
        caches["bulk"].set(key, picture)
    answer = HttpResponse(picture, content_type=content_type, headers=headers)
    return get_conditional_response(request, headers["ETag"], None, answer) or answer


def refuse_too_many(request: HttpRequest) -> HttpResponse | None:
    """The answer to whoever asks for more without end, and waits for the next minute: each holds a whole core for a while."""
    if PICTURES.allow_request(request):
        return None
    wait = {"Cache-Control": "no-store", "Retry-After": str(max(1, math.ceil(PICTURES.wait())))}
    return HttpResponse("Too many at once. Ask again in a minute.\n", "text/plain", 429, headers=wait)
