"""Imports through their services: what is checked, what is applied, and what a crash leaves behind."""

import io

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from campaign.collection.selectors.imports import import_progress
from campaign.collection.services import document_imports, imports
from campaign.collection.services.document_imports import documents_apply
from campaign.collection.services.imports import (
    APPLY_IMPORT,
    CHECK_IMPORT,
    import_claim_apply,
    import_confirm,
    import_discard,
    import_store,
)
from campaign.collection.services.staging import stage, staging_open
from campaign.collection.services.topic_imports import topics_apply
from campaign.formats import repeats
from campaign.formats.documents import DocumentReader
from campaign.models import AuditEvent, Collection, Document, Import, Job, Run, Task, Topic, job_key
from campaign.queue.jobs import enqueue
from tests.campaign.collection.makers import (
    DOCUMENTS,
    TOPICS_TSV,
    TREC_DOCUMENTS,
    TREC_TOPICS,
    XML_TOPICS,
    document_line,
    receive,
    zipped,
)
from tests.factories import Cast, make_collection, make_received_run, make_topics, run_lines


class WorkerDiedError(Exception):
    pass


@pytest.fixture
def send(cast: Cast, django_capture_on_commit_callbacks):
    def send(kind: str, content: bytes, *, confirm: bool = False, **options) -> Import:
        with django_capture_on_commit_callbacks(execute=True):
            import_ = receive(cast.task, cast.organiser, kind, content, **options)
        import_.refresh_from_db()
        if confirm:
            assert import_.state == Import.READY, import_.problems
            with django_capture_on_commit_callbacks(execute=True):
                import_confirm(actor=cast.organiser, import_=import_)
            import_.refresh_from_db()
        return import_

    return send


def codes(import_: Import) -> set[str]:
    return set(import_.problems["by_code"])


@pytest.mark.parametrize(
    ("content", "format", "numbers"),
    [
        (TOPICS_TSV, "tsv", ["1", "2"]),
        (zipped(TOPICS_TSV), "tsv", ["1", "2"]),
        (TREC_TOPICS, "trec", ["51"]),
        (XML_TOPICS, "xml", ["7"]),
        (b'{"number": "9", "title": "t", "subtopics": ["a", "b"]}\n', "jsonl", ["9"]),
    ],
)
def test_topics_of_every_format_come_in(cast: Cast, send, content: bytes, format: str, numbers: list[str]) -> None:
    import_ = send("topics", content)
    assert (import_.state, import_.format, import_.records) == (Import.READY, format, len(numbers))
    assert [topic["number"] for topic in import_.preview] == numbers
    assert not cast.task.topics.exists(), "nothing is stored before it is confirmed"
    send("topics", content, confirm=True)
    assert [topic.number for topic in cast.task.topics.all()] == numbers


def test_subtopics_keep_their_numbers_and_order(cast: Cast, send) -> None:
    send("topics", XML_TOPICS, confirm=True)
    topic = Topic.objects.get(task=cast.task)
    assert [(subtopic.number, subtopic.text) for subtopic in topic.subtopics.all()] == [
        ("1", "two wheels"),
        ("2", "three wheels"),
    ]


def test_more_topics_are_added_behind_those_that_are_there_and_the_same_ones_change_nothing(cast: Cast, send) -> None:
    send("topics", TOPICS_TSV, confirm=True)
    import_ = send("topics", TOPICS_TSV + b"0\tthird\n", confirm=True)
    assert [(topic.number, topic.position) for topic in cast.task.topics.all()] == [("1", 1), ("2", 2), ("0", 3)]
    assert codes(import_) == {"topic_known"}


def test_a_topic_with_another_text_is_a_problem_at_its_line(cast: Cast, send) -> None:
    send("topics", TOPICS_TSV, confirm=True)
    import_ = send("topics", b"3\tthird\n2\tanother title\n")
    assert import_.state == Import.BAD
    assert [(problem["code"], problem["line"]) for problem in import_.problems["shown"]] == [("topic_exists", 2)]


def test_replacing_takes_the_old_topics_away(cast: Cast, send) -> None:
    send("topics", TOPICS_TSV, confirm=True)
    send("topics", b"2\tanother title\n", confirm=True, replace=True)
    assert [(topic.number, topic.title) for topic in cast.task.topics.all()] == [("2", "another title")]


