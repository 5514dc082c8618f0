from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.utils import timezone


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes at most one byte more than a file may have: enough to see that it is too large.

    The rest is read and dropped, so that the sender gets an error message instead of a broken connection.
    Notes on the request when its last byte had been read: before any lock, and before the request waits for anything.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = settings.UPLOAD_LIMIT_BYTES + 1 - start
        if room > 0:
            super().receive_data_chunk(raw_data[:room], start)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        return super().file_complete(min(file_size, settings.UPLOAD_LIMIT_BYTES + 1))

    def upload_complete(self) -> None:
        self.request.received_at = timezone.now()  # type: ignore[union-attr]


def received_at(request: HttpRequest) -> datetime:
    """Return when the last byte of the request had arrived; reads the request if that is still to be done."""
    request.FILES  # noqa: B018 - reads the body
    return getattr(request, "received_at", None) or timezone.now()  # without parts there is nothing to wait for
