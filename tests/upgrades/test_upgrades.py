"""What a released version stored goes forward to the newest one, and its processes go on working meanwhile."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from runpool.backup.manifest import read_manifest
from runpool.backup.rows import MADE_BY_MIGRATE
from runpool.backup.targets import Folder
from tests.runpool.backup.sites import OtherSite
from tests.sites import services
from tests.upgrades.released import RELEASES, Release, unpack_data, unpack_program

pytestmark = [pytest.mark.services, pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.version)]
LONGEST_SECONDS = 600
Rows = list[tuple[object, ...]]
SUBMIT = """
import sys, django
django.setup()
from django.core.files.base import ContentFile
from campaign.models import Task, Team, User
from campaign.runs.services.submission import run_submit
file = ContentFile(f"1 Q0 a 1 2 {sys.argv[1]}\\n2 Q0 b 1 2 {sys.argv[1]}\\n".encode())
about = {"task": Task.objects.get(slug="ad-hoc"), "team": Team.objects.get(name="Early")}
run_submit(actor=User.objects.get(username="reader"), file=file, file_name="run.txt", tag=sys.argv[1], **about)
"""
ASK_FOR_SCORES = """
from evaluation.services.scoring import scores_request
scores_request(actor=None, task=Task.objects.get(slug="everyday-cycling"))
"""


@contextmanager
def both_versions(release: Release, tmp_path: Path) -> Iterator[tuple[OtherSite, OtherSite]]:
    """The processes of an earlier version and those of the newest one, on the same data folder and an empty database."""
    program = unpack_program(release, tmp_path / "program")
    unpack_data(release, tmp_path / "backup")
    with services() as environment:
        folder, database = tmp_path / "site", environment["RUNPOOL_DATABASE_URL"]
        yield OtherSite(folder, database, program), OtherSite(folder, database)


def test_a_backup_of_an_earlier_version_is_restored_whole_and_means_the_same(release: Release, tmp_path: Path) -> None:
    target = Folder(unpack_data(release, tmp_path / "backup"))
    tables = read_manifest(target, target.manifests()[-1]).tables
    with services() as environment:
        site = OtherSite(tmp_path / "site", environment["RUNPOOL_DATABASE_URL"])
        assert "is restored" in site.manage("restore", str(tmp_path / "backup"))
        found = {
            table: rows_of(site, f'SELECT count(*) FROM "{table}"')[0][0] for table in tables.keys() - MADE_BY_MIGRATE
        }
        found["campaign_sitefigures"] -= 1  # the restored site has a name of its own
        assert found == {table: tables[table].rows for table in found}
        verified = site.manage("verify", "--all-scores")
        assert "12 scores computed anew, the same bit by bit" in verified
        assert "\n0 findings" in verified


def test_a_site_is_migrated_while_the_worker_of_an_earlier_version_runs_and_that_version_goes_on_working(
    release: Release, tmp_path: Path
) -> None:
    """Its queue is a folder of the site's own, from which only this worker takes."""
    with both_versions(release, tmp_path) as (earlier, newest):
        earlier.manage("restore", str(tmp_path / "backup"))
        with worker_of(earlier) as log:
            run_code(earlier, SUBMIT, "before")
            wait_for(earlier, {"before"}, log)
            newest.manage("migrate", "--verbosity", "0")
            run_code(earlier, SUBMIT, "by-earlier")
            run_code(newest, SUBMIT + ASK_FOR_SCORES, "by-newest")
            wait_for(earlier, {"before", "by-earlier", "by-newest"}, log)


def rows_of(site: OtherSite, query: str) -> Rows:
    with psycopg.connect(site.environment["RUNPOOL_DATABASE_URL"]) as connection:
        return connection.execute(query).fetchall()


def run_code(site: OtherSite, code: str, *words: str) -> None:
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, timeout=LONGEST_SECONDS
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def worker_of(site: OtherSite) -> Iterator[Path]:
    log = site.folder / "worker.log"
    command = [sys.executable, "-m", "celery", "-A", "campaign.project", "worker", "--pool", "solo"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle", "--without-heartbeat"],
            cwd=site.program, env=site.environment, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        yield log
    finally:
        process.terminate()
        process.wait(timeout=180)


def wait_for(site: OtherSite, tags: set[str], log: Path) -> None:
    """Until the runs are valid, and every job is done that was asked for or followed: mails, and scores of accepted runs."""
    names = ", ".join(f"'{tag}'" for tag in sorted(tags))
    unfinished = (
        f"SELECT tag, state FROM campaign_run WHERE tag IN ({names}) AND state <> 'valid' "
        "UNION ALL SELECT name, state || ': ' || message FROM campaign_job WHERE state <> 'done'"
    )
    deadline = time.monotonic() + LONGEST_SECONDS
    while (left := rows_of(site, unfinished)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == [], (left, log.read_text()[-4000:])
    assert len(rows_of(site, f"SELECT tag FROM campaign_run WHERE tag IN ({names})")) == len(tags)
