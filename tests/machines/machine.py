"""Bare Debian machines with systemd and addresses of their own, made for a test and thrown away after it.

A machine is a container of systemd-nspawn over a base system that debootstrap makes once a test run. Its kernel is that
of the host; everything else, init and services included, is what a new machine has.
"""

import ipaddress
import itertools
import os
import platform
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.requirements import MACHINES, lacking

PROGRAMS = ("debootstrap", "systemd-nspawn", "setpriv", "unshare", "nsenter", "ip", "nft")
PACKAGES = "systemd,systemd-sysv,dbus,ca-certificates,iproute2"
OF_THIS_NETWORK = (
    "/etc/pip.conf",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/share/ca-certificates",
    "/etc/resolv.conf",
)
"""Authorities and package indexes that the network of the host wants."""
BOOT_SECONDS = 60
USUAL_UMASK = 0o022
"""The site's own processes, tests included, make files for their user only; the files of a machine are for all its users."""


def require_machines() -> None:
    if os.geteuid() != 0 or any(shutil.which(program) is None for program in PROGRAMS):
        lacking(MACHINES)


def call(*command: str, stdin: str | None = None) -> str:
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=300, check=False, umask=USUAL_UMASK
    )
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def child_of(process: str) -> str:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except FileNotFoundError:
        return ""
    return children[0] if children else ""


