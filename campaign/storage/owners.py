"""Which sites keep files in this storage. Each leaves a file there: a site must not clean away what another one names."""

from uuid import uuid4

from campaign import clock
from campaign.models import SiteFigures
from campaign.storage.interface import files

FOLDER = "sites"


def other_sites(address: str) -> list[str]:
    """The other sites that keep files here, each with its address and its file; this site leaves one as well."""
    own = f"{FOLDER}/{_own_name()}"
    with files().written_whole(own) as file:
        file.write(address.encode())
    names = [f"{FOLDER}/{name}" for name in sorted(files().listdir(FOLDER)[1]) if not name.startswith(".")]
    return [f"{_address(name)} (file {name})" for name in names if name != own]


def forget_own_name() -> None:
    """Whoever restores a site makes another one: the first may still run, with the same storage."""
    SiteFigures.objects.filter(name=SiteFigures.SITE).delete()


def _own_name() -> str:
    values = {"name": uuid4().hex}
    row, _ = SiteFigures.objects.get_or_create(name=SiteFigures.SITE, defaults={"at": clock.now(), "values": values})
    return str(row.values["name"])


def _address(name: str) -> str:
    with files().open_stored(name) as file:
        return bytes(file.read(200)).decode(errors="replace")
