"""The samples for containers and Caddy say the same as those for systemd and nginx, which are tried on machines."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve

from campaign import queues
from runpool.settings import UPLOAD_LIMIT_BYTES
from tests.places import REPOSITORY
from tests.requirements import COMPOSE as DOCKER_COMPOSE
from tests.requirements import lacking

DEPLOY = REPOSITORY / "deploy"
CADDY = (DEPLOY / "caddy" / "Caddyfile").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx" / "runpool.conf").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8"))
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "runpool"}
WORKERS = {name.removeprefix("worker-"): service for name, service in OURS.items() if name.startswith("worker-")}
UPLOADS = r"\^/\(c/\[.*runs\)\$"


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def environment_of(worker: str) -> dict[str, str]:
    lines = (DEPLOY / "systemd" / "workers" / worker).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_queue_is_served_by_one_of_the_workers() -> None:
    served = [name for worker in WORKERS.values() for name in option(worker["command"], "--queues").split(",")]
    assert sorted(served) == sorted(queues.ALL)


def test_workers_are_those_of_the_units() -> None:
    in_containers = {
        name: {
            "QUEUES": option(worker["command"], "--queues"),
            "CONCURRENCY": option(worker["command"], "--concurrency"),
        }
        for name, worker in WORKERS.items()
    }
    assert in_containers == {
        path.name: environment_of(path.name) for path in (DEPLOY / "systemd" / "workers").iterdir()
    }


@pytest.mark.parametrize("name", ["web", "uploads"])
def test_web_servers_are_those_of_the_units_on_another_address(name: str) -> None:
    unit = (DEPLOY / "systemd" / f"runpool-{name}.service").read_text(encoding="utf-8")
    [line] = re.findall(r"^ExecStart=\S*/(gunicorn .*)$", unit, re.MULTILINE)
    assert OURS[name]["command"] == shlex.split(line.replace("127.0.0.1", "0.0.0.0"))
    assert "--preload" in OURS[name]["command"], "its processes share what they load"


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_the_program_is_shut_in(name: str) -> None:
    service = OURS[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", sorted(set(OURS) - {"migrate"}))
def test_nothing_of_the_program_starts_before_the_migrations_are_done(name: str) -> None:
    assert OURS[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


def test_everything_that_must_be_filled_in_is_in_the_example() -> None:
    text = (DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8")
    example = (DEPLOY / "container" / "example.env").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)", text)) == set(re.findall(r"^(\w+)=", example, re.MULTILINE))


def test_the_image_holds_every_folder_that_the_program_needs() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()}
    needed = {
        "manage.py",
        "campaign",
        "pooling",
        "judging",
        "evaluation",
        "templates",
        "static",
        "requirements/run.txt",
    }
    assert needed <= copied
    assert all((REPOSITORY / name).exists() for name in copied)


def test_both_proxies_send_the_same_addresses_to_the_web_server_for_uploads() -> None:
    assert re.findall(UPLOADS, CADDY) == re.findall(UPLOADS, NGINX)


@pytest.mark.parametrize("path", ["/c/small/kitchen/runs/new/", "/api/v1/campaigns/small/tasks/kitchen/runs"])
def test_these_are_the_addresses_that_take_runs(path: str) -> None:
    [pattern] = re.findall(UPLOADS, CADDY)
    assert re.match(pattern, path)
    assert resolve(path).func


def test_both_proxies_take_more_than_the_site_so_that_it_answers_what_is_too_large() -> None:
    limits = [re.search(r"client_max_body_size (\d+)m", NGINX), re.search(r"max_size (\d+)MB", CADDY)]
    assert all(int(limit.group(1)) * 10**6 > 1.5 * UPLOAD_LIMIT_BYTES for limit in limits if limit)
    assert all(limits)


def config(text: str, settings: Path) -> "subprocess.CompletedProcess[str]":
    """What `docker compose config` makes of the file. Debian's release of it does not know the key `name` yet."""
    if not (program := shutil.which("docker-compose")):
        lacking(DOCKER_COMPOSE)
    about = ["--project-directory", str(DEPLOY / "container"), "--project-name", COMPOSE["name"]]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RUNPOOL_")}
    return subprocess.run(
        [program, "--env-file", str(settings), *about, "--file", "-", "config"],
        input=re.sub(r"^name: .*$", "", text, flags=re.MULTILINE), env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_compose_takes_the_file_once_the_example_is_filled_in_and_not_before(tmp_path: Path) -> None:
    text = (DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8")
    example = (DEPLOY / "container" / "example.env").read_text(encoding="utf-8")
    (tmp_path / "env").write_text(re.sub(r"=$", "=filled-in", example, flags=re.MULTILINE), encoding="utf-8")
    taken = config(text, tmp_path / "env")
    assert taken.returncode == 0, taken.stderr
    services = yaml.safe_load(taken.stdout)["services"]
    assert services.keys() == COMPOSE["services"].keys()
    assert services["web"]["environment"]["RUNPOOL_SECRET_KEY"] == "filled-in"
    assert config(text.replace("read_only:", "read_onli:"), tmp_path / "env").returncode == 1
    (tmp_path / "env").write_text(example, encoding="utf-8")
    assert "fill in .env" in config(text, tmp_path / "env").stderr
