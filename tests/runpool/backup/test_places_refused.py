"""Places that take no backup."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from runpool import env


@pytest.mark.parametrize("below", ["", "/backups", "/link"])
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_no_backup_lies_where_the_cleaning_of_the_site_would_meet_it(
    db: None, settings: Any, tmp_path: Path, below: str, command: str
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "link").symlink_to(tmp_path / "files" / "other")
    settings.STORAGE_URL = f"file://{tmp_path}/files"
    with pytest.raises(CommandError, match=r"cleaning would take the backups away\. Name another folder"):
        call_command(command, f"{tmp_path}/files{below}")


@pytest.mark.parametrize("name", env.OF_OTHER_USE)
def test_no_backup_lies_in_a_folder_that_the_site_has_for_something_else(
    db: None, settings: Any, tmp_path: Path, name: str
) -> None:
    settings.DATA_DIR = tmp_path
    with pytest.raises(CommandError, match=r"This is where the site keeps its files"):
        call_command("backup", f"{tmp_path}/{name}/backups")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["", " "])
@pytest.mark.parametrize("command", [("backup",), ("restore",), ("move_site", "--site-is-stopped", "--to-files")])
def test_an_empty_name_of_a_folder_is_refused(
    db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...], given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"The name of the place is empty\. Name a folder"):
        call_command(*command, given)
    assert list(tmp_path.iterdir()) == []
