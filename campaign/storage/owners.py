"""Which sites keep files in this storage. Each leaves a file there: a site must not clean away what another one names."""

import logging
from functools import cache
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError

from campaign import clock
from campaign.models import SiteFigures
from campaign.storage.interface import StorageAwayError, StoredFiles, files

FOLDER = "sites"
logger = logging.getLogger(__name__)


def is_own() -> bool:
    """Whether the file of this site lies here, if it ever left one: else this is another storage, or it was emptied."""
    own = own_file()
    return not own or files().exists(own)


def other_sites(address: str) -> list[str]:
    """The other sites that keep files here, each with its address and its file; this site leaves one as well."""
    leave_file(address)
    return sites_but(own_file())


def sites_but(own: str) -> list[str]:
    """The sites that keep files here, each with its address and its file; not the one whose file is `own`."""
    try:
        names = [f"{FOLDER}/{name}" for name in sorted(files().listdir(FOLDER)[1]) if not name.startswith(".")]
    except FileNotFoundError:  # no site keeps files here yet
        return []
    return [f"{_address(name)} (file {name})" for name in names if name != own]


def leave_file(address: str, storage: StoredFiles | None = None) -> None:
    """First the file, then the row that names it: a storage that is away meanwhile is not taken for one that was emptied."""
    there, own = storage or files(), own_file()
    values = {"name": uuid4().hex}
    name = own or f"{FOLDER}/{values['name']}"
    with there.written_whole(name) as file:
        file.write(address.encode())
    if not own:
        SiteFigures.objects.get_or_create(name=SiteFigures.SITE, defaults={"at": clock.now(), "values": values})
        if own_file() != name:  # another process was first
            there.delete(name)


def own_file() -> str:
    """The name of this site's file; empty before the first was left."""
    row = SiteFigures.objects.filter(name=SiteFigures.SITE).first()
    return "" if row is None else f"{FOLDER}/{row.values['name']}"


def leave_first_file() -> None:
    """Of a site that keeps its first stored file here. Where it cannot be left now, the next file or the cleaning does."""
    try:
        _leave_first_file()
    except (StorageAwayError, OSError, DatabaseError) as problem:
        logger.warning("the file of this site cannot be left in the storage now: %s", problem)


@cache
def _leave_first_file() -> None:
    """Each process looks once."""
    if not own_file():
        leave_file(f"{settings.SITE_URL}/")


def _address(name: str) -> str:
    with files().open_stored(name) as file:
        return bytes(file.read(200)).decode(errors="replace")
