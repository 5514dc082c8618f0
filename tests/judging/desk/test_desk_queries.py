"""What the desk asks the database with every save must not grow with the assignment, and nothing with its square: see `among`."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.desk.services.judgments import Act, judgments_record
from judging.judgments.selectors.own_documents import last_judgments, undoable, unjudged
from judging.models import Assignment
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, client_of, make_pool
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db]
READ_BY_A_SAVE = 20


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    require_postgresql(connection.vendor)
    [topic] = make_topics(cast.task, ["401"])
    pool = make_pool(cast.task, {topic: [f"D{number}" for number in range(500)]}, cast.organiser)
    return assign(pool, topic, cast.assessor, cast.organiser)


@pytest.mark.parametrize("asked", [unjudged, undoable, last_judgments])
def test_conditions_on_documents_are_hashed_and_not_asked_for_each_one(assignment: Assignment, asked: object) -> None:
    plan = asked(assignment).explain()  # type: ignore[operator]
    filters = [line for line in plan.splitlines() if "Filter:" in line and "SubPlan" in line]
    assert filters
    assert all(line.count("SubPlan") == line.count("hashed SubPlan") for line in filters), plan
    assert "Nested Loop" not in plan


def test_a_save_reads_a_handful_of_rows_however_many_documents_are_judged_and_left(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    caches["bulk"].clear()
    acts = [Act(uuid4(), f"D{number}", grade=number % 3) for number in range(250)]
    client, documents = client_of(cast, "assessor"), map("D{}".format, count(250))
    with django_capture_on_commit_callbacks(execute=True):
        judgments_record(assessor=cast.assessor, assignment=assignment, acts=acts)
        save(client, assignment, next(documents))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # So few rows are quicker read without an index: what counts is that there is one.
        cursor.execute("SET LOCAL enable_seqscan = off")
    with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks(execute=True):
        told = save(client, assignment, next(documents))
    assert (told["saved"], told["total"]) == (252, 500)
    asked = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    read = {sql: rows_read(sql) for sql in asked}
    assert {sql: rows for sql, rows in read.items() if rows > READ_BY_A_SAVE} == {}


def save(client: Client, assignment: Assignment, docno: str) -> dict[str, Any]:
    act = {"uuid": str(uuid4()), "docno": docno, "verdict": "graded", "grade": 1}
    sent = {"assessor": assignment.assessor_id, "assignment": assignment.pk, "judgments": [act]}
    address = reverse("judgment_submit", kwargs={**assignment.pool.task.address, "topic_number": "401"})
    answer = client.post(address, sent, content_type="application/json")
    assert answer.status_code == 200
    return dict(answer.json())


def rows_read(sql: str) -> int:
    """The most rows that a step of the statement's plan read, those that it left out included."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        found = cursor.fetchone()[0]
    [whole] = found if isinstance(found, list) else json.loads(found)
    return max(
        node["Actual Loops"] * (node["Actual Rows"] + node.get("Rows Removed by Filter", 0))
        for node in nodes(whole["Plan"])
    )


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
