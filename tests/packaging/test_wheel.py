"""The wheel in a fresh environment and an empty folder: what works in a checkout works there.

What the wheel needs from elsewhere is lent by the environment of the tests, so that no package index is asked.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email import message_from_bytes
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import pytest
import yaml

from campaign.version import VERSION
from tests.places import REPOSITORY
from tests.ports import free_port
from tests.requirements import READ_ONLY, lacking

pytestmark = pytest.mark.embedded
IMAGE = REPOSITORY / "deploy" / "container"
COMPOSE = yaml.safe_load((IMAGE / "compose.yaml").read_text(encoding="utf-8"))["services"]
STARTED = [
    name
    for name, service in COMPOSE.items()
    if service["image"] == "runpool" and name not in ("migrate", "uploads", "desks")
]
"""Of the web servers one, since they differ in numbers alone."""
ON_READ_ONLY_DISK = """
set -e
for folder in "$1" "$2"; do mount --bind "$folder" "$folder"; done
mount -o remount,bind,ro /
shift 2
exec "$@"
"""
"""What `read_only: true` of a container does; only the folders that are named can be written."""
CHOSEN = {
    "RUNPOOL_DATA_DIR",
    "RUNPOOL_DATABASE_URL",
    "TEST_REDIS_URL",
    "RUNPOOL_BROKER_URL",
    "DJANGO_SETTINGS_MODULE",
    "PYTHONPATH",
}
EVERY_TEMPLATE = """
import json, sys, django
django.setup()
from django.template.loader import get_template
print(json.dumps([get_template(name).origin.name for name in json.load(sys.stdin)]))
"""


@dataclass(frozen=True)
class Installed:
    wheel: Path
    environment: Path
    folder: Path

    def run(
        self, *words: str, stdin: str = "", fails: bool = False, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        """A program of the environment, in the empty folder, with nothing set but what is named."""
        command = [str(self.environment / "bin" / words[0]), *words[1:]]
        done = subprocess.run(
            command, cwd=self.folder, env=clean(settings), input=stdin, capture_output=True, text=True, timeout=300
        )
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return done


def clean(settings: dict[str, str]) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if name not in CHOSEN}, **settings}


def build(kind: str, source: Path, folder: Path) -> Path:
    words = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(folder), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("runpool-*.whl" if kind == "wheel" else "runpool-*.tar.gz")
    return built


def by_image(step: str, source: Path, target: Path, **settings: str) -> None:
    """A step by which the image for containers is made, but for `packages`, which asks a package index."""
    words = ["sh", str(IMAGE / "image"), step, str(source), str(target)]
    done = subprocess.run(words, env={**os.environ, **settings}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    by_image("wheel", REPOSITORY, folder, BUILDER=sys.executable)
    (wheel,) = folder.glob("runpool-*.whl")
    environment = folder / "program" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=300)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    uv = Path(sys.executable).with_name("uv")
    install = f"{uv} pip install --quiet --offline --python {environment}/bin/python"
    by_image("program", wheel, folder / "program", INSTALL=install)
    empty = folder / "empty"
    empty.mkdir()
    return Installed(wheel, environment, empty)


def test_the_wheel_asks_for_what_the_lock_was_made_of(installed: Installed) -> None:
    with ZipFile(installed.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        told = message_from_bytes(wheel.read(name))
    lines = told.get_all("Requires-Dist") or []
    for name, of_extra in (("run", ""), ("traces", " extra == 'traces'")):
        asked = {re.split(r"[<>=\[;]", line)[0] for line in lines if line.partition(";")[2] == of_extra}
        wanted = (REPOSITORY / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
        assert asked == {re.split(r"[<>=\[]", line)[0] for line in wanted if not line.startswith("-")}
    assert told["Version"] == VERSION
    assert "five top-level packages: `campaign`, `pooling`, `judging`, `evaluation` and `runpool`" in str(
        told.get_payload()
    )
    lock = installed.environment / "share" / "runpool" / "requirements.txt"
    assert lock.read_bytes() == (REPOSITORY / "requirements" / "run.txt").read_bytes()


def test_the_source_distribution_builds_the_same_wheel(installed: Installed, tmp_path: Path) -> None:
    shutil.unpack_archive(build("sdist", REPOSITORY, tmp_path), tmp_path)
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    again = build("wheel", source, tmp_path / "again")
    assert again.read_bytes() == installed.wheel.read_bytes()


@pytest.mark.parametrize(
    "words", [["runpool", "score", "--help"], ["python", "-m", "gunicorn", "--check-config", "runpool.wsgi"]]
)
def test_another_package_of_the_same_name_is_named(installed: Installed, tmp_path: Path, words: list[str]) -> None:
    other = tmp_path / "evaluation"
    other.mkdir()
    (other / "__init__.py").touch()
    refused = installed.run(*words, fails=True, PYTHONPATH=str(tmp_path)).stderr
    assert f"error: {other} is another package than Runpool's own “evaluation”" in refused
    assert "Traceback" not in refused


def test_the_command_tells_its_version_and_runs_from_the_wheel_alone(installed: Installed) -> None:
    assert installed.run("runpool", "--version").stdout == f"Runpool {VERSION}\n"
    places = installed.run("python", "-c", "import campaign, evaluation; print(campaign.__file__, evaluation.__file__)")
    assert all(Path(place).is_relative_to(installed.environment) for place in places.stdout.split())
    assert "there is no command publish" in installed.run("runpool", "publish", fails=True).stderr


def test_it_scores_and_draws_from_files(installed: Installed) -> None:
    (installed.folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n")
    (installed.folder / "run").write_text("1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n1 Q0 c 3 1 mine\n")
    scored = installed.run("runpool", "score", "-m", "AP", "-m", "P@2", "qrels", "run").stdout
    assert [line.split()[-1] for line in scored.splitlines()] == ["0.8333", "0.5000"]
    assert installed.run("runpool", "score", "--help").stdout.startswith("usage: runpool score")
    drawn = installed.run("runpool", "draw", "--strategy", "depth-k", "--set", "depth=2", "run").stdout
    assert {line.split()[1] for line in drawn.splitlines()} == {"a", "b"}
    assert installed.run("runpool", "client", "--help").stdout.startswith("usage: runpool client")


def test_every_template_of_the_checkout_is_found_in_the_wheel(installed: Installed) -> None:
    ours = REPOSITORY / "templates"
    names = sorted(path.relative_to(ours).as_posix() for path in ours.rglob("*") if path.is_file())
    settings = {"DJANGO_SETTINGS_MODULE": "runpool.settings"}
    found = json.loads(installed.run("python", "-c", EVERY_TEMPLATE, stdin=json.dumps(names), **settings).stdout)
    assert all(Path(place).is_relative_to(installed.environment) for place in found)


def on_read_only_disk(words: list[str], data: str, passing: str) -> list[str]:
    return ["unshare", "--mount", "sh", "-c", ON_READ_ONLY_DISK, "sh", data, passing, *words]


@cache
def may_be_read_only() -> bool:
    """Whether root runs the tests and may mount: found by trying."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    with TemporaryDirectory() as folder:
        named, other = Path(folder, "named"), Path(folder, "other")
        named.mkdir()
        words = ["sh", "-c", f"touch {named}/new && ! touch {other}"]  # a temporary folder may be a disk of its own
        tried = subprocess.run(on_read_only_disk(words, str(named), str(named)), capture_output=True, check=False)
    return tried.returncode == 0


