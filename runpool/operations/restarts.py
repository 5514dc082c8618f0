"""Which processes of an embedded site ended by themselves and were started again: a line for each, beside their logs.

A file and no row: whoever keeps the processes alive must not depend on a database that may be what failed.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FILE_NAME = "restarts"
REMEMBERED_SECONDS = 3600


def restart_record(folder: Path, name: str) -> None:
    lines = [f"{at:.0f} {other}\n" for at, other in _restarts(folder)]
    draft = folder / f"{FILE_NAME}.new"
    draft.write_text("".join([*lines, f"{time.time():.0f} {name}\n"]), encoding="utf-8")
    os.replace(draft, folder / FILE_NAME)


def restarts_in_words(folder: Path) -> str:
    """A sentence on the last hour; empty if nothing had to be started again."""
    counted = Counter(name for _, name in _restarts(folder))
    parts = [f"{name} {count:,} {'time' if count == 1 else 'times'}" for name, count in sorted(counted.items())]
    return f"started again in the last hour, having ended by themselves: {', '.join(parts)}" if parts else ""


def _restarts(folder: Path) -> Iterator[tuple[float, str]]:
    try:
        text = (folder / FILE_NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:  # there is none: nothing was started again, or other means keep the processes alive
        return
    for line in text.splitlines():
        at, _, name = line.partition(" ")
        if at.isdigit() and name and float(at) > time.time() - REMEMBERED_SECONDS:
            yield float(at), name
