"""What the outbox of a browser sends, and how it is answered: a batch of acts, each with an outcome of its own."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse

from campaign.formats.json_values import json_value
from campaign.models import User


def batch_sent(request: HttpRequest, most: int) -> dict[str, Any] | JsonResponse:
    """The object with up to `most` acts under "judgments", made by the user who is signed in; or the answer that refuses it."""
    if not isinstance(request.user, User):
        return JsonResponse({"detail": "Your session has ended. Sign in again."}, status=401)
    sent = _batch(request.body, most)
    if sent is None:
        return JsonResponse(
            {"detail": f"Send an object with a list of at most {most} acts under 'judgments'."}, status=400
        )
    if sent.get("assessor") != request.user.pk:
        detail = f"You are signed in as {request.user}, and these judgments belong to another user."
        return JsonResponse({"detail": detail}, status=409)
    return sent


def batch_answer(results: Iterable[Mapping[str, Any]], **state: Any) -> JsonResponse:
    """The outcome of each act, by its `state`, and what the desk shows from now on."""
    listed = list(results)
    refused = any(result["state"] == "refused" for result in listed)
    return JsonResponse({"results": listed, **state}, status=422 if refused else 200)


def _batch(body: bytes, most: int) -> dict[str, Any] | None:
    try:
        sent = json_value(body)
    except (ValueError, RecursionError):
        return None
    acts = sent.get("judgments") if isinstance(sent, dict) else None
    is_batch = isinstance(acts, list) and len(acts) <= most and all(isinstance(act, dict) for act in acts)
    return sent if is_batch else None
