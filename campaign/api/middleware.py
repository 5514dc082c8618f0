from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from campaign.api.problems import CONTENT_TYPE, ROOT, problem


class ApiAnswers:
    """Gives all errors under /api/ one form, also those raised before an operation is reached.

    HEAD is answered like GET, without the content. Answers to requests with a token are not cached.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(ROOT):
            return self.get_response(request)
        response = self._answer_to_head(request) if request.method == "HEAD" else self.get_response(request)
        allowed = response.get("Allow", "")
        if "GET" in allowed and "HEAD" not in allowed:
            response["Allow"] = allowed.replace("GET", "GET, HEAD")
        if response.status_code >= 400 and not response.get("Content-Type", "").startswith(CONTENT_TYPE):
            response.content = problem(request, response.status_code).content
            response["Content-Type"] = CONTENT_TYPE
            response["Content-Length"] = str(len(response.content))
        patch_vary_headers(response, ["Authorization"])
        if "Authorization" in request.headers:
            response["Cache-Control"] = "private, no-store"
        if request.method == "HEAD":
            _leave_out_content(response)
        return response

    def _answer_to_head(self, request: HttpRequest) -> HttpResponse:
        request.method = "GET"  # the framework of the operations knows no HEAD
        try:
            return self.get_response(request)
        finally:
            request.method = "HEAD"


def _leave_out_content(response: HttpResponse) -> None:
    """What is streamed is not even made; the length is told where it is known."""
    if response.streaming:
        response.streaming_content = ()  # type: ignore[attr-defined]
        return
    length = str(len(response.content))
    response.content = b""
    response["Content-Length"] = length
