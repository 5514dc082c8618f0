"""Lines of the log, plain or as JSON: one record is one line, none can be forged by what users type, none holds a secret."""

import copy
import json
import logging
import re
from bisect import bisect_right
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from django.http import HttpRequest

from campaign import log
from campaign.log.secrets import page_name, without_address, without_secrets

UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
OF_REFUSALS = "WARNING"
"""Also where Django says more: strangers could fill the log with errors."""
OF_OPERATORS = (503, 507)
"""Answers while a part of the site is away, full or damaged: each request would bring the same traceback."""
LONGEST_REASON = 500
"""A header of a stranger, which may have 8 kB, stands in some reasons."""
OF_DJANGO = re.compile(r"(?<![\w.])(ALLOWED_HOSTS|CSRF_TRUSTED_ORIGINS)\b")
PLAIN = "{asctime} {levelname} {name} request={request_id} job={job_id} {message}"


class LineFormatter(logging.Formatter):
    """For people at a terminal; the lines of a traceback follow, and begin with a bar."""

    def format(self, record: logging.LogRecord) -> str:
        if not _is_one_line(record):
            return super().format(record)
        record = copy.copy(record)
        record.msg, record.args, record.levelname = _reason(record), (), _level(record)
        record.exc_info = record.exc_text = None
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        record.message = _message(record)
        facts = _facts(record)
        record.request_id, record.job_id = facts["request_id"], facts["job_id"]
        return super().formatMessage(record)

    def formatException(self, exc_info: Any) -> str:  # noqa: N802
        return _barred(super().formatException(exc_info))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return _barred(super().formatStack(stack_info))


class JsonFormatter(logging.Formatter):
    """For programs that collect lines: one object a line, with all that is known of the record."""

    def format(self, record: logging.LogRecord) -> str:
        record.message = _reason(record, _width_in_json) if _is_one_line(record) else record.getMessage()
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": _level(record),
            "logger": record.name,
            "message": _message(record),
            **_facts(record),
            "process": record.process,
        }
        if record.exc_info and not _is_one_line(record):
            line["exception"] = "\n".join(_safe_lines(self.formatException(record.exc_info)))
        if record.stack_info:
            line["stack"] = "\n".join(_safe_lines(record.stack_info))
        return json.dumps({name: value for name, value in line.items() if value != "-"}, default=str)


def formatter_named(name: str) -> logging.Formatter:
    """Of the setting LOG_FORMAT."""
    return JsonFormatter() if name == "json" else LineFormatter(PLAIN, style="{")


def _is_refusal(record: logging.LogRecord) -> bool:
    """Of a request that its sender may mend."""
    return 400 <= getattr(record, "status_code", 0) < 500


def _is_one_line(record: logging.LogRecord) -> bool:
    """Only what is to be mended in the program has a traceback."""
    return _is_refusal(record) or getattr(record, "status_code", 0) in OF_OPERATORS


def _level(record: logging.LogRecord) -> str:
    return OF_REFUSALS if _is_refusal(record) else record.levelname


def _reason(record: logging.LogRecord, width: Callable[[str], int] = len) -> str:
    """Reason, method, page and user on one line."""
    request = getattr(record, "request", None)
    parts, asked = [without_address(record.getMessage(), request)], ""
    if isinstance(request, HttpRequest):
        parts, asked = [parts[0].removesuffix(f": {page_name(request)}")], f"; {request.method} {page_name(request)}"
    if record.exc_info and str(record.exc_info[1]) not in parts[0]:
        parts.append(str(record.exc_info[1]))
    # Cut last: half a secret would be none to be masked, and what is escaped is longer.
    cut = _cut(escaped(without_secrets(OF_DJANGO.sub(r"RUNPOOL_\1", "; ".join(parts)))), width)
    user = _facts(record).get("user_id")
    return f"{cut}{asked}; {f'user {user}' if user else 'nobody signed in'}"


def _cut(text: str, width: Callable[[str], int]) -> str:
    fits = bisect_right(list(accumulate(map(width, text[:LONGEST_REASON]))), LONGEST_REASON)
    return text if fits == len(text) else f"{text[:fits]}..."


def _width_in_json(character: str) -> int:
    return len(json.dumps(character)) - len('""')


def escaped(text: str) -> str:
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    """What is known of the record. Django writes some lines when the request is over: they find it at the request."""
    ids = {"request_id": log.request_id.get(), "job_id": log.job_id.get()}
    request = getattr(record, "request", None)
    over = getattr(request, log.OVER, {})
    asked = {}
    if isinstance(request, HttpRequest) and _is_refusal(record):
        asked = {"method": request.method, "page": page_name(request), "status": record.__dict__["status_code"]}
    return {**ids, **log.facts(), **over, **asked, **getattr(record, "facts", {})}


def _message(record: logging.LogRecord) -> str:
    return escaped(without_secrets(without_address(record.message, getattr(record, "request", None))))


def _barred(text: str) -> str:
    return "\n".join(f"| {line}" for line in _safe_lines(text))


def _safe_lines(text: str) -> list[str]:
    return [escaped(line) for line in without_secrets(text).split("\n")]
