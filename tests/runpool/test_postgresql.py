import pytest

from runpool import postgresql


@pytest.mark.sqlite("runpool.postgresql.wrong_encoding")
def test_a_database_in_utf8_is_passed_over(db: None) -> None:
    assert postgresql.wrong_encoding() == ""
