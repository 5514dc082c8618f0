"""The machines of all tests here: they boot once a run."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.http_clients import PASSWORD
from tests.machines.documents import sections
from tests.machines.machine import Machine, Rack, rack
from tests.machines.site import HOST
from tests.places import REPOSITORY


@pytest.fixture(scope="session")
def place_of_machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    with rack(tmp_path_factory.mktemp("machines")) as found:
        yield found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the program as it is here."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(REPOSITORY)]
    done = subprocess.run(build, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("runpool-*.whl")
    return found


@pytest.fixture(scope="session")
def first(place_of_machines: Rack, wheel: Path) -> Machine:
    """A machine with a site, by the commands of first-site.md."""
    machine = place_of_machines.boot("one")
    bring(wheel, machine)
    beginning, *others = sections("operator/first-site.md")
    values = beginning.with_values(version=version_of(wheel))
    started = time.monotonic()
    for section in others:
        machine.run(f"{values}\n{section.commands}", stdin=f"{PASSWORD}\n", timeout=1200)
        print(f"{time.monotonic() - started:6.1f} s  {section.title}")
    return machine


def bring(wheel: Path, machine: Machine) -> None:
    (machine.file("/root") / wheel.name).write_bytes(wheel.read_bytes())


def version_of(wheel: Path) -> str:
    return wheel.name.split("-")[1]


@pytest.fixture
def url(first: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site as browsers reach it: its host name leads to the machine, its certificate is known."""
    certificate = tmp_path / "certificate.pem"
    certificate.write_bytes(first.file("/etc/runpool/tls/certificate.pem").read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    ask = socket.getaddrinfo

    def addresses(host: str, *arguments: Any, **named: Any) -> Any:
        return ask(first.address if host == HOST else host, *arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", addresses)
    return f"https://{HOST}"
