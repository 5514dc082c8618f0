"""The checksum of all texts of a collection is compared outside of a transaction, while documents may come."""

import pytest

from campaign.collection.docno_index import documents_changed
from campaign.collection.selectors import integrity, texts
from campaign.collection.selectors.integrity import verify_texts
from campaign.collection.selectors.texts import digest_of_texts
from campaign.integrity import Extent
from campaign.models import Collection, Document
from runpool.operations.integrity import CHECKS
from tests.factories import make_cast, make_collection

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection(db: None) -> Collection:
    collection = make_collection(make_cast().task, ["d1", "d2", "d3"])
    Document.objects.filter(collection=collection).update(text="of a document", has_text=True)
    sha256, version = digest_of_texts(collection.pk), collection.documents_version
    Collection.objects.filter(pk=collection.pk).update(texts_sha256=sha256, texts_version=version)
    return collection


def test_how_many_texts_were_read_is_told(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "REPORTED", 2)
    told: list[str] = []
    extent = Extent(report=told.append)
    assert list(verify_texts(extent)) == []
    assert told == [f"texts of collection {collection.slug} of {collection.campaign}: 2 read"]
    assert extent.looked == {integrity.BY_CHECKSUM: 1}
    assert [check.in_one_state for check in CHECKS if check.verifier is verify_texts] == [False]


@pytest.mark.parametrize("properly", [True, False])
def test_documents_that_come_meanwhile_are_no_finding(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, properly: bool
) -> None:
    def come(done: int) -> None:
        Document.objects.filter(docno="d3").update(text="of another document")
        if properly:
            documents_changed(collection.pk)

    monkeypatch.setattr(texts, "AT_ONCE", 2)
    monkeypatch.setattr(texts, "REPORTED", 2)
    extent = Extent(report=lambda words: come(2))
    found = [str(finding) for finding in verify_texts(extent)]
    if properly:
        assert found == []
        assert "documents came or went meanwhile" in extent.notes[0]
        assert extent.looked == {}
    else:
        assert "Its texts are not those of their checksum." in found[0]
