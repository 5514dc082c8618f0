"""Topics and documents on one page: one check, one confirmation, and nothing stored before it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaign.collection.services import imports
from campaign.models import Document, Import, Topic
from tests.campaign.collection.makers import DOCUMENTS, TOPICS_TSV
from tests.factories import Cast

Send = Callable[..., Any]


@pytest.fixture
def page(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


@pytest.fixture
def send(cast: Cast, page: Client, django_capture_on_commit_callbacks: Any) -> Send:
    def send(address: str = "", **contents: bytes) -> Any:
        files = {f"{kind}-file": SimpleUploadedFile(f"{kind}.txt", content) for kind, content in contents.items()}
        with django_capture_on_commit_callbacks(execute=True):
            return page.post(address or cast.task.url("files_import"), files)

    return send


def stored() -> tuple[int, int]:
    return Topic.objects.count(), Document.objects.count()


def test_both_files_are_checked_together_and_imported_by_one_confirmation(page: Client, send: Send) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS)["Location"]
    shown = page.get(address).content.decode()
    assert "Import 2 topics and 7 documents" in shown
    assert stored() == (0, 0)
    assert send(address)["Location"] == address
    assert stored() == (2, 7)
    done = page.get(address).content.decode()
    assert "The file is imported: 2 topics." in done
    assert "See the topics" in done


def test_a_bad_file_beside_a_good_one_says_its_problems_and_the_good_one_alone_can_be_imported(
    page: Client, send: Send
) -> None:
    address = send(topics=b"1\tan egg\n1\tanother\n", documents=DOCUMENTS)["Location"]
    shown = page.get(address).content.decode()
    assert "already given on line 1" in shown
    assert "Import 7 documents" in shown
    send(address)
    assert stored() == (0, 7)
    after = page.get(address).content.decode()
    asked = after[after.index('<form class="confirm"') : after.index("</form>", after.index('<form class="confirm"'))]
    assert "Nothing more can be imported" in asked
    assert "topics.txt: has errors" in squeezed(asked)
    assert "documents.txt" not in asked
    assert "Discard the files" not in asked


def test_what_was_discarded_before_is_not_asked_for_again(cast: Cast, page: Client, send: Send) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS)["Location"]
    imports.import_discard(actor=cast.organiser, import_=Import.objects.get(kind=Import.TOPICS))
    shown = squeezed(page.get(address).content.decode())
    assert "Import 7 documents?" in shown
    assert "topics.txt: 2 topics" not in shown


def test_no_row_is_locked_while_a_file_is_stored(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    """Storing takes long, above all in object storage; roles, pools and other imports of the campaign would wait."""
    order, store, keep = [], imports.store, imports._keep
    monkeypatch.setattr(imports, "store", lambda *told, **named: order.append("stored") or store(*told, **named))
    monkeypatch.setattr(imports, "_keep", lambda *told: order.append("kept") or keep(*told))
    send(topics=TOPICS_TSV, documents=DOCUMENTS)
    assert order == ["stored", "stored", "kept", "kept"]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_one_file_is_enough_and_none_is_refused_with_what_to_do(send: Send) -> None:
    refused = send()
    assert (refused.status_code, Import.objects.count()) == (422, 0)
    assert "Choose a file of topics, of documents or of qrels, or several of them." in refused.content.decode()
    assert send(topics=TOPICS_TSV).status_code == 302
    assert Import.objects.get().kind == Import.TOPICS


def test_where_one_file_is_refused_the_other_is_not_taken_in(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST_WAITING", 1)
    refused = send(topics=TOPICS_TSV, documents=DOCUMENTS)
    assert (refused.status_code, Import.objects.count()) == (422, 0)
    assert "imports of this campaign wait already" in refused.content.decode()


def test_discarding_gives_both_up(page: Client, send: Send) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS)["Location"]
    send(f"{address}&discard=1")
    assert set(Import.objects.values_list("state", flat=True)) == {Import.DISCARDED}
    assert stored() == (0, 0)


@pytest.mark.parametrize("query", ["", "?file=none", "?file=00000000-0000-0000-0000-000000000000"])
def test_an_address_that_names_no_import_of_the_task_is_not_found(cast: Cast, page: Client, query: str) -> None:
    assert page.get(cast.task.url("imports_together") + query).status_code == 404


def test_others_than_organisers_cannot_confirm(cast: Cast, send: Send) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS)["Location"]
    for user in (cast.member, cast.assessor, cast.stranger):
        other = Client()
        other.force_login(user)
        assert other.post(address).status_code == 403
    assert stored() == (0, 0)
