"""Folders and files of the site are for its own user only: runs, scores, mails and keys lie in them."""

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE_FOLDER, PRIVATE_FILE, OF_OTHERS = 0o700, 0o600, 0o077
KEPT_FILES = ("secret-key", "runpool.sqlite3*", "beat-schedule*")


def keep_private(*folders: Path) -> None:
    """Make these folders, and take them from everybody else; files that this process makes are private anyhow.

    What belongs to another user, and folders that all share such as /tmp, stay as they are: `manage.py check` names them.
    """
    os.umask(OF_OTHERS)
    for folder in folders:
        with suppress(OSError):  # `manage.py check` names a folder that cannot be made or written
            folder.mkdir(parents=True, exist_ok=True)
            if open_to_others(folder) and _is_own(folder):
                folder.chmod(PRIVATE_FOLDER)
            for file in (found for pattern in KEPT_FILES for found in folder.glob(pattern)):
                if open_to_others(file):
                    file.chmod(PRIVATE_FILE)


def open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & OF_OTHERS)


def _is_own(folder: Path) -> bool:
    there = folder.stat()
    return there.st_uid == os.geteuid() and not there.st_mode & stat.S_ISVTX
