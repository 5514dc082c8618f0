"""The released versions: where each stands in the history, and what it had. A release is a line here and a file in data/."""

import hashlib
import os
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.places import REPOSITORY
from tests.pure_code import WITH_TABLES
from tests.requirements import HISTORY, lacking

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Release:
    """`last`: the last migration of each app. `migrations_sha256`: of all migration files up to these, by `sha256_of`."""

    version: str
    commit: str
    last: Mapping[str, str]
    migrations_sha256: str

    @property
    def data(self) -> Path:
        """A backup that tests/upgrades/make_data.sh made with this version."""
        return DATA / f"{self.version}.tar.xz"


RELEASES = [
    Release(
        "1.0.0",
        "dc2c789d3cbf4764075ea682b64aacb6919253d0",
        dict.fromkeys(WITH_TABLES, "0001_initial"),
        "6852940ffb93dc007385e63690c5568e896ef93cb2e9b992280eeb7df3bfcd1a",
    ),
]
"""In the order of their versions."""


def migration_files(release: Release) -> list[Path]:
    """Those that the version had: names begin with the number in their order."""
    return [
        path
        for app in WITH_TABLES
        for path in sorted((REPOSITORY / app / "migrations").glob("[0-9]*.py"))
        if path.stem <= release.last[app]
    ]


def sha256_of(paths: list[Path]) -> str:
    lines = (f"{path.relative_to(REPOSITORY)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def unpack_data(release: Release, folder: Path) -> Path:
    _unpack(release.data, folder)
    return folder


def unpack_program(release: Release, folder: Path) -> Path:
    """The checkout of the version, from the history of this one."""
    folder.mkdir()
    archive = folder.with_suffix(".tar")
    command = ["git", "archive", "--output", str(archive), release.commit]
    done = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, "LC_ALL": "C"}, capture_output=True, check=False)
    if done.returncode:
        lacking(HISTORY)
    _unpack(archive, folder)
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """Python 3.11 knows filters from 3.11.4 on."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
