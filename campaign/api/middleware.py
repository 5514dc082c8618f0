from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from campaign.api.problems import CONTENT_TYPE, ROOT, problem


class ApiAnswers:
    """Gives all errors under /api/ one form, also those raised before an operation is reached.

    Answers to requests with a token are not cached.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path.startswith(ROOT):
            return response
        if response.status_code >= 400 and not response.get("Content-Type", "").startswith(CONTENT_TYPE):
            response.content = problem(request, response.status_code).content
            response["Content-Type"] = CONTENT_TYPE
            response["Content-Length"] = str(len(response.content))
        patch_vary_headers(response, ["Authorization"])
        if "Authorization" in request.headers:
            response["Cache-Control"] = "private, no-store"
        return response
