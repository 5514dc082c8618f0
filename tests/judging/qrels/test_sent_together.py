"""Topics, documents and qrels in one go: qrels are checked against files that are not stored yet, and all come in or none."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from campaign.collection.selectors.todo import imports_to_confirm
from campaign.collection.services import document_imports, joint_imports
from campaign.collection.services.imports import APPLY_IMPORT, import_pass_back
from campaign.models import AuditEvent, Collection, Document, Import, Job, Subtopic, Task, Topic
from campaign.queue.jobs import find_job
from judging.models import Qrels
from judging.qrels.services.imports import QRELS_JOBS, qrels_apply
from tests.campaign.collection.makers import DOCUMENTS, TOPICS_TSV, XML_TOPICS
from tests.factories import Cast, make_topics

Send = Callable[..., str]
QRELS = b"1 0 d1 2\n1 0 d2 0\n2 0 d3 1\n"


@pytest.fixture
def page(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


@pytest.fixture
def send(cast: Cast, page: Client, django_capture_on_commit_callbacks: Any) -> Send:
    def send(address: str = "", **contents: Any) -> str:
        """Send files or press a button, have the jobs done, and give the text of the page that follows."""
        files = {
            f"{kind}-file": SimpleUploadedFile(f"{kind}.txt", text)
            for kind, text in contents.items()
            if kind != "press"
        }
        with django_capture_on_commit_callbacks(execute=True):
            answer = page.post(address or cast.task.url("files_import"), {**files, **contents.get("press", {})})
        assert answer.status_code == 302
        return str(answer["Location"])

    return send


def shown(page: Client, address: str) -> str:
    return " ".join(page.get(address).content.decode().split())


def stored() -> tuple[int, ...]:
    """Topics, documents and versions of the qrels that somebody can see."""
    seen = Document.objects.exclude(collection__slug__startswith="staging:")
    return Topic.objects.count(), seen.count(), Qrels.objects.count()


def states() -> set[str]:
    return set(Import.objects.values_list("state", flat=True))


def test_qrels_are_checked_against_the_files_beside_them_and_one_confirmation_stores_all(
    cast: Cast, page: Client, send: Send
) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=QRELS)
    assert "Import 2 topics, 7 documents and 3 lines of qrels" in shown(page, address)
    assert stored() == (0, 0, 0)
    [asked] = imports_to_confirm(cast.organiser, [cast.task])
    assert asked.text.startswith("an import of qrels"), "one step for all files"
    assert send(address) == address
    assert (stored(), states()) == ((2, 7, 1), {Import.DONE})
    assert AuditEvent.objects.filter(verb="confirm").count() == 3
    done = Job.objects.get(name=QRELS_JOBS.apply)
    assert (done.done, done.total, done.message) == (7, 7, "documents stored"), "the page tells how far it is"
    assert not Collection.objects.filter(slug__startswith="staging:").exists()
    send(address)
    assert stored() == (2, 7, 1), "a second press stores nothing again"


@pytest.mark.parametrize(("phase", "after"), [(Task.SETUP, Task.SETUP), (Task.RUNS, Task.SCORES)])
def test_qrels_leave_a_task_in_its_set_up_and_say_when_they_end_the_uploads(
    cast: Cast, page: Client, send: Send, phase: str, after: str
) -> None:
    Task.objects.filter(pk=cast.task.pk).update(phase=phase)
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=QRELS)
    told = "The task moves on from Runs to Scores; Pool and Judging are then marked as done."
    assert (told in shown(page, address)) == (phase != after)
    send(address)
    assert Task.objects.get(pk=cast.task.pk).phase == after


def test_a_topic_that_no_file_has_is_named_with_its_line_and_remedy_and_nothing_can_be_imported(
    page: Client, send: Send
) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=b"1 0 d1 2\n9 0 d3 1\n")
    found = Import.objects.get(kind=Import.QRELS).problems["shown"]
    [problem] = [one for one in found if one["severity"] == "error"]
    assert (problem["code"], problem["line"]) == ("topic_unknown", 2)
    text = shown(page, address)
    assert escape(problem["message"]) in text
    assert escape(problem["remedy"]) in text
    assert "qrels.txt: has errors and is not imported" in text
    assert "all of them, or none" in text
    assert "Nothing can be imported" in text
    send(address)
    assert stored() == (0, 0, 0)
    for one in Import.objects.exclude(kind=Import.QRELS):
        send(one.task.url("import_confirm", import_id=one.pk))
    assert stored() == (0, 0, 0), "nor one of them from its own page"
    assert "qrels.txt is" in shown(page, address)


def test_topics_that_the_file_beside_them_replaces_count_no_more(cast: Cast, send: Send) -> None:
    make_topics(cast.task, ["1", "2"])
    send(topics=b"3\tan egg\n", qrels=b"1 0 d1 1\n3 0 d1 1\n")
    topics, qrels = Import.objects.get(kind=Import.TOPICS), Import.objects.get(kind=Import.QRELS)
    assert "topic_unknown" not in qrels.problems["by_code"]
    topics.options["replace"] = True
    topics.save()
    assert joint_imports.expected_with(qrels).topics == ["3"]
    Import.objects.update(state=Import.APPLYING)
    qrels_apply(qrels, lambda done, of, what: None)
    assert not Qrels.objects.exists()
    assert Import.objects.get(pk=qrels.pk).problems["by_code"]["topic_unknown"] == 1
    assert list(Topic.objects.values_list("number", flat=True)) == ["1", "2"]


def test_docnos_count_as_known_that_stand_in_the_file_beside_them(page: Client, send: Send) -> None:
    send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=b"1 0 d1 2\n2 0 d99 0\n")
    found = Import.objects.get(kind=Import.QRELS).problems["shown"]
    assert [one["line"] for one in found if "d99" in one["message"]] == [2]
    assert not [one for one in found if "d1 " in one["message"]]


def test_a_repair_from_the_page_of_all_files_leads_back_to_it_and_then_all_can_be_imported(
    cast: Cast, page: Client, send: Send
) -> None:
    address = send(topics=b"051\tbrake pads\n", documents=DOCUMENTS, qrels=b"51 0 d1 2\n51 0 d2 0\n")
    assert "Match topic numbers by their numerals and check again" in shown(page, address)
    qrels = Import.objects.get(kind=Import.QRELS)
    assert f'<a href="#file-{qrels.pk}">Repair it with a button below</a>' in page.get(address).content.decode()
    back = send(cast.task.url("qrels_import_repair", import_id=qrels.pk), press={"repair": "match-topics"})
    assert "Import 1 topic, 7 documents and 2 lines of qrels" in shown(page, back)
    send(back)
    assert stored() == (1, 7, 1)


def test_where_the_topics_beside_them_have_errors_qrels_say_so_by_the_name_of_that_file(
    page: Client, send: Send
) -> None:
    text = shown(page, send(topics=b"1\tan egg\n1\tanother\n", qrels=QRELS))
    assert "already given on line 1" in text
    assert "topics.txt, which came together with this file, has errors" in text
    assert "is no topic" not in text, "no line is blamed for what the other file lacks"


def test_subtopics_of_the_file_beside_them_count(cast: Cast, page: Client, send: Send) -> None:
    Task.objects.filter(pk=cast.task.pk).update(judging_mode="subtopic")
    address = send(topics=XML_TOPICS, qrels=b"7 0 d1 1\n")
    send(address)
    assert (Subtopic.objects.count(), Qrels.objects.count()) == (2, 1)


def test_if_one_file_becomes_invalid_before_it_is_stored_none_is_and_the_others_wait(
    cast: Cast, page: Client, send: Send
) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=QRELS)
    Topic.objects.create(task=cast.task, number="2", position=1, title="another text meanwhile")
    send(address)
    assert stored() == (1, 0, 0)
    assert not Document.objects.exists(), "nor does it wait where nobody sees it"
    topics = Import.objects.get(kind=Import.TOPICS)
    assert (topics.state, topics.problems["by_code"]) == (Import.BAD, {"topic_exists": 1})
    assert set(Import.objects.exclude(pk=topics.pk).values_list("state", flat=True)) == {Import.READY}
    assert "Nothing can be imported" in shown(page, address)


def test_a_worker_that_dies_between_the_files_leaves_nothing_and_the_next_one_stores_all(
    cast: Cast, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=QRELS)

    def die(import_: Import) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(joint_imports, "documents_publish", die)
        with pytest.raises(SystemExit):
            send(address)
    assert (stored(), states()) == ((0, 0, 0), {Import.APPLYING})
    qrels_apply(Import.objects.get(kind=Import.QRELS), lambda *_: None)
    assert (stored(), states()) == ((2, 7, 1), {Import.DONE})


@pytest.mark.parametrize("refused", [Import.TOPICS, Import.QRELS])
def test_a_worker_that_dies_while_the_files_are_passed_back_changes_none_and_the_next_one_passes_all(
    cast: Cast, send: Send, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    address = send(topics=TOPICS_TSV, documents=DOCUMENTS, qrels=QRELS)
    if refused == Import.TOPICS:
        Topic.objects.create(task=cast.task, number="2", position=1, title="another text meanwhile")
    else:
        cast.task.grades.filter(value=2).delete()
    seen = list[Import]()

    def die_at_the_last(import_: Import, **problems: Any) -> None:
        seen.append(import_)
        if len(seen) == 3:
            raise SystemExit
        import_pass_back(import_, **problems)

    with monkeypatch.context() as dying:
        dying.setattr(joint_imports, "import_pass_back", die_at_the_last)
        with pytest.raises(SystemExit):
            send(address)
    assert states() == {Import.APPLYING}
    qrels_apply(Import.objects.get(kind=Import.QRELS), lambda *_: None)
    assert [one.kind for one in Import.objects.filter(state=Import.BAD)] == [refused]
    assert Import.objects.filter(state=Import.READY).count() == 2


def test_the_job_of_all_files_has_longer_than_documents_alone_and_keeps_no_docnos_that_nobody_asks_for(
    page: Client, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_files, alone = find_job(QRELS_JOBS.apply), find_job(APPLY_IMPORT)
    assert all_files is not None
    assert alone is not None
    assert all_files.limit_seconds > alone.limit_seconds
    lines = "".join(f'{{"docno": "d{number:020}", "text": "a"}}\n' for number in range(5000))
    send(topics=TOPICS_TSV, documents=lines.encode(), qrels=b"1 0 d1 2\n")
    documents = Import.objects.get(kind=Import.DOCUMENTS)
    monkeypatch.setattr(document_imports, "BATCH", 50)
    held = []
    for docnos in (None, set[str]()):
        tracemalloc.start()
        assert document_imports.documents_read(documents, docnos)
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert len(docnos or ()) == 5000
    assert held[0] < held[1] / 4


def test_discarding_one_of_the_files_gives_all_up(cast: Cast, page: Client, send: Send) -> None:
    address = send(topics=TOPICS_TSV, qrels=QRELS)
    send(f"{address}&discard=1")
    assert (states(), stored()) == ({Import.DISCARDED}, (0, 0, 0))
    send(topics=TOPICS_TSV, qrels=QRELS)
    topics = Import.objects.get(kind=Import.TOPICS, state=Import.READY)
    assert "See the files together" in shown(page, cast.task.url("import_detail", import_id=topics.pk))
    send(cast.task.url("import_discard", import_id=topics.pk))
    assert states() == {Import.DISCARDED}


def test_qrels_alone_are_checked_against_the_topics_that_the_task_has(cast: Cast, page: Client, send: Send) -> None:
    make_topics(cast.task, ["1", "2"])
    address = send(qrels=b"1 0 d1 2\n2 0 d3 1\n")
    assert "Import 2 lines of qrels" in shown(page, address)
    send(address)
    assert Qrels.objects.count() == 1
