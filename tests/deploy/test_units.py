"""The samples in deploy/systemd: systemd accepts them, they are shut in, and every queue has a worker."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from campaign import queues
from tests.places import REPOSITORY
from tests.requirements import SYSTEMD, lacking

UNITS = REPOSITORY / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
MOST_EXPOSURE = 2.5


def environment_of(worker: str) -> dict[str, str]:
    lines = (UNITS / "workers" / worker).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    if shutil.which("systemd-analyze") is None:
        lacking(SYSTEMD)
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False)


def with_a_program_that_exists(folder: Path) -> Path:
    """The units with programs and user of this machine, since systemd looks whether they are there."""
    for path in [*UNITS.glob("runpool*.*")]:
        text = re.sub(r"/srv/runpool/program/\.venv/bin/\w+", "/bin/true", path.read_text(encoding="utf-8"))
        (folder / path.name).write_text(text, encoding="utf-8")
    (folder / "runpool-worker@.service").rename(folder / "runpool-worker@checks.service")
    return folder


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    folder = with_a_program_that_exists(tmp_path)
    done = analyze("verify", "--man=no", *(str(path) for path in sorted(folder.iterdir())))
    complaints = [line for line in done.stderr.splitlines() if str(folder) in line or "runpool" in line]
    assert complaints == []


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_shut_in(name: str) -> None:
    level = f"--threshold={int(MOST_EXPOSURE * 10)}"
    done = analyze("security", "--offline=yes", "--no-pager", level, str(UNITS / name))
    assert done.returncode == 0, done.stdout[-300:] + done.stderr


def test_only_the_worker_itself_is_told_to_stop_and_not_the_processes_of_its_jobs() -> None:
    assert "\nKillMode=mixed\n" in (UNITS / "runpool-worker@.service").read_text(encoding="utf-8")


def test_every_queue_is_served_by_one_of_the_workers() -> None:
    served = [name for path in (UNITS / "workers").iterdir() for name in environment_of(path.name)["QUEUES"].split(",")]
    assert sorted(served) == sorted(queues.ALL)


def test_sweep_and_mails_share_their_worker_with_nothing_else() -> None:
    assert set(environment_of("quick")["QUEUES"].split(",")) == {queues.SWEEP, queues.MAIL}


def test_the_guide_names_only_units_that_exist_and_every_one_that_is_enabled() -> None:
    guide = (REPOSITORY / "docs" / "guide" / "operator" / "services.md").read_text(encoding="utf-8")
    named = re.findall(r"runpool[a-z-]*(?:@\w+)?\.(?:service|target|timer)", guide)
    installable = {path.name for path in UNITS.glob("runpool*") if "[Install]" in path.read_text(encoding="utf-8")}
    assert {re.sub(r"@\w+", "@", name) for name in named} == installable


def test_the_guide_enables_every_worker() -> None:
    guide = (REPOSITORY / "docs" / "guide" / "operator" / "services.md").read_text(encoding="utf-8")
    assert set(re.findall(r"runpool-worker@(\w+)\.service", guide)) == {p.name for p in (UNITS / "workers").iterdir()}
