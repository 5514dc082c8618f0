"""Names of files in an archive that are valid on every file system, made from any names of teams and runs."""

import re
import unicodedata

LONGEST = 80
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


class ArchiveNames:
    """Makes names unique, even on file systems that ignore case."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, *parts: str, suffix: str = "") -> str:
        path = "/".join(safe_name(part) for part in parts)
        name, number = path + suffix, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{path}-{number}{suffix}"
        self._taken.add(name.casefold())
        return name


def safe_name(text: str) -> str:
    """Return one part of a path: no separator, no leading or trailing dot, no reserved device name (CON, NUL…), never empty.

    >>> safe_name("../Zürich: run 1"), safe_name("con.txt")
    ('_Zurich_run_1', '_con.txt')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = UNSAFE.sub("_", plain).strip(".")[:LONGEST].rstrip(".") or "_"
    return f"_{name}" if DEVICES.match(name) or name.startswith("-") else name
