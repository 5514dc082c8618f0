"""How files come in: read as fast as they arrive, each with its time, then stored a few at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from campaign.storage.room import DiskFullError, disk_full_named, has_room

P = ParamSpec("P")
_places = threading.BoundedSemaphore(settings.UPLOADS_AT_ONCE)


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes at most one byte more than a file may have: enough to see that it is too large.

    Where there is no room, nothing is written; nor is what somebody sends who is not signed in, to whatever page. The rest is
    read and dropped, so that the sender gets an error message instead of a broken connection.
    Notes on the request when its last byte had been read: before any lock, and before the request waits for anything.
    """

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:  # noqa: N803 - Django's name
        most = settings.UPLOAD_LIMIT_BYTES * settings.DATA_UPLOAD_MAX_NUMBER_FILES
        self._fits = has_room(min(content_length, most))
        self._is_refused = self._is_dropped = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self._is_dropped = self._is_dropped or not _is_signed_in(self.request)
        self._is_refused = self._is_refused or not (self._fits or self._is_dropped)
        if not (self._is_refused or self._is_dropped):
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = settings.UPLOAD_LIMIT_BYTES + 1 - start
        if room <= 0 or self._is_refused or self._is_dropped:
            return
        try:
            with disk_full_named():
                super().receive_data_chunk(raw_data[:room], start)
        except DiskFullError:
            self._is_refused = True
            self.upload_interrupted()

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        if self._is_refused or self._is_dropped:
            return None
        return super().file_complete(min(file_size, settings.UPLOAD_LIMIT_BYTES + 1))

    def upload_complete(self) -> None:
        self.request.received_at = timezone.now()  # type: ignore[union-attr]
        if self._is_refused:
            raise DiskFullError


def received_at(request: HttpRequest) -> datetime:
    """Return when the last byte of the request had arrived; reads the request if that is still to be done.

    No connection to the database is held meanwhile: on a slow line this takes minutes.
    """
    if not hasattr(request, "received_at"):
        _close_connection()
    request.FILES  # noqa: B018 - reads the body
    return getattr(request, "received_at", None) or timezone.now()  # without parts there is nothing to wait for


@contextmanager
def upload_place() -> Iterator[None]:
    """Wait until this process works on fewer than UPLOADS_AT_ONCE other uploads; a burst would keep all others from its threads.

    Those that wait have their time of receipt already, and hold no connection to the database; nor do those that are done, since
    each thread would keep one of its own.
    """
    if not _places.acquire(blocking=False):
        _close_connection()
        _places.acquire()
    try:
        yield
    finally:
        _close_connection()
        _places.release()


def takes_files(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Read what is posted, then wait for a place: the outermost decorator of a page that takes large files."""

    @wraps(view)
    def in_place(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        received_at(request)
        with upload_place():
            return view(request, *args, **kwargs)

    return in_place


def _is_signed_in(request: HttpRequest | None) -> bool:
    """By session or token. Every page reads what is posted to it, the sign-in too, before it knows what that is."""
    user = getattr(request, "user", None)
    is_known = user is not None and bool(user.is_authenticated)
    _close_connection()  # the lookup of the session has opened one
    return is_known


def _close_connection() -> None:
    if not connection.in_atomic_block:
        connection.close()
