"""The only module that imports OpenTelemetry's SDK, and is imported only where the environment names a collector."""

import hashlib
import os
from contextvars import ContextVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

_wanted: ContextVar[tuple[int, int] | None] = ContextVar("wanted", default=None)


def ids(request_id: str) -> tuple[int, int]:
    """Of the trace of this request, and of the request's own span."""
    digest = hashlib.sha256(request_id.encode()).digest()
    return int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:24], "big")


class IdsOfRequests(RandomIdGenerator):
    """Those of the request whose span is being started; random ones for all other spans."""

    def generate_trace_id(self) -> int:
        wanted = _wanted.get()
        return wanted[0] if wanted else super().generate_trace_id()

    def generate_span_id(self) -> int:
        wanted = _wanted.get()
        return wanted[1] if wanted else super().generate_span_id()


class Tracer:
    """Spans go to the collector in batches from a thread. Where it does not answer they are dropped; nobody waits for it."""

    def __init__(self, version: str) -> None:
        named = {"service.name": os.environ.get("OTEL_SERVICE_NAME", "runpool"), "service.version": version}
        self.provider = TracerProvider(id_generator=IdsOfRequests(), resource=Resource.create(named))
        self.provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self.provider.get_tracer("runpool", version)

    def start(self, name: str, request_id: str, *, is_request: bool) -> trace.Span:
        """A job's parent is the span of the request that asked for it; jobs that beat asks for have traces of their own."""
        if is_request:
            token = _wanted.set(ids(request_id))
            try:
                return self._tracer.start_span(name, context=Context(), kind=trace.SpanKind.SERVER)
            finally:
                _wanted.reset(token)
        context = Context()
        if request_id not in ("", "-"):
            trace_id, span_id = ids(request_id)
            parent = trace.SpanContext(trace_id, span_id, is_remote=True, trace_flags=trace.TraceFlags(1))
            context = trace.set_span_in_context(trace.NonRecordingSpan(parent), context)
        return self._tracer.start_span(name, context=context, kind=trace.SpanKind.CONSUMER)
