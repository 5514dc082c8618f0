import pytest
from django.db import connection

from runpool import postgresql
from tests.ports import free_port
from tests.requirements import require_postgresql


@pytest.mark.sqlite("runpool.postgresql.wrong_encoding")
def test_a_database_in_utf8_is_passed_over(db: None) -> None:
    assert postgresql.wrong_encoding() == ""


@pytest.mark.sqlite("runpool.postgresql.answers")
def test_a_database_that_runs_answers(db: None) -> None:
    assert postgresql.answers()


@pytest.mark.parametrize(("user", "expected"), [("nobody_of_this_name", True), (None, False)])
def test_a_server_that_refuses_answers_and_one_that_is_stopped_does_not(
    db: None, monkeypatch: pytest.MonkeyPatch, user: str | None, expected: bool
) -> None:
    require_postgresql(connection.vendor)
    name, value = ("USER", user) if user else ("PORT", str(free_port()))
    monkeypatch.setitem(connection.settings_dict, name, value)
    assert postgresql.answers() == expected
