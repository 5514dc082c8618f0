"""A stored file that the user of the site may not read, as after a copy by root: named by itself, and left where it is."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Campaign, DamagedFile
from campaign.storage import store
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified
from tests.campaign.storage.makers import place
from tests.factories import Cast

CONTENT = b"as sent"
USER = 65534


@pytest.fixture
def closed(cast: Cast, settings) -> Iterator[str]:
    """The name of a file that root has copied into the folder of a site which runs as another user."""
    folder = Path(tempfile.mkdtemp())  # that user reaches none of pytest's own
    settings.MEDIA_ROOT = folder / "files"
    settings.FILE_UPLOAD_TEMP_DIR = folder
    name = store(BytesIO(CONTENT), folder="logos", suffix=".png").name
    Campaign.objects.filter(pk=cast.campaign.pk).update(logo=name)
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, USER, USER)
        os.chown(place(name), 0, 0)
    else:
        place(name).chmod(0)
    yield name
    shutil.rmtree(folder)


@contextmanager
def user_of_the_site() -> Iterator[None]:
    before = os.geteuid()
    if before == 0:
        os.seteuid(USER)
    try:
        yield
    finally:
        os.seteuid(before)


def run(*command: str) -> str:
    told = StringIO()
    with user_of_the_site(), pytest.raises((CommandError, SystemExit)) as ended:
        call_command(*command, stdout=StringIO(), stderr=told)
    return f"{told.getvalue()}{ended.value}"


def test_a_verification_names_it_with_what_to_do_and_leaves_it_in_its_place(closed: str) -> None:
    told = run("verify", "files")
    assert f"files: {closed}: the user who runs the site may not read it; " in told
    assert "Give it to that user (chown)" in told
    assert "broke off" not in told
    assert place(closed).read_bytes() == CONTENT if os.geteuid() == 0 else place(closed).exists()


def test_a_backup_keeps_everything_else_and_names_it(closed: str) -> None:
    told = run("backup", str(place(closed).parents[3] / "backups"))
    assert f"{closed}: missing or damaged; see manage.py verify" in told
    assert "Incomplete: 1 stored file" in told


def test_a_backup_goes_on_past_a_folder_that_is_closed(closed: str) -> None:
    place(closed).parent.chmod(0)
    told = run("backup", str(place(closed).parents[3] / "backups"))
    place(closed).parent.chmod(0o700)
    assert "must not be read or written by this user" in told
    assert f"{closed}: missing or damaged; see manage.py verify" in told
    assert "Incomplete: 1 stored file" in told


def test_whoever_reads_it_is_answered_as_for_a_missing_one_until_it_is_open_again(closed: str) -> None:
    with user_of_the_site(), pytest.raises(DamagedFileError, match="is missing or damaged, or cannot be read"):
        open_verified(closed, found_by="a test")
    assert DamagedFile.objects.get(restored_at=None).moved_to == ""
    place(closed).chmod(0o600)
    with open_verified(closed, found_by="a test") as file:
        assert file.read() == CONTENT


def test_the_same_bytes_that_come_in_again_take_its_place(closed: str) -> None:
    with user_of_the_site():
        assert store(BytesIO(CONTENT), folder="logos", suffix=".png").name == closed
        with open_verified(closed, found_by="a test") as file:
            assert file.read() == CONTENT
    assert not DamagedFile.objects.filter(restored_at=None).exists()
