"""Which sites keep files in this storage. Each leaves a file there: a site must not clean away what another one names."""

from uuid import uuid4

from campaign import clock
from campaign.models import SiteFigures
from campaign.storage.interface import StoredFiles, files

FOLDER = "sites"


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
    except FileNotFoundError:  # no site was cleaned here yet
        return []
    return [f"{_address(name)} (file {name})" for name in names if name != own]


def leave_file(address: str, storage: StoredFiles | None = None) -> None:
    values = {"name": uuid4().hex}
    SiteFigures.objects.get_or_create(name=SiteFigures.SITE, defaults={"at": clock.now(), "values": values})
    with (storage or files()).written_whole(own_file()) as file:
        file.write(address.encode())


def own_file() -> str:
    """The name of this site's file; empty before the first was left."""
    row = SiteFigures.objects.filter(name=SiteFigures.SITE).first()
    return "" if row is None else f"{FOLDER}/{row.values['name']}"


def forget_own_name() -> None:
    """Whoever restores a site makes another one: the first may still run, with the same storage."""
    SiteFigures.objects.filter(name=SiteFigures.SITE).delete()


def _address(name: str) -> str:
    with files().open_stored(name) as file:
        return bytes(file.read(200)).decode(errors="replace")