def in_container(installed: Installed, name: str, port: int) -> tuple[list[str], dict[str, str]]:
    """The command of the service as compose.yaml has it, over the data of this test; where root may, on a read-only disk."""
    data, passing = str(installed.folder / "data"), str(installed.folder / "tmp")
    words = [
        word.replace("/srv/runpool/data", data).replace("0.0.0.0:8000", f"127.0.0.1:{port}")
        for word in COMPOSE[name]["command"]
    ]
    own = {"RUNPOOL_DATA_DIR": data, "TMPDIR": passing, "HOME": "/nonexistent", "PYTHONUNBUFFERED": "1"}
    own["RUNPOOL_FREE_SPACE_MINIMUM"] = "0"  # a part that is not well where the disk of the tests is nearly full
    own["PATH"] = f"{installed.environment}/bin:{os.environ['PATH']}"
    if words[0] != "sh":  # the environment that lends the libraries has their commands
        words = ["python", "-m", *words]
    if may_be_read_only():
        words = on_read_only_disk(words, data, passing)
    return words, clean(own)


@pytest.fixture
def server(installed: Installed) -> Iterator[str]:
    """The processes of the containers that pages and jobs need, of the wheel."""
    told = installed.run("runpool", "manage", "migrate", "--verbosity", "0").stderr
    assert told.startswith(f"Data of the site: {installed.folder / 'data'} (RUNPOOL_DATA_DIR is not set)")
    (installed.folder / "tmp").mkdir(exist_ok=True)
    program, port = installed.environment.parent, free_port()  # the working folder of a container
    words, environment = in_container(installed, "migrate", port)
    subprocess.run(words, cwd=program, env=environment, check=True, timeout=300)
    with ExitStack() as running:
        processes = {}
        for name in STARTED:
            words, environment = in_container(installed, name, port)
            with (installed.folder / f"{name}.log").open("wb") as log:
                processes[name] = subprocess.Popen(words, cwd=program, env=environment, stdout=log, stderr=log)
            running.callback(end, processes[name])
            running.callback(processes[name].terminate)
        wait_until_well(f"http://127.0.0.1:{port}", processes, installed.folder)
        yield f"http://127.0.0.1:{port}"
        for log_of in installed.folder.glob("*.log"):  # before the end, which has troubles of its own
            assert not re.search("Read-only file system|Permission denied", log_of.read_text()), log_of.read_text()


