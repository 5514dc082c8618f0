"""A move that is started again trusts nothing that lies at the new place."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command

from campaign.models import Campaign
from campaign.storage import store
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