def test_topics_that_a_run_answers_are_not_replaced(cast: Cast, send) -> None:
    send("topics", TOPICS_TSV, confirm=True)
    make_received_run(cast.task, cast.team, "bm25", run_lines({"1": ["d1"]}, "bm25"))
    import_ = send("topics", b"2\tanother title\n", replace=True)
    assert import_.state == Import.BAD
    assert "topics_in_use" in codes(import_)


def test_runs_that_came_before_the_first_topics_are_checked_again_and_rejected_if_they_answer_none(
    cast: Cast, send
) -> None:
    cast.task.topics.all().delete()
    runs = [
        make_received_run(cast.task, cast.team, tag, run_lines({topic: ["d1"]}, tag), state=Run.VALID)
        for tag, topic in (("good", "1"), ("other", "MB1"))
    ]
    import_ = send("topics", TOPICS_TSV, confirm=True)
    assert "runs_checked_again" in codes(import_)
    for run in runs:
        run.refresh_from_db()
    assert [run.state for run in runs] == [Run.VALID, Run.REJECTED]
    assert "no_known_topic" in {problem.code for problem in runs[1].problems.all()}
    runs[0].problems.all().delete()
    import_ = send("topics", b"3\tthird\n", confirm=True)
    assert codes(import_) == {"runs_unchecked"}
    assert not runs[0].problems.exists()  # later topics ask the organiser instead


def test_runs_that_were_rejected_are_checked_again_by_topics_that_replace_the_others(cast: Cast, send) -> None:
    send("topics", TOPICS_TSV, confirm=True)
    run = make_received_run(cast.task, cast.team, "bm25", run_lines({"MB1": ["d1"]}, "bm25"), state=Run.REJECTED)
    import_ = send("topics", b"MB1\tfirst\n", confirm=True, replace=True)
    assert codes(import_) == {"runs_checked_again"}
    run.refresh_from_db()
    assert run.state == Run.VALID


def test_a_topic_number_that_cannot_stand_in_an_address_is_a_problem(cast: Cast, send) -> None:
    import_ = send("topics", b"a/../b\ttitle\n..\ttitle\n.\ttitle\n" + b"n" * 101 + b"\ttitle\n")
    assert codes(import_) == {"number_dots", "number_long"}


def test_a_topic_number_may_have_100_characters(cast: Cast, send, client: Client) -> None:
    number = "a-claim-of-many-words-" * 4 + "/of-2021-x1z"
    send("topics", f"{number}\troads\n".encode(), confirm=True)
    client.force_login(cast.organiser)
    assert len(number) == 100
    assert "roads" in client.get(cast.task.url("topic_detail", topic_number=number)).content.decode()


def test_topic_numbers_with_slashes_lead_to_pages_of_their_own(cast: Cast, send, client: Client) -> None:
    send("topics", b"10.2452/451-AH\troads\n10.2452/451-AH/edit\trails\n", confirm=True)
    client.force_login(cast.organiser)
    for number, title in [("10.2452/451-AH", "roads"), ("10.2452/451-AH/edit", "rails")]:
        address = cast.task.url("topic_detail", topic_number=number)
        assert f"/topics/{number.replace('/', '~1')}/" in address
        assert title in client.get(address).content.decode()


def test_topics_that_changed_between_check_and_confirmation_are_refused_not_overwritten(cast: Cast, send) -> None:
    import_ = send("topics", TOPICS_TSV)
    make_topics(cast.task, ["2"])
    import_claim_apply(import_)
    topics_apply(import_)
    import_.refresh_from_db()
    assert import_.state == Import.BAD
    assert [topic.title for topic in cast.task.topics.all()] == ["title of 2"]


def test_the_first_documents_found_the_collection(cast: Cast, send) -> None:
    import_ = send("documents", DOCUMENTS, confirm=True)
    task = Task.objects.select_related("collection").get(pk=cast.task.pk)
    assert import_.state == Import.DONE
    assert task.collection is not None
    assert task.collection.slug == task.slug
    assert list(task.collection.documents.values_list("docno", flat=True)) == [f"d{n}" for n in range(1, 8)]
    assert Collection.objects.count() == 1


@pytest.mark.parametrize("content", [TREC_DOCUMENTS, zipped(TREC_DOCUMENTS)])
def test_trec_documents_come_in_plain_and_compressed(cast: Cast, send, content: bytes) -> None:
    assert send("documents", content, confirm=True).format == "trec"
    document = Document.objects.get()
    assert (document.docno, document.title, document.text) == ("a-1", "Pads", "Change both.")


