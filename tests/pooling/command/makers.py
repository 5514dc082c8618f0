"""Files for the command of pools, and the command run in this process or in one of its own."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pooling.command.main import SUBCOMMANDS
from tests.factories import run_lines
from tests.places import REPOSITORY

NORTH = {"2": ["x", "y"], "10": ["a", "b", "c", "d"]}
SOUTH = {"10": ["d", "e", "a"], "2": ["y", "z"]}


class Done(NamedTuple):
    status: int
    out: str
    err: str


def write_runs(folder: Path) -> None:
    (folder / "north.txt").write_bytes(run_lines(NORTH, "north"))
    (folder / "south.txt").write_bytes(run_lines(SOUTH, "south"))


def run_here(capfd: pytest.CaptureFixture[str], *words: str) -> Done:
    """Without `main`, which would change the signals of the process that runs the tests."""
    try:
        status = import_module(SUBCOMMANDS[words[0]]).run(words[1:])
    except SystemExit as ended:
        status = int(str(ended.code))
    return Done(status, *capfd.readouterr())


def run_alone(*words: str, cwd: Path, stdin: bytes = b"", **settings: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return subprocess.run(words, cwd=cwd, input=stdin, capture_output=True, env=environment, timeout=60, **settings)


PYTHON = sys.executable
