"""Places to which no site moves."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command


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
