"""The import of documents: batches fill a staging collection, then one transaction moves its documents to the task's
collection. A worker may die at any point: the next one continues, and readers never see a part of a file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery

from campaign.collection.docno_index import documents_changed
from campaign.collection.services.imports import (
    PREVIEWED,
    import_file,
    import_finish,
    import_finish_check,
    import_refuse,
    shortened,
    staging_slug,
)
from campaign.formats.documents import DocumentReader, DocumentRecord, read_docnos
from campaign.formats.problems import ProblemLog, visible
from campaign.models import Collection, Document, Import, Task
from campaign.words import number_of

BATCH = 1000
Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file being read: `problems` is complete when `records` is used up."""

    format: str | None
    records: Iterable[DocumentRecord]
    problems: ProblemLog
    file: BinaryIO

    def batches(self) -> Iterator[list[DocumentRecord]]:
        records = iter(self.records)
        while batch := list(islice(records, BATCH)):
            yield batch


def documents_check(import_: Import, report: Report) -> None:
    noun = "document number" if import_.options.get("docnos_only") else "document"
    tally: Counter[str] = Counter()
    preview: list[dict[str, Any]] = []
    with _reading(import_) as reading:
        for batch in reading.batches():
            preview += [_preview(record) for record in batch[: PREVIEWED - len(preview)]]
            _compare(import_, batch, tally, reading.problems)
            report(reading.file.tell() // 1024, import_.size // 1024 + 1, f"{number_of(tally.total(), noun)} read")
    _add_notes(tally, reading.problems)
    import_finish_check(
        import_, format=reading.format, records=tally.total(), preview=preview, problems=reading.problems
    )


def documents_apply(import_: Import, report: Report) -> None:
    done = 0
    _open_staging(import_)
    with _reading(import_) as reading:
        for batch in reading.batches():
            if not _stage(import_, batch):
                return
            done += len(batch)
            report(done, import_.records, "documents stored")
    _publish(import_)


@contextmanager
def _reading(import_: Import) -> Iterator[_Reading]:
    with import_file(import_) as file:
        if import_.options.get("docnos_only"):
            read = read_docnos(file)
            records = [DocumentRecord(docno, "", "", 0) for docno in read.docnos]
            yield _Reading("docnos", records, read.problems, file)
        else:
            reader = DocumentReader(file)
            yield _Reading(reader.format, reader, reader.problems, file)


def _compare(import_: Import, batch: list[DocumentRecord], tally: Counter[str], problems: ProblemLog) -> None:
    """Count new and changed documents of the batch; a text that contradicts an existing one is a problem."""
    docnos = [record.docno for record in batch]
    there = Document.objects.filter(collection=import_.task.collection_id, docno__in=docnos)
    existing = {document.docno: document for document in there}
    docnos_only = bool(import_.options.get("docnos_only"))
    for record in batch:
        before = existing.get(record.docno)
        if before is None:
            tally["new"] += 1
        elif docnos_only or (before.has_text and (before.title, before.text) == (record.title, record.text)):
            tally["known"] += 1
        elif not before.has_text:
            tally["texts"] += 1
        else:
            tally["contradicting"] += 1
            _add_contradiction(record.docno, record.line, problems)


def _add_contradiction(docno: str, line: int | None, problems: ProblemLog) -> None:
    message = f"Document {visible(docno)} is in the collection already, with another text."
    remedy = "Take it out of the file: a text that may have been judged is corrected on its own page, with a note."
    problems.add("document_exists", message, remedy, line=line)


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


def _open_staging(import_: Import) -> None:
    with transaction.atomic():
        if Import.objects.select_for_update().get(pk=import_.pk).state == Import.APPLYING:
            Collection.objects.get_or_create(
                campaign=import_.task.campaign, slug=staging_slug(import_), defaults={"title": import_.file_name[:120]}
            )


def _stage(import_: Import, batch: list[DocumentRecord]) -> bool:
    """Store the batch in the staging collection; False if that is gone, since the import was finished or discarded meanwhile."""
    has_text = not import_.options.get("docnos_only")
    with transaction.atomic():
        staging = _staging(import_)
        if staging is None:
            return False
        Document.objects.bulk_create(
            (
                Document(
                    collection=staging, docno=record.docno, title=record.title, text=record.text, has_text=has_text
                )
                for record in batch
            ),
            ignore_conflicts=True,
        )
    return True


def _staging(import_: Import) -> Collection | None:
    campaign = import_.task.campaign_id
    return Collection.objects.select_for_update().filter(campaign=campaign, slug=staging_slug(import_)).first()


def _publish(import_: Import) -> None:
    """All documents of the file become visible in this transaction, and the import is done."""
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=import_.task_id)
        staging = _staging(import_)
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
    staged = Document.objects.filter(collection=staging)
    with_text = staged.filter(has_text=True)
    arrived = with_text.filter(docno=OuterRef("docno"))
    Document.objects.filter(collection=target, has_text=False, docno__in=with_text.values("docno")).update(
        title=Subquery(arrived.values("title")[:1]), text=Subquery(arrived.values("text")[:1]), has_text=True
    )
    staged.filter(docno__in=Document.objects.filter(collection=target).values("docno")).delete()
    staged.update(collection=target)
    staging.delete()


def _preview(record: DocumentRecord) -> dict[str, Any]:
    return {"docno": record.docno, "title": shortened(record.title), "text": shortened(record.text)}
