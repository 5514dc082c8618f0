"""Places to which no site moves."""

import errno
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaign.models import Campaign, LastSeen
from campaign.storage import store
from tests.factories import Cast


@pytest.mark.parametrize("folder", ["/", "/etc", "/var/lib"])
def test_a_site_does_not_move_into_a_folder_of_the_whole_machine(
    db: None, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setattr("runpool.management.commands.move_site.files_move", lambda *args: None)
    with pytest.raises(CommandError, match=f"^{folder} belongs to the whole machine"):
        call_command("move_site", "--to-files", folder, "--site-is-stopped")


def test_files_that_lie_there_already_are_not_said_to_be_moved(db: None, settings: Any, tmp_path: Path) -> None:
    settings.STORAGE_URL = f"file://{tmp_path}/files"
    with pytest.raises(CommandError, match="The site keeps its files there already"):
        call_command("move_site", "--to-files", str(tmp_path / "x" / ".." / "files"), "--site-is-stopped")


def test_a_site_does_not_move_to_the_stored_files_of_another_site(db: None, tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "abc").write_text("https://other.example.org/")
    problem = r"is that of another site: https://other\.example\.org/ \(file sites/abc\)\. Move to a new one\."
    with pytest.raises(CommandError, match=problem):
        call_command("move_site", "--to-files", str(tmp_path), "--site-is-stopped")


@pytest.mark.parametrize(
    "address", ["", "garbage", "sqlite:///rel.sqlite3", "mysql://h/d", "postgres://u:hunter2@/d x"]
)
def test_an_address_that_names_no_database_is_refused_by_what_is_wrong_with_it(
    db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        CommandError, match=r"^The new database is .*\. Give postgres://user:password@host/database"
    ) as told:
        call_command("move_site", "--to-files", f"{tmp_path}/new", "--to-database", address, "--site-is-stopped")
    assert "hunter2" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_without_a_traceback(db: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CommandError, match=r"^The files cannot be moved there: .*file"):
        call_command("move_site", "--to-files", f"{tmp_path}/file", "--site-is-stopped")


def test_a_full_disk_ends_a_move_with_what_to_do(cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = store(ContentFile(b"a picture"), folder="logos", suffix=".png").name
    Campaign.objects.filter(pk=cast.campaign.pk).update(logo=name)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match=r"The disk is full\. Make room, and start this again"):
        call_command("move_site", "--to-files", f"{tmp_path}/new", "--site-is-stopped")


def test_a_sweep_that_is_recorded_in_the_future_is_not_said_to_have_been_minutes_ago(db: None, tmp_path: Path) -> None:
    LastSeen.objects.create(name=LastSeen.SWEEP, at=timezone.now() + timedelta(hours=1, seconds=30))
    move = ("move_site", "--to-files", f"{tmp_path}/new")
    with pytest.raises(CommandError, match=r"recorded 60 minutes in the future: the clock was set back since"):
        call_command(*move)
    call_command(*move, "--site-is-stopped")
