"""Each kind of file at each door: what is refused says what it looks like, and the door that takes it."""

import gzip
import io
import tracemalloc
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile

from campaign.collection.services import imports
from campaign.collection.services.imports import import_receive, jobs_of
from campaign.formats.blueprint_files import BlueprintFileError, read_blueprint
from campaign.formats.kinds import KINDS, kind_of
from campaign.models import Import, Run
from campaign.runs.services.submission import run_submit
from judging.qrels.services.merged_imports import SET
from runpool.archive.zip_io import ArchiveError, ArchiveReader
from tests.campaign.runs.makers import RANKING, make_ready_cast, post_run
from tests.factories import Cast, run_lines

pytestmark = pytest.mark.django_db
DOORS = (Import.TOPICS, Import.DOCUMENTS, Import.QRELS, Import.POOL, Import.JUDGMENTS)
FILES = {
    "run": "1 Q0 d1 1 9.5 bm25\n1 Q0 d2 2 8.5 bm25\n",
    "run of JSON lines": '{"qid": "1", "docid": "d1", "rank": 1, "score": 2.5}\n{"qid": "1", "docid": "d2", "rank": 2}\n',
    "qrels": "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n",
    "pool": "1 d1\n1 d2\n2 d1\n",
    "topics": "<top>\n<num> 1\n<title> kites\n</top>\n",
    "topics of XML": '<topics><topic number="1"><query>kites</query></topic></topics>\n',
    "documents": "<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>kites fly</TEXT>\n</DOC>\n",
    "documents of JSON lines": '{"docno": "d1", "text": "kites fly"}\n',
    "documents of CSV": "docno,title,text\nd1,Kites,kites fly\n",
    "judgments": "topic,docno,assessor,grade\n1,d1,ann,1\n",
    "campaign": 'slug = "velo"\ntitle = "Velo"\n\n[[tasks]]\nslug = "adhoc"\n',
    "campaign of YAML": "slug: velo\ntitle: Velo\ntasks:\n- slug: adhoc\n",
    "preferences": "topic,left,right,answer\n1,d1,d2,left\n",
    "training": "2 qid:1 1:0.03 2:0.6 #docid = d1\n0 qid:1 1:0.07 2:0.6 #docid = d2\n",
    "trec_eval": "map\tall\t0.25\nP_10\tall\t0.3\n",
    "page": "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>no</body></html>\n",
}
REUTERS = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" NEWID="1">
<TOPICS><D>tea</D></TOPICS>
<TEXT><BODY>Tea is dear.</BODY></TEXT></REUTERS>
"""
RIGHT_BUT_FOR_ONE_THING = (
    (Import.TOPICS, "1\twindows95\n1\twindows98\n"),
    (Import.DOCUMENTS, '{"topic":"a","docno":"d1","text":"x","score":3}\n{"topic":"a","docno":"d2","text":""}\n'),
    (Import.DOCUMENTS, '{"topic":"a","docno":"d1","text":"","score":3}\n{"topic":"a","docno":"d1","text":"x"}\n'),
    (Import.DOCUMENTS, "docno,title,text,topic,rank\nd1,a,b,c,3\nd2,,,c,2\n"),
    (Import.DOCUMENTS, '{"docno":"d1","topic":"a","assessor":"b","text":"x"}\n{"docno":"d2","topic":"a","text":""}\n'),
    (Import.DOCUMENTS, ".I 1\n.T\nx\n.W\ntasks: these\n.I 2\n.W\n"),
    (Import.DOCUMENTS, ".I 1\n.W\ntasks: these\n.I 1\n.W\nx\n"),
    (
        Import.DOCUMENTS,
        "<collection>\n<topic>x</topic>\n<DOC><DOCNO>1</DOCNO></DOC><DOC><DOCNO>2</DOCNO>x</DOC></collection>\n",
    ),
    (Import.DOCUMENTS, REUTERS + '<REUTERS NEWID="2"></REUTERS>\n'),
    (Import.QRELS, "query-id\tcorpus-id\tscore\n1\td1\t1\n99\td2\t1\n"),
    (Import.QRELS, "topic,docno,score\n1,d1,0.5\n2,d1,1\n"),
    (Import.QRELS, "1 0 d1 1\n1 0 d2 77\n"),
    (Import.POOL, "1 d1\n1 d2\n1 x d\n"),
    (Import.JUDGMENTS, "topic,docno,assessor,grade\n1,d1,ann,x\n"),
)
"""Files at their own door with one fault, or one doubt: the door, and the file. The first is a pool as far as anyone can tell."""
READ_ALL_THE_SAME = {
    (Import.DOCUMENTS, "run of JSON lines"): "This looks like a run",
    (Import.QRELS, "judgments"): "left out: assessor",
}
"""What a door takes although it is of another kind, with what the preview says of it."""
NO_TEXT = {
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100),
    "a PDF document": b"%PDF-1.5\n%\xd0\xd4\xc5\n" + bytes(100),
    "a NUL byte": bytes(range(256)) * 4,
}


def answer_of(cast: Cast, door: str, content: bytes, on_commit: Any) -> Import:
    with on_commit(execute=True):
        import_ = import_receive(
            actor=cast.organiser,
            task=cast.task,
            kind=door,
            file=ContentFile(content),
            file_name="file.txt",
            options={SET: "others"} if door == Import.QRELS else {},
            jobs=jobs_of(door),
        )
    import_.refresh_from_db()
    return import_


def said_in(import_: Import) -> str:
    return "\n".join(f"{problem['message']} {problem['remedy']}" for problem in import_.problems["shown"])


@pytest.mark.parametrize("name", FILES)
def test_a_file_shows_its_kind(name: str) -> None:
    assert kind_of(io.BytesIO(FILES[name].encode())) == name.split(" of ")[0]


@pytest.mark.parametrize("has_topics", [True, False])
@pytest.mark.parametrize("door", DOORS)
def test_a_file_of_another_kind_is_told_what_it_looks_like_and_which_door_takes_it(
    cast: Cast, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch, door: str, has_topics: bool
) -> None:
    monkeypatch.setattr(imports, "MOST_WAITING", 1_000)
    cast.task.topics.all().delete()
    for position in (1, 2) if has_topics else ():
        cast.task.topics.create(number=str(position), position=position, title="kites")
    wrong = {}
    for name, content in FILES.items():
        kind = name.split(" of ")[0]
        if door == {"training": Import.QRELS}.get(kind, kind):
            continue
        import_ = answer_of(cast, door, content.encode(), django_capture_on_commit_callbacks)
        said = said_in(import_)
        taken = READ_ALL_THE_SAME.get((door, name), "") if import_.state == Import.READY else ""
        if not (taken and taken in said) and (import_.state != Import.BAD or KINDS[kind].where not in said):
            wrong[name] = (import_.state, said)
    assert not wrong


@pytest.mark.parametrize(("door", "content"), RIGHT_BUT_FOR_ONE_THING)
def test_a_file_at_its_own_door_with_one_fault_is_not_called_another_kind(
    cast: Cast, django_capture_on_commit_callbacks: Any, door: str, content: str
) -> None:
    cast.task.topics.all().delete()
    for position in (1, 2):
        cast.task.topics.create(number=str(position), position=position, title="kites")
    import_ = answer_of(cast, door, content.encode(), django_capture_on_commit_callbacks)
    said = said_in(import_)
    assert said
    assert said.count("This looks like") == (1 if door == Import.TOPICS else 0)


def test_a_file_shows_its_kind_by_its_first_lines_alone_and_takes_little_memory() -> None:
    assert kind_of(io.BytesIO(REUTERS.encode())) == "documents"
    assert kind_of(io.BytesIO(b'<newsitem itemid="1">\n<topics>x</topics></newsitem>')) == "documents"
    assert kind_of(io.BytesIO(b"kites: a\nslug: x\n")) == ""
    packed = io.BytesIO(gzip.compress(b"1 0 d1 1\n" + b"\n" * 40_000_000))
    tracemalloc.start()
    try:
        assert kind_of(packed) == "qrels"
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("door", DOORS)
def test_bytes_that_are_no_text_are_named_also_where_the_task_has_no_topics(
    cast: Cast, django_capture_on_commit_callbacks: Any, door: str
) -> None:
    cast.task.topics.all().delete()
    for words, content in NO_TEXT.items():
        import_ = answer_of(cast, door, content, django_capture_on_commit_callbacks)
        assert import_.state == Import.BAD
        assert words in said_in(import_)


@pytest.mark.parametrize("words", NO_TEXT)
def test_bytes_that_are_no_text_become_no_run_and_replace_none(words: str, db: None) -> None:
    cast = make_ready_cast()
    post_run(cast, run_lines(RANKING, "bm25"))
    kept = Run.objects.get()
    for content in (NO_TEXT[words], gzip.compress(NO_TEXT[words])):
        answer = post_run(cast, content, tag="other")
        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert "Nothing was stored." in answer.content.decode()
        with pytest.raises(ValidationError, match=r"Nothing was stored\."):
            run_submit(
                actor=cast.member,
                task=cast.task,
                team=cast.team,
                file=ContentFile(content),
                file_name="bm25.txt",
                tag="bm25",
                replace=True,
            )
    assert list(Run.objects.values_list("pk", "state")) == [(kept.pk, Run.VALID)]


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_set_up_and_no_archive_is_told_what_it_looks_like(name: str) -> None:
    kind = name.split(" of ")[0]
    for language in ("toml", "yaml") if kind != "campaign" else ():
        with pytest.raises(BlueprintFileError) as problem:
            read_blueprint(FILES[name].encode(), language)
        assert KINDS[kind].where in str(problem.value)
    with pytest.raises(ArchiveError) as refused:
        ArchiveReader(io.BytesIO(FILES[name].encode()))
    assert (refused.value.code, refused.value.remedy) == ("other_kind", KINDS[kind].where)
    for content in NO_TEXT.values():
        with pytest.raises(BlueprintFileError, match=r"This is|There is"):
            read_blueprint(content, "toml")
