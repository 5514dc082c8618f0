"""Stored files in a bucket of a service that speaks S3, with copies on this machine for those who read."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from boto3.s3.transfer import TransferConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, SuspiciousFileOperation
from django.core.files.base import File

from campaign.storage.copies import DAY_SECONDS, Copies
from campaign.storage.disk import remove_old
from campaign.storage.interface import CHUNK, Facts, StoredFiles
from campaign.storage.locks import locked_for_all_machines
from campaign.storage.s3 import answering, client_of, require_bucket
from campaign.storage_places import BucketPlace, place_of

YOUNG_ENOUGH_SECONDS = 3600.0
"""A file of this age need not be made young again: what is cleaned away is a day old."""
AT_ONCE = TransferConfig(multipart_threshold=16 << 20, multipart_chunksize=16 << 20, use_threads=False)


class Bucket(StoredFiles):
    """An upload appears whole or not at all: the service names an object when it has all of it."""

    def __init__(self, place: BucketPlace | None = None) -> None:
        found = place or place_of(settings.STORAGE_URL)
        if not isinstance(found, BucketPlace):
            raise ImproperlyConfigured("RUNPOOL_STORAGE_URL names no bucket.")
        self.place = found
        known_by = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
        self.copies = Copies(
            Path(settings.DATA_DIR) / "copies" / known_by,
            limit=settings.STORAGE_COPIES_BYTES,
            reserve=settings.FREE_SPACE_MINIMUM,
        )

    @property
    def _client(self) -> Any:
        return client_of(self.place)

    def _at(self, name: str) -> dict[str, str]:
        """The arguments that name an object."""
        parts = name.split("/")
        if not name or any(part in ("", ".", "..") for part in parts):
            raise SuspiciousFileOperation("The name of a stored file has an empty part or one of dots.")
        return {"Bucket": self.place.bucket, "Key": f"{self._prefix}{name}"}

    @property
    def _prefix(self) -> str:
        return f"{self.place.prefix}/" if self.place.prefix else ""

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        while True:
            copy = self.copies.opened(name)
            if copy is not None:
                return File(copy, name)
            self._fetch(name)

    def local_path(self, name: str) -> Path:
        while True:
            path = self.copies.found(name)
            if path is not None:
                return path
            self._fetch(name)

    def _fetch(self, name: str) -> None:
        """Readers compare the copy with what its name promises, as they do with a file on a disk."""
        self._clean_when_due()
        with self._got(name) as answer, self.copies.written(name, answer["ContentLength"]) as out:
            for chunk in answer["Body"].iter_chunks(CHUNK):
                out.write(chunk)

    @contextmanager
    def _got(self, name: str) -> Iterator[dict[str, Any]]:
        with answering(self.place, name):
            answer = self._client.get_object(**self._at(name))
            try:
                yield answer
            finally:
                answer["Body"].close()

    def open_stored(self, name: str) -> "File[Any]":
        with answering(self.place, name):
            return File(
                cast(BinaryIO, _Body(self.place, name, self._client.get_object(**self._at(name))["Body"])), name
            )

    def drop_copy(self, name: str) -> bool:
        return self.copies.drop(name)

    def _save(self, name: str, content: "File[Any]") -> str:
        self._clean_when_due()
        content.seek(0)
        with answering(self.place):
            self._client.upload_fileobj(_Unclosed(content), **self._at(name), Config=AT_ONCE)
        return name

    @contextmanager
    def written_whole(self, name: str) -> Iterator[BinaryIO]:
        with self.copies.written(name, 0) as out:
            yield out
            self._save(name, File(out))

    def exists(self, name: str) -> bool:
        try:
            self.facts(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        return self.facts(name).size

    def facts(self, name: str) -> Facts:
        with answering(self.place, name):
            answer = self._client.head_object(**self._at(name))
        return Facts(name, answer["ContentLength"], _age(answer["LastModified"], answer), answer.get("ETag", ""))

    def signed_address(self, name: str, *, seconds: int, disposition: str, content_type: str) -> str:
        headers = {
            "ResponseContentDisposition": disposition,
            "ResponseContentType": content_type,
            "ResponseCacheControl": "private, no-store",
        }
        asked = {**self._at(name), **headers}
        # A signature holds for one host: that by which browsers reach the bucket. The site may have another way to it.
        public = replace(self.place, endpoint=settings.STORAGE_PUBLIC_ENDPOINT or self.place.endpoint)
        return str(client_of(public).generate_presigned_url("get_object", Params=asked, ExpiresIn=seconds))

    def listed(self, without: frozenset[str] = frozenset()) -> Iterator[Facts]:
        return (found for found in self._below("") if found.name.partition("/")[0] not in without)

    def _below(self, folder: str) -> Iterator[Facts]:
        pages = self._client.get_paginator("list_objects_v2")
        with answering(self.place):
            for page in pages.paginate(Bucket=self.place.bucket, Prefix=f"{self._prefix}{folder}"):
                for entry in page.get("Contents", ()):
                    name = entry["Key"].removeprefix(self._prefix)
                    yield Facts(name, entry["Size"], _age(entry["LastModified"], page))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        inside = f"{path.rstrip('/')}/"
        names = [found.name.removeprefix(inside) for found in self._below(inside)]
        return [], [name for name in names if "/" not in name]

    def make_young(self, name: str) -> None:
        """By a copy onto itself: a bucket has no other way."""
        if self.facts(name).age > YOUNG_ENOUGH_SECONDS:
            self._copy(name, name)

    def move(self, name: str, new: str) -> None:
        self._copy(name, new)
        self.delete(name)

    def _copy(self, name: str, new: str) -> None:
        with answering(self.place, name):
            self._client.copy(
                self._at(name), **self._at(new), ExtraArgs={"MetadataDirective": "REPLACE"}, Config=AT_ONCE
            )

    def delete(self, name: str) -> None:
        with answering(self.place):
            self._client.delete_object(**self._at(name))
        self.drop_copy(name)

    @contextmanager
    def locked_names(self, *, alone: bool = False) -> Iterator[None]:
        with locked_for_all_machines(alone=alone):
            yield

    def remove_unfinished(self, older_than: float) -> int:
        """Of this machine, and uploads to the bucket that were begun by any."""
        removed = self._remove_from_this_machine(older_than)
        before = datetime.now(UTC) - timedelta(seconds=older_than)
        with answering(self.place):
            pages = self._client.get_paginator("list_multipart_uploads")
            for page in pages.paginate(Bucket=self.place.bucket, Prefix=self._prefix):
                for upload in page.get("Uploads", ()):
                    if upload["Initiated"] < before:
                        where = {"Bucket": self.place.bucket, "Key": upload["Key"]}
                        self._client.abort_multipart_upload(**where, UploadId=upload["UploadId"])
                        removed += 1
        return removed

    def _remove_from_this_machine(self, older_than: float) -> int:
        arriving = list(Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*"))
        return self.copies.remove_unused() + remove_old(arriving, older_than)

    def _clean_when_due(self) -> None:
        """Each machine for itself: the daily cleaning is done by one of them."""
        if self.copies.is_due():
            self._remove_from_this_machine(DAY_SECONDS)

    def folders(self) -> list[Path]:
        return []

    def require_answer(self) -> None:
        require_bucket(self.place)


class _Body:
    """What a bucket sends, to be read once; it may fall silent in the midst of it."""

    def __init__(self, place: BucketPlace, name: str, body: Any) -> None:
        self._place, self._body, self.name, self.closed = place, body, name, False

    def read(self, size: int | None = None) -> bytes:
        with answering(self._place):
            return bytes(self._body.read(size))

    def close(self) -> None:
        self.closed = True
        self._body.close()


class _Unclosed:
    """A file for the transfer, which closes what it is given: the file itself stays open for its owner."""

    def __init__(self, content: "File[Any]") -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        return bytes(self._content.read(size))

    def seek(self, offset: int, whence: int = 0) -> int:
        self._content.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self._content.tell())

    def close(self) -> None:
        """Nothing."""


def _age(modified: datetime, answer: Mapping[str, Any]) -> float:
    """By the clock of the service, which wrote both times."""
    sent = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    now = parsedate_to_datetime(sent) if sent else datetime.now(UTC)
    return (now - modified).total_seconds()
