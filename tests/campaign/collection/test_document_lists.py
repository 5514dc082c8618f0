"""Lists and numbers of documents: by keys and stored numbers, so that they take as long for any number of documents."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.collection.counts import counted
from campaign.collection.jobs import index_docnos
from campaign.collection.selectors import documents as selectors
from campaign.collection.selectors.documents import listed_documents
from campaign.collection.selectors.integrity import verify_document_counts
from campaign.integrity import Extent
from campaign.models import Collection, Document, Task
from campaign.queue.jobs import Progress
from tests.factories import Cast, make_collection

pytestmark = pytest.mark.sqlite

ROWS = 5000


@pytest.fixture
def task(cast: Cast) -> Task:
    make_collection(cast.task, ["b-2", "a", "b", "B", "é", "b-10", "\U0001f600", "b\uffff"])
    return Task.objects.select_related("collection", "campaign").get(pk=cast.task.pk)


def docnos(task: Task, **asked) -> list[str]:
    return [document.docno for document in listed_documents(task, **{"limit": 50, **asked}).documents]


@pytest.mark.sqlite("campaign.models.fields.Bytewise", "campaign.models.fields.BytewiseField.db_parameters")
def test_documents_stand_in_the_order_of_their_characters_in_every_database(task: Task) -> None:
    assert docnos(task) == sorted(["b-2", "a", "b", "B", "é", "b-10", "\U0001f600", "b\uffff"])


def test_pages_follow_each_other_without_a_gap(task: Task) -> None:
    found, page = [], listed_documents(task, limit=3)
    found += page.documents
    while page.after:
        page = listed_documents(task, limit=3, after=page.after)
        found += page.documents
    assert [document.docno for document in found] == docnos(task)
    assert listed_documents(task, limit=8).after == "", "a full last page leads nowhere"


@pytest.mark.parametrize("start", ["b", "b-", "B", "é", "\U0001f600", "b\uffff", "\ud7ff", "\U0010ffff", "%", "_"])
def test_a_start_finds_what_begins_with_it_and_nothing_else(task: Task, start: str, monkeypatch) -> None:
    monkeypatch.setattr(selectors, "MOST_TITLES_SEARCHED", 0)
    assert docnos(task, search=start) == [docno for docno in docnos(task) if docno.startswith(start)]


@pytest.mark.sqlite("campaign.collection.selectors.documents._in_title")
def test_titles_are_found_in_both_unicode_forms(task: Task) -> None:
    Document.objects.filter(docno="a").update(title="Nguye\u0302\u0303n")
    Document.objects.filter(docno="b").update(title="Nguy\u1ec5n")
    assert docnos(task, search="Nguye\u0302\u0303n") == docnos(task, search="Nguy\u1ec5n") == ["a", "b"]


def test_titles_of_a_large_collection_are_not_searched_and_the_page_says_so(
    cast: Cast, task: Task, client: Client, monkeypatch
) -> None:
    assert docnos(task, search="title of é") == ["é"]
    monkeypatch.setattr(selectors, "MOST_TITLES_SEARCHED", 2)
    assert docnos(task, search="title of é") == []
    client.force_login(cast.member)
    page = client.get(task.url("document_list"), {"search": "title"}).content.decode()
    assert "Beginning of a document number" in page
    assert "No document" not in page


def test_pages_lead_on_and_back_by_the_number_of_a_document(cast: Cast, client: Client) -> None:
    make_collection(cast.task, [f"d{number:03}" for number in range(60)])
    client.force_login(cast.member)
    first = client.get(cast.task.url("document_list")).content.decode()
    assert 'href="?after=d049"' in first
    assert "60 documents" in first
    second = client.get(cast.task.url("document_list"), {"after": "d049"}).content.decode()
    assert "d059" in second
    assert 'rel="next"' not in second
    assert "From the beginning" in second
    assert "No document comes after" in client.get(cast.task.url("document_list"), {"after": "e"}).content.decode()


def test_an_empty_collection_has_no_documents(cast: Cast, client: Client) -> None:
    client.force_login(cast.organiser)
    assert "No documents yet" in client.get(cast.task.url("document_list")).content.decode()


def queries_on_documents(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return [one["sql"] for one in asked if "campaign_document" in one["sql"]]


def test_no_page_counts_documents(cast: Cast, task: Task, client: Client) -> None:
    client.force_login(cast.organiser)
    for page in ("document_list", "task_detail", "file_list", "topic_list", "check_script"):
        asked = queries_on_documents(client, task.url(page))
        assert not [sql for sql in asked if "COUNT(" in sql], page


def test_lists_read_the_index_and_no_more_rows_than_they_show(task: Task) -> None:
    if connection.vendor != "postgresql":
        plan = plan_of(Document.objects.filter(collection=1, docno__gt="a").order_by("docno")[:51])
        assert "USING INDEX" in plan
        assert "TEMP B-TREE" not in plan
        return
    rows = (Document(collection=task.collection, docno=f"x{number:06}", has_text=False) for number in range(ROWS))
    Document.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaign_document")
    documents = Document.objects.filter(collection=task.collection).order_by("docno")
    for asked in (
        documents,
        documents.filter(docno__gt="x002500"),
        documents.filter(selectors.begins_with("x0025")),
    ):
        plan = plan_of(asked[:51])
        assert "Index Scan using docno_once_per_collection" in plan
        assert "Sort" not in plan


def plan_of(asked) -> str:
    return str(asked.explain())


@pytest.mark.sqlite("campaign.collection.selectors.integrity.verify_document_counts")
def test_verification_finds_numbers_that_are_wrong_and_the_next_index_mends_them(cast: Cast, task: Task) -> None:
    extent = Extent()
    assert list(verify_document_counts(extent)) == []
    assert extent.looked["documents"] == 8
    Document.objects.create(collection=task.collection, docno="more", has_text=False)
    [finding] = verify_document_counts(Extent())
    assert "8 documents, 8 of them with a text; counted were 9 and 8" in str(finding)
    index_docnos.body(Progress(0, 0), collection_id=task.collection_id)
    assert list(verify_document_counts(Extent())) == []
    assert counted(task.collection_id) == Collection.objects.values("document_count", "text_count").get()
