"""Which sites keep files in this storage. Each leaves a file there: a site must not clean away what another one names."""

import logging
from functools import cache
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError

from campaign.database import clock
from campaign.models import SiteFigures
from campaign.storage.interface import StorageAwayError, StoredFiles, files

FOLDER = "sites"
IS_LEFT = "is_left"
logger = logging.getLogger(__name__)


def is_own() -> bool:
    """Whether the file of this site lies here, if it ever left one: else this is another storage, or it was emptied."""
    row = _row()
    return row is None or not row.values.get(IS_LEFT, True) or files().exists(_name(row))


def other_sites(address: str) -> list[str]:
    """The other sites that keep files here, each with its address and its file; this site leaves one as well."""
    leave_file(address)
    return sites_but(own_file())


def sites_but(own: str, storage: StoredFiles | None = None) -> list[str]:
    """The sites that keep files here, each with its address and its file; not the one whose file is `own`."""
    here = storage or files()
    try:
        names = [f"{FOLDER}/{name}" for name in sorted(here.listdir(FOLDER)[1]) if not name.startswith(".")]
    except FileNotFoundError:  # no site keeps files here yet
        return []
    addresses = {name: _address(here, name) for name in names if name != own}
    return [f"{address} (file {name})" for name, address in addresses.items() if address is not None]


def leave_file(address: str, storage: StoredFiles | None = None) -> None:
    """A row names the file before it is written, and then says that it is: whoever is killed between leaves no file without a
    name, and a storage that is away meanwhile is not taken for one that was emptied.
    """
    values = {"name": uuid4().hex, IS_LEFT: False}
    row, _ = SiteFigures.objects.get_or_create(name=SiteFigures.SITE, defaults={"at": clock.now(), "values": values})
    with (storage or files()).written_whole(_name(row)) as file:
        file.write(address.encode())
    if not row.values.get(IS_LEFT, True):
        SiteFigures.objects.filter(pk=row.pk, values=row.values).update(values={**row.values, IS_LEFT: True})


def take_file_back() -> None:
    """Of a site that keeps no files here after all. The row says so first: whoever is killed between has a file that it names."""
    row = _row()
    if row is not None:
        SiteFigures.objects.filter(pk=row.pk).update(values={**row.values, IS_LEFT: False})
        files().delete(_name(row))


def own_file() -> str:
    """The name of this site's file; empty before it has one."""
    row = _row()
    return "" if row is None else _name(row)


def _row() -> SiteFigures | None:
    return SiteFigures.objects.filter(name=SiteFigures.SITE).first()


def _name(row: SiteFigures) -> str:
    return f"{FOLDER}/{row.values['name']}"


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


def _address(storage: StoredFiles, name: str) -> str | None:
    """None where the site has taken its file back since the names were listed."""
    try:
        with storage.open_stored(name) as file:
            return bytes(file.read(200)).decode(errors="replace")
    except FileNotFoundError:
        return None
