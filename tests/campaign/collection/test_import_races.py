"""Several workers that apply one import at the same moment, as when one is taken for dead. Needs several writers: PostgreSQL."""

import io

import pytest
from django.db import connection

from campaign.collection.services import document_imports
from campaign.collection.services.document_imports import documents_apply, documents_check
from campaign.collection.services.imports import import_claim_apply, import_store
from campaign.models import Collection, Document, Import, Task
from tests.campaign.collection.makers import document_line
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.factories import Cast, make_cast, make_collection
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
DOCNOS = [f"d{number:02}" for number in range(40)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


@pytest.mark.parametrize("has_collection", [False, True])
def test_of_workers_at_once_each_document_is_stored_once_and_in_order(
    cast: Cast, monkeypatch, has_collection: bool
) -> None:
    monkeypatch.setattr(document_imports, "BATCH", 2)
    if has_collection:
        make_collection(cast.task, ["d07", "old"])
        Document.objects.filter(docno="d07").update(has_text=False, title="", text="")
        Collection.objects.update(text_count=1)
    file = io.BytesIO(b"".join(document_line(docno, f"text {docno}") for docno in DOCNOS))
    import_ = import_store(
        actor=cast.organiser, task=cast.task, kind="documents", file=file, file_name="documents.jsonl"
    )
    documents_check(import_, lambda done, total, message: None)
    assert import_claim_apply(import_)

    def apply(number: int) -> None:
        documents_apply(Import.objects.get(pk=import_.pk), lambda done, total, message: None)

    assert at_once(apply) == [""] * AT_ONCE
    import_.refresh_from_db()
    collection = Task.objects.select_related("collection").get(pk=cast.task.pk).collection
    assert (import_.state, Collection.objects.get()) == (Import.DONE, collection)
    documents = Document.objects.exclude(docno="old").order_by("docno").values_list("docno", "text")
    assert list(documents) == [(docno, f"text {docno}") for docno in DOCNOS]
    assert (collection.document_count, collection.text_count) == (len(DOCNOS) + has_collection,) * 2
