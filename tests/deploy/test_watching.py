"""The dashboard and the alerts name metrics that the site has, and each alert has its section for operators."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from campaign.log.traces.sdk import ids
from runpool.backup.record import backup_note
from runpool.jobs import sweep
from runpool.operations import tallies
from tests.places import REPOSITORY
from tests.runpool.operations.makers import make_ended, tally_begins

NAME = re.compile(r"\brunpool_[a-z_]+")
GUIDE = (REPOSITORY / "docs/guide/operator/watching.md").read_text(encoding="utf-8")
RULES = [
    rule
    for group in yaml.safe_load((REPOSITORY / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]


def queries_of_dashboard() -> list[str]:
    dashboard = json.loads((REPOSITORY / "deploy/grafana/runpool.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


@pytest.fixture
def names(db: None, client: Client) -> set[str]:
    """Of everything that /metrics answers on a site where something happened."""
    sweep()
    tally_begins()
    make_ended("check run", worked=1)
    tallies.ended_jobs_tally()
    tallies.storage_measure()
    backup_note("/srv/backups", 60)
    client.get("/livez")
    families = text_string_to_metric_families(client.get("/metrics").content.decode())
    return {name for family in families for name in (family.name, *(sample.name for sample in family.samples))}


def test_every_metric_of_dashboard_alerts_and_guide_exists_and_the_guide_has_all(names: set[str]) -> None:
    asked = {
        name for query in [*queries_of_dashboard(), *(rule["expr"] for rule in RULES)] for name in NAME.findall(query)
    }
    assert len(asked) > 15
    on_postgresql_only = {"runpool_database_bytes"}
    assert asked - names - on_postgresql_only == set()
    told = set(re.findall(r"`(runpool_[a-z_]+)`", GUIDE))
    assert told - names - on_postgresql_only == set()
    shown = {name for name in names if name.startswith("runpool_")}
    endings = re.compile("_(total|bucket|count|sum|created)$")
    assert {endings.sub("", name) for name in shown} - {endings.sub("", name) for name in told} == set()


def test_the_command_of_the_guide_tells_the_trace_of_a_request() -> None:
    [command] = re.findall(r"^    (python -c .*)$", GUIDE, flags=re.MULTILINE)
    typed = f"request_id=3f0c9a\n{command.replace('python', sys.executable, 1)}"
    told = subprocess.run(["sh", "-e"], input=typed, capture_output=True, text=True, check=True).stdout
    assert told == f"{ids('3f0c9a')[0]:032x}\n"


def test_each_alert_has_its_section_and_no_section_is_without_its_alert() -> None:
    sections = re.findall(r"^### (.+)\n(.+)", GUIDE, flags=re.MULTILINE)
    assert [name for name, _ in sections] == [rule["alert"] for rule in RULES]
    assert all(len(text.split()) > 8 for _, text in sections)


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_each_alert_says_how_urgent_it_is_and_what_is_the_matter(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["expr"].count("(") == rule["expr"].count(")")
