"""Spans of requests and jobs for OpenTelemetry, where the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`).

A trace is a request and all jobs that it asked for, also those asked for by its jobs. Its id follows from the name of the
request, which every job's row holds: nothing else has to be carried along, and who knows the `X-Request-ID` of an answer
knows the trace. Names and attributes hold no address, no text of users and no SQL.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection

from campaign.version import VERSION

ERRORS_FROM = 500
_open: ContextVar[Any] = ContextVar("open_span", default=None)


@dataclass(slots=True)
class Statements:
    """Of one span: how many statements the database answered, and how long it took together."""

    number: int = 0
    seconds: float = 0.0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        started = time.monotonic()
        try:
            return execute(sql, params, many, context)
        finally:
            self.number += 1
            self.seconds += time.monotonic() - started


@contextmanager
def of_request(request_id: str) -> Iterator[None]:
    """Its name and outcome are told by `request_told`, when the page is known."""
    with _span("request", request_id, is_request=True):
        yield


@contextmanager
def of_job(request_id: str, name: str, facts: Mapping[str, Any]) -> Iterator[None]:
    with _span(f"job {name}", request_id, is_request=False):
        told(**facts)
        yield


def request_told(method: str, page: str, status: int) -> None:
    span = _open.get()
    if span is not None:
        span.update_name(f"{method} {page}")
        told(**{"http.request.method": method, "http.route": page, "http.response.status_code": status})
        if status >= ERRORS_FROM:
            _failed(f"answered {status}")


def job_ended(outcome: str, *, is_failed: bool) -> None:
    """Why it failed stands in its row and in the log, in words that may quote users."""
    told(outcome=outcome)
    if is_failed:
        _failed("the job failed")


def told(**attributes: Any) -> None:
    """Attributes of the open span, if there is one; what is not known is left out."""
    span = _open.get()
    if span is not None:
        span.set_attributes({name: value for name, value in attributes.items() if value is not None})


def _failed(why: str) -> None:
    span = _open.get()
    if span is not None:
        from opentelemetry.trace import Status, StatusCode  # half a second of imports that most sites never need

        span.set_status(Status(StatusCode.ERROR, why))


def flush() -> None:
    """Send what is not sent yet, before a process ends that runs no exit handlers."""
    if settings.TRACES and _tracer.cache_info().currsize:
        _tracer().provider.force_flush(timeout_millis=2_000)


@contextmanager
def _span(name: str, request_id: str, *, is_request: bool) -> Iterator[None]:
    if not settings.TRACES:
        yield
        return
    span, statements = _tracer().start(name, request_id, is_request=is_request), Statements()
    token = _open.set(span)
    try:
        with connection.execute_wrapper(statements):
            yield
    finally:
        told(**{"runpool.db.statements": statements.number, "runpool.db.seconds": statements.seconds})
        _open.reset(token)
        span.end()


@cache
def _tracer() -> Any:
    """Made at the first span: in each process after it was forked, and nowhere else."""
    from campaign.log.traces.sdk import Tracer

    return Tracer(VERSION)
