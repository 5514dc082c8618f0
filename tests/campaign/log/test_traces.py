"""Spans as a collector gets them: a real one of the protocol, on a port of this test's own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from campaign.log import traces
from campaign.log.traces.sdk import ids
from campaign.models import Job
from campaign.queue.jobs import JobFailed, enqueue, inline, job, send
from tests.factories import make_user
from tests.sites import free_port

SECRET = "egg-timer"


@job("fail for the test of traces")
def fail_for_traces(progress: Any) -> None:
    raise JobFailed(f"The run {SECRET} is bad.")


class Collector:
    """What it has received; `flush` makes the tracer send what it holds."""

    def __init__(self) -> None:
        received: list[ExportTraceServiceRequest] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Into no test's output."""

        self.received = received
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def spans(self) -> list[Span]:
        traces.flush()
        scopes = [scope for request in self.received for part in request.resource_spans for scope in part.scope_spans]
        return [span for scope in scopes for span in scope.spans]


def use(address: str, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    settings.TRACES = True
    traces._tracer.cache_clear()


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Collector]:
    made = Collector()
    Thread(target=made.server.serve_forever, daemon=True).start()
    use(made.address, monkeypatch, settings)
    yield made
    traces._tracer().provider.shutdown()
    traces._tracer.cache_clear()
    made.server.shutdown()
    made.server.server_close()


def attributes(span: Span) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def test_a_request_and_the_job_that_it_asks_for_are_one_trace(
    db: None, client: Client, collector: Collector, django_capture_on_commit_callbacks: Any
) -> None:
    user = make_user("eve")
    with inline(), django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("account_reset_password"), {"email": user.email})
    name = answer["X-Request-ID"]
    request, *jobs = sorted(collector.spans(), key=lambda span: span.kind != Span.SPAN_KIND_SERVER)
    assert (request.trace_id, request.span_id) == tuple(
        number.to_bytes(length, "big") for number, length in zip(ids(name), (16, 8), strict=True)
    )
    assert request.name == "POST account_reset_password"
    assert attributes(request)["http.response.status_code"] == answer.status_code
    assert attributes(request)["runpool.db.statements"] > 0
    assert [span.name for span in jobs] == ["job send mail and forget its text"]
    assert (jobs[0].trace_id, jobs[0].parent_span_id) == (request.trace_id, request.span_id)
    assert attributes(jobs[0])["outcome"] == Job.DONE


def test_spans_hold_no_address_and_no_query(db: None, client: Client, collector: Collector) -> None:
    key = "egg-" + "x" * 40
    client.get(reverse("account_reset_password_from_key", kwargs={"uidb36": "1", "key": key}), {"q": SECRET})
    client.get(f"/{SECRET}/")
    spans = collector.spans()
    assert {span.name for span in spans} == {"GET account_reset_password_from_key", "GET no page"}
    assert not any(word in str(span) for span in spans for word in (key, SECRET, "SELECT"))


def test_a_job_that_fails_is_an_error_without_the_words_that_may_quote_a_user(db: None, collector: Collector) -> None:
    with inline():
        send(enqueue(fail_for_traces.name))
    (span,) = collector.spans()
    assert (span.status.code, attributes(span)["outcome"]) == (Status.STATUS_CODE_ERROR, Job.FAILED)
    assert SECRET not in str(span)


def test_a_collector_that_is_away_hinders_nobody(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    use(f"http://127.0.0.1:{free_port()}", monkeypatch, settings)
    try:
        assert client.get("/livez").status_code == 200
        traces.flush()
        assert client.get("/livez").status_code == 200
    finally:
        traces._tracer().provider.shutdown()
        traces._tracer.cache_clear()


def test_a_site_without_a_collector_does_not_load_the_sdk(tmp_path: Path) -> None:
    script = "import django, sys; django.setup(); import runpool.wsgi; print('campaign.log.traces.sdk' in sys.modules)"
    environment = os.environ | {"RUNPOOL_DATA_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
