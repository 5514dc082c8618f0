"""A restoration for practice: into a site of its own, which is verified and removed, with the time that it took."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import runpool
from campaign.database import clock
from runpool.backup.record import record, recorded
from runpool.backup.targets import TargetError

OF_THIS_SITE = ("RUNPOOL_STORAGE_URL", "RUNPOOL_BROKER_URL", "RUNPOOL_CACHE_URL")
"""Settings that would lead the practice into what this site uses."""
DRILL = "drill"


@dataclass(frozen=True, slots=True)
class Drill:
    """`restored`, `verified`: seconds."""

    at: datetime
    restored: float
    verified: float

    @property
    def in_words(self) -> str:
        return f"restored in {self.restored:,.1f} s, verified in {self.verified:,.1f} s"


def restore_drill(words: Sequence[str]) -> Drill:
    """Restore as `restore` with these words does, into SQLite and a folder below TMPDIR, then verify all that is there.

    TargetError with what was said, if either fails; nothing is noted then.
    """
    with tempfile.TemporaryDirectory(prefix="runpool-drill-") as folder:
        restored, verified = _seconds(Path(folder), "restore", *words), _seconds(Path(folder), "verify")
    drill = Drill(clock.now(), restored, verified)
    drill_note(drill)
    return drill


def last_drill() -> Drill | None:
    found = recorded().get(DRILL)
    if found is None:
        return None
    at, restored, verified = found
    return Drill(datetime.fromisoformat(at), restored, verified)


def drill_note(drill: Drill) -> None:
    record(DRILL, [drill.at.isoformat(timespec="seconds"), drill.restored, drill.verified])


def _seconds(folder: Path, *words: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name not in OF_THIS_SITE} | {
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "PYTHONPATH": str(Path(runpool.__file__).parents[1]),
        "RUNPOOL_DATA_DIR": str(folder / "data"),
        "RUNPOOL_DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
    }
    start = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-m", "django", *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise TargetError(f"The drill failed at “{words[0]}”: {(done.stderr or done.stdout).strip()[-2000:]}")
    return round(time.perf_counter() - start, 1)
