"""Bad files through the page: always an answer that names the problem, never anything stored."""

import gzip
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from campaign.models import Collection, Document, Import, Job, Topic
from tests.campaign.collection.makers import DOCUMENTS, TOPICS_TSV, receive
from tests.campaign.formats.packing import gzip_of_repeats
from tests.factories import Cast, make_topics


@pytest.fixture
def page(cast: Cast, client: Client):
    client.force_login(cast.organiser)
    return client


@pytest.fixture
def upload(cast: Cast, page: Client, django_capture_on_commit_callbacks):
    def upload(kind: str, content: bytes, **options):
        file = SimpleUploadedFile("upload.txt", content)
        with django_capture_on_commit_callbacks(execute=True):
            answer = page.post(cast.task.url("import_create", kind=kind), {"file": file, **options})
        return page.get(answer["Location"]) if answer.status_code == 302 else answer

    return upload


def stored() -> int:
    return Topic.objects.count() + Document.objects.count() + Collection.objects.count()


TOO_LONG = gzip_of_repeats(random.Random(1).randbytes(1 << 16).hex().encode(), 130, first=b"1\t")  # unpacked 16.25 MB
BAD_TOPICS = {
    "unknown format": (b"some words\n", "none of the topic formats"),
    "a list of numbers": (b"[1, 2, 3]\n", "not an object"),
    "one column": (TOPICS_TSV + b"three\n", "1 column"),
    "five columns": (TOPICS_TSV + b"3\ta\tb\tc\td\n", "5 columns"),
    "duplicate number": (TOPICS_TSV + b"1\tagain\n", "already given on line 1"),
    "broken UTF-8": (TOPICS_TSV + b"3\tcaf\xe9\n", "not valid UTF-8"),
    "UTF-16 that ends in the middle of a letter": (TOPICS_TSV.decode().encode("utf-16")[:-1], "is not in UTF-16"),
    "gzip that is not gzip": (b"\x1f\x8bnot gzip at all", "gzip data are damaged"),
    "gzip cut short": (gzip.compress(TOPICS_TSV * 99, mtime=0)[:-9], "ends too early"),
    "zip archive": (b"PK\x03\x04rest", "zip archive"),
    "a NUL byte": (b"1\tti\0tle\n", "NUL byte"),
    "blank lines only": (b"\n\n  \n", "no topics"),
    "line without end": (TOO_LONG, "longer than 8 MB"),
    "number with white space": (b"1 2\ttitle\n", "white space"),
    "qrels": (b"1\t0\tD1\t1\n2\t0\tD2\t0\n", "looks like qrels and not like topics"),
    "numbers alone": (b"R_001\nR_002\n", "numbers without titles"),
    "unknown headings": (b"QueryNr\tWords\n1\tboats\n", "of which none is known as number or as title"),
    "number that leads elsewhere": (TOPICS_TSV + b"..\ttitle\n", "leads to another place"),
}
BAD_DOCUMENTS = {
    "unknown format": (b"1,hello\n", "none of the document formats"),
    "no JSON": (DOCUMENTS + b"{nonsense\n", "line 8"),
    "duplicate docno": (DOCUMENTS + DOCUMENTS.splitlines(keepends=True)[0], "already given on line 1"),
    "a docno that leads elsewhere": (DOCUMENTS + b'{"docno": "a/../b", "text": "t"}\n', "leads to another place"),
    "no docno": (DOCUMENTS + b'{"text": "without"}\n', "no docno"),
    "broken UTF-8": (DOCUMENTS + b'{"docno": "d9", "text": "caf\xe9"}\n', "not valid UTF-8"),
    "unclosed document": (b"<DOC>\n<DOCNO>1</DOCNO>\ntext\n", "not closed"),
    "gzip that is not gzip": (b"\x1f\x8bnot gzip at all", "gzip data are damaged"),
    "gzip cut short": (gzip.compress(DOCUMENTS * 9, mtime=0)[:-9], "ends too early"),
    "blank lines only": (b"\n\n", "no documents"),
}
BAD_FILES = [("topics", *case) for case in BAD_TOPICS.values()] + [
    ("documents", *case) for case in BAD_DOCUMENTS.values()
]


