"""The scripts that measure a site for an hour, for half a minute: real processes, PostgreSQL and Redis, nothing lost."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import REPOSITORY
from tests.ports import free_ports_in_a_row
from tests.sites import services

pytestmark = pytest.mark.faults
LONGEST_SECONDS = 800


@pytest.fixture
def figures(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the script prints; that it ends with 0 says that it found nothing lost."""
    module, *options = request.param
    with services() as environment:
        process = subprocess.Popen(
            [sys.executable, "-m", module, str(tmp_path), "--port", str(free_ports_in_a_row(3)), *options],
            cwd=REPOSITORY,
            env={**os.environ, **environment, "TEST_REDIS_URL": environment["RUNPOOL_BROKER_URL"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            printed, told = process.communicate(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()  # it stops what it has started
            printed, told = process.communicate(timeout=60)
    assert process.returncode == 0, printed[:2000] + printed[-2000:] + told[-4000:]
    found: dict[str, Any] = json.loads(printed)
    return found


DEADLINE = ("benchmarks.deadline_hour", "--times", "0.04", "--minutes", "0.3", "--judging-apart")
LONG = ("benchmarks.long_run", "--speed", "5000", "--minutes", "0.9", "--kills", "2")


@pytest.mark.parametrize("figures", [DEADLINE], indirect=True, ids=["sixteen runs"])
def test_every_run_of_a_deadline_and_every_judgment_beside_it_is_kept_and_scored(figures: dict[str, Any]) -> None:
    runs = figures["runs"]
    assert (runs["sent"], runs["taken"], runs["states"]) == (16, 16, {"valid": 16})
    assert figures["last_run_scored_seconds_after_the_last_upload"] is not None
    assert figures["judgments_lost"] == []
    assert figures["seconds"]["judgment"]["count"] > 0
    assert figures["seconds"]["page"]["count"] > 0
    assert [timing["errors"] for timing in figures["seconds"].values()] == [[], [], []]


@pytest.mark.parametrize("figures", [LONG], indirect=True, ids=["three days"])
def test_a_campaign_of_days_whose_processes_are_killed_in_turn_loses_nothing_and_leaves_no_job(
    figures: dict[str, Any],
) -> None:
    assert figures["killed"] >= 2  # one is told to end, one killed
    assert figures["runs_taken"] > 0
    assert figures["judgments"] > 0
    assert (figures["lost_runs"], figures["lost_judgments"], figures["failed_jobs"]) == ([], [], [])
    assert figures["seconds_until_no_job_waits"] is not None
    assert figures["grew"]["rows"]["judging_qrels"][1] > figures["grew"]["rows"]["judging_qrels"][0]
