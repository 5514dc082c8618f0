"""The import of documents: batches fill a staging collection, then one transaction moves its documents to the task's
collection. A worker may die at any point: the next one continues, and readers never see a part of a file."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, BinaryIO

import polars as pl
from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.template.defaultfilters import filesizeformat

from campaign.collection.counts import documents_added
from campaign.collection.docno_index import docno_index, documents_changed
from campaign.collection.services.imports import (
    PREVIEWED,
    encoding_of,
    import_file,
    import_finish,
    import_finish_check,
    import_refuse,
    shortened,
)
from campaign.collection.services.staging import Batch, docno_of, stage, staging_locked, staging_open, tell_planner
from campaign.formats.docno_hashes import DocnoHashes
from campaign.formats.document_fields import fields_named
from campaign.formats.documents import DocnoReader, DocumentReader, DocumentRecord
from campaign.formats.problems import ProblemLog, visible
from campaign.models import Collection, Document, Import, Task
from campaign.permissions import locked_task_or_404
from campaign.text.plurals import number_of

BATCH, BATCH_LENGTH = 10_000, 16 << 20
"""Documents, and characters of their texts, that are held and stored at once."""
COMPARED = 1000
MOST_DOCUMENTS = 50_000_000
"""Of one collection, without their texts 8 GB of the database."""
BYTES_OF_A_DOCUMENT, SECONDS_OF_A_MILLION = 158, 38
"""Of a docno alone, with its indexes, in a list of plain lines; measured (docs/reference/scaling.md)."""
FIRST = "first"
"""The value of the option `repeated`: of documents of one docno the first counts."""
Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file being read: the problems of `reader` are complete when its records are used up."""

    reader: DocnoReader | DocumentReader
    file: BinaryIO

    def batches(self) -> Iterator[Batch]:
        """Of documents, or of the docnos of a list."""
        if isinstance(self.reader, DocnoReader):
            yield from self.reader.blocks()
            return
        batch, length = list[DocumentRecord](), 0
        for record in self.reader:
            batch.append(record)
            length += len(record.text)
            if len(batch) >= BATCH or length >= BATCH_LENGTH:
                yield batch
                batch, length = [], 0
        if batch:
            yield batch