@pytest.mark.parametrize(
    ("kind", "content", "message"), BAD_FILES, ids=[*BAD_TOPICS, *(f"documents: {name}" for name in BAD_DOCUMENTS)]
)
def test_a_bad_file_is_answered_by_its_problems_and_nothing_is_stored(
    upload, kind: str, content: bytes, message: str
) -> None:
    answer = upload(kind, content)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert message in text
    assert "Nothing was imported" in text
    assert Import.objects.get().state == Import.BAD
    assert stored() == 0


@pytest.mark.parametrize("kind", ["topics", "documents"])
def test_an_empty_file_is_refused_at_the_form(upload, kind: str) -> None:
    answer = upload(kind, b"")
    assert answer.status_code == 422
    assert "The file is empty" in answer.content.decode()
    assert not Import.objects.exists()


@pytest.mark.parametrize("kind", ["topics", "documents"])
def test_a_file_over_the_limit_is_refused_at_the_form(upload, settings, kind: str) -> None:
    settings.UPLOAD_LIMIT_BYTES = 10
    answer = upload(kind, DOCUMENTS)
    assert answer.status_code == 422
    assert "larger than" in answer.content.decode()
    assert not Import.objects.exists()
    assert not Job.objects.exists()


def test_no_file_at_all_is_refused_at_the_form(page: Client, cast: Cast) -> None:
    assert page.post(cast.task.url("import_create", kind="topics")).status_code == 422


@pytest.mark.parametrize(
    ("kind", "content"),
    [("topics", TOPICS_TSV), ("documents", DOCUMENTS)],
)
@pytest.mark.parametrize("spoil", ["byte order mark", "CRLF", "lone CR"])
def test_marks_and_foreign_line_ends_do_no_harm(upload, cast: Cast, kind: str, content: bytes, spoil: str) -> None:
    if spoil == "byte order mark":
        content = b"\xef\xbb\xbf" + content
    else:
        content = content.replace(b"\n", b"\r\n" if spoil == "CRLF" else b"\r")
    upload(kind, content)
    import_ = Import.objects.get()
    assert (import_.state, import_.records) == (Import.READY, 2 if kind == "topics" else 7)
    assert set(import_.problems["by_code"]) == ({"byte_order_mark"} if spoil == "byte order mark" else set())


def test_of_many_problems_200_are_shown_and_all_are_counted(upload) -> None:
    # 1,000 causes: no two titles are as long
    answer = upload("topics", b"".join(b"%d\t%s\td\n" % (number, b"t" * (2001 + number)) for number in range(1000)))
    text = answer.content.decode()
    assert text.count('class="problem-message"') == 200
    assert "1,000 errors" in text
    assert "the first 200 of 1,000 are listed" in text


@pytest.mark.parametrize(
    ("more", "counted"),
    [({"by_code": {"empty": 3}}, "3 errors"), ({}, "1 error at 3 places")],
    ids=["an import", "a run"],
)
def test_problems_that_an_earlier_version_stored_are_shown(more: dict[str, object], counted: str) -> None:
    shown = [{"code": "empty", "message": "A field is empty.", "remedy": "Fill it.", "line": 4, "severity": "error"}]
    problems = {"shown": shown, "total": 3, "errors": 3, "warnings": 0, **more}
    text = render_to_string("_problems.html", {"problems": problems})
    assert "A field is empty." in text
    assert f"<span>{counted}</span>" in text
    assert "are listed" not in text


def test_the_way_of_a_good_file_from_upload_to_topics(
    upload, page: Client, cast: Cast, django_capture_on_commit_callbacks
) -> None:
    answer = upload("topics", TOPICS_TSV)
    text = answer.content.decode()
    assert "tab-separated" in text
    assert "first description" in text
    assert "Import 2 topics" in text
    assert "hx-get" not in text.split('id="import-state"')[1], "a finished check is not polled"
    confirm = cast.task.url("import_confirm", import_id=Import.objects.get().pk)
    with django_capture_on_commit_callbacks(execute=True):
        answer = page.post(confirm)
    answer = page.get(answer["Location"])
    assert "The file is imported" in answer.content.decode()
    assert cast.task.topics.count() == 2


def test_the_preview_of_conversations_names_what_became_a_topic_and_what_is_left_out(upload) -> None:
    turns = '{"turn_id": 1, "utterance": "Where <b>to</b>?", "response": "North."}'
    content = upload(
        "topics", f'[\n{{"number": "9-1", "title": "Trips",\n"turns": [{turns}]}}\n]'.encode()
    ).content.decode()
    assert "9-1_1" in content
    assert "Where &lt;b&gt;to&lt;/b&gt;?" in content
    assert "title from “utterance”; narrative from “conversation”" in content
    assert "no place for it: “response”" in content


