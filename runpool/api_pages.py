"""The reference page, the OpenAPI document, and the addresses that name the types of problems."""

import json

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaign.api.openapi import RunpoolAPI
from campaign.api.problems import ALL_KINDS
from campaign.api.reference import groups
from campaign.web.links import absolute
from runpool.client.make import client_file


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    document = _api().get_openapi_schema()
    site = absolute("")
    context = {
        "groups": groups(document, site),
        "kinds": ALL_KINDS,
        "site": site,
        "version": document["info"]["version"],
        "limits": {
            "reads": settings.API_READS_PER_MINUTE,
            "anonymous": settings.API_ANONYMOUS_READS_PER_MINUTE,
            "writes": settings.API_WRITES_PER_MINUTE,
        },
    }
    return render(request, "api/reference.html", context)


@require_safe
def api_document(request: HttpRequest) -> HttpResponse:
    content = json.dumps(_api().document_for_tools(), ensure_ascii=False, separators=(",", ":"))
    return HttpResponse(content, content_type="application/json")


@require_safe
def api_client(request: HttpRequest) -> HttpResponse:
    headers = {"Content-Disposition": 'attachment; filename="runpool.py"'}
    return HttpResponse(client_file(absolute("")), content_type="text/x-python; charset=utf-8", headers=headers)


@require_safe
def api_problem(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in {known.slug for known in ALL_KINDS}:
        raise Http404
    return redirect(f"{reverse('api_docs')}#problem-{kind}")


def _api() -> RunpoolAPI:
    from runpool.api import api  # not where the pages are loaded: urls.py

    return api
