"""The documents of collections in an archive: too many to be written or restored as one step."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from campaign.collection.selectors.texts import parts_in_memory
from campaign.models import Archive, Collection, Document
from runpool.archive.bulk_insert import batches
from runpool.archive.rows import RowError, bad_row, line_of, row_of
from runpool.archive.zip_io import ArchiveReader

BATCH = 1000
Report = Callable[[int, int, str], None]
COLUMNS = ("docno", "title", "text", "has_text")
WITHOUT_TEXTS = "Leave the texts of documents out of the archive."


def documents_path(slug: str, documents: str) -> str:
    return f"collections/{slug}/{'docnos.txt' if documents == Archive.DOCNOS else 'documents.jsonl'}"


def written_documents(collection: Collection, documents: str, report: Report) -> Iterator[bytes]:
    """The documents in the order in which they came, a part at a time that fits in memory: no cursor stays open."""
    rows = Document.objects.filter(collection=collection)
    total, done = collection.document_count, 0
    path = documents_path(collection.slug, documents)
    for lines in _docno_lines(rows) if documents == Archive.DOCNOS else _text_lines(rows, path):
        yield b"".join(lines)
        done += len(lines)
        report(done, total, "documents written")


def _docno_lines(rows: "QuerySet[Document]") -> Iterator[list[bytes]]:
    last = 0
    while batch := list(rows.order_by("pk").filter(pk__gt=last).values_list("pk", "docno")[:BATCH]):
        last = batch[-1][0]
        yield [f"{docno}\n".encode() for _, docno in batch]


def _text_lines(rows: "QuerySet[Document]", path: str) -> Iterator[list[bytes]]:
    for part in parts_in_memory(rows):
        yield [line_of(dict(zip(COLUMNS, row, strict=True)), path, WITHOUT_TEXTS) for row in part.values_list(*COLUMNS)]


def read_documents(reader: ArchiveReader, path: str) -> Iterator[list[Document]]:
    """Unsaved documents in batches, which end early where lines are long; ArchiveError at a line that holds none."""
    return batches(_sized_documents(reader, path))


def _sized_documents(reader: ArchiveReader, path: str) -> Iterator[tuple[Document, int]]:
    make = _by_docno if path.endswith(".txt") else _of_line
    for number, line in enumerate(reader.lines(path), start=1):
        if not line:
            continue
        try:
            yield make(line), len(line)
        except (RowError, ValidationError) as problem:
            raise bad_row(path, number, problem) from problem


def _by_docno(line: bytes) -> Document:
    try:
        return _checked(Document(docno=line.decode(), has_text=False))
    except UnicodeDecodeError as problem:
        raise RowError("A document number is not in UTF-8.") from problem


def _of_line(line: bytes) -> Document:
    row = row_of(line)
    if set(row) != set(COLUMNS) or not isinstance(row["has_text"], bool):
        raise RowError(f"A document has {', '.join(COLUMNS)} and nothing else.")
    if not all(isinstance(row[name], str) for name in COLUMNS[:3]):
        raise RowError("Document numbers, titles and texts are texts.")
    return _checked(Document(**row))


def _checked(document: Document) -> Document:
    if not document.docno or "\0" in document.docno:
        raise RowError(f"{json.dumps(document.docno[:50])} is no document number.")
    for name in COLUMNS[:3]:
        field: Any = Document._meta.get_field(name)
        field.clean(getattr(document, name), document)
    return document
