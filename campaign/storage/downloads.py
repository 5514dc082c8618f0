"""The answer to somebody who may download a stored file: its bytes, or an address at which the bucket itself sends them.

Who calls this has found out that the user may have the file.
"""

import hashlib

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import FileResponse, HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import content_disposition_header

from campaign.storage.checksums import is_intact
from campaign.storage.interface import Facts, StorageAwayError, files
from campaign.storage.reading import open_verified

SIGNED = "signed"
LARGE_BYTES = 8 << 20
"""A smaller file is sent sooner than the browser has asked a second server."""
LIFETIME_SECONDS = 60
"""Of an address, until the download begins; one that has begun goes on."""
VERIFIED_SECONDS = 24 * 3600


def download_answer(
    request: HttpRequest, name: str, *, filename: str, content_type: str, found_by: str
) -> FileResponse | HttpResponseRedirect:
    """DamagedFileError if it is not what was stored. For browsers: programs may send their token on to another server."""
    if address := _signed_address(request, name, filename, content_type):
        answer = HttpResponseRedirect(address)
        answer["Cache-Control"] = "private, no-store"
        return answer
    file = open_verified(name, found_by=found_by)
    return FileResponse(file, as_attachment=True, filename=filename, content_type=content_type)


def sign_in_first(request: HttpRequest, page: str, *names: str) -> HttpResponseRedirect:
    """Lead to the login, and from there to the page that holds the download, with the query of the request.

    Not to the download itself: browsers hold each redirect after a form against `form-action`, and would not go to the bucket.
    """
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect_to_login(f"{reverse(page, args=names)}{query}")


def _signed_address(request: HttpRequest, name: str, filename: str, content_type: str) -> str:
    """Empty where the site sends the bytes itself. An address is signed for GET alone."""
    if settings.STORAGE_DOWNLOADS != SIGNED or request.method != "GET":
        return ""
    try:
        there = files().facts(name)
        if there.size < LARGE_BYTES or not there.version or not _is_verified(there):
            return ""
    except (FileNotFoundError, StorageAwayError):  # a copy on this machine may be whole
        return ""
    disposition = content_disposition_header(True, filename) or "attachment"
    return files().signed_address(name, seconds=LIFETIME_SECONDS, disposition=disposition, content_type=content_type)


def _is_verified(there: Facts) -> bool:
    """Whether the bytes that the bucket itself has were read within a day, by this version of them, and are those of the name."""
    key = f"verified-{hashlib.sha256(f'{settings.STORAGE_URL} {there.name} {there.version}'.encode()).hexdigest()}"
    if cache.get(key):
        return True
    if not is_intact(there.name) or files().facts(there.name).version != there.version:
        return False
    cache.set(key, True, VERIFIED_SECONDS)
    return True
