"""Backups in a bucket of a service that speaks S3."""

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator

from django.conf import settings
from django.core.files.base import File

from campaign.storage.bucket import Bucket
from campaign.storage.locks import BACKUP, only_one_at_work
from campaign.storage_places import BucketPlace, FolderPlace, place_of
from runpool import env
from runpool.backup.sealing import Seal
from runpool.backup.targets import AT_WORK, CHUNK, Folder, Target, TargetError


class InBucket(Target):
    """What lies there is listed once, in pages: to ask for each file of a large site takes longer than to copy what is new."""

    def __init__(self, place: BucketPlace, seal: Seal | None = None) -> None:
        super().__init__(seal)
        self._bucket = Bucket(place)
        self._listed: dict[str, int] | None = None

    def __str__(self) -> str:
        return str(self._bucket.place)

    def make(self) -> None:
        self._bucket.require_answer()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Of this site: another site has another prefix."""
        with only_one_at_work(BACKUP) as is_alone:
            if not is_alone:
                raise TargetError(AT_WORK)
            self._listed = None
            yield

    def size(self, name: str) -> int | None:
        return self._there().get(name)

    def write(self, name: str, chunks: Iterable[bytes], before_it_is_named: Callable[[], None]) -> None:
        with tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as file:
            for chunk in chunks:
                file.write(chunk)
            before_it_is_named()
            size = file.tell()
            self._bucket.save(name, File(file))
        self._there()[name] = size

    def read(self, name: str) -> Iterator[bytes]:
        with self._bucket.open_stored(name) as file:
            yield from iter(lambda: file.read(CHUNK), b"")

    def names(self, folder: str) -> list[str]:
        return [name for name in self._there() if name.startswith(f"{folder}/")]

    def remove(self, name: str) -> None:
        self._bucket.delete(name)
        self._there().pop(name, None)

    def _there(self) -> dict[str, int]:
        """Sizes by name."""
        if self._listed is None:
            self._listed = {found.name: found.size for found in self._bucket.listed()}
        return self._listed


def target_at(place: FolderPlace | BucketPlace, seal: Seal | None = None) -> Target:
    if lies_among_the_files(place):
        other = (
            "prefix, best of another bucket with another provider"
            if isinstance(place, BucketPlace)
            else "folder, best on another disk"
        )
        raise TargetError(
            f"This is where the site keeps its files: cleaning would take the backups away. Name another {other}."
        )
    return InBucket(place, seal) if isinstance(place, BucketPlace) else Folder(place.path, seal)


def lies_among_the_files(place: FolderPlace | BucketPlace) -> bool:
    """Whether the site keeps files of its own at this place, which it cleans, serves or takes for work."""
    own = place_of(settings.STORAGE_URL)
    if isinstance(place, FolderPlace):
        of_the_site = [own.path.resolve()] if isinstance(own, FolderPlace) else []
        of_the_site += [settings.DATA_DIR / name for name in env.OF_OTHER_USE]
        return any(place.path.is_relative_to(folder) for folder in of_the_site)
    if not isinstance(own, BucketPlace) or (own.bucket, own.endpoint) != (place.bucket, place.endpoint):
        return False
    prefixes = sorted((f"{own.prefix}/".lstrip("/"), f"{place.prefix}/".lstrip("/")))
    return prefixes[1].startswith(prefixes[0])