def test_a_list_of_document_numbers_is_not_called_documents_and_ends_the_next_step(
    upload, page: Client, cast: Cast, django_capture_on_commit_callbacks
) -> None:
    assert "1 document number found" in upload("documents", b"d1\n", docnos_only="on").content.decode()
    import_ = Import.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        page.post(cast.task.url("import_confirm", import_id=import_.pk))
    done = page.get(cast.task.url("import_state", import_id=import_.pk))
    assert done["HX-Refresh"] == "true", "the phase bar of the page would go on to say: Import documents"
    task = page.get(cast.task.get_absolute_url()).content.decode()
    assert '<span class="figure-unit">document number</span>' in task
    assert "a list without texts" in task


def test_an_upload_that_waits_for_a_worker_is_polled(page: Client, cast: Cast) -> None:
    import_ = receive(cast.task, cast.organiser, "documents", DOCUMENTS)
    answer = page.get(cast.task.url("import_detail", import_id=import_.pk)).content.decode()
    assert "waiting for a worker" in answer
    assert f'hx-get="{cast.task.url("import_state", import_id=import_.pk)}"' in answer


def test_the_check_of_a_large_file_shows_how_much_is_read(page: Client, cast: Cast) -> None:
    import_ = receive(cast.task, cast.organiser, "documents", DOCUMENTS)
    Job.objects.update(state=Job.WORKING, done=1500, total=3000, heartbeat_at=timezone.now())
    answer = page.get(cast.task.url("import_state", import_id=import_.pk))
    assert "1,500 of 3,000 kB" in answer.content.decode()


def test_a_check_that_failed_for_good_says_so_and_can_be_discarded(page: Client, cast: Cast) -> None:
    import_ = receive(cast.task, cast.organiser, "documents", DOCUMENTS)
    Job.objects.update(state=Job.FAILED, message="Given up.")
    assert "Given up." in page.get(cast.task.url("import_detail", import_id=import_.pk)).content.decode()
    page.post(cast.task.url("import_discard", import_id=import_.pk))
    assert Import.objects.get().state == Import.DISCARDED


def test_replacement_is_offered_only_while_it_is_possible(page: Client, cast: Cast) -> None:
    form = cast.task.url("import_create", kind="topics")
    assert 'name="replace"' not in page.get(form).content.decode()
    make_topics(cast.task, ["1"])
    assert 'name="replace"' in page.get(form).content.decode()


def test_an_import_of_another_kind_or_another_task_is_not_found(page: Client, cast: Cast) -> None:
    assert page.get(cast.task.url("import_create", kind="qrels")).status_code == 404
    import_ = receive(cast.task, cast.organiser, "topics", TOPICS_TSV)
    Import.objects.update(kind="qrels")
    assert page.get(cast.task.url("import_detail", import_id=import_.pk)).status_code == 404


def test_only_organisers_import(client: Client, cast: Cast) -> None:
    import_ = receive(cast.task, cast.organiser, "topics", TOPICS_TSV)
    gets = [
        cast.task.url("import_create", kind="topics"),
        cast.task.url("import_detail", import_id=import_.pk),
        cast.task.url("import_state", import_id=import_.pk),
    ]
    posts = [cast.task.url(name, import_id=import_.pk) for name in ("import_confirm", "import_discard")]
    assert {client.get(url).status_code for url in gets} | {client.post(url).status_code for url in posts} == {302}
    for person in (cast.assessor, cast.member, cast.other_member, cast.stranger):
        client.force_login(person)
        assert {client.get(url).status_code for url in gets} | {client.post(url).status_code for url in posts} == {403}
    import_.refresh_from_db()
    assert import_.state == Import.CHECKING
    client.force_login(cast.organiser)
    assert {client.get(url).status_code for url in gets} == {200}
    assert {client.get(url).status_code for url in posts} == {405}


def test_a_preview_of_endless_texts_stays_short(upload) -> None:
    answer = upload("topics", b"1\t" + b"a" * 500_000 + b"\n")
    assert len(answer.content) < 50_000


