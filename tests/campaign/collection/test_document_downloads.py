"""Taking documents along: for whom the task says, and whole."""

import gzip
import tracemalloc
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.collection.selectors import texts
from campaign.collection.selectors.texts import document_texts, may_download_texts
from campaign.models import Document, Task
from campaign.setup.services.agreements import agreement_create
from campaign.teams.services.acceptances import agreements_accept
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_cast, make_collection

ROLES = ("anonymous", "stranger", "member", "other_member", "assessor", "organiser")


@pytest.fixture
def cast(db: None) -> Cast:
    cast = make_cast()
    make_collection(cast.task, ["b", "a", "c"])
    return cast


def takers(cast: Cast, texts_for: str) -> set[str]:
    Task.objects.filter(pk=cast.task.pk).update(texts_for=texts_for)
    task = Task.objects.get(pk=cast.task.pk)
    users: dict[str, Any] = {role: getattr(cast, role, AnonymousUser()) for role in ROLES}
    return {role for role, user in users.items() if may_download_texts(user, task)}


def test_each_setting_gives_the_texts_to_whom_it_names(cast: Cast) -> None:
    terms = agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text="Be fair.")
    agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[terms])
    assert takers(cast, Task.ORGANISERS) == {"organiser"}
    assert takers(cast, Task.PARTICIPANTS) == {"organiser", "member", "other_member"}
    assert takers(cast, Task.ACCEPTED) == {"organiser", "member"}
    agreement_create(actor=cast.organiser, campaign=cast.campaign, title="More terms", text="Be kind.")
    assert takers(cast, Task.ACCEPTED) == {"organiser"}
    assert takers(cast, Task.EVERYBODY) == set(ROLES)


def test_what_everybody_may_have_needs_no_account_and_the_rest_leads_to_the_login(cast: Cast) -> None:
    address = cast.task.url("document_download", file_format="jsonl")
    assert "login" in Client().get(address)["Location"]
    assert signed_in(cast.member).get(address).status_code == 403
    Task.objects.update(texts_for=Task.EVERYBODY)
    lines = gzip.decompress(Client().get(address).getvalue()).decode().splitlines()
    assert lines[0] == '{"docno": "b", "title": "title of b", "text": "text of b"}'
    assert gzip.decompress(Client().get(cast.task.url("docno_download")).getvalue()) == b"a\nb\nc\n"
    assert Client().get(cast.task.url("document_download", file_format="docx")).status_code == 404
    api = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/document-files/trec"
    assert gzip.decompress(Client().get(api).getvalue()).decode().startswith("<DOC>\n<DOCNO>b</DOCNO>\n")


def test_documents_of_which_only_the_number_is_known_are_in_no_file_of_texts(cast: Cast) -> None:
    Document.objects.filter(docno="a").update(has_text=False, text="")
    assert [one.docno for one in document_texts(cast.task.collection_id)] == ["b", "c"]


@pytest.mark.sqlite("campaign.collection.selectors.texts.parts_in_memory")
def test_texts_are_read_in_parts_of_bounded_size_and_giant_ones_alone(cast: Cast, monkeypatch: Any) -> None:
    monkeypatch.setattr(texts, "AT_ONCE", 4)
    monkeypatch.setattr(texts, "CHARACTERS_AT_ONCE", 20)
    sizes = [5, 5, 50, 5, 5, 21, 1]
    Document.objects.all().delete()
    Document.objects.bulk_create(
        Document(collection=cast.task.collection, docno=f"d{place}", text="x" * size)
        for place, size in enumerate(sizes)
    )
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = [len(one.text) for one in document_texts(cast.task.collection_id)]
    assert found == sizes
    reads = [query["sql"] for query in queries if '"campaign_document"."title"' in query["sql"]]
    assert len(reads) == 6


def test_a_large_collection_is_sent_without_being_held(cast: Cast) -> None:
    Document.objects.bulk_create(
        Document(collection=cast.task.collection, docno=f"d{place}", text="word " * 40_000) for place in range(100)
    )
    Task.objects.update(texts_for=Task.EVERYBODY)
    answer = Client().get(cast.task.url("document_download", file_format="jsonl"))
    tracemalloc.start()
    total = sum(map(len, answer.streaming_content))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total > 10_000
    assert peak < 18_000_000
