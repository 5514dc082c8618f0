"""What is watched at each moment must not grow with the jobs that are done."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.models import Job
from runpool.operations import tallies
from tests.campaign.runs.makers import signed_in
from tests.conftest import MadeOnce
from tests.factories import make_user

DONE, OPEN = 20_000, 12
OPERATIONS = ["", "?state=done", "?state=failed", "storage/"]
pytestmark = pytest.mark.django_db
ADDRESSES = ["/health/", "/readyz", "/metrics", *(f"/operations/{rest}" for rest in OPERATIONS)]


@pytest.fixture(scope="module")
def administrator(made_once: MadeOnce) -> Iterator[Client]:
    with made_once(make_many_jobs) as made:
        yield made


def make_many_jobs() -> Client:
    now = ", ".join(["CURRENT_TIMESTAMP"] * 3)
    columns = "name, key, arguments, queue, request_id, state, done, total, message, attempts, created_at, sent_at, finished_at"
    values = f"'check run', CAST(n AS varchar), '{{}}', 'celery', '-', 'done', 1, 1, '', 1, {now}"
    numbers = (
        f"SELECT generate_series(1, {DONE}) AS n"
        if connection.vendor == "postgresql"
        else f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {DONE}) SELECT n FROM r"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO campaign_job ({columns}) SELECT {values} FROM ({numbers}) AS numbers")
    for number in range(OPEN):
        state = (Job.QUEUED, Job.WORKING, Job.FAILED)[number % 3]
        Job.objects.create(name="score task", key=f"open {number}", state=state, queue="score")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaign_job")
    return signed_in(make_user("root", is_superuser=True))


def scans(queries: list[dict[str, str]]) -> list[str]:
    """The queries that read the table of jobs from its beginning to its end."""
    return [query["sql"] for query in queries if "campaign_job" in query["sql"] and _scans(query["sql"])]


def _scans(sql: str) -> bool:
    if not sql.startswith("SELECT"):
        return False
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'' if connection.vendor == 'postgresql' else 'QUERY PLAN '}{sql}")
        plan = [str(row[-1]) for row in cursor.fetchall()]
    return any(
        "Seq Scan on campaign_job" in line or ("SCAN campaign_job" in line and "USING" not in line) for line in plan
    )


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_page_for_those_who_watch_reads_all_jobs(administrator: Client, address: str) -> None:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert administrator.get(address).status_code == 200
    assert any("campaign_job" in query["sql"] for query in captured.captured_queries)
    assert scans(captured.captured_queries) == []
    assert len(captured) < 40


def test_the_sweep_counts_ended_jobs_by_an_index(administrator: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        tallies.ended_jobs_tally()
    assert scans(captured.captured_queries) == []


def test_pages_of_jobs_lead_from_the_newest_to_older_ones_by_their_number(administrator: Client) -> None:
    first = administrator.get("/operations/", {"state": "done"}).context
    assert len(first["jobs"]) == 50
    second = administrator.get("/operations/", {"state": "done", "before": first["older"]}).context
    assert second["jobs"][0].pk == first["jobs"][-1].pk - 1
    last: Any = administrator.get("/operations/", {"state": "done", "before": Job.objects.order_by("pk")[3].pk}).context
    assert (len(last["jobs"]), last["older"]) == (3, None)


@pytest.mark.parametrize("before", ["0", "-1", "x", "9" * 40, "²"])
def test_a_page_that_does_not_exist_is_the_first(administrator: Client, before: str) -> None:
    assert administrator.get("/operations/", {"state": "failed", "before": before}).status_code == 200
