"""Documents found by hand: the search at the desk and for organisers, and what an added document changes."""

from unicodedata import normalize

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.utils import timezone

from campaign.collection.search import stored
from campaign.collection.selectors.search import INDEX_TEXTS
from campaign.collection.services.search_index import texts_index
from campaign.models import AuditEvent, Document, Job, SearchIndex
from campaign.setup.services.tasks import task_update
from judging.desk.selectors.page import desk_url
from judging.desk.services.added_documents import document_found, document_found_at_the_desk
from judging.models import Assignment
from pooling.models import Pool, PoolEntry, Search
from pooling.selectors.pools import pool_text
from pooling.selectors.sizes import entry_count, found_count
from pooling.services.added_documents import document_add
from tests.factories import Cast, make_cast, make_user
from tests.judging.growing_pools import handed_out, make_growing_pool
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(cast: Cast) -> Assignment:
    made = make_assignment(cast, ["d1", "d2"])
    Document.objects.bulk_create(
        Document(collection=cast.task.collection, docno=docno, title=f"wing {docno}", text="lift <i>of</i> a wing")
        for docno in ["d3", "d4/?&#<b>", "d5"]
    )
    return made


def index(cast: Cast) -> None:
    collection = cast.task.collection
    version = collection.documents_version
    texts_index(collection_id=collection.pk, version=version, report=lambda *progress: None)


def find(own: Assignment, cast: Cast, role: str = "assessor", **query: str) -> HttpResponse:
    address = cast.task.url("desk_find", topic_number="401")
    return client_of(cast, role).get(address, {"assignment": own.pk, **query})


def add(own: Assignment, cast: Cast, docno: str) -> HttpResponse:
    address = f"{cast.task.url('desk_find', topic_number='401')}?assignment={own.pk}"
    return client_of(cast, "assessor").post(address, {"docno": docno, "query": "wing"})


def test_a_found_document_stands_behind_the_others_and_is_recorded(cast: Cast, own: Assignment) -> None:
    before = pool_text(own.pool)
    entry = document_found_at_the_desk(assignment=own, docno="d3")
    assert document_found_at_the_desk(assignment=own, docno="d3") == entry, "asked for twice"
    assert (entry.position, entry.best_position, entry.run_count) == (3, 0, 0)
    assert (entry.source, entry.stratum, entry.inclusion_probability) == (PoolEntry.FOUND, 1002, 1.0)
    assert entry.added_by == cast.assessor
    assert AuditEvent.objects.filter(verb="add document found by hand", data__docno="d3").count() == 1
    assert (entry_count(own.pool), found_count(own.pool)) == (3, 1)
    assert pool_text(Pool.objects.get()) == before, "the file holds what was drawn"


def test_what_is_pooled_or_not_of_the_collection_is_refused(cast: Cast, own: Assignment) -> None:
    with pytest.raises(ValidationError, match="d1 is in the pool of topic 401 already"):
        document_found_at_the_desk(assignment=own, docno="d1")
    with pytest.raises(ValidationError, match="not in the collection"):
        document_found_at_the_desk(assignment=own, docno="elsewhere")
    document_found(actor=cast.organiser, pool=own.pool, topic=own.topic, docno="d3")
    with pytest.raises(ValidationError, match="already"):
        document_found_at_the_desk(assignment=own, docno="d3")
    stranger = make_assignment_of_another_task()
    with pytest.raises(ValidationError, match="not one of this task"):
        document_add(actor=cast.organiser, pool=own.pool, topic=stranger.topic, docno="d5")


def make_assignment_of_another_task() -> Assignment:
    return make_assignment(make_cast(), ["x"])


def test_a_finished_topic_has_work_again(cast: Cast, own: Assignment) -> None:
    for docno in ("d1", "d2"):
        judge(own, docno, 1)
    own.refresh_from_db()
    assert own.finished_at is not None
    document_found(actor=cast.organiser, pool=own.pool, topic=own.topic, docno="d3")
    own.refresh_from_db()
    assert own.finished_at is None
    judge(own, "d3", 2)
    own.refresh_from_db()
    assert own.finished_at is not None


def test_in_a_growing_pool_the_finder_gets_the_document(cast: Cast) -> None:
    pool = make_growing_pool(cast, depth=1, candidates=2)
    Document.objects.create(collection=cast.task.collection, docno="new", text="new")
    topic = cast.task.topics.get()
    own, theirs = (assign(pool, topic, user, cast.organiser) for user in (cast.assessor, make_user()))
    handed_out(theirs)
    document_found_at_the_desk(assignment=own, docno="new")
    assert "new" in handed_out(own)
    assert "new" not in handed_out(theirs)


def test_the_page_searches_and_leads_to_the_new_document_at_the_desk(cast: Cast, own: Assignment) -> None:
    index(cast)
    judge(own, "d1", 2)
    page = find(own, cast, query="lift of wings").content.decode()
    assert "<mark>lift</mark> &lt;i&gt;of&lt;/i&gt; a <mark>wing</mark>" in page
    assert "d4/?&amp;#&lt;b&gt;" in page
    assert page.count("csrfmiddlewaretoken") == page.count('method="post"') >= 3
    response = add(own, cast, "d4/?&#<b>")
    assert response["Location"] == f"{desk_url(own)}&docno=d4%2F%3F%26%23%3Cb%3E"
    assert "At your desk" in find(own, cast, query="wing").content.decode()
    titles = find(own, cast, query="title").content.decode()
    assert "You judged it: relevant" in titles
    assert "docno=d1" in titles
    assert list(Search.objects.values_list("query", "results")) == [("lift of wings", 3), ("wing", 3), ("title", 2)]
    find(own, cast, query="title")
    assert Search.objects.count() == 3, "a reload is no further search"


