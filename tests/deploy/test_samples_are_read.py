"""nginx, Caddy, Prometheus and jq read the samples of deploy/ and of the guide: a slip is found here, and not by an operator."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.test_watching import GUIDE, queries_of_dashboard
from tests.places import REPOSITORY
from tests.ports import free_port
from tests.requirements import SAMPLES, UNPACKED, lacking

DEPLOY = REPOSITORY / "deploy"
NGINX_SAMPLE = DEPLOY / "nginx" / "runpool.conf"
ADDRESSES = {
    "SITE_HOST": "runs.example.org",
    "PAGES": "127.0.0.1:8000",
    "UPLOADS": "127.0.0.1:8001",
    "DESKS": "127.0.0.1:8002",
}


def run(program: str, *arguments: str | Path, **environment: str) -> str:
    """What the program says; it must not refuse what it reads."""
    path = f"{os.environ['PATH']}:{UNPACKED}/usr/bin:{UNPACKED}/usr/sbin:/usr/sbin"
    if not (found := shutil.which(program, path=path)):
        lacking(SAMPLES)
    done = subprocess.run(
        [found, *map(str, arguments)], env={"PATH": path, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def in_container() -> str:
    command = ["sh", str(DEPLOY / "nginx" / "in-container"), str(NGINX_SAMPLE)]
    env = {"PATH": os.environ["PATH"], "SITE_HOST": "runs.example.org"}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def nginx_reads(site: str, folder: Path) -> str:
    """`nginx -t` of a site, with ports and a certificate of the test."""
    for name in ("key", "certificate"):
        site = site.replace(f"/etc/runpool/tls/{name}.pem", str(folder / f"{name}.pem"))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
               "/CN=runs.example.org", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    site = re.sub(r"listen \[::\]:\d+[^;]*;", "", site)
    site = re.sub(r"listen (80|443)\b", lambda _: f"listen 127.0.0.1:{free_port()}", site)
    kept = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {kept}\n{site}\n}}"
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    return run("nginx", "-t", "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr")


def test_nginx_reads_its_sample(tmp_path: Path) -> None:
    assert "[warn]" not in nginx_reads(NGINX_SAMPLE.read_text(encoding="utf-8"), tmp_path)


def test_nginx_reads_its_sample_for_containers(tmp_path: Path) -> None:
    assert "[warn]" not in nginx_reads(in_container(), tmp_path)


@pytest.mark.parametrize("store", [{}, {"STORE_HOST": "files.example.org", "STORE": "store:3900"}], ids=["", "store"])
def test_caddy_reads_its_sample(store: dict[str, str], tmp_path: Path) -> None:
    sample = DEPLOY / "caddy" / "Caddyfile"
    said = run(
        "caddy", "validate", "--adapter", "caddyfile", "--config", sample, HOME=str(tmp_path), **ADDRESSES, **store
    )
    assert "Valid configuration" in said


def test_prometheus_reads_the_alerts() -> None:
    assert "SUCCESS" in run("promtool", "check", "rules", DEPLOY / "prometheus" / "alerts.yml")


def test_prometheus_reads_what_the_guide_shows_of_its_settings(tmp_path: Path) -> None:
    [block] = re.findall(r"(?:^    (?:scrape_configs:|  .*|rule_files: .*)\n)+", GUIDE, flags=re.MULTILINE)
    settings = re.sub("^    ", "", block, flags=re.MULTILINE).replace("/etc/prometheus", str(tmp_path))
    shutil.copy(DEPLOY / "prometheus" / "alerts.yml", tmp_path / "runpool-alerts.yml")
    (tmp_path / "runpool-token").write_text("secret")
    (tmp_path / "prometheus.yml").write_text(settings)
    said = run("promtool", "check", "config", tmp_path / "prometheus.yml")
    assert "1 rule files found" in said


def test_prometheus_reads_every_query_of_the_dashboard(tmp_path: Path) -> None:
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries_of_dashboard())]
    assert len(rules) > 10
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in run("promtool", "check", "rules", tmp_path / "rules.yml")


REQUESTS: list[dict[str, Any]] = [
    {"message": "the server starts"},
    {"message": "POST run_create", "request_id": "3f0c", "user_id": 4, "run_id": 12},
    {"message": "the board is computed", "request_id": "3f0c", "job_id": "77", "job": "score task"},
    {"message": "POST account_login", "request_id": "5e1d", "user_id": 5},
    {"message": "verify: done", "job_id": "74", "job": "verify"},
]
OF_CELERY = ["-------------- quick-worker@vm v5.7.0", "", "12", '["3f0c"]', "worker: Warm shutdown (MainProcess)"]
LOG = "".join(f"{line}\n" for line in [*OF_CELERY, *map(json.dumps, REQUESTS), *OF_CELERY])


@pytest.mark.parametrize("asked", ["user_id == 4", "run_id == 12", 'job_id == "77"'])
def test_the_search_of_the_guide_gives_every_line_of_the_requests_that_one_line_belongs_to(
    asked: str, tmp_path: Path
) -> None:
    log = tmp_path / "runpool.log"
    log.write_text(LOG)
    [search] = re.findall(r"^    jq -cRn '(.*)' runpool.log$", GUIDE, flags=re.MULTILINE)
    assert "user_id == 4" in search
    told = run("jq", "-cRn", search.replace("user_id == 4", asked), log).splitlines()
    assert [json.loads(line) for line in told] == REQUESTS[1:3]


def test_the_search_of_the_guide_by_the_name_of_a_request_gives_its_lines(tmp_path: Path) -> None:
    log = tmp_path / "runpool.log"
    log.write_text(LOG)
    [search] = re.findall(r"^    jq -cR '(.*)' runpool.log$", GUIDE, flags=re.MULTILINE)
    told = run("jq", "-cR", search.replace("3f0c…", "3f0c"), log).splitlines()
    assert [json.loads(line)[-1] for line in told] == ["POST run_create", "the board is computed"]
