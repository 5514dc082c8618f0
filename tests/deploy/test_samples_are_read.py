"""nginx, Caddy and Prometheus read the samples of deploy/ and of the guide: a slip is found here, and not by an operator."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.test_watching import queries_of_dashboard
from tests.places import REPOSITORY
from tests.ports import free_port
from tests.requirements import PROXIES, UNPACKED, lacking

DEPLOY = REPOSITORY / "deploy"
NGINX_SAMPLE = DEPLOY / "nginx" / "runpool.conf"
ADDRESSES = {
    "SITE_HOST": "runs.example.org",
    "PAGES": "127.0.0.1:8000",
    "UPLOADS": "127.0.0.1:8001",
    "DESKS": "127.0.0.1:8002",
}


def run(program: str, *arguments: str | Path, **environment: str) -> str:
    """What the program says; "" of one that refuses nothing is no failure."""
    path = f"{os.environ['PATH']}:{UNPACKED}/usr/bin:{UNPACKED}/usr/sbin:/usr/sbin"
    if not (found := shutil.which(program, path=path)):
        lacking(PROXIES)
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
    guide = (REPOSITORY / "docs/guide/operator/watching.md").read_text(encoding="utf-8")
    [block] = re.findall(r"(?:^    (?:scrape_configs:|  .*|rule_files: .*)\n)+", guide, flags=re.MULTILINE)
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
