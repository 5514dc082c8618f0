"""The index of docnos beside the documents: made when needed, never out of date, never half there."""

from pathlib import Path

import polars as pl
import pytest
from django.core.files.storage import default_storage

from campaign.collection import docno_index as service
from campaign.collection.docno_index import docno_index, documents_changed
from campaign.collection.selectors.documents import known_docnos
from campaign.formats.docno_hashes import DocnoHashes
from campaign.models import Document, Task
from tests.factories import make_campaign, make_collection, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def collection():
    return make_collection(make_task(make_campaign()), ["d1", "d2"])


def files() -> list[str]:
    return sorted(default_storage.listdir("docnos")[1])


def known(collection, *docnos: str) -> list[bool]:
    return docno_index(collection.pk).known(pl.Series(docnos)).to_list()


def add_document(collection, docno: str) -> None:
    Document.objects.create(collection=collection, docno=docno)


def test_the_index_is_made_on_the_first_question_and_kept(collection, django_assert_num_queries):
    assert known(collection, "d1", "d2", "d3") == [True, True, False]
    with django_assert_num_queries(1):
        assert known(collection, "d1", "d3") == [True, False]
    assert len(files()) == 1


def test_new_documents_are_known_at_once_and_the_old_index_goes(collection):
    assert known(collection, "d3") == [False]
    before = files()
    add_document(collection, "d3")
    documents_changed(collection.pk)
    assert known(collection, "d3") == [True]
    assert len(files()) == 1
    assert files() != before


def test_documents_that_come_while_the_index_is_made_are_in_it(collection, monkeypatch):
    read, calls = service._docnos, []

    def late(collection_id):
        yield from read(collection_id)
        if not calls:
            add_document(collection, "d3")
            service.Collection.objects.filter(pk=collection_id).update(documents_version=5)
        calls.append(collection_id)

    monkeypatch.setattr(service, "_docnos", late)
    assert known(collection, "d3") == [True]
    assert len(calls) == 2


def test_a_build_that_is_killed_leaves_nothing_that_anybody_reads(collection, monkeypatch):
    def killed(index, out):
        out.write(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DocnoHashes, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            docno_index(collection.pk)
    assert files() == []
    assert known(collection, "d1", "d3") == [True, False]


def test_a_damaged_index_is_made_anew(collection):
    docno_index(collection.pk)
    (Path(default_storage.path("docnos")) / files()[0]).write_bytes(b"damaged")
    assert known(collection, "d1", "d3") == [True, False]


def test_an_index_with_one_changed_entry_is_made_anew(collection):
    docno_index(collection.pk)
    path = Path(default_storage.path("docnos")) / files()[0]
    content = bytearray(path.read_bytes())
    place = next(place for place in range(len(content) - 16, 0, -8) if any(content[place : place + 8]))
    content[place] ^= 1
    path.write_bytes(content)
    assert known(collection, "d1", "d2", "d3") == [True, True, False]


def test_a_task_that_takes_any_docno_has_no_list(collection):
    task = Task.objects.get()
    task.docno_policy = Task.ANY
    assert known_docnos(task) is None


def test_an_empty_collection_knows_nothing(collection):
    Document.objects.all().delete()
    assert known(collection, "d1") == [False]