@pytest.mark.sqlite(
    "campaign.collection.services.staging.tell_planner", "campaign.collection.services.staging.write_rows"
)
def test_the_same_documents_again_change_nothing_and_new_ones_are_added(cast: Cast, send) -> None:
    send("documents", DOCUMENTS, confirm=True)
    send("documents", DOCUMENTS + document_line("d9", "new"), confirm=True)
    assert Document.objects.count() == 8
    assert Collection.objects.count() == 1


def test_a_document_with_another_text_is_a_problem_at_its_line(cast: Cast, send) -> None:
    send("documents", DOCUMENTS, confirm=True)
    import_ = send("documents", document_line("d8", "new") + document_line("d1", "another text"))
    assert import_.state == Import.BAD
    assert [(problem["code"], problem["line"]) for problem in import_.problems["shown"]] == [("document_exists", 2)]
    assert Document.objects.count() == 7


def test_texts_can_be_added_later_to_a_list_of_docnos(cast: Cast, send) -> None:
    send("documents", b"d1\nd2\nd3\n", confirm=True, docnos_only=True)
    assert set(Document.objects.values_list("has_text", flat=True)) == {False}
    import_ = send("documents", document_line("d2", "now here") + document_line("d4", "more"), confirm=True)
    assert "document_text_added" in codes(import_)
    texts = Document.objects.order_by("docno").values_list("docno", "text", "has_text")
    assert list(texts) == [("d1", "", False), ("d2", "now here", True), ("d3", "", False), ("d4", "more", True)]


@pytest.mark.sqlite("campaign.collection.services.staging.write_docnos")
def test_docnos_are_stored_as_they_are_written(cast: Cast, send) -> None:
    docnos = ["\\N", "\\.", "a\\tb", "\\\\", "%s", "'", '"', "{}", "d1"]
    send("documents", "\n".join(docnos).encode(), confirm=True, docnos_only=True)
    stored = Document.objects.filter(collection__tasks=cast.task, has_text=False, title="", text="").order_by("pk")
    assert list(stored.values_list("docno", flat=True)) == docnos


def test_a_list_of_docnos_of_which_a_worker_has_stored_a_part_is_stored_once(cast: Cast, send) -> None:
    import_ = send("documents", b"d1\nd2\nd3\n", docnos_only=True)
    import_claim_apply(import_)
    assert staging_open(import_) == 0
    assert stage(import_, 0, ["d1", "d2"]) == 2
    documents_apply(import_, lambda done, total, message: None)
    assert list(Document.objects.order_by("pk").values_list("docno", flat=True)) == ["d1", "d2", "d3"]


def test_a_list_of_docnos_never_takes_a_text_away(cast: Cast, send) -> None:
    send("documents", DOCUMENTS, confirm=True)
    send("documents", b"d1\nd8\n", confirm=True, docnos_only=True)
    assert Document.objects.get(docno="d1").text == "text 1"
    assert Document.objects.get(docno="d8").has_text is False


def test_the_fields_that_the_organiser_names_make_up_the_texts(cast: Cast, send) -> None:
    line = b'{"docno": "d1", "text": "short", "transcript": "long", "url": "u"}\n'
    import_ = send("documents", line, confirm=True, shown_fields=" transcript , text")
    assert Document.objects.get().text == "transcript\nlong\n\ntext\nshort"
    assert codes(import_) == {"document_fields_left_out"}


@pytest.mark.parametrize("has_collection", [False, True])
def test_a_worker_that_dies_between_batches_leaves_nothing_visible_and_the_next_one_finishes(
    cast: Cast, send, monkeypatch, has_collection: bool
) -> None:
    monkeypatch.setattr(document_imports, "BATCH", 2)
    if has_collection:
        make_collection(cast.task, ["old"])
    import_ = send("documents", DOCUMENTS)
    import_claim_apply(import_)

    def die_after_two(done: int, total: int, message: str) -> None:
        if done >= 4:
            raise WorkerDiedError

    with pytest.raises(WorkerDiedError):
        documents_apply(import_, die_after_two)
    task = Task.objects.select_related("collection").get(pk=cast.task.pk)
    assert Document.objects.count() == 4 + has_collection
    assert Document.objects.filter(collection=task.collection_id).count() == has_collection

    for _ in range(2):
        documents_apply(import_, lambda done, total, message: None)
    task.refresh_from_db()
    import_.refresh_from_db()
    assert import_.state == Import.DONE
    assert Document.objects.filter(collection=task.collection_id).count() == 7 + has_collection
    assert Collection.objects.count() == 1


