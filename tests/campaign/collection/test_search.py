"""The search of texts: the index against a slow search, its bytes, its snippets, and the job that makes it."""

from collections import Counter
from io import BytesIO
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaign.collection.jobs import index_texts
from campaign.collection.search import indexing
from campaign.collection.search.indexing import TextIndex, build_text_index
from campaign.collection.search.ranking import K1, B, best_keys
from campaign.collection.search.snippets import snippet
from campaign.collection.search.stored import UnreadableIndexError, read_index, write_index
from campaign.collection.selectors.search import document_named, ready_index, search_texts
from campaign.collection.services import search_index
from campaign.collection.services.search_index import texts_index_request
from campaign.models import Collection, Document, Job, SearchIndex
from campaign.queue.jobs import JobFailed, Progress
from campaign.storage.disk import place
from campaign.storage.quarantine import DamagedFileError
from tests.factories import Cast, make_collection, make_user

TEXTS = st.lists(st.lists(st.sampled_from(["a", "ab", "b", "é", "zz"]), max_size=8), max_size=12)


def slow_search(texts: list[list[str]], query: list[str], most: int) -> tuple[list[int], int]:
    """BM25 by its formula, a document and a word at a time."""
    mean = max(sum(map(len, texts)) / max(len(texts), 1), 1.0)
    scores = {}
    for place_, text in enumerate(texts):
        for word in query:
            df, tf = sum(word in other for other in texts), text.count(word)
            if tf:
                weight = log(1 + (len(texts) - df + 0.5) / (df + 0.5)) * tf / (tf + K1 * (1 - B + B * len(text) / mean))
                scores[place_] = scores.get(place_, 0.0) + weight
    ranked = sorted(scores, key=lambda one: (-round(scores[one], 9), one))
    return [100 + one for one in ranked][:most], len(scores)


def index_of(texts: list[list[str]]) -> TextIndex:
    return build_text_index(((100 + number, " ".join(text)) for number, text in enumerate(texts)), str.split)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(["a", "b", "é", "zz", "unknown"]), max_size=3), st.integers(1, 5))
def test_the_index_finds_what_a_slow_search_finds(texts: list[list[str]], query: list[str], most: int) -> None:
    found, matching = best_keys(index_of(texts), query, most)
    slow, slow_matching = slow_search(texts, query, len(texts) + 1)
    assert matching == slow_matching
    if len(Counter(query)) == 1:
        assert found == slow[:most], "one word: no sum whose order could matter"
    assert len(found) == min(most, matching)
    assert set(found) <= set(slow)


def test_the_index_is_the_same_in_however_many_pieces_its_postings_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [["a", "b", "a"], ["b"], [], ["c", "a"], ["b", "c", "é"]]
    at_once = BytesIO()
    write_index(index_of(texts), at_once)
    monkeypatch.setattr(indexing, "AT_ONCE", 1)
    in_pieces = BytesIO()
    write_index(index_of(texts), in_pieces)
    assert in_pieces.getvalue() == at_once.getvalue()
    assert best_keys(read_index(at_once.getvalue()), ["é"], 3) == ([104], 1)


def test_bytes_that_are_no_index_are_refused() -> None:
    for content in (b"", b"{}\n", b'["text index 1"]\n', b"\0" * 2000):
        with pytest.raises(UnreadableIndexError):
            read_index(content)


def test_a_snippet_is_where_most_words_of_the_query_are() -> None:
    text = "One bike. " + "Nothing here. " * 30 + "The bikes and their brakes <b>stop</b>. " + "No more. " * 30
    parts = snippet(text, {"bike", "brake"}, words=10)
    assert [word for word, is_marked in parts if is_marked] == ["bikes", "brakes"]
    assert parts[0][0].startswith("… ")
    assert parts[-1][0].endswith(" …")
    assert snippet("", {"bike"}) == []


def index_now(collection: Collection) -> SearchIndex:
    arguments = {"collection_id": collection.pk, "version": collection.documents_version}
    for _ in range(2):  # a job may run twice
        index_texts.body(Progress(0, 0), **arguments)
    index = ready_index(collection)
    assert index is not None
    return index


@pytest.mark.sqlite(
    "campaign.collection.selectors.search._documents", "campaign.collection.services.search_index._texts"
)
@pytest.mark.django_db
def test_texts_are_searched_once_a_job_has_indexed_them(cast: Cast) -> None:
    collection = make_collection(cast.task, ["d1", "d2"])
    Document.objects.create(collection=collection, docno="d3", title="Wing & flap", text="A wing <script>")
    Document.objects.create(collection=collection, docno="d4", has_text=False)
    assert ready_index(collection) is None
    job = texts_index_request(collection)
    assert texts_index_request(collection) == job
    index = index_now(collection)
    assert index.documents == 3
    hits = search_texts(index, "The wings")
    assert (hits.matching, [hit.docno for hit in hits.best]) == (1, ["d3"])
    assert hits.best[0].title == [("Wing", True), (" & flap", False)]
    assert search_texts(index, "the \0 <").best == []
    named = document_named(collection, "d4")
    assert named is not None
    assert not named.has_text


@pytest.mark.django_db
def test_texts_are_indexed_anew_when_documents_came_or_the_file_was_damaged(cast: Cast) -> None:
    collection = make_collection(cast.task, ["d1"])
    first = index_now(collection)
    Document.objects.create(collection=collection, docno="d2", text="late")
    Collection.objects.filter(pk=collection.pk).update(documents_version=9)
    collection.refresh_from_db()
    assert ready_index(collection) is None
    second = index_now(collection)
    assert (second.pk, second.documents) == (first.pk, 2)
    path = place(str(second.file.name))
    content = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(content.replace(b"late", b"fate"))
    with pytest.raises(DamagedFileError):
        search_texts(second, "late")
    assert ready_index(collection) is None
    assert [hit.docno for hit in search_texts(index_now(collection), "late").best] == ["d2"]


@pytest.mark.django_db
def test_a_job_of_an_outdated_version_makes_no_index(cast: Cast) -> None:
    collection = make_collection(cast.task, ["d1"])
    index_texts.body(Progress(0, 0), collection_id=collection.pk, version=collection.documents_version + 1)
    assert not SearchIndex.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("limit", ["MOST_DOCUMENTS", "MOST_CHARACTERS"])
def test_more_text_than_can_be_searched_is_refused_with_what_to_do(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    collection = make_collection(cast.task, ["d1", "d2"])
    monkeypatch.setattr(search_index, limit, 1)
    with pytest.raises(JobFailed, match="with a system of your own"):
        index_now(collection)
    job = texts_index_request(collection)
    Job.objects.filter(pk=job.pk).update(state=Job.FAILED)
    assert texts_index_request(collection) == job, "it is not tried again and again"
    assert texts_index_request(collection, again_for=make_user()) != job
