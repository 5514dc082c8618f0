"""A move that is started again trusts nothing that lies at the new place."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from campaign.models import Campaign
from campaign.storage import store
from campaign.storage.locks import MOVE, only_one_at_work
from runpool.backup.targets import Folder
from tests.factories import Cast

CONTENT = b"a picture" * 1000


@pytest.fixture
def logo(cast: Cast) -> str:
    """The name of a stored file."""
    name = store(ContentFile(CONTENT), folder="logos", suffix=".png").name
    Campaign.objects.filter(pk=cast.campaign.pk).update(logo=name)
    return name


def move(folder: Path) -> tuple[str, str]:
    said, told = StringIO(), StringIO()
    call_command("move_site", "--to-files", str(folder), "--site-is-stopped", stdout=said, stderr=told)
    return said.getvalue(), told.getvalue()


def test_the_second_of_two_operators_who_move_at_once_is_refused_and_nothing_is_copied(
    logo: str, tmp_path: Path
) -> None:
    place, elsewhere = tmp_path / "new", tmp_path / "elsewhere"
    place.mkdir()
    with Folder(place).alone(), pytest.raises(CommandError, match="Somebody else moves a site to this place"):
        move(place)
    with only_one_at_work(MOVE), pytest.raises(CommandError, match="Somebody else moves this site"):
        move(elsewhere)
    assert not [path for path in tmp_path.rglob("*.png") if path.is_file()]
    assert "1 file, each with the checksum of its name" in move(place)[1]


@pytest.mark.parametrize("damaged", [b"", CONTENT[:-1], b"b" + CONTENT[1:]], ids=["emptied", "cut", "changed"])
def test_a_damaged_file_at_the_new_place_is_copied_again(logo: str, tmp_path: Path, damaged: bytes) -> None:
    assert "1 file, each with the checksum of its name" in move(tmp_path)[1]
    file = tmp_path / logo
    file.write_bytes(damaged)
    assert f"{logo}: was damaged there, and is copied again" in move(tmp_path)[1]
    assert file.read_bytes() == CONTENT
    before = file.stat().st_mtime_ns
    assert "damaged" not in move(tmp_path)[1]
    assert file.stat().st_mtime_ns == before
