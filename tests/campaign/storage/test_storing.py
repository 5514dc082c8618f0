from io import BytesIO

import pytest
from django.core.files.storage import default_storage

from campaign.storage import FileTooLargeError, store


def test_equal_bytes_are_kept_once_under_their_checksum(db: None) -> None:
    first, second = store(BytesIO(b"a run"), folder="storage-test"), store(BytesIO(b"a run"), folder="storage-test")
    assert first == second
    assert first.sha256 in first.name
    with default_storage.open(first.name) as file:
        assert file.read() == b"a run"


def test_a_file_cut_short_by_a_dead_process_is_written_anew(db: None) -> None:
    stored = store(BytesIO(b"a whole run"), folder="storage-test")
    with open(default_storage.path(stored.name), "wb") as file:
        file.write(b"a wh")
    assert store(BytesIO(b"a whole run"), folder="storage-test") == stored
    with default_storage.open(stored.name) as file:
        assert file.read() == b"a whole run"


def test_a_file_over_the_limit_is_refused_and_not_kept() -> None:
    with pytest.raises(FileTooLargeError, match="larger than"):
        store(BytesIO(b"x" * 100), folder="storage-test-limit", limit=99)
    assert not default_storage.exists("storage-test-limit")
