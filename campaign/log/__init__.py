"""What the lines of the log name: the request and the job that they belong to, the user, and what is worked on.

`lines` makes text of it, plain or as JSON.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="-")
job_id: ContextVar[str] = ContextVar("job_id", default="-")
_facts: ContextVar[Mapping[str, Any]] = ContextVar("facts", default={})  # noqa: B039 - it is replaced, never changed


OVER = "logged_facts"
"""The attribute of a request that is over: what its lines named."""


def about(**facts: Any) -> None:
    """Name these (`campaign_id`, `task_id`, `run_id`, `user_id`) in all further lines of this request or job."""
    _facts.set({**_facts.get(), **facts})


def facts() -> dict[str, Any]:
    """A function among them is asked only when a line is written; what is not known is left out."""
    named = {name: value() if callable(value) else value for name, value in _facts.get().items()}
    return {name: value for name, value in named.items() if value is not None}


@contextmanager
def of_request(request: str, user_id: Callable[[], int | None]) -> Iterator[None]:
    """Name the request in all lines that are logged within, and its user as soon as somebody has asked who it is."""
    tokens = request_id.set(request), _facts.set({"user_id": user_id})
    try:
        yield
    finally:
        request_id.reset(tokens[0])
        _facts.reset(tokens[1])


@contextmanager
def of_job(request: str, job: int, subject: Mapping[str, Any]) -> Iterator[None]:
    """Name the job, and the request that asked for it, in all lines that are logged within."""
    tokens = request_id.set(request), job_id.set(str(job)), _facts.set(subject)
    try:
        yield
    finally:
        request_id.reset(tokens[0])
        job_id.reset(tokens[1])
        _facts.reset(tokens[2])
