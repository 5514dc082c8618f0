"""The staging collection of an import: the documents of its file in their order, as far as they are stored.

Its `document_count` says how many these are. A worker that takes over goes on from there: the file is the same, and is
read in the same order.
"""

from collections.abc import Sequence

from django.db import connection, transaction

from campaign.collection.counts import counted, documents_added
from campaign.collection.services.imports import staging_slug
from campaign.formats.documents import DocumentRecord
from campaign.models import Collection, Document, Import

COLUMNS = ("collection_id", "docno", "title", "text", "has_text")
INTO = f"{Document._meta.db_table} ({', '.join(COLUMNS)})"
MANY = 10_000
Batch = Sequence[DocumentRecord] | Sequence[str]
"""Documents, or the docnos of a list."""
Row = tuple[int, str, str, str, bool]


def staging_open(import_: Import) -> int | None:
    """Make the staging collection or go on with it; return how many documents it holds, None if it is not wanted any more."""
    with transaction.atomic():
        if Import.objects.select_for_update().get(pk=import_.pk).state != Import.APPLYING:
            return None
        Collection.objects.get_or_create(
            campaign=import_.task.campaign, slug=staging_slug(import_), defaults={"title": import_.file_name[:120]}
        )
    # Apart from the lock above: whoever ends the import takes these two in the other order.
    with transaction.atomic():
        staging = staging_locked(import_)
        return None if staging is None else _held(staging)


def _held(staging: Collection) -> int:
    if counted(staging.pk) == {"document_count": staging.document_count, "text_count": staging.text_count}:
        return staging.document_count
    # Begun by a worker of a version that did not count: nobody knows what of the file is there.
    Document.objects.filter(collection=staging).delete()
    Collection.objects.filter(pk=staging.pk).update(document_count=0, text_count=0)
    return 0


def staging_locked(import_: Import) -> Collection | None:
    campaign = import_.task.campaign_id
    # Itself alone: by the order of collections, which begins with their campaigns, it would lock the campaign as well.
    staging = Collection.objects.select_for_update(of=("self",))
    return staging.filter(campaign=campaign, slug=staging_slug(import_)).first()


def docno_of(record: DocumentRecord | str) -> str:
    return record if isinstance(record, str) else record.docno


def stage(import_: Import, before: int, records: Batch) -> int | None:
    """Store the records that follow the first `before` ones of the file, as far as they are not stored yet.

    Return how many are stored now; None if there is nothing to go on with, since the import was finished, discarded or begun
    anew meanwhile.
    """
    has_text = not import_.options.get("docnos_only")
    with transaction.atomic():
        staging = staging_locked(import_)
        if staging is None or staging.document_count < before:
            return None
        missing = records[staging.document_count - before :]
        documents = [record for record in missing if isinstance(record, DocumentRecord)]
        write_rows([(staging.pk, record.docno, record.title, record.text, has_text) for record in documents])
        write_docnos(staging.pk, [record for record in missing if isinstance(record, str)])
        documents_added(staging.pk, documents=len(missing), texts=len(missing) if has_text else 0)
        return staging.document_count + len(missing)


def write_rows(rows: Sequence[Row]) -> None:
    """By the quickest way that the database has; objects of the model would take longer than the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(f"COPY {INTO} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(COLUMNS))
            cursor.executemany(f"INSERT INTO {INTO} VALUES ({marks})", rows)  # noqa: S608 - names of this module


def write_docnos(collection_id: int, docnos: Sequence[str]) -> None:
    """The same for documents without title and text, joined as COPY reads them: a docno holds no white space."""
    if connection.vendor != "postgresql":
        write_rows([(collection_id, docno, "", "", False) for docno in docnos])
    elif docnos:
        start, end = f"{collection_id}\t", "\t\t\tf\n"
        lines = f"{start}{f'{end}{start}'.join(docnos)}{end}".replace("\\", "\\\\")
        with (
            connection.cursor() as cursor,
            connection.wrap_database_errors,
            cursor.copy(f"COPY {INTO} FROM STDIN") as copy,
        ):
            copy.write(lines)


def tell_planner(written: int) -> None:
    """Until its own housekeeping comes by, PostgreSQL takes a collection of many new rows for a small one, and reads it whole."""
    if connection.vendor == "postgresql" and written >= MANY:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {Document._meta.db_table}")