def base_system(folder: Path) -> Path:
    """A Debian of the host's release, with no more than it needs to boot."""
    base = folder / "base"
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    [mirror, *_] = call("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()
    call("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, str(base), mirror)
    for name in OF_THIS_NETWORK:
        source, target = Path(name), base / name[1:]
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
        elif source.exists():
            target.unlink(missing_ok=True)
            shutil.copy(source, target)
    (base / "etc/dpkg/dpkg.cfg.d/quick").write_text("force-unsafe-io\n")  # nothing here outlives the test
    return base


@dataclass
class Network:
    """A bridge with a way out, so that the machines reach each other, the host and the package indexes."""

    name: str
    subnet: ipaddress.IPv4Network

    def address(self, number: int) -> str:
        return str(self.subnet[number])

    @property
    def of_the_host(self) -> str:
        return self.address(1)


@contextmanager
def network() -> Iterator[Network]:
    name = f"rpm{os.getpid()}"
    taken = call("ip", "-4", "route")
    subnet = next(net for n in itertools.count(77) if f"10.231.{n}." not in taken for net in [f"10.231.{n}.0/24"])
    net = Network(name, ipaddress.IPv4Network(subnet))
    forward = Path("/proc/sys/net/ipv4/ip_forward")
    before = forward.read_text()
    rules = f"""
        add table ip {name}
        add chain ip {name} out {{ type nat hook postrouting priority srcnat; }}
        add rule ip {name} out ip saddr {subnet} ip daddr != {subnet} masquerade
    """
    try:
        call("ip", "link", "add", name, "type", "bridge")
        call("ip", "addr", "add", f"{net.of_the_host}/24", "dev", name)
        call("ip", "link", "set", name, "up")
        call("nft", "-f", "-", stdin=rules)
        forward.write_text("1")
        yield net
    finally:
        forward.write_text(before)
        subprocess.run(["nft", "delete", "table", "ip", name], capture_output=True, check=False)
        subprocess.run(["ip", "link", "delete", name], capture_output=True, check=False)


class Machine:
    def __init__(self, name: str, folder: Path, base: Path, net: Network, number: int) -> None:
        self.name, self.folder, self.base = name, folder, base
        self.address = net.address(number)
        self._namespace = f"{net.name}-{number}"
        self._log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        cable = f"{net.name}v{number}"
        call("ip", "netns", "add", self._namespace)
        call("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", self._namespace)
        call("ip", "link", "set", cable, "master", net.name, "up")
        for words in (
            f"addr add {self.address}/24 dev eth0", "link set eth0 up", "link set lo up",
            f"route add default via {net.of_the_host}",
        ):  # fmt: skip
            call("ip", "-n", self._namespace, *words.split())

    def boot(self) -> None:
        parts = [self.folder / self.name / part for part in ("upper", "work", "root")]
        call("mkdir", "--parents", *(str(part) for part in parts))
        upper, work, root = parts
        layers = f"lowerdir={self.base},upperdir={upper},workdir={work}"
        script = f"""mount -t overlay overlay -o {layers} {root} && echo {self.name} > {root}/etc/hostname &&
            exec systemd-nspawn --quiet --boot --register=no --keep-unit --directory={root} --machine={self.name} \
            --hostname={self.name} --capability=CAP_NET_ADMIN --resolv-conf=off --link-journal=no --console=pipe \
            --network-namespace-path=/run/netns/{self._namespace}"""
        with self._log.open("ab") as log:
            # In namespaces of its own nothing stays mounted and no process alive when the first process is gone.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--pid",
                 "--mount-proc", "--fork", "--kill-child=KILL", "sh", "-c", script],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, umask=USUAL_UMASK,
            )  # fmt: skip
        deadline = time.monotonic() + BOOT_SECONDS
        while not (self._leader() and self._state() in {"running", "degraded"}):
            assert self._process.poll() is None, self._log.read_text()[-3000:]
            assert time.monotonic() < deadline, f"{self.name} does not come up: {self._state()}"
            time.sleep(0.3)

    def _nspawn(self) -> str:
        return child_of(str(self._process.pid)) if self._process else ""

    def _leader(self) -> str:
        """The machine's first process, by its number on the host."""
        return child_of(self._nspawn())

    def _state(self) -> str:
        return self.ask("systemctl is-system-running").stdout.strip()

    def ask(self, command: str, stdin: str = "", timeout: float = 300) -> "subprocess.CompletedProcess[str]":
        """What a root shell on the machine answers to the command."""
        ours = {name: value for name, value in os.environ.items() if re.match("PIP_(CERT|INDEX|EXTRA|DEFAULT)", name)}
        environment = [f"{name}={value}" for name, value in ours.items()]
        return subprocess.run(
            ["nsenter", "--target", self._leader(), "--all", "--", "env", "--ignore-environment",
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
             "DEBIAN_FRONTEND=noninteractive", *environment, "bash", "-c", f"cd /root; set -e; {command}"],
            input=stdin, capture_output=True, text=True, timeout=timeout, check=False, umask=USUAL_UMASK,
        )  # fmt: skip

    def run(self, command: str, stdin: str = "", timeout: float = 300) -> str:
        done = self.ask(command, stdin, timeout)
        assert done.returncode == 0, f"{self.name}: {command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def file(self, path: str) -> Path:
        """A file of the running machine, for the host to read or to write."""
        return Path(f"/proc/{self._leader()}/root{path}")

    def shut_down(self) -> None:
        """Let systemd end everything in order."""
        os.kill(int(self._nspawn()), signal.SIGTERM)
        assert self._process is not None
        self._process.wait(timeout=120)
        self._process = None

    def cut_power(self) -> None:
        """All processes die at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.cut_power()
        call("ip", "netns", "delete", self._namespace)


class Rack:
    """Machines over one base system, on one network; each boots when it is asked for."""

    def __init__(self, folder: Path, net: Network, made: ExitStack) -> None:
        self.net = net
        self._folder, self._made = folder, made
        self._base = base_system(folder)
        self._numbers = itertools.count(2)

    def boot(self, name: str) -> Machine:
        machine = Machine(name, self._folder, self._base, self.net, next(self._numbers))
        self._made.callback(machine.remove)
        machine.boot()
        return machine


@contextmanager
def rack(folder: Path) -> Iterator[Rack]:
    require_machines()
    with network() as net, ExitStack() as made:
        yield Rack(folder, net, made)
