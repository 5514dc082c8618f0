"""`archive_campaign`: a file that is whole or as it was, and the reason where there is none."""

from io import StringIO
from pathlib import Path
from typing import IO

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Archive, DamagedFile
from campaign.storage.consistent_read import one_state
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified
from tests.campaign.runs.makers import make_ready_cast, submit_and_check
from tests.campaign.storage.makers import damage, place
from tests.factories import Cast

pytestmark = pytest.mark.django_db(transaction=True)  # what is read as it is at one moment is a transaction of its own


@pytest.fixture
def cast(settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = tmp_path / "files"
    return make_ready_cast()


def archive(cast: Cast, file: Path, *options: str) -> None:
    words = ("archive_campaign", cast.campaign.slug, str(file), "--as", cast.organiser.username, *options)
    call_command(*words, stdout=StringIO())


@pytest.mark.parametrize("how", ["damaged", "missing"])
def test_a_damaged_file_of_a_run_is_the_reason_that_is_given(
    cast: Cast, tmp_path: Path, how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    name = submit_and_check(cast).file.name
    damage(name) if how == "damaged" else place(name).unlink()
    (tmp_path / "kept.zip").write_bytes(b"an earlier archive")
    with pytest.raises(
        CommandError, match=f"^The archive was not made\\. .*{name} is missing or damaged, or cannot be read"
    ):
        archive(cast, tmp_path / "kept.zip", "--overwrite")
    assert (tmp_path / "kept.zip").read_bytes() == b"an earlier archive"
    assert "Exception ignored" not in capfd.readouterr().err


@pytest.mark.sqlite("campaign.storage.consistent_read._transaction")
def test_what_is_found_damaged_where_nothing_can_be_written_is_set_aside_by_the_next_reader(cast: Cast) -> None:
    name = submit_and_check(cast).file.name
    damage(name)
    for _ in range(2):
        with one_state(), pytest.raises(DamagedFileError, match="is missing or damaged"):
            open_verified(name, found_by="a test")
        assert place(name).exists()
    with pytest.raises(DamagedFileError, match="was set aside"):
        open_verified(name, found_by="a test")
    assert DamagedFile.objects.get().name == name


def test_a_place_that_cannot_be_written_is_said_before_the_archive_is_made(cast: Cast, tmp_path: Path) -> None:
    for file in (tmp_path / "no" / "a.zip", tmp_path):
        with pytest.raises(CommandError, match="cannot be written: name a file in a folder that is there"):
            archive(cast, file)
    archive(cast, tmp_path / "a.zip")
    assert (tmp_path / "a.zip").stat().st_mode & 0o077 == 0


def test_a_file_that_is_there_is_replaced_only_where_that_is_asked_for(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "kept.zip"
    file.write_bytes(b"an earlier archive")
    with pytest.raises(CommandError, match=r"kept\.zip is there already\. Name another file, or add --overwrite\."):
        archive(cast, file)
    assert (file.read_bytes(), Archive.objects.count()) == (b"an earlier archive", 0)
    archive(cast, file, "--overwrite")
    assert file.read_bytes().startswith(b"PK")


def test_a_file_that_comes_while_the_archive_is_made_stays(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.zip"

    def copy(stored: IO[bytes], out: IO[bytes]) -> None:
        file.write_bytes(b"somebody else's")
        out.write(stored.read())

    monkeypatch.setattr("runpool.management.commands.archive_campaign.shutil.copyfileobj", copy)
    with pytest.raises(CommandError, match=r"kept\.zip is there already\. Name another file, or add --overwrite\."):
        archive(cast, file)
    assert [(one.name, one.read_bytes()) for one in tmp_path.glob("*.*")] == [("kept.zip", b"somebody else's")]
    archive(cast, file, "--overwrite")
    assert file.read_bytes().startswith(b"PK")
