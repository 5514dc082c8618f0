"""Folders and files of the site are for its own user only: runs, scores, mails and keys lie in them."""

import os
import pwd
import shlex
import stat
import sys
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

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


def require_own(**folders: Path) -> None:
    """Refuse root where one of these folders, by its name in words, belongs to another user."""
    if os.geteuid() == 0:
        for name, folder in folders.items():
            _require_of_root(name.replace("_", " "), folder)


def _require_of_root(name: str, folder: Path) -> None:
    """What root writes into a folder of another user, the services could not read."""
    if not folder.exists() or (there := folder.stat()).st_uid == 0:
        return
    try:
        owner = pwd.getpwuid(there.st_uid).pw_name
        become = f"runuser -u {owner} --"
    except KeyError:  # of another machine, or of the host of a container
        owner = str(there.st_uid)
        become = f"setpriv --reuid {owner} --regid {there.st_gid} --clear-groups --"
    raise ImproperlyConfigured(
        f"The {name} {folder} belongs to the user {owner}, and this is root: the services could not read what root "
        f"writes there. Type: {become} {shlex.join(sys.orig_argv)}"
    )


def require_open(name: str, folder: Path) -> None:
    """Refuse a folder that is there and that this user cannot look into, where a check of the program itself would break."""
    try:
        os.scandir(folder).close()
    except PermissionError as problem:
        user = str(os.geteuid())
        with suppress(KeyError):  # of another machine, or of the host of a container
            user = pwd.getpwuid(os.geteuid()).pw_name
        raise ImproperlyConfigured(
            f"The {name} {folder} cannot be opened by the user {user}, who runs this. Give it to that user, "
            f"and let it be opened: chmod 700 {folder}"
        ) from problem
    except OSError:  # it is not there yet, or no folder: `manage.py check` says what is wrong with it
        return


def open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & OF_OTHERS)


def _is_own(folder: Path) -> bool:
    there = folder.stat()
    return there.st_uid == os.geteuid() and not there.st_mode & stat.S_ISVTX
