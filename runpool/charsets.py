"""Requests in UTF-8 only: Django would decode names and values by whatever charset a stranger names, before any page is asked.

Some codecs take minutes for a few hundred kilobytes, some make characters that no database stores, some are no charsets at all.
"""

import codecs
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from django.utils.http import parse_header_parameters

from runpool.frames import roomy

STATUS = 415
REFUSAL = (
    b"This site reads requests in UTF-8 only. Send the header Content-Type without a charset, or with charset=utf-8.\n"
)
HEADERS = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(REFUSAL)))]
READ = frozenset({"utf-8", "ascii"})

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


def is_read(content_type: str) -> bool:
    """Whether a request with this header is in a charset that the site reads.

    >>> [is_read(f"text/plain; charset={name}") for name in ("UTF-8", '"utf8"', "us-ascii", "punycode", "rot13", "no such")]
    [True, True, True, False, False, False]
    >>> is_read("multipart/form-data; boundary=x"), is_read("text/html; x*=nosuch''a"), is_read("")
    (True, False, True)
    """
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
        return charset is None or codecs.lookup(charset).name in READ
    except (ValueError, LookupError):
        return False


def wsgi_in_utf8(application: Wsgi) -> Wsgi:
    """The application, which other requests do not reach."""

    @roomy
    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if is_read(environ.get("CONTENT_TYPE", "")):
            return application(environ, start_response)
        start_response("415 Unsupported Media Type", HEADERS)
        return [b"" if environ.get("REQUEST_METHOD") == "HEAD" else REFUSAL]

    return answer


def asgi_in_utf8(application: Asgi) -> Asgi:
    """The same for ASGI."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        given = [value.decode("latin-1") for name, value in scope.get("headers", []) if name == b"content-type"]
        if all(map(is_read, given)):
            await application(scope, receive, send)
            return
        headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS]
        await send({"type": "http.response.start", "status": STATUS, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope.get("method") == "HEAD" else REFUSAL})

    return answer
