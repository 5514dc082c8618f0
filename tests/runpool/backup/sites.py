"""Sites of processes of their own, into which backups are restored."""

import os
import subprocess
import sys
from pathlib import Path

from runpool import env
from tests.commands import Commands
from tests.places import REPOSITORY


class OtherSite:
    """An empty site with a folder of its own; without `database` on SQLite. `program`: the checkout whose commands it runs."""

    def __init__(self, folder: Path, database: str = "", program: Path = REPOSITORY, **settings: str) -> None:
        self.folder = folder
        self.program = program
        self.environment = {
            **{
                key: value
                for key, value in os.environ.items()
                if key not in {"RUNPOOL_DATABASE_URL", "RUNPOOL_BROKER_URL"}
            },
            "RUNPOOL_DATA_DIR": str(folder),
            "RUNPOOL_SECRET_KEY": "only for tests",
            "DJANGO_SETTINGS_MODULE": "runpool.settings",
            **({"RUNPOOL_DATABASE_URL": database} if database else {}),
            **settings,
        }
        if program != REPOSITORY:  # released versions read the old names
            self.environment |= {
                old: self.environment[new] for old, new in env.OLD_NAMES.items() if new in self.environment
            }
            self.environment["DJANGO_SETTINGS_MODULE"] = "campaign.project.settings"
        self._commands = Commands(self.environment, program)

    def manage(self, *arguments: str, fails: bool = False) -> str:
        """Run a command and return what it printed on both streams."""
        done = self.run("manage.py", *arguments)
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return self._commands.run(*words)

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=self.program,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
