from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes at most one byte more than a file may have: enough to see that it is too large.

    The rest is read and dropped, so that the sender gets an error message instead of a broken connection.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = settings.UPLOAD_LIMIT_BYTES + 1 - start
        if room > 0:
            super().receive_data_chunk(raw_data[:room], start)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        return super().file_complete(min(file_size, settings.UPLOAD_LIMIT_BYTES + 1))
