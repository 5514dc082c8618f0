"""A charset that a stranger names is no way past the checks, and no work without measure."""

import asyncio
from typing import Any

import pytest

from runpool.charsets import REFUSAL, asgi_in_utf8, wsgi_in_utf8

FORM = "multipart/form-data; boundary=x; charset="


def reached(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [])
    return [b"reached"]


@pytest.mark.parametrize("content_type", ["", FORM + "utf-8", FORM + '"UTF8"', "application/json", FORM + "us-ascii"])
def test_requests_in_utf_8_reach_the_site(content_type: str) -> None:
    said: list[str] = []
    body = wsgi_in_utf8(reached)({"CONTENT_TYPE": content_type}, lambda status, headers: said.append(status))
    assert (said, b"".join(body)) == (["200 OK"], b"reached")


@pytest.mark.parametrize(
    "charset", ["punycode", "rot13", "hex", "undefined", "utf-7", "unicode_escape", "latin-1", "x", "idna"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_any_other_charset_is_refused_before_anything_is_decoded(charset: str, method: str) -> None:
    said: list[tuple[str, dict[str, str]]] = []
    request = {"CONTENT_TYPE": FORM + charset, "REQUEST_METHOD": method}
    body = b"".join(wsgi_in_utf8(reached)(request, lambda status, headers: said.append((status, dict(headers)))))
    [(status, headers)] = said
    assert status.startswith("415 ")
    assert headers["Content-Length"] == str(len(REFUSAL))
    assert body == (b"" if method == "HEAD" else REFUSAL)


@pytest.mark.parametrize(("charset", "status"), [("utf-8", 200), ("punycode", 415)])
def test_the_same_holds_for_asgi(charset: str, status: int) -> None:
    async def site(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", (FORM + charset).encode())]}
    asyncio.run(asgi_in_utf8(site)(scope, None, send))
    assert sent[0]["status"] == status