def documents_check(import_: Import, report: Report) -> None:
    noun = "document number" if import_.options.get("docnos_only") else "document"
    tally: Counter[str] = Counter()
    preview: list[dict[str, Any]] = []
    with _reading(import_) as reading:
        problems = reading.reader.problems
        index = docno_index(import_.task.collection_id) if import_.task.collection_id else None
        held = import_.task.collection.document_count if import_.task.collection else 0
        for batch in reading.batches():
            preview += [_preview(record) for record in batch[: PREVIEWED - len(preview)]]
            _compare(import_, index, batch, tally, problems)
            report(reading.file.tell() // 1024, import_.size // 1024 + 1, f"{number_of(tally.total(), noun)} read")
            if held + tally["new"] > MOST_DOCUMENTS:
                share_read = min(1.0, reading.file.tell() / max(1, import_.size))
                _add_too_many(held + round(tally["new"] / share_read) if share_read else held + tally["new"], problems)
                break  # of a file that is refused all the same, the rest need not be read
    _add_notes(tally, problems)
    import_finish_check(
        import_, format=reading.reader.format, records=tally.total(), preview=preview, problems=problems
    )


def documents_apply(import_: Import, report: Report) -> None:
    if documents_stage(import_, report):
        documents_publish(import_)


def documents_stage(import_: Import, report: Report) -> bool:
    """Store the documents where nobody sees them; whether all are there. A second call goes on where the first was killed."""
    stored = staging_open(import_)
    if stored is None:
        return False
    read = 0
    with _reading(import_) as reading:
        for batch in reading.batches():
            if read + len(batch) > stored:
                stored = stage(import_, read, batch)
            if stored is None:
                return False
            read += len(batch)
            report(read, import_.records, "documents stored")
    tell_planner(read)
    return True


def documents_read(import_: Import, docnos: set[str] | None) -> bool:
    """Whether the file has no errors; its docnos are added to `docnos`, where that is given: they may be many millions."""
    with _reading(import_) as reading:
        for batch in reading.batches():
            if docnos is not None:
                docnos.update(map(docno_of, batch))
        return reading.reader.problems.ok


@contextmanager
def _reading(import_: Import) -> Iterator[_Reading]:
    with import_file(import_) as file:
        reader: DocnoReader | DocumentReader
        fields = fields_named(import_.options.get("shown_fields", ""))
        encoding, keep_first = encoding_of(import_), import_.options.get("repeated") == FIRST
        if import_.options.get("docnos_only"):
            reader = DocnoReader(file, encoding=encoding, keep_first=keep_first)
        else:
            reader = DocumentReader(file, encoding=encoding, fields=fields, keep_first=keep_first)
        yield _Reading(reader, file)


def _compare(
    import_: Import, index: DocnoHashes | None, batch: Batch, tally: Counter[str], problems: ProblemLog
) -> None:
    """Count new and changed documents of the batch; a text that contradicts an existing one is a problem."""
    known = _known(index, batch)
    tally["new"] += len(batch) - len(known)
    documents = [record for record in known if isinstance(record, DocumentRecord)]
    tally["known"] += len(known) - len(documents)
    for start in range(0, len(documents), COMPARED):
        some = documents[start : start + COMPARED]
        docnos = [record.docno for record in some]
        there = Document.objects.filter(collection=import_.task.collection_id, docno__in=docnos)
        existing = {document.docno: document for document in there}
        for record in some:
            outcome = _outcome(record, existing.get(record.docno))
            tally[outcome] += 1
            if outcome == "contradicting":
                _add_contradiction(record.docno, record.line, problems)


def _known(index: DocnoHashes | None, batch: Batch) -> list[DocumentRecord | str]:
    """The documents that the collection seems to have: of all others the database need not be asked."""
    if index is None:
        return []
    docnos = pl.Series(list(map(docno_of, batch)), dtype=pl.String)
    return [batch[place] for place in index.known(docnos).arg_true()]


def _outcome(record: DocumentRecord, before: Document | None) -> str:
    if before is None:
        return "new"
    if not before.has_text:
        return "texts"
    return "known" if (before.title, before.text) == (record.title, record.text) else "contradicting"


def _add_contradiction(docno: str, line: int | None, problems: ProblemLog) -> None:
    message = f"Document {visible(docno)} is in the collection already, with another text."
    remedy = "Take it out of the file: a text that may have been judged is corrected on its own page, with a note."
    problems.add("document_exists", message, remedy, line=line)


def _add_too_many(documents: int, problems: ProblemLog) -> None:
    size, hours = filesizeformat(documents * BYTES_OF_A_DOCUMENT), documents / 1_000_000 * SECONDS_OF_A_MILLION / 3600
    message = (
        f"The collection would hold about {number_of(documents, 'document')}, and may hold {MOST_DOCUMENTS:,}. "
        f"So many would take {size} of the database, without their texts, and at least {hours:,.1f} hours of a worker."
    )
    remedy = "Import the documents that runs may hold and assessors see, or leave the collection out and let runs hold any docno."
    problems.add("documents_too_many", message, remedy)


def _add_notes(tally: Counter[str], problems: ProblemLog) -> None:
    if tally["known"]:
        message = (
            f"{number_of(tally['known'], 'document')} of the file {_is(tally['known'])} in the collection already."
        )
        problems.add("document_known", message, "Nothing changes for what is known.", severity="warning")
    if tally["texts"]:
        message = (
            f"{number_of(tally['texts'], 'document')} {_is(tally['texts'])} in the collection without a text so far."
        )
        problems.add("document_text_added", message, "The text comes from this file.", severity="warning")


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def documents_publish(import_: Import) -> None:
    """All documents of the file become visible in this transaction, and the import is done."""
    with transaction.atomic():
        task = locked_task_or_404(import_.task)
        staging = staging_locked(import_)
        if staging is None or Import.objects.get(pk=import_.pk).state != Import.APPLYING:
            return
        if task.collection_id is None:
            staging.slug, staging.title = _free_slug(task), f"Documents of {task.title}"[:120]
            staging.save(update_fields=["slug", "title"])
            task.collection = staging
            task.save(update_fields=["collection"])
        else:
            target = Collection.objects.select_for_update().get(pk=task.collection_id)
            contradictions = _contradictions(staging, target)
            if not contradictions.ok:
                staging.delete()
                import_refuse(import_, contradictions)
                return
            _merge(staging, target)
        documents_changed(task.collection_id or staging.pk)
        import_finish(import_)


def _free_slug(task: Task) -> str:
    taken = set(Collection.objects.filter(campaign=task.campaign_id).values_list("slug", flat=True))
    names = (task.slug if number == 1 else f"{task.slug[:45]}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def _contradictions(staging: Collection, target: Collection) -> ProblemLog:
    problems = ProblemLog()
    there = Document.objects.filter(collection=target, has_text=True, docno=OuterRef("docno"))
    differing = (
        Document.objects.filter(collection=staging, has_text=True)
        .annotate(old_title=Subquery(there.values("title")[:1]), old_text=Subquery(there.values("text")[:1]))
        .filter(Q(old_text__isnull=False) & (~Q(title=F("old_title")) | ~Q(text=F("old_text"))))
    )
    for docno in differing.values_list("docno", flat=True):
        _add_contradiction(docno, None, problems)
    return problems


def _merge(staging: Collection, target: Collection) -> None:
    """The target gets what it lacks: texts of its documents, then documents."""
    staged, there = Document.objects.filter(collection=staging), Document.objects.filter(collection=target)
    filled = 0
    if staging.text_count:
        with_text = staged.filter(has_text=True)
        arrived = with_text.filter(docno=OuterRef("docno"))
        filled = there.filter(has_text=False, docno__in=with_text.values("docno")).update(
            title=Subquery(arrived.values("title")[:1]), text=Subquery(arrived.values("text")[:1]), has_text=True
        )
    if there.exists():
        staged.filter(docno__in=there.values("docno")).delete()
    new = staged.update(collection=target)
    documents_added(target.pk, documents=new, texts=filled + (new if staging.text_count else 0))
    staging.delete()


def _preview(record: DocumentRecord | str) -> dict[str, Any]:
    if isinstance(record, str):
        return {"docno": record, "title": "", "text": ""}
    return {"docno": record.docno, "title": shortened(record.title), "text": shortened(record.text)}
