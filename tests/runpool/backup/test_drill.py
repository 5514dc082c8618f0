"""A restoration for practice beside the running site."""

import fcntl
from pathlib import Path

from campaign.storage.locks import RESTORE
from tests.runpool.backup.sites import OtherSite


def test_a_drill_restores_verifies_removes_and_says_how_long_it_and_the_one_before_took(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    site = OtherSite(tmp_path / "site", TMPDIR=str(tmp_path / "tmp"))
    site.manage("migrate")
    site.manage("create_user", "olga", "--email", "olga@example.org")
    folder = str(tmp_path / "backups")
    site.manage("backup", folder)
    with (site.folder / f".lock-{RESTORE}").open("ab") as lock:  # as of somebody who restores into this site
        fcntl.flock(lock, fcntl.LOCK_EX)
        first = site.manage("restore", folder, "--drill")
        second_operator = site.manage("restore", folder, fails=True)
    assert "Somebody else restores into this site. Wait until that has ended" in second_operator
    assert "nothing is missing or damaged" in first
    assert "The drill before" not in first
    took = first.partition(": ")[2].partition(";")[0]
    assert took.startswith("restored in ")
    second = site.manage("restore", folder, "--drill")
    assert f"UTC: {took}." in second
    assert list((tmp_path / "tmp").iterdir()) == []
    for part in (tmp_path / "backups" / "parts").rglob("*"):
        if part.is_file():
            part.write_bytes(bytes(len(part.read_bytes())))
    refused = site.manage("restore", folder, "--drill", fails=True)
    assert "The drill failed at “restore”" in refused
    assert list((tmp_path / "tmp").iterdir()) == []
