"""The samples for containers and Caddy say the same as those for systemd and nginx, which are tried on machines."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve, reverse

from campaign import queues
from campaign.storage_places import BucketPlace, place_of
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
HATCH = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
NGINX_FILE = "runpool.conf"
DESKS = r"\^/c/\S*judge\S*"
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


@pytest.mark.parametrize("name", ["web", "uploads", "desks"])
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


@pytest.mark.parametrize("name", ["nginx", "proxy"])
def test_the_proxy_starts_when_all_web_servers_answer(name: str) -> None:
    """Else the first who comes after `docker compose up` meets its 502."""
    after = COMPOSE["services"][name]["depends_on"]
    assert after == {server: {"condition": "service_healthy"} for server in ("web", "uploads", "desks")}


@pytest.mark.parametrize("name", OURS)
def test_docker_waits_for_the_end_of_a_container_as_long_as_systemd_for_its_unit(name: str) -> None:
    """Gunicorn waits 30 s for requests; without a word Docker kills after 10."""
    unit = DEPLOY / "systemd" / ("runpool-worker@.service" if name.startswith("worker-") else "runpool-uploads.service")
    [seconds] = re.findall(r"^TimeoutStopSec=(\d+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    assert OURS[name]["stop_grace_period"] == f"{seconds}s"


def test_everything_that_must_be_filled_in_is_in_the_example() -> None:
    text = (DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8")
    example = (DEPLOY / "container" / "example.env").read_text(encoding="utf-8")
    read_by_compose_itself = {"COMPOSE_PROFILES"}
    named = set(re.findall(r"\$\{(\w+)", text)) | read_by_compose_itself
    assert named == set(re.findall(r"^(\w+)=", example, re.MULTILINE))


def test_the_image_is_built_from_all_that_the_wheel_is_made_of() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()}
    assert {*HATCH["sdist"]["only-include"], "pyproject.toml", "README.md"} <= copied
    assert all((REPOSITORY / name).exists() for name in copied)
    ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {"deploy/container/.env*", "deploy/container/tls", ".git"} <= set(ignored)
    assert not copied & set(ignored)


def test_the_image_is_made_by_the_steps_that_are_tried_without_docker_and_starts_as_the_service_web() -> None:
    """tests/packaging/test_wheel.py runs these steps, and the commands of compose.yaml."""
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    run = [part.strip() for line in re.findall(r"^RUN (.*)$", text, re.MULTILINE) for part in line.split("&&")]
    made = [words for part in run if (words := shlex.split(part))[:2] == ["sh", "deploy/container/image"]]
    steps = re.findall(r"^(\w+)\)$", (DEPLOY / "container" / "image").read_text(encoding="utf-8"), re.MULTILINE)
    assert [words[2] for words in made] == steps
    assert [shlex.split(part)[0] for part in run if "container/image" not in part] == ["useradd", "install"]
    [command] = re.findall(r"^CMD (.*)$", text, re.MULTILINE)
    assert json.loads(command) == OURS["web"]["command"]


def test_the_wheel_holds_the_samples_and_no_secrets_that_lie_beside_them() -> None:
    shared = {name for name in HATCH["wheel"]["shared-data"] if name.startswith("deploy/")}
    listed = subprocess.run(
        ["git", "ls-files", "deploy"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    assert [file for file in listed if not {file, *map(str, Path(file).parents)} & shared] == []
    assert {"deploy", "deploy/container"} & HATCH["wheel"]["shared-data"].keys() == set()


def test_both_proxies_send_the_same_addresses_to_the_web_server_for_uploads() -> None:
    assert re.findall(UPLOADS, CADDY) == re.findall(UPLOADS, NGINX)


@pytest.mark.parametrize("path", ["/c/small/kitchen/runs/new/", "/api/v1/campaigns/small/tasks/kitchen/runs"])
def test_these_are_the_addresses_that_take_runs(path: str) -> None:
    [pattern] = re.findall(UPLOADS, CADDY)
    assert re.match(pattern, path)
    assert resolve(path).func


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("my_topics", []), ("judgment_submit", ["7"]), ("my_preferences", []), ("preference_submit", ["7"])],
)
def test_both_proxies_send_desks_and_no_uploads_to_the_web_server_for_desks(name: str, arguments: list[str]) -> None:
    [pattern] = {*re.findall(DESKS, CADDY), *re.findall(DESKS, NGINX)}
    assert re.match(pattern, reverse(name, args=["small", "kitchen", *arguments]))
    assert not re.match(pattern, "/c/small/kitchen/runs/new/")


def test_pages_answer_for_desks_where_their_web_server_does_not_run() -> None:
    assert re.findall(r"upstream runpool_desks \{\s+server 127.0.0.1:8002;\s+server 127.0.0.1:8000 backup;\s+\}", NGINX)
    assert "reverse_proxy @desks {$DESKS} {$PAGES} {" in CADDY


def test_both_proxies_take_more_than_the_site_so_that_it_answers_what_is_too_large() -> None:
    limits = [re.search(r"client_max_body_size (\d+)m", NGINX), re.search(r"max_size (\d+)MB", CADDY)]
    assert all(int(limit.group(1)) * 10**6 > 1.5 * UPLOAD_LIMIT_BYTES for limit in limits if limit)
    assert all(limits)


def test_the_image_itself_and_the_servers_beside_it_ask_for_readyz_and_other_processes_have_none_to_ask() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    asks = 'CMD ["python", "deploy/container/healthy.py", "8000"]'
    assert asks in text
    checks = {name: service.get("healthcheck") for name, service in OURS.items()}
    assert checks.pop("web") is None
    assert checks.pop("desks") == {"test": ["CMD", "python", "deploy/container/healthy.py", "8002"]}
    assert checks.pop("uploads") == {"test": ["CMD", "python", "deploy/container/healthy.py", "8001"]}
    assert all(check == {"disable": True} for check in checks.values())
    assert OURS["migrate"]["command"] == ["sh", "deploy/container/prepare"]


def test_nginx_in_a_container_has_the_sample_with_the_name_of_the_host_and_of_the_servers() -> None:
    folder = DEPLOY / "nginx"
    assert (
        f"sh /etc/runpool/nginx/in-container /etc/runpool/nginx/{NGINX_FILE}"
        in COMPOSE["services"]["nginx"]["command"][2]
    )
    done = subprocess.run(
        ["sh", str(folder / "in-container"), str(folder / NGINX_FILE)],
        env={"PATH": os.environ["PATH"], "SITE_HOST": "site.example.org"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert re.findall(r"server_name (\S+);", done.stdout) == ["site.example.org"] * 2
    assert "set $uploads uploads:8001; proxy_pass http://$uploads;" in done.stdout
    assert "set $desks desks:8002; proxy_pass http://$desks;" in done.stdout
    assert "set $pages web:8000; proxy_pass http://$pages;" in done.stdout
    assert "127.0.0.1:" not in done.stdout
    assert "runs.example.org" not in done.stdout


def config(text: str, settings: Path, profiles: str = "") -> "subprocess.CompletedProcess[str]":
    """What `docker compose config` makes of the file. Debian's release of it does not know the key `name` yet."""
    if not (program := shutil.which("docker-compose")):
        lacking(DOCKER_COMPOSE)
    about = ["--project-directory", str(DEPLOY / "container"), "--project-name", COMPOSE["name"]]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RUNPOOL_", "COMPOSE_", "AWS_"))}
    clean |= {"COMPOSE_PROFILES": profiles} if profiles else {}
    return subprocess.run(
        [program, "--env-file", str(settings), *about, "--file", "-", "config"],
        input=re.sub(r"^name: .*$", "", text, flags=re.MULTILINE), env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the folder for containers, with a Docker that writes down what it is asked for."""
    copy = tmp_path / "container"
    shutil.copytree(DEPLOY / "container", copy, ignore=shutil.ignore_patterns(".env*", "tls"))
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(f'#!/bin/sh\necho "$PWD" "$@" >>{tmp_path}/asked\n', encoding="utf-8")
    docker.chmod(0o755)
    return copy


def start(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": f"{folder.parent}/bin:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", str(folder / "start"), *words], env=environment, capture_output=True, text=True, check=False
    )


def test_the_first_start_makes_settings_of_its_own_which_compose_takes_with_every_profile(folder: Path) -> None:
    for wrong in (
        (),
        ("https://x",),
        ("a b",),
        ("a/b",),
        ("runs.example.net", "apache"),
        ("runs.example.net", "store"),
    ):
        assert start(folder, *wrong).returncode != 0
    assert not (folder / ".env").exists()
    assert not (folder.parent / "asked").exists()
    assert start(folder, "runs.example.net").returncode == 0
    settings = folder / ".env"
    kept = settings.read_text(encoding="utf-8")
    values = dict(line.split("=", 1) for line in kept.splitlines() if not line.startswith("#"))
    secrets = [value for name, value in values.items() if re.search("SECRET|PASSWORD|ACCESS_KEY", name)]
    assert len({*secrets}) == len(secrets) == 5
    assert all(re.fullmatch("GK[0-9a-f]{24}|[0-9a-f]{64}", secret) for secret in secrets)
    assert settings.stat().st_mode & 0o777 == 0o600
    assert start(folder).returncode == 0
    assert start(folder, "another.example.net").returncode == 2, "a host that would be ignored"
    assert settings.read_text(encoding="utf-8") == kept
    assert (folder.parent / "asked").read_text() == f"{folder} compose up --detach --build\n" * 2

    text = (folder / "compose.yaml").read_text(encoding="utf-8")
    taken = config(text, settings, "caddy,nginx,store")
    assert taken.returncode == 0, taken.stderr
    services = yaml.safe_load(taken.stdout)["services"]
    assert services.keys() == COMPOSE["services"].keys()
    assert services["web"]["environment"]["RUNPOOL_SECRET_KEY"] == values["RUNPOOL_SECRET_KEY"]
    assert services["web"]["environment"]["RUNPOOL_ALLOWED_HOSTS"] == "runs.example.net"
    assert config(text.replace("read_only:", "read_onli:"), settings).returncode == 1
    assert "fill in .env" in config(text, folder / "example.env").stderr


def test_the_store_of_the_example_is_the_one_of_the_profile(folder: Path) -> None:
    example = (DEPLOY / "container" / "example.env").read_text(encoding="utf-8")
    [url] = re.findall(r"^#\s+RUNPOOL_STORAGE_URL=(s3:\S+)", example, re.MULTILINE)
    place = place_of(url)
    assert isinstance(place, BucketPlace)
    store, garage = COMPOSE["services"]["store"], tomllib.loads((DEPLOY / "container/garage.toml").read_text("utf-8"))
    assert place.bucket == store["environment"]["GARAGE_DEFAULT_BUCKET"]
    assert place.region == garage["s3_api"]["s3_region"]
    assert start(folder, "runs.example.net", "nginx,store").returncode == 0
    lines = (folder / ".env").read_text(encoding="utf-8").splitlines()
    assert {f"RUNPOOL_STORAGE_URL={url}", "COMPOSE_PROFILES=nginx,store"} <= set(lines)
    assert place.endpoint == f"http://store:{garage['s3_api']['api_bind_addr'].rpartition(':')[2]}"
