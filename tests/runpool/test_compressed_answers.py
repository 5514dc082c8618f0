"""HTML, JSON and SVG leave compressed; what holds a secret, streams, or is no text leaves as it is."""

import gzip

import pytest
from django.conf import settings
from django.http import HttpResponse, HttpResponseNotModified, JsonResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from runpool.middleware import CompressedAnswers
from tests.factories import Cast, make_team

LONG = "a text that repeats " * 200
ZIPPED = {"Accept-Encoding": "gzip, deflate, br"}


def answer(response: HttpResponse, path: str = "/c/one/two/", headers: dict[str, str] = ZIPPED) -> HttpResponse:
    return CompressedAnswers(lambda request: response)(RequestFactory().get(path, headers=headers))


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "image/svg+xml", "application/problem+json"])
def test_texts_leave_compressed_and_say_so_to_caches(kind: str) -> None:
    compressed = answer(HttpResponse(LONG, content_type=kind))
    assert compressed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in compressed["Vary"]
    assert int(compressed["Content-Length"]) == len(compressed.content) < 300
    assert gzip.decompress(compressed.content).decode() == LONG
    plain = answer(HttpResponse(LONG, content_type=kind), headers={})
    assert plain.content.decode() == LONG
    assert "Accept-Encoding" in plain["Vary"]


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(LONG, content_type="application/zip"),
        HttpResponse(LONG, content_type="application/octet-stream"),
        HttpResponse(LONG, headers={"Content-Encoding": "br"}),
        StreamingHttpResponse([LONG.encode()], content_type="text/html"),
        HttpResponse("short"),
        HttpResponseNotModified(headers={"ETag": '"abc"'}),
    ],
    ids=["archive", "file", "compressed already", "stream", "short", "not modified"],
)
def test_everything_else_leaves_as_it_is(response: HttpResponse) -> None:
    before = dict(response.headers)
    assert dict(answer(response).headers) == before


@pytest.mark.parametrize("path", ["/account/tokens/", "/teams/join/key/", "/api/v1/teams/alba"])
def test_no_page_of_accounts_or_teams_is_compressed(path: str) -> None:
    assert "Content-Encoding" not in answer(JsonResponse({"text": LONG}), path)


def test_a_strong_mark_of_a_version_becomes_weak_so_that_it_stays_true() -> None:
    assert answer(HttpResponse(LONG, headers={"ETag": '"abc"'}))["ETag"] == 'W/"abc"'


def test_the_length_of_the_same_page_varies() -> None:
    assert len({len(answer(HttpResponse(LONG)).content) for _ in range(20)}) > 1


def test_the_site_compresses_its_pages_and_leaves_out_those_with_keys(cast: Cast) -> None:
    client = Client(headers=ZIPPED)
    client.force_login(cast.member)
    team = make_team(members=(cast.member,))
    for page in (cast.task.get_absolute_url(), "/api/v1/openapi.json", "/nowhere/"):
        assert client.get(page)["Content-Encoding"] == "gzip", page
    made = client.post(reverse("token_list"), {"name": "laptop", "scope": "read", "lifetime": "30"})
    for secret, page in (("Your new token", made), (team.invitation_key, client.get(team.get_absolute_url()))):
        assert "Content-Encoding" not in page
        assert secret in page.content.decode()
    order = [name.rpartition(".")[2] for name in settings.MIDDLEWARE]
    assert order.index("CompressedAnswers") < order.index("ApiAnswers")
