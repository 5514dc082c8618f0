"""Backups, restorations and moves that are killed in the middle leave nothing half-done, and are started again."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from campaign.backup.making import backup_make
from campaign.backup.targets import UNFINISHED, Folder
from tests.campaign.backup.sites import OtherSite
from tests.conftest import MadeOnce
from tests.world import World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def backups(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("backups")

    def make() -> World:
        world = make_world()
        backup_make(Folder(folder), lambda line: None)
        return world

    with made_once(make):
        yield folder


def killed_when(site: OtherSite, *arguments: str, reached: Callable[[], object]) -> None:
    process = site.start(*arguments)
    deadline = time.monotonic() + 120
    try:
        while not reached() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_restoration_that_is_killed_leaves_no_rows_and_goes_on_with_the_same_command(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path / "site")
    files = tmp_path / "site" / "files"
    killed_when(site, "restore", str(backups), reached=lambda: files.is_dir() and any(files.rglob("*.*")))
    assert "is restored" in site.manage("restore", str(backups))
    assert "\n0 findings" in site.manage("verify", "files")


def test_a_backup_that_is_killed_is_none_and_the_next_one_uses_its_parts(backups: Path, tmp_path: Path) -> None:
    site, target = OtherSite(tmp_path / "site"), tmp_path / "again"
    site.manage("restore", str(backups))
    killed_when(site, "backup", str(target), reached=lambda: any((target / "parts").rglob("??/*")))
    assert Folder(target).manifests() == []
    site.manage("backup", str(target), "--keep", "1")
    site.manage("backup", str(target), "--check")
    assert not list(target.rglob(f"{UNFINISHED}*"))
