"""Where a request comes from, for every limit that counts by address."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

IPV6_NETWORK = 64
"""One household or machine has so many addresses of IPv6 that only its network can be counted."""


def client_address(request: HttpRequest) -> str:
    """Return the address of the connection, or behind TRUSTED_PROXY_COUNT proxies the one that the outermost of them recorded."""
    forwarded: list[str] = [
        part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
    ]
    if settings.TRUSTED_PROXY_COUNT and len(forwarded) >= settings.TRUSTED_PROXY_COUNT:
        return _network(forwarded[-settings.TRUSTED_PROXY_COUNT])
    return _network(str(request.META.get("REMOTE_ADDR", "")))


def _network(text: str) -> str:
    """Some proxies write the port as well: 192.0.2.1:4711 or [2001:db8::1]:4711."""
    host = text[1:].partition("]")[0] if text.startswith("[") else text
    if host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "".join(text.split())[:60]  # it becomes part of a cache key
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, IPV6_NETWORK), strict=False).network_address)
