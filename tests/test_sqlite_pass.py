"""What can differ on SQLite runs there: CI runs the other tests on PostgreSQL alone."""

from tests.sqlite_pass import differing, marked


def test_every_function_that_can_differ_on_sqlite_is_named_by_a_test_that_runs_it_there() -> None:
    assert marked() == differing()
