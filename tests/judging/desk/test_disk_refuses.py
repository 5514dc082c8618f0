"""A database without room, or only read: the desk's judgment is refused by a status that its browser keeps it for."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import InternalError, OperationalError, connection

from judging.models import Judgment
from tests.factories import make_cast
from tests.judging.makers import client_of, make_assignment

FULL = psycopg.errors.DiskFull("could not extend file")


@pytest.mark.parametrize(
    ("problem", "cause", "status", "told"),
    [
        (OperationalError("full"), FULL, 507, "was not stored"),
        (InternalError("only read"), psycopg.errors.ReadOnlySqlTransaction("only read"), 503, "takes no writes"),
    ],
)
def test_a_judgment_that_cannot_be_stored_is_answered_in_words(
    db: None, problem: Exception, cause: Exception, status: int, told: str
) -> None:
    cast = make_cast()
    assignment = make_assignment(cast, ["D1"])
    act = {"uuid": str(uuid4()), "docno": "D1", "verdict": "graded", "grade": 1}
    body = {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": [act]}
    browser = client_of(cast, "assessor")
    browser.raise_request_exception = False

    def fail(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("INSERT"):
            raise problem from cause
        return execute(sql, params, many, context)

    url = cast.task.url("judgment_submit", topic_number="401")
    with connection.execute_wrapper(fail):
        answer = browser.post(url, body, content_type="application/json")
    assert answer.status_code == status
    assert told in answer.content.decode()
    assert not Judgment.objects.exists()
    assert browser.post(url, body, content_type="application/json").json()["results"][0]["state"] == "saved"