def test_the_form_names_the_limit_that_its_kind_of_file_has(page: Client, cast: Cast, upload) -> None:
    assert "At most 16.0" in page.get(cast.task.url("import_create", kind="topics")).content.decode()
    assert "At most 256.0" in page.get(cast.task.url("import_create", kind="documents")).content.decode()
    answer = upload("topics", b"1\ta\n" * ((4 << 20) + 1))
    assert answer.status_code == 422
    assert "larger than 16.0\xa0MB" in answer.content.decode()


def test_a_file_that_is_not_utf8_is_named_with_the_field_by_which_it_comes_in(upload, page) -> None:
    topics = "7\tcaf\u00e9\n".encode("latin-1")
    told = upload("topics", topics).content.decode()
    assert "choose its character encoding" in told
    assert "caf\u00e9" in upload("topics", topics, encoding="windows-1252").content.decode()
    assert upload("topics", topics, encoding="rot13").status_code == 422


def test_a_list_of_document_numbers_with_fields_to_show_is_refused_at_the_form(upload) -> None:
    answer = upload("documents", b"d1\n", docnos_only="on", shown_fields="text")
    assert answer.status_code == 422
    assert "A list of document numbers has no fields" in answer.content.decode()
    assert not Import.objects.exists()


def test_what_the_check_left_out_is_shown_and_nothing_of_it_is_markup(upload) -> None:
    page = upload("documents", b'{"docno": "d1", "text": "t", "<b>key</b>": "x"}\n', shown_fields="<i>no</i>, text")
    text = page.content.decode()
    assert "Left out of the documents: “&lt;b&gt;key&lt;/b&gt;”" in text
    assert "“&lt;i&gt;no&lt;/i&gt;”" in text


def test_number_title_and_further_parts_of_topics_are_chosen_on_the_page(page: Client, cast: Cast, upload) -> None:
    form = page.get(cast.task.url("import_create", kind="topics")).content.decode()
    assert all(label in form for label in ("Number from", "Title from", "Other parts", "append to the narrative"))
    line = b'{"id": 5, "code": "C1", "words": "old boats", "year": 2020}\n'
    answer = upload("topics", line, number_from=" code ", title_from="words", other_parts="narrative").content.decode()
    assert all(text in answer for text in ("C1", "old boats", "year: 2020"))
    unknown = upload("topics", line, number_from="no", other_parts="narrative").content.decode()
    assert "from which you want to read the number" in unknown
    assert upload("topics", line, other_parts="all").status_code == 422
    assert "Your choices stay: Number from: no; Other parts: append to the narrative." in " ".join(unknown.split())
    assert '<input type="hidden" name="number_from" value="no">' in unknown
    several = b'{"id": 5, "lang": "de", "title": "Drachen"}\n{"id": 5, "lang": "en", "title": "kites"}\n'
    german = upload("topics", several, language=" DE ").content.decode()
    assert "Drachen" in german
    assert "kites" not in german


def test_of_documents_that_come_twice_a_button_lets_the_first_count_and_another_refuses_them_again(
    cast: Cast, upload, page: Client, django_capture_on_commit_callbacks
) -> None:
    answer = upload("documents", b"cord_uid,title,abstract\nu1,Kites,One.\nu1,Kites,Two.\nu2,Ponds,Three.\n")
    assert "Let the first of documents that come twice count and check again" in answer.content.decode()
    import_ = Import.objects.get()

    def press(name: str) -> str:
        with django_capture_on_commit_callbacks(execute=True):
            page.post(cast.task.url("import_repair", import_id=import_.pk), {"repair": name})
        import_.refresh_from_db()
        return page.get(cast.task.url("import_detail", import_id=import_.pk)).content.decode()

    assert "1 document came before under the same docno: the first counts." in press("repeated-first")
    assert (import_.state, import_.records) == (Import.READY, 2)
    press("repeated-refuse")
    assert import_.state == Import.BAD
    press("repeated-first")
    with django_capture_on_commit_callbacks(execute=True):
        page.post(cast.task.url("import_confirm", import_id=import_.pk))
    texts = Document.objects.order_by("docno").values_list("docno", "text")
    assert list(texts) == [("u1", "One."), ("u2", "Three.")]


def test_a_choice_for_documents_that_come_twice_is_made_with_the_file(upload) -> None:
    assert upload("documents", b"u1\nu1\nu2\n", docnos_only="on", repeated="first").status_code == 200
    assert (Import.objects.get().state, Import.objects.get().records) == (Import.READY, 2)
    assert upload("documents", b"u1\n", docnos_only="on", repeated="last").status_code == 422
