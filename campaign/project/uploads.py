from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from campaign.storage.room import DiskFullError, disk_full_named, has_room


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes at most one byte more than a file may have: enough to see that it is too large.

    Where there is no room, nothing is written. In both cases the rest is read and dropped, so that the sender gets an error
    message instead of a broken connection.
    """

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:  # noqa: N803 - Django's name
        self._fits = has_room(min(content_length, settings.UPLOAD_LIMIT_BYTES))
        self._is_refused = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self._is_refused = self._is_refused or not self._fits
        if not self._is_refused:
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = settings.UPLOAD_LIMIT_BYTES + 1 - start
        if room <= 0 or self._is_refused:
            return
        try:
            with disk_full_named():
                super().receive_data_chunk(raw_data[:room], start)
        except DiskFullError:
            self._is_refused = True
            self.upload_interrupted()

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        if self._is_refused:
            return None
        return super().file_complete(min(file_size, settings.UPLOAD_LIMIT_BYTES + 1))

    def upload_complete(self) -> None:
        if self._is_refused:
            raise DiskFullError