def test_the_page_starts_with_the_title_of_the_topic(cast: Cast, own: Assignment) -> None:
    index(cast)
    page = find(own, cast).content.decode()
    assert 'value="title of 401"' in page
    assert Search.objects.get().query == "title of 401"


def test_the_page_waits_for_the_index_and_takes_a_document_number_meanwhile(cast: Cast, own: Assignment) -> None:
    page = find(own, cast, query="d3").content.decode()
    assert "Indexing the texts" in page
    assert "Add to this topic" in page
    assert 'hx-trigger="load delay:1s"' in page
    assert Job.objects.filter(name="index texts").count() == 1
    Job.objects.filter(name="index texts").update(state=Job.FAILED, message="Too much text.")
    page = find(own, cast, query="wing").content.decode()
    assert "The texts cannot be searched. Too much text." in page
    client_of(cast, "assessor").post(f"{cast.task.url('desk_find', topic_number='401')}", {"again": "1"})
    assert Job.objects.filter(name="index texts", state=Job.QUEUED).count() == 1
    assert not Search.objects.exists()


def test_a_query_that_is_too_long_is_refused_in_words(cast: Cast, own: Assignment) -> None:
    response = find(own, cast, query="w" * 301)
    assert response.status_code == 422
    assert "at most 300 characters" in response.content.decode()


def test_assessors_add_nothing_where_the_organisers_do_not_want_it(cast: Cast, own: Assignment) -> None:
    desk = client_of(cast, "assessor").get(desk_url(own)).content.decode()
    assert "Find more documents" in desk
    task_update(actor=cast.organiser, task=cast.task, assessors_add_documents=False)
    assert find(own, cast).status_code == add(own, cast, "d3").status_code == 403
    own = Assignment.objects.select_related("pool__task").get()
    with pytest.raises(PermissionDenied):
        document_found_at_the_desk(assignment=own, docno="d3")
    assert "Find more documents" not in client_of(cast, "assessor").get(desk_url(own)).content.decode()


def test_whoever_handed_the_topic_over_adds_nothing_to_it(cast: Cast, own: Assignment) -> None:
    read_before = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=own.pk)
    Assignment.objects.filter(pk=own.pk).update(handed_over_at=timezone.now())
    with pytest.raises(PermissionDenied, match="was handed over"):
        document_found_at_the_desk(assignment=read_before, docno="d3")
    assert not PoolEntry.objects.filter(docno="d3").exists()


def test_an_organiser_adds_for_the_assessors_and_searches_on(cast: Cast, own: Assignment) -> None:
    index(cast)
    client = client_of(cast, "organiser")
    address = cast.task.url("pool_find", version=1, topic_number="401")
    assert address in client.get(own.pool.get_absolute_url()).content.decode()
    response = client.post(address, {"docno": "d5", "query": "wing"}, follow=True)
    page = response.content.decode()
    assert "Document d5 is added to topic 401." in page
    assert "In the topic’s pool" in page
    assert "1 document found by hand" in client.get(own.pool.get_absolute_url()).content.decode()
    assert client.post(address, {"docno": ""}, follow=True).status_code == 200
    assert found_count(own.pool) == 1


def test_an_index_of_an_earlier_version_is_made_anew(
    cast: Cast, own: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(stored, "FORMAT", "text index 1")
        index(cast)
    made = SearchIndex.objects.get()
    page = find(own, cast, query="wing").content.decode()
    assert "Indexing the texts" in page
    assert Job.objects.filter(name=INDEX_TEXTS).count() == 1
    index(cast)
    assert SearchIndex.objects.get().sha256 != made.sha256
    assert "3 documents with a word of the query" in find(own, cast, query="wing").content.decode()


def test_words_of_other_scripts_are_found_and_marked_on_the_page(cast: Cast, own: Assignment) -> None:
    texts = {
        "hi1": "भारत में हिन्दी बोली जाती है।",
        "hi2": "दिन में नदी के पास हवा।",
        "ja1": "これは日本語の文書です。自転車のブレーキを調整する。",
        "vi1": normalize("NFD", "Trường học Nguyễn"),
        "th1": "วิธีปรับเบรกจักรยาน",
    }
    Document.objects.bulk_create(
        Document(collection=cast.task.collection, docno=docno, text=text) for docno, text in texts.items()
    )
    index(cast)
    for word, docno in {"हिन्दी": "hi1", "自転車": "ja1", "車": "ja1", "Nguyễn": "vi1", "เบรก": "th1"}.items():
        page = find(own, cast, query=word).content.decode()
        assert "1 document with a word of the query" in page, word
        assert docno in page
        assert f"<mark>{word}</mark>" in normalize("NFC", page)
