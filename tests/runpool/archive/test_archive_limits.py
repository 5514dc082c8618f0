"""What no site would restore is not made: each limit of what is read is one of what is written, with what then helps."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from campaign.collection.selectors import texts
from campaign.models import Archive, Collection, Correction, Document, Restoration
from campaign.queue.jobs import JobFailed
from runpool.archive import bulk_insert, rows
from runpool.archive.documents import written_documents
from runpool.archive.reading import Incoming, ReadRow
from runpool.archive.services import restoring, writing
from runpool.archive.services.writing import archive_write
from runpool.archive.zip_io import ArchiveReader
from tests.conftest import MadeOnce
from tests.factories import Cast, make_collection, make_task, make_user
from tests.runpool.archive.full_world import make_full_archive, make_full_world
from tests.runpool.archive.makers import made_elsewhere, receive

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def full(made_once: MadeOnce) -> Iterator[bytes]:
    with made_once(lambda: made_elsewhere(make_full_archive)) as content:
        yield content


def make(cast: Cast, **options: Any) -> None:
    archive = Archive.objects.create(campaign=cast.campaign, created_by=cast.organiser, **options)
    archive_write(archive, lambda done, total, what: None)


def refusal(cast: Cast, **options: Any) -> str:
    with pytest.raises(JobFailed, match="No site would restore the archive") as refused:
        make(cast, **options)
    return str(refused.value)


def test_what_the_check_reads_as_a_whole_is_what_has_a_greatest_size_when_an_archive_is_made(
    full: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, bytes_of = set[str](), ArchiveReader.bytes_of

    def seen(reader: ArchiveReader, path: str, most: int) -> bytes:
        read.add(path)
        return bytes_of(reader, path, most)

    monkeypatch.setattr(ArchiveReader, "bytes_of", seen)
    receive(full, make_user())
    incoming = Incoming(BytesIO(full))
    whole = {
        row.values[column.column]
        for table, task_slug in incoming.tables()
        for row in incoming.rows(table, task_slug)
        for column in table.files
        if column.is_whole and row.values.get(column.column)
    }
    assert read - {"manifest.json"} == whole


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("LARGEST_WHOLE", "of it are read. Every archive with this task has it; the other tasks"),
        ("LARGEST_MANIFEST", "manifest.json has"),
        ("MOST_ENTRIES", "it has more than 10 files. Archive its tasks one by one"),
    ],
)
def test_an_archive_is_not_made_that_is_too_large_to_be_read(
    monkeypatch: pytest.MonkeyPatch, limit: str, told: str
) -> None:
    cast = make_full_world().cast
    make(cast)
    monkeypatch.setattr(writing, limit, 10)
    assert told in refusal(cast)
    assert "one by one: each archive" not in refusal(cast, task=cast.task)


def test_a_long_text_of_a_document_can_be_left_out_and_a_long_erratum_is_in_every_archive_of_its_task(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_collection(cast.task, ["D1"])
    Document.objects.update(text="a" * 3000, has_text=True)
    monkeypatch.setattr(rows, "LONGEST_LINE", 2500)
    told = refusal(cast, documents=Archive.TEXTS)
    assert "/documents.jsonl" in told
    assert "Leave the texts of documents out" in told
    make(cast, documents=Archive.DOCNOS)
    texts = {"before": {"text": "a" * 3000}, "after": {"text": "b"}}
    Correction.objects.create(
        task=cast.task, number=1, kind="document", key="D1", version=2, reason="r", note="n", by=cast.organiser, **texts
    )
    told = refusal(cast, documents=Archive.DOCNOS)
    assert "errata.jsonl" in told
    assert "Every archive with this task has it; the other tasks of the campaign can be archived one by one." in told
    assert "Leave the texts" not in told


def test_rows_with_long_lines_are_restored_a_few_at_a_time(full: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    insert, at_once = restoring._insert, list[int]()

    def counted(work: Any, table: Any, task_slug: str, path: str, batch: list[ReadRow]) -> None:
        at_once.append(len(batch))
        insert(work, table, task_slug, path, batch)

    monkeypatch.setattr(restoring, "_insert", counted)
    assert receive(full, make_user()).state == Restoration.READY
    assert max(at_once) > 1
    at_once.clear()
    monkeypatch.setattr(bulk_insert, "BYTES_AT_ONCE", 1)
    assert receive(full, make_user()).state == Restoration.READY
    assert max(at_once) == 1


def test_documents_with_long_texts_are_written_a_few_at_a_time(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = make_collection(make_task(), ["a", "b", "c", "d"])
    Document.objects.filter(docno="b").update(text="x" * 100)
    Collection.objects.update(document_count=4)
    collection.refresh_from_db()

    def written() -> list[int]:
        parts = list(written_documents(collection, Archive.TEXTS, lambda done, total, what: None))
        assert [json.loads(line)["docno"] for line in b"".join(parts).splitlines()] == ["a", "b", "c", "d"]
        return [len(part.splitlines()) for part in parts]

    assert written() == [4]
    monkeypatch.setattr(texts, "CHARACTERS_AT_ONCE", 50)
    assert written() == [1, 1, 2]
