"""Lines of the log: each names the request and the job that it belongs to, and none can be forged by what users type."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="-")
job_id: ContextVar[str] = ContextVar("job_id", default="-")

UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class LineFormatter(logging.Formatter):
    """One record is one line; the lines of a traceback begin with a bar."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        record.message = escaped(record.message)
        record.request_id, record.job_id = request_id.get(), job_id.get()
        return super().formatMessage(record)

    def formatException(self, exc_info: Any) -> str:  # noqa: N802
        return _barred(super().formatException(exc_info))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return _barred(super().formatStack(stack_info))


@contextmanager
def of_job(request: str, job: int) -> Iterator[None]:
    """Name the job, and the request that asked for it, in all lines that are logged within."""
    request_token, job_token = request_id.set(request), job_id.set(str(job))
    try:
        yield
    finally:
        request_id.reset(request_token)
        job_id.reset(job_token)


def escaped(text: str) -> str:
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def _barred(text: str) -> str:
    return "\n".join(f"| {escaped(line)}" for line in text.split("\n"))
