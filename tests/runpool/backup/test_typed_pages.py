"""Commands of the operator's pages on a site of its own, typed into a shell as they stand there; only the folders are others."""

import subprocess
from pathlib import Path

from tests.machines.documents import sections
from tests.places import REPOSITORY
from tests.runpool.backup.sites import OtherSite


class Shell:
    """`manage.py` of a site on SQLite stands in its PATH; users and folders of the pages are those of the test."""

    def __init__(self, site: OtherSite, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.others = {
            " -o runpool -g runpool": "",
            "/srv/backups/": f"{folder}/",
            "/srv/runpool/data": str(site.folder),
            "/srv/runpool/files": f"{folder}/files",
            "postgres://runpool:secret@localhost/runpool": f"sqlite:///{folder}/moved.sqlite3",
        }
        programs = site.folder.parent / f"programs of {site.folder.name}"
        programs.mkdir(parents=True)
        (programs / "manage.py").write_text(
            f'#!/bin/bash\ncd "{REPOSITORY}" && exec "{site._commands.python()}" manage.py "$@"\n', encoding="utf-8"
        )
        (programs / "manage.py").chmod(0o700)
        self.environment = {**site.environment, "PATH": f"{programs}:{site.environment['PATH']}"}

    def type(self, page: str, title: str) -> str:
        """All commands of the section; each must end well."""
        [commands] = [section.commands for section in sections(f"operator/{page}.md") if section.title == title]
        for text, other in self.others.items():
            commands = commands.replace(text, other)
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (commands, done.stdout, done.stderr)
        return done.stdout + done.stderr


def test_backup_restore_verification_accounts_and_the_move_are_typed_as_they_stand_on_their_pages(
    tmp_path: Path,
) -> None:
    site = OtherSite(tmp_path / "site")
    site.manage("migrate", "--verbosity", "0")
    site.manage("create_user", "mona", "--email", "mona@example.org")
    (site.folder / "mail").mkdir(exist_ok=True)
    (site.folder / "mail" / "one.eml").write_text("To: Mona@example.org\n", encoding="utf-8")
    shell = Shell(site, tmp_path)
    assert "every part is whole" in shell.type("backup", "Make backups")
    empty = OtherSite(tmp_path / "new")
    assert "nothing is missing or damaged" in Shell(empty, tmp_path).type("backup", "Restore")
    for section in sections("operator/people.md"):
        if section.commands:
            shell.type("people", section.title)
    assert '"findings": []' in (tmp_path / "found.json").read_text(encoding="utf-8")
    assert (site.folder / "mona.zip").stat().st_size
    shell.type("moving", "# Moving a site")
    assert (tmp_path / "moved.sqlite3").stat().st_size
