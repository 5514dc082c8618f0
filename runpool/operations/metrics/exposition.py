"""The answer to /metrics, and who gets it."""

import ipaddress
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import HistogramMetricFamily, Metric

from runpool.operations.health import site_health
from runpool.operations.metrics import requests
from runpool.operations.metrics.site import site_families

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
OF_PROXIES = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


def may_read_metrics(request: HttpRequest) -> bool:
    """Who sends METRICS_TOKEN. Without one set: programs on this machine, on a site that is not SECURE.

    A proxy on this machine looks like such a program, unless it adds its headers: so a public site answers by token alone.
    """
    if settings.METRICS_TOKEN:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and constant_time_compare(token.strip(), settings.METRICS_TOKEN)
    if settings.SECURE_SSL_REDIRECT or any(name in request.META for name in OF_PROXIES):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a socket of this machine has no address; who is behind it is not known
        return False


class _Collector:
    def collect(self) -> Iterator[Metric]:
        yield from site_families(site_health())
        family = HistogramMetricFamily(
            "runpool_request_seconds",
            "Requests to this machine's web server, by page, method and kind of answer.",
            labels=["page", "method", "status"],
        )
        for key, durations in sorted(requests.figures.total().items()):
            family.add_metric(list(key), durations.cumulated(), durations.seconds)
        yield family


def metrics_text() -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector())
    return generate_latest(registry)
