"""How the check script sends a run to the site. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any, BinaryIO, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

PIECE = 1 << 20
SILENCE = 120
PATIENCE = 120
PAUSE = 2.0
ANSWER_LIMIT = 1 << 20
TOO_MANY_REQUESTS = 429
MOST_TRIES = 5
LONGEST_WAIT = 90.0
"""The site counts requests by the minute, so that one wait is enough unless others send too."""


Answer = TypeVar("Answer")


class SendingError(Exception):
    """The site did not accept the run; the message says why."""


class _NoRedirect(HTTPRedirectHandler):
    """A token is for the site alone: it must not follow a redirect to another."""

    def redirect_request(self, *args: Any) -> None:
        return None


class _Form:
    """A multipart form whose file is read while it is sent."""

    def __init__(self, fields: Mapping[str, str], file: BinaryIO, file_name: str) -> None:
        self.boundary = secrets.token_hex(16)
        self._file = file
        self._file_size = os.fstat(file.fileno()).st_size
        self._digest = hashlib.sha256()
        parts = "".join(
            self._part(f'name="{name}"', "text/plain; charset=utf-8") + f"{v}\r\n" for name, v in fields.items()
        )
        parts += self._part(f'name="file"; filename="{quote(file_name, safe=" ()+,;=@~")}"', "application/octet-stream")
        self._before, self._after = parts.encode(), f"\r\n--{self.boundary}--\r\n".encode()

    def _part(self, disposition: str, content_type: str) -> str:
        return f"--{self.boundary}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: {content_type}\r\n\r\n"

    def __len__(self) -> int:
        return len(self._before) + self._file_size + len(self._after)

    def __iter__(self) -> Iterator[bytes]:
        yield self._before
        left = self._file_size
        while left and (piece := self._file.read(min(PIECE, left))):
            left -= len(piece)
            self._digest.update(piece)
            yield piece
        if left:
            raise OSError("the file became shorter while it was read")
        yield self._after

    @property
    def sha256(self) -> str:
        """Of what was sent so far."""
        return self._digest.hexdigest()


class Sender:
    """Sends runs to one address of the API, with one token and the same answers for all."""

    def __init__(self, address: str, token: str, fields: Mapping[str, str]) -> None:
        self._address = address
        self._token = token
        self._fields = fields
        self._opener = build_opener(_NoRedirect())

    def submit(self, path: str, tag: str) -> dict[str, Any]:
        """The site's receipt."""
        try:
            receipt, sha256 = _patiently(lambda: self._send_once(path, tag))
        except HTTPError as problem:
            raise SendingError(_refusal(problem)) from None
        except (OSError, HTTPException, ValueError) as problem:
            reason = getattr(problem, "reason", None) or problem
            raise SendingError(
                f"Not sent: the connection failed ({reason}). Check on the site whether the run arrived."
            ) from None
        if receipt.get("sha256") != sha256:
            raise SendingError(
                "What arrived at the site is not what was sent: its SHA-256 differs. Withdraw it and send it again."
            )
        return receipt

    def _send_once(self, path: str, tag: str) -> tuple[dict[str, Any], str]:
        """The site's receipt and the SHA-256 of what was sent."""
        with open(path, "rb") as file:
            form = _Form({**self._fields, "tag": tag}, file, os.path.basename(path))
            headers = {
                "Content-Type": f"multipart/form-data; boundary={form.boundary}",
                "Content-Length": str(len(form)),
            }
            return self._ask(self._address, form, headers), form.sha256

    def outcome(self, tag: str, receipt: dict[str, Any]) -> dict[str, Any]:
        """The run as the site returns it after its check, or before if the check takes too long."""
        until = time.monotonic() + PATIENCE
        while receipt.get("state") == "received" and time.monotonic() < until:
            time.sleep(PAUSE)
            try:
                state = _patiently(lambda: self._ask(f"{self._address}/{quote(tag, safe='')}"))
                receipt = {**receipt, **state}
            except (OSError, HTTPException, ValueError):
                continue  # the run is in; a failed look at its state changes nothing
        return receipt

    def _ask(self, address: str, form: _Form | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        own = {**_own_headers(self._token), "Accept": "application/json"}
        request = Request(address, data=form, headers={**own, **(headers or {})})  # noqa: S310 - see is_safe_address
        with self._opener.open(request, timeout=SILENCE) as response:
            answer = json.loads(response.read(ANSWER_LIMIT))
        if not isinstance(answer, dict):
            raise ValueError("the answer is not one of this site")
        return answer


def fetched_file(address: str, token: str) -> BinaryIO:
    """A file of the site, kept for as long as the script runs."""
    request = Request(address, headers=_own_headers(token))  # noqa: S310 - see is_safe_address
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the script ends
    try:
        with _patiently(lambda: build_opener(_NoRedirect()).open(request, timeout=SILENCE)) as response:
            shutil.copyfileobj(response, file, PIECE)
    except HTTPError as problem:
        raise SendingError(_refusal(problem, "")) from None
    except (OSError, HTTPException) as problem:
        raise SendingError(f"the connection failed ({getattr(problem, 'reason', None) or problem}).") from None
    return file


def _own_headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "User-Agent": "runpool-check-script"}


def _patiently(ask: Callable[[], Answer]) -> Answer:
    """What `ask` returns; where the site says that it is asked too often, wait for as long as it says, and try again."""
    for _ in range(MOST_TRIES - 1):
        try:
            return ask()
        except HTTPError as problem:
            seconds = problem.headers.get("Retry-After", "")
            if problem.code != TOO_MANY_REQUESTS or not seconds.isdigit() or float(seconds) > LONGEST_WAIT:
                raise
            problem.close()
            sys.stderr.write(f"The site asks to wait {seconds} s before the next request.\n")
            time.sleep(float(seconds))
    return ask()


def is_safe_address(site: str) -> bool:
    """Encrypted, or on this very machine."""
    address = urlsplit(site)
    if address.scheme != "http":
        return address.scheme == "https"
    host = address.hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def answer_problems(questions: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Problems of the answers that can be found without the site."""
    known = {question["key"]: question for question in questions}
    wrong = [
        f"There is no question {key}. The questions: {', '.join(known) or 'none'}. "
        "If the task has changed, download this script again."
        for key in answers
        if key not in known
    ]
    for key, question in known.items():
        choices = question.get("choices") or ()
        if question.get("required") and not answers.get(key):
            wrong.append(f"Give --answer {key}=…: {question['label']}")
        elif answers.get(key) and choices and answers[key] not in choices:
            wrong.append(f"--answer {key} must be one of: {', '.join(choices)}.")
    return wrong


def _refusal(problem: HTTPError, verdict: str = "Not sent: ") -> str:
    """A refusal in the words of the site; its errors come as application/problem+json."""
    if 300 <= problem.code < 400:
        return f"{verdict}the site redirects to {problem.headers.get('Location', 'another address')}; the token stays here."
    try:
        answer = json.loads(problem.read(ANSWER_LIMIT))
        words = [str(answer.get("detail") or answer.get("title") or problem.reason)]
        for entry in answer.get("errors") or []:
            if entry.get("message") != words[0]:
                words.append(f"{entry.get('field', '')}: {entry.get('message', '')}")
    except (OSError, HTTPException, ValueError, TypeError, AttributeError):
        words = [str(problem.reason)]
    return "\n    ".join([f"{verdict}the site answered {problem.code}. {words[0]}", *words[1:]])