def end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        pytest.fail(f"still ran 120 s after it was told to end: {process.args}")


def wait_until_well(address: str, processes: dict[str, "subprocess.Popen[bytes]"], logs: Path) -> None:
    """Until each part of the site says so: beat sends the sweep, a worker takes it, and each queue has a worker."""
    deadline, found = time.monotonic() + 900, "nothing answers"
    while '"status": "ok", "version"' not in found:
        for name, process in processes.items():
            assert process.poll() is None, (logs / f"{name}.log").read_text()
        assert time.monotonic() < deadline, found
        try:
            found = read(f"{address}/readyz")
        except OSError:
            time.sleep(0.2)
        else:
            time.sleep(1)


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=120) as answer:
        assert answer.status == 200
        return str(answer.read().decode())


def test_only_the_folders_that_are_named_can_be_written_on_the_disk_of_a_container(tmp_path: Path) -> None:
    """Said apart: where no disk can be read-only, the server of the wheel shows less, and passes."""
    if not may_be_read_only():
        lacking(READ_ONLY)
    places = [tmp_path / name for name in ("data", "passing", "elsewhere")]
    for place in places:
        place.mkdir()
    words = ["touch", *(str(place / "new") for place in places)]
    refused = subprocess.run(
        on_read_only_disk(words, *map(str, places[:2])), capture_output=True, text=True, check=False
    )
    assert "Read-only file system" in refused.stderr
    assert [(place / "new").exists() for place in places] == [True, True, False]


def test_a_server_of_the_wheel_is_healthy_shows_its_styles_and_scripts_and_the_demo_then_names_another_port(
    installed: Installed, server: str
) -> None:
    healthy = str(installed.environment.parent / "deploy/container/healthy.py")
    port = server.rsplit(":", 1)[1]
    assert installed.run("python", healthy, port).stdout == "200\n"
    unknown = installed.run("python", healthy, port, fails=True, RUNPOOL_ALLOWED_HOSTS="elsewhere.example.org").stderr
    assert unknown.startswith("400: ")
    assert "does not answer" in installed.run("python", healthy, str(free_port()), fails=True).stderr
    home = read(f"{server}/")
    assert f"version {VERSION}" in home
    links = re.findall(r'(?:href|src)="(/static/[^"]+)"', home)
    assert {link.rsplit(".", 1)[-1] for link in links} == {"css", "js", "svg"}
    for link in links:
        assert read(f"{server}{link}")
    assert json.loads(read(f"{server}/readyz"))["version"] == VERSION
    taken = server.rsplit(":", 1)[1]
    for what in ("demo", "site"):
        refused = installed.run("runpool", what, "--port", taken, fails=True).stderr
        assert f"runpool {what} --port {int(taken) + 1}" in refused


def test_the_links_of_the_guide_give_services_the_program_that_they_expect(
    installed: Installed, tmp_path: Path
) -> None:
    guide = (REPOSITORY / "docs/guide/operator/upgrading.md").read_text(encoding="utf-8")
    links = [line.strip() for line in guide.splitlines() if line.startswith("    ln -sfn ")]
    program = tmp_path / "program"
    program.mkdir()
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions" / VERSION).symlink_to(installed.environment)
    script = "\n".join([f"version={VERSION}", *links]).replace("/srv/runpool", str(tmp_path))
    subprocess.run(["sh", "-e", "-c", script], check=True)
    done = subprocess.run(
        [".venv/bin/python", "manage.py", "check"],
        cwd=program, env=clean({"RUNPOOL_DATA_DIR": str(tmp_path / "data")}), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "no issues" in done.stdout, done.stderr
    for sample in ("systemd/runpool-web.service", "nginx/runpool.conf"):
        assert (program / "deploy" / sample).read_bytes() == (REPOSITORY / "deploy" / sample).read_bytes()
