from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def return_address(request: HttpRequest) -> str:
    """Where `?next=` wants to go on afterwards, if that is a page of this site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if ours else ""
