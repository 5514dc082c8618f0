"""Texts of topics and documents are simply changed while nobody depends on them, and become errata afterwards."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from campaign.collection.selectors.corrections import errata_after, seen_version
from campaign.collection.selectors.versions import display_version, text_version, topic_version
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.collection.services.document_corrections import document_correct
from campaign.collection.services.topic_corrections import (
    topic_correct,
    topic_delete,
    topic_put_back,
    topic_remove_from_scoring,
)
from campaign.models import AuditEvent, Collection, Correction, Document, Notice, Subtopic, Task, Topic
from campaign.models.mail import ERRATUM
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.services.tasks import task_enter_phase
from campaign.text import limits
from evaluation.services.scoring import task_score
from tests.api.makers import ask, make_token
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_received_run, make_task, make_topics

pytestmark = pytest.mark.django_db
WHY = {"reason": "A reader told us.", "note": "Typo in the title."}


@pytest.fixture
def topic(cast: Cast) -> Topic:
    [made, _] = make_topics(cast.task, ["401", "402"])
    Subtopic.objects.create(topic=made, number="1", position=1, text="two wheels")
    return made


@pytest.fixture
def document(cast: Cast) -> Document:
    make_collection(cast.task, ["a", "b"])
    return Document.objects.get(docno="a")


def correct(cast: Cast, topic: Topic, **fields: Any) -> Correction | None:
    return topic_correct(actor=cast.organiser, topic=topic, fields=fields, **WHY)


def page(cast: Cast, client: Client, name: str, person: str = "organiser", **kwargs: Any) -> str:
    client.force_login(getattr(cast, person))
    return client.get(cast.task.url(name, **kwargs)).content.decode()


def sent(cast: Cast, client: Client, name: str, data: dict[str, str], **kwargs: Any) -> Any:
    """What the page has in its form, with other values: as a browser sends it."""
    client.force_login(cast.organiser)
    address = cast.task.url(name, **kwargs)
    form = client.get(address).context["form"]
    values = {field: str(form[field].value() or "").replace("\n", "\r\n") for field in form.fields}
    return client.post(address, values | data)


def test_in_set_up_a_topic_is_simply_changed(cast: Cast, topic: Topic) -> None:
    Task.objects.update(phase=Task.SETUP)
    assert topic_correct(actor=cast.organiser, topic=topic, fields={"title": "cargo bikes"}) is None
    assert Topic.objects.get(pk=topic.pk).title == "cargo bikes"
    assert AuditEvent.objects.get(verb="correct").data["before"] == {"title": "title of 401"}


def test_a_task_that_went_back_to_set_up_was_seen_all_the_same(cast: Cast, topic: Topic) -> None:
    task_enter_phase(actor=cast.organiser, task=cast.task, phase=Task.SETUP)
    with pytest.raises(ValidationError, match="for the organisers"):
        topic_correct(actor=cast.organiser, topic=topic, fields={"title": "cargo bikes"})
    with pytest.raises(ValidationError, match="remove it from scoring"):
        topic_delete(actor=cast.organiser, topic=topic)
    assert Topic.objects.get(pk=topic.pk).title == "title of 401"


def test_versions_and_errata_are_counted_and_hold_what_assessors_saw(cast: Cast, topic: Topic) -> None:
    first = topic_version(topic)
    correct(cast, topic, title="cargo bikes", subtopics={"1": "three wheels"})
    now = topic_version(Topic.objects.get(pk=topic.pk))
    second = correct(cast, topic, narrative="Any number of wheels.")
    other = correct(cast, cast.task.topics.get(number="402"), title="locks")
    kept = Correction.objects.get(number=1)
    assert (kept.version, kept.before_sha256, kept.after_sha256) == (2, first, now)
    assert kept.before == {"title": "title of 401", "subtopics": {"1": "two wheels"}}
    assert second is not None
    assert (second.number, second.version, second.before_sha256) == (2, 3, now)
    assert other is not None
    assert (other.number, other.version) == (3, 2)


def test_each_erratum_is_told_once_to_those_who_see_the_task(cast: Cast, topic: Topic) -> None:
    correct(cast, topic, title="cargo bikes")
    [notice] = Notice.objects.filter(kind=ERRATUM)
    assert (notice.audience, notice.title) == (Notice.EVERYBODY, f"{cast.task}: erratum 1. Topic 401")
    assert WHY["note"] in notice.body
    assert f"{cast.task.url('errata')}?upto=1#erratum-1" in notice.body
    assert WHY["reason"] not in notice.body
    Task.objects.update(phase=Task.SETUP)
    topic_correct(actor=cast.organiser, topic=cast.task.topics.get(number="402"), fields={"title": "locks"}, **WHY)
    assert Notice.objects.filter(kind=ERRATUM).count() == 1


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"title": "title of 401"}, "Nothing is changed"),
        ({"number": "7"}, "no text “number”"),
        ({"subtopics": {"9": "x"}}, "no subtopic 9"),
        ({"subtopics": "x"}, "table"),
        ({"subtopics": {"1": ""}}, "Subtopic 1"),
        ({"title": " "}, "blank"),
        ({"title": None}, "Write a text"),
        ({"title": "two\nlines"}, "on one line"),
        ({"narrative": "x" * 20_001}, "20,000"),
    ],
)
def test_a_correction_that_is_none_changes_nothing(cast: Cast, topic: Topic, fields: Any, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        correct(cast, topic, **fields)
    assert not Correction.objects.exists()
    assert topic_version(Topic.objects.get(pk=topic.pk)) == topic_version(topic)


def test_the_second_of_two_editors_sees_what_changed_and_saves_on_purpose(
    cast: Cast, topic: Topic, client: Client
) -> None:
    client.force_login(cast.organiser)
    address = cast.task.url("topic_edit", topic_number="401")
    mine = {"seen": topic_version(topic), "title": "mine", "subtopic-1": "two wheels", **WHY}
    correct(cast, topic, title="theirs")
    with pytest.raises(ChangedMeanwhileError):
        topic_correct(actor=cast.organiser, topic=topic, fields={"title": "x"}, seen_sha256=mine["seen"], **WHY)
    answer = client.post(address, mine)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "<del>theirs</del><ins>mine</ins>" in text
    assert str(cast.organiser) in text
    assert Topic.objects.get(pk=topic.pk).title == "theirs"
    again = {**mine, "seen": answer.context["form"]["seen"].value()}
    assert client.post(address, again).status_code == 302
    assert Topic.objects.get(pk=topic.pk).title == "mine"


def test_what_the_second_editor_left_alone_stays_as_the_first_has_stored_it(
    cast: Cast, topic: Topic, client: Client
) -> None:
    client.force_login(cast.organiser)
    address = cast.task.url("topic_edit", topic_number="401")
    form = client.get(address).context["form"]
    mine = {name: str(form[name].value() or "") for name in form.fields} | {"title": "mine", **WHY}
    correct(cast, topic, narrative="theirs")
    met = client.post(address, mine)
    assert met.status_code == 409
    assert "in your form now: Narrative" in met.content.decode()
    form = met.context["form"]
    assert client.post(address, {name: form[name].value() for name in form.fields}).status_code == 302
    saved = Topic.objects.get(pk=topic.pk)
    assert (saved.title, saved.narrative) == ("mine", "theirs")


def test_line_breaks_of_browsers_are_no_correction(cast: Cast, document: Document, client: Client) -> None:
    Document.objects.filter(pk=document.pk).update(text="\n one\ntwo \n\n", title="two\nlines")
    data = {"reason": "r", "note": "n"}
    assert "Nothing is changed" in sent(cast, client, "document_edit", data, docno="a").content.decode()
    assert sent(cast, client, "document_edit", {**data, "title": "one line"}, docno="a").status_code == 302
    assert Correction.objects.get().before == {"title": "two\nlines"}


def test_a_corrected_document_is_indexed_anew_and_is_an_erratum_of_each_task_that_showed_it(
    cast: Cast, document: Document
) -> None:
    sharing = [make_task(cast.campaign, "second", collection=cast.task.collection)]
    sharing += [make_task(cast.campaign, "draft", collection=cast.task.collection, phase=Task.SETUP)]
    version = Collection.objects.get().documents_version
    errata = document_correct(actor=cast.organiser, document=document, fields={"text": "new"}, **WHY)
    assert [one.task for one in errata] == [cast.task, sharing[0]]
    assert Collection.objects.get().documents_version == version + 1
    display = {"title": "title of a", "html": "", "frame": ""}
    assert errata[0].before_sha256 == display_version(display, "text of a") == text_version("title of a", "text of a")
    stale = errata[0].before_sha256
    with pytest.raises(ChangedMeanwhileError):
        document_correct(actor=cast.organiser, document=document, fields={"text": "x"}, seen_sha256=stale, **WHY)


def test_a_correction_that_no_archive_would_hold_is_refused_and_nothing_changes(
    cast: Cast, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [{"text": document.text}, {"text": "ä" * 500}]
    size = len(json.dumps(texts, ensure_ascii=False).encode())
    monkeypatch.setattr(limits, "BYTES_CORRECTED", size - 1)
    with pytest.raises(ValidationError, match="an archive of the campaign holds at most"):
        document_correct(actor=cast.organiser, document=document, fields=texts[1], **WHY)
    assert Document.objects.get(pk=document.pk).text == document.text
    monkeypatch.setattr(limits, "BYTES_CORRECTED", size)
    assert document_correct(actor=cast.organiser, document=document, fields=texts[1], **WHY)


def test_texts_of_documents_in_errata_are_for_those_who_may_read_them(
    cast: Cast, document: Document, client: Client
) -> None:
    document_correct(actor=cast.organiser, document=document, fields={"text": "<b>secret"}, **WHY)
    api = f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/errata"
    for person in ("organiser", "assessor", "member"):
        assert "&lt;b&gt;secret" in page(cast, client, "errata", person)
        [erratum] = ask(api, make_token(getattr(cast, person))).json()["items"]
        assert erratum["changes"] == [{"part": "Text", "same": "", "gone": "text of a", "new": "<b>secret"}]
    for unread in (page(cast, client, "errata", "stranger"), ask(api).content.decode()):
        assert "secret" not in unread
        assert "Typo in" in unread
    assert WHY["reason"] not in page(cast, client, "errata", "member")
    assert WHY["reason"] in page(cast, client, "errata")


def test_pages_lead_to_the_versions_of_their_texts(
    cast: Cast, topic: Topic, document: Document, client: Client
) -> None:
    assert "No errata" in page(cast, client, "errata")
    correct(cast, topic, title="cargo bikes")
    document_correct(actor=cast.organiser, document=document, fields={"text": "new"}, **WHY)
    assert "Version 2, corrected" in page(cast, client, "topic_detail", "stranger", topic_number="401")
    assert "?upto=2#erratum-2" in page(cast, client, "document_detail", "member", docno="a")
    assert "version 2" in page(cast, client, "topic_list", "stranger")
    assert "2 errata" in page(cast, client, "task_detail", "stranger")


def test_a_topic_that_nothing_depends_on_is_deleted(cast: Cast, topic: Topic, client: Client) -> None:
    Task.objects.update(phase=Task.SETUP)
    assert "Delete the topic" in page(cast, client, "topic_scoring", topic_number="401")
    assert sent(cast, client, "topic_scoring", {}, topic_number="401").status_code == 302
    assert [one.number for one in cast.task.topics.all()] == ["402"]


def test_what_was_asked_on_the_page_is_done_or_nothing(cast: Cast, topic: Topic, client: Client) -> None:
    topic_remove_from_scoring(actor=cast.organiser, topic=topic, **WHY)
    answer = sent(cast, client, "topic_scoring", {"act": "remove", **WHY}, topic_number="401")
    assert answer.status_code == 422
    assert "Put back into scoring" in answer.content.decode()
    assert Topic.objects.get(pk=topic.pk).removed_at


def test_a_topic_leaves_scoring_with_a_note_and_comes_back(cast: Cast, topic: Topic, client: Client) -> None:
    why = {"reason": "Nobody understood it.", "note": "Ambiguous."}
    assert sent(cast, client, "topic_scoring", why, topic_number="401").status_code == 302
    removed = Topic.objects.get(pk=topic.pk)
    assert removed.removed_at
    assert removed.removal_reason == "Ambiguous."
    assert not removed.removed_after_scores
    assert [one.number for one in cast.task.topics.counting()] == ["402"]
    assert "removed from scoring" in page(cast, client, "topic_list", "stranger")
    assert "Nobody understood it." not in page(cast, client, "topic_detail", "stranger", topic_number="401")
    with pytest.raises(ValidationError, match="already"):
        topic_remove_from_scoring(actor=cast.organiser, topic=topic, **WHY)
    with pytest.raises(ValidationError, match="last topic"):
        topic_remove_from_scoring(actor=cast.organiser, topic=cast.task.topics.get(number="402"), **WHY)
    topic_put_back(actor=cast.organiser, topic=topic, **WHY)
    assert cast.task.topics.counting().count() == 2
    assert changes_after_scores(cast.task) == []
    text = page(cast, client, "errata", "stranger")
    assert text.index("put back into scoring") < text.index("Topic 401 removed from scoring")


@pytest.mark.sqlite("campaign.setup.selectors.changes_of_scores.changes_after_scores")
def test_a_removal_after_scores_says_so_on_later_boards(cast: Cast, topic: Topic) -> None:
    make_collection(cast.task, ["a"])
    make_valid_run(cast.task, cast.team, "one", {"401": ["a"], "402": ["a"]})
    make_qrels(cast.task, {"401": {"a": 1}, "402": {"a": 1}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    topic_remove_from_scoring(actor=cast.organiser, topic=topic, **WHY)
    assert Topic.objects.get(pk=topic.pk).removed_after_scores
    [change] = changes_after_scores(cast.task)
    assert change["changes"] == ["topic 401 removed from scoring"]


def test_the_version_seen_follows_from_the_hash_and_else_from_the_time() -> None:
    start = timezone.now()
    hashes = ["a", "b", "a"]
    corrections = [
        Correction(before_sha256=before, after_sha256=after, at=start + timedelta(hours=hour))
        for hour, (before, after) in enumerate([("a", "b"), ("b", "a")], start=1)
    ]
    moments = [start, start + timedelta(hours=1.5), start + timedelta(hours=3)]
    assert [seen_version(corrections, sha256, at) for sha256, at in zip(hashes, moments, strict=True)] == [1, 2, 3]
    assert seen_version(corrections, "b", moments[2]) == 2, "the text of a desk that was open all the time"
    assert [seen_version(corrections, "", at) for at in moments] == [1, 2, 3]
    assert seen_version([], "a", start) == 1


def test_errata_after_a_run_are_named_or_counted(cast: Cast, topic: Topic) -> None:
    before = timezone.now()
    said = []
    for number in range(7):
        correct(cast, topic, title=f"title {number}")
        later = errata_after(cast.task, before)
        said.append(later.text if later else "")
    assert said[:2] == ["erratum 1", "errata 1 and 2"]
    assert said[-1].startswith("7 errata")
    assert errata_after(cast.task, timezone.now()) is None


def test_the_receipt_of_a_run_names_the_errata_that_came_after_it(cast: Cast, topic: Topic, client: Client) -> None:
    correct(cast, topic, title="before the run")
    make_received_run(cast.task, cast.team, "bm25", b"")
    assert "submitted before" not in page(cast, client, "run_detail", "member", tag="bm25")
    correct(cast, topic, title="after the run")
    assert ">erratum 2</a>" in page(cast, client, "run_detail", "member", tag="bm25")