def test_a_worker_that_takes_over_reads_on_where_the_other_one_ended(cast: Cast, send, monkeypatch) -> None:
    monkeypatch.setattr(document_imports, "BATCH", 2)
    import_ = send("documents", DOCUMENTS)
    import_claim_apply(import_)
    assert staging_open(import_) == 0
    records = list(DocumentReader(io.BytesIO(DOCUMENTS)))
    assert stage(import_, 0, records[:3]) == 3
    assert stage(import_, 2, records[2:4]) == 4, "what the other one has stored already is left out"
    assert stage(import_, 0, records[:2]) == 4
    assert stage(import_, 6, records[6:]) is None, "there would be a gap"
    assert staging_open(import_) == 4
    documents_apply(import_, lambda done, total, message: None)
    task = Task.objects.select_related("collection").get(pk=cast.task.pk)
    assert list(task.collection.documents.values_list("docno", flat=True)) == [f"d{n}" for n in range(1, 8)]
    assert (task.collection.document_count, task.collection.text_count) == (7, 7)


def test_what_a_version_that_did_not_count_has_staged_is_staged_anew(cast: Cast, send) -> None:
    import_ = send("documents", DOCUMENTS)
    import_claim_apply(import_)
    staging_open(import_)
    Document.objects.create(collection=Collection.objects.get(), docno="d5", title="title 5", text="text 5")
    assert staging_open(import_) == 0
    documents_apply(import_, lambda done, total, message: None)
    assert Document.objects.count() == 7


def test_texts_of_all_kinds_are_stored_as_they_were_sent(cast: Cast, send) -> None:
    odd = [
        "\\N",
        "\\.",
        "a\tb",
        "back\\slash",
        "line\nbreak\r\nand another",
        "'\";--%s%%",
        "\x01\x7f",
        "é \U0001f600 \u2028",
    ]
    lines = b"".join(document_line(f"d\\{place}", text) for place, text in enumerate(odd))
    send("documents", lines, confirm=True)
    assert list(Document.objects.order_by("docno").values_list("docno", "text")) == [
        (f"d\\{place}", text.strip()) for place, text in enumerate(odd)
    ]


def test_a_repeated_docno_of_a_long_list_is_named_with_its_line_and_nothing_is_stored(
    cast: Cast, send, monkeypatch
) -> None:
    monkeypatch.setattr(repeats, "BLOCK", 3)
    import_ = send("documents", b"".join(b"d%d\n" % number for number in (*range(9), 4)), docnos_only=True)
    assert import_.state == Import.BAD
    [problem] = import_.problems["shown"]
    assert (problem["line"], problem["message"]) == (10, "Docno d4 was already given on line 5.")
    assert not Document.objects.exists()


def test_more_documents_than_a_collection_may_hold_are_refused_with_what_they_would_take(
    cast: Cast, send, monkeypatch
) -> None:
    monkeypatch.setattr(document_imports, "MOST_DOCUMENTS", 5)
    monkeypatch.setattr(document_imports, "BYTES_OF_A_DOCUMENT", 158 << 20)
    monkeypatch.setattr(document_imports, "SECONDS_OF_A_MILLION", 3600 * 10**6)
    send("documents", b"d1\nd2\nd3\n", confirm=True, docnos_only=True)
    import_ = send("documents", b"d1\nd2\nd3\nd4\nd5\nd6\nd7\nd8\n", docnos_only=True)
    assert import_.state == Import.BAD
    [problem] = [problem for problem in import_.problems["shown"] if problem["severity"] == "error"]
    assert problem["code"] == "documents_too_many"
    assert "about 8 documents, and may hold 5. So many would take 1.2\xa0GB" in problem["message"]
    assert "without their texts, and at least 8.0 hours of a worker" in problem["message"]
    assert Document.objects.count() == 3
    assert send("documents", b"d4\nd5\n", confirm=True, docnos_only=True).state == Import.DONE


def test_a_contradiction_that_arose_after_the_check_refuses_the_whole_file(cast: Cast, send) -> None:
    import_ = send("documents", DOCUMENTS)
    make_collection(cast.task, ["d3"])
    import_claim_apply(import_)
    documents_apply(import_, lambda done, total, message: None)
    import_.refresh_from_db()
    assert (import_.state, import_.problems["errors"]) == (Import.BAD, 1)
    assert list(Document.objects.values_list("docno", "text")) == [("d3", "text of d3")]
    assert Collection.objects.count() == 1


