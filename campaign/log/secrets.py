"""What no line of the log may hold, wherever it comes from: an error of the mail server, say, or of the database."""

import re
from typing import Any

from django.http import HttpRequest

_HIDDEN = (
    (re.compile(r"://[^\s/@]{1,200}@"), "://[password]@"),
    (
        re.compile(r"[^\s@<>()\[\],;:\"'=]{1,64}@[^\s@<>()\[\],;:\"'=]{1,200}\.[^\s@<>()\[\],;:\"'=.]{2,30}"),
        "[address]",
    ),
    (re.compile(r"\brp_[A-Za-z0-9_-]{20,}"), "[token]"),
    (re.compile(r"\b(?:pbkdf2_sha\d+|argon2|scrypt|bcrypt\w*|md5)\$[^\s,)]+"), "[password]"),
)
"""Every repetition is bounded: whoever sends a long text must not hold up the log."""


def without_secrets(text: str) -> str:
    for pattern, instead in _HIDDEN:
        text = pattern.sub(instead, text)
    return text


def page_name(request: HttpRequest) -> str:
    """In place of a request's address, which may hold the key of an invitation or the like."""
    return request.resolver_match.view_name if request.resolver_match else "no page"


def without_address(message: str, request: Any) -> str:
    """Django ends its lines on a request with its address, in newer versions escaped."""
    if not isinstance(request, HttpRequest):
        return message
    for address in (request.path, request.path.encode("unicode_escape").decode("ascii")):
        if message.endswith(f" {address}"):
            return f"{message.removesuffix(address)}{page_name(request)}"
    return message
