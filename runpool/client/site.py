"""Asking the site: one connection for each request, what may be repeated is repeated, refusals in the site's own words."""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NoReturn
from urllib.parse import SplitResult, quote, urlsplit

from campaign.formats.problems import printable

REPEATABLE = {"GET", "PUT", "DELETE"}
AWAY = {502, 503, 504}
PIECE, SILENCE, TRIES, LONGEST_WAIT = 1 << 20, 120, 5, 90.0


class StopError(Exception):
    """Ends the program: `status` as its documentation says, and the reason in words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def shown(value: Any) -> str:
    """As text for a terminal, which nothing that somebody else wrote may control."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return printable(text)


def say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def _as_field(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Form:
    """A multipart form whose file is read while it is sent."""

    def __init__(self, path: str, fields: dict[str, Any]) -> None:
        self.path, self.size, self.boundary = path, os.path.getsize(path), secrets.token_hex(16)
        name = quote(os.path.basename(path), safe=" ()+,;=@~")
        parts = [f'name="{key}"\r\n\r\n{_as_field(value)}\r\n' for key, value in fields.items() if value is not None]
        parts.append(f'name="file"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n')
        self.head = "".join(f"--{self.boundary}\r\nContent-Disposition: form-data; {part}" for part in parts).encode()
        self.tail = f"\r\n--{self.boundary}--\r\n".encode()

    def __len__(self) -> int:
        return len(self.head) + self.size + len(self.tail)

    def __iter__(self) -> Iterator[bytes]:
        yield self.head
        sent, told = 0, time.monotonic()
        with open(self.path, "rb") as file:
            while piece := file.read(min(PIECE, self.size - sent)):
                sent += len(piece)
                yield piece
                if time.monotonic() - told > 1:
                    told = time.monotonic()
                    say(f"{self.path}: {100 * sent // self.size} % of {self.size:,} bytes sent")
        if sent < self.size:
            raise OSError(f"{self.path} became shorter while it was read")
        yield self.tail


def _address(text: str) -> SplitResult:
    try:
        address = urlsplit(text.rstrip("/"))
        _ = (address.hostname or "").encode("idna"), address.port
    except ValueError:
        raise StopError(2, f"{text} is no address of a site, such as https://runpool.example.org.") from None
    return address


class Site:
    def __init__(self, address: str, token: str) -> None:
        self.url, self.token = _address(address.strip()), token.strip()
        if not (self.token.isascii() and self.token.isprintable()):
            raise StopError(2, "The token holds a character that no token has: copy it again.")
        if self.url.scheme != "https" and not (self.url.scheme == "http" and _is_here(self.url.hostname or "")):
            raise StopError(2, f"{address} is not encrypted: a token is sent to addresses with https only.")

    def ask(self, method: str, path: str, body: Any = None) -> tuple[Any, str]:
        """The answer and the address that it names. Asked again only where that cannot do anything twice."""
        response = self.open(method, path, body)
        text = response.read()
        try:
            return (json.loads(text) if text else None), response.headers.get("Location", "")
        except ValueError:
            raise StopError(4, "What answers at this address is no Runpool: check --site.") from None

    def open(self, method: str, path: str, body: Any = None) -> HTTPResponse:
        for attempt in range(1, TRIES + 1):
            pause = 2.0**attempt
            try:
                response = self._send(method, path, body)
            except (OSError, HTTPException) as problem:
                if method not in REPEATABLE or attempt == TRIES:
                    raise StopError(4, _unanswered(method, problem)) from None
            else:
                pause = _pause(response, method, pause, is_last=attempt == TRIES)
                if not pause:
                    return response
                response.read()
                say(f"The site answered {response.status}: asking again in {pause:g} s.")
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _send(self, method: str, path: str, body: Any) -> HTTPResponse:
        to = (HTTPSConnection if self.url.scheme == "https" else HTTPConnection)(self.url.netloc, timeout=SILENCE)
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json",
            "User-Agent": "runpool-client",
        }
        if isinstance(body, Form):
            headers["Content-Type"] = f"multipart/form-data; boundary={body.boundary}"
            headers["Content-Length"] = str(len(body))
        elif body is not None:
            headers["Content-Type"], body = "application/json", json.dumps(body).encode()
        try:
            to.request(method, self.url.path + "/api/v1" + path, body=body, headers=headers)
        except (BrokenPipeError, ConnectionResetError):
            if not isinstance(body, Form):
                raise
            say("The site closed the connection before all was sent; this is what it answered.")
        return to.getresponse()


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _unanswered(method: str, problem: Exception) -> str:
    unknown = "" if method in REPEATABLE else " It is not known whether it arrived: look before you send it again."
    return f"The site does not answer ({problem}).{unknown}"


def _pause(response: HTTPResponse, method: str, usual: float, *, is_last: bool) -> float:
    """How long to wait before asking again; 0 where the answer is to be taken. Raises StopError for a refusal."""
    status, asked = response.status, response.headers.get("Retry-After", "")
    wait = float(asked) if asked.isdigit() else usual
    again = status == 429 or (status in AWAY and method in REPEATABLE)
    if again and not is_last and wait <= LONGEST_WAIT:
        return max(wait, 0.1)
    if status >= 300:
        _refuse(response)
    return 0.0


def _refuse(response: HTTPResponse) -> NoReturn:
    if response.status < 400:
        raise StopError(
            1, f"The site redirects to {shown(response.headers.get('Location', ''))}; the token stays here."
        )
    try:
        told = json.loads(response.read(PIECE))
        lines = [f"{response.status} {shown(told['title'])}. {shown(told['detail'])}"]
        lines += [f"  {shown(one['field'])}: {shown(one['message'])}" for one in told["errors"]]
    except (ValueError, KeyError, TypeError):
        lines = [f"The site answered {response.status} {shown(response.reason)}."]
    if response.status == 409:
        lines.append("Send it again with --yes to do it.")
    raise StopError(3 if response.status == 409 else 4 if response.status in AWAY else 1, "\n".join(lines))