def test_a_discarded_import_stops_a_worker_that_is_still_at_it(cast: Cast, send, monkeypatch) -> None:
    monkeypatch.setattr(document_imports, "BATCH", 2)
    import_ = send("documents", DOCUMENTS)
    import_claim_apply(import_)

    def discard(done: int, total: int, message: str) -> None:
        import_discard(actor=cast.organiser, import_=import_)

    documents_apply(import_, discard)
    import_.refresh_from_db()
    assert import_.state == Import.DISCARDED
    assert not Document.objects.exists()
    assert not Collection.objects.exists()


def test_confirming_twice_applies_once(cast: Cast, send, django_capture_on_commit_callbacks) -> None:
    import_ = send("topics", TOPICS_TSV)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            import_confirm(actor=cast.organiser, import_=import_)
    assert AuditEvent.objects.filter(verb="confirm").count() == 1
    assert cast.task.topics.count() == 2


@pytest.mark.parametrize("kind", ["topics", "documents"])
def test_each_job_may_run_twice(cast: Cast, send, kind: str, django_capture_on_commit_callbacks) -> None:
    content = TOPICS_TSV if kind == "topics" else DOCUMENTS
    import_ = send(kind, content, confirm=True)
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(CHECK_IMPORT, import_id=str(import_.pk))
        enqueue(APPLY_IMPORT, import_id=str(import_.pk))
    import_.refresh_from_db()
    assert import_.state == Import.DONE
    assert (cast.task.topics.count(), Document.objects.count()) == ((2, 0) if kind == "topics" else (0, 7))
    assert set(Job.objects.values_list("state", flat=True)) == {Job.DONE}


def test_an_import_that_is_done_cannot_be_discarded(cast: Cast, send) -> None:
    import_ = send("topics", TOPICS_TSV, confirm=True)
    with pytest.raises(ValidationError):
        import_discard(actor=cast.organiser, import_=import_)
    assert cast.task.topics.count() == 2


def test_an_import_whose_job_failed_for_good_can_be_tried_again(
    cast: Cast, send, django_capture_on_commit_callbacks
) -> None:
    import_ = send("topics", TOPICS_TSV)
    import_confirm(actor=cast.organiser, import_=import_)
    Job.objects.filter(state=Job.QUEUED).update(state=Job.FAILED)
    with django_capture_on_commit_callbacks(execute=True):
        import_confirm(actor=cast.organiser, import_=import_)
    import_.refresh_from_db()
    assert (import_.state, cast.task.topics.count()) == (Import.DONE, 2)


def test_work_that_ends_while_its_page_is_made_is_not_called_stuck(cast: Cast) -> None:
    import_ = import_store(
        actor=cast.organiser, task=cast.task, kind=Import.TOPICS, file=ContentFile(b"1\tan egg\n"), file_name="t.tsv"
    )
    seen_before = Import.objects.get(pk=import_.pk)
    arguments = {"import_id": str(import_.pk)}
    Job.objects.create(name="check import", key=job_key(arguments), arguments=arguments, state=Job.DONE)
    Import.objects.update(state=Import.READY)
    progress = import_progress(seen_before)
    assert (progress.is_unfinished, progress.is_stuck, seen_before.state) == (False, False, Import.READY)


@pytest.mark.django_db
def test_so_many_imports_of_a_campaign_wait_to_be_applied(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST_WAITING", 2)
    first, _ = (receive(cast.task, cast.organiser, Import.TOPICS, TOPICS_TSV) for _ in range(2))
    with pytest.raises(ValidationError, match="2 imports of this campaign wait already"):
        receive(cast.task, cast.organiser, Import.TOPICS, TOPICS_TSV)
    Import.objects.filter(pk=first.pk).update(state=Import.DISCARDED)
    assert receive(cast.task, cast.organiser, Import.TOPICS, TOPICS_TSV).state == Import.CHECKING
    Import.objects.update(state=Import.DISCARDED, finished_at=timezone.now())
    with pytest.raises(ValidationError, match="2 imports of this campaign were discarded within a day"):
        receive(cast.task, cast.organiser, Import.TOPICS, TOPICS_TSV)
