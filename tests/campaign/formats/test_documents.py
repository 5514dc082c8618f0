import gzip
import io
import itertools
import json
import subprocess
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.formats import documents, repeats, source
from campaign.formats.documents import DocnoReader, DocumentReader, DocumentRecord
from campaign.formats.source import Limits
from campaign.formats.topics.read import read_topics

NEWS = """<DOC>
<DOCNO> FT-1 </DOCNO>
<HEADLINE>
Ports &amp; harbours
</HEADLINE>
<TEXT>
<P>First &lt;paragraph&gt;.</P>
<!-- left <out> -->
Second <b>bold</b>ness, 3 < 4.
</TEXT>
</DOC>
<doc><docno>b-2</docno><title>Short</title>text<script>var x = "<p>";</script></doc><DOC><DOCNO>c</DOCNO></DOC>
"""


def read(data: str | bytes, fields: Sequence[str] = (), **limits: int) -> tuple[list[DocumentRecord], DocumentReader]:
    file = io.BytesIO(data.encode() if isinstance(data, str) else data)
    reader = DocumentReader(file, Limits(**limits), fields=fields)
    return list(reader), reader


def told(reader: DocumentReader) -> set[str]:
    return set(reader.problems.by_code)


def notes(reader: DocumentReader) -> list[str]:
    return [problem.message for problem in reader.problems.shown if problem.code == "document_fields_left_out"]


def shown(value: object, *fields: str) -> tuple[str, str, str, DocumentReader]:
    """Docno, title and text of a file of one document, and its reader."""
    text = value if isinstance(value, str) else json.dumps(value)
    reader = DocumentReader(io.BytesIO(text.encode()), fields=fields)
    (record,) = reader
    return record.docno, record.title, record.text, reader


def codes(reader: DocumentReader) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in reader.problems.shown]


def test_trec_documents_give_docno_title_and_text_without_markup():
    documents, reader = read(gzip.compress(NEWS.encode(), mtime=0))
    assert reader.format == "trec"
    assert documents[0].docno == "FT-1"
    assert documents[0].title == "Ports & harbours"
    assert documents[0].text == "First <paragraph>.\n\nSecond boldness, 3 < 4."
    assert documents[1] == DocumentRecord("b-2", "Short", "text", 12)
    assert documents[2].line == 12
    assert codes(reader) == [("document_fields_left_out", None), ("document_empty", 12)]
    assert notes(reader) == ["Left out of the documents: <script>."]
    assert reader.problems.ok
    assert reader.count == 3


def test_json_documents_accept_the_usual_names_of_the_fields():
    lines = [
        {"docno": "1", "title": "T", "text": "body"},
        {"_id": 2, "contents": "c"},
        {"id": "3", "body": ["p", "q"]},
        {"docid": "4", "abstract": "a"},
    ]
    documents, reader = read("\n".join(map(json.dumps, lines)))
    assert reader.format == "jsonl"
    assert [(d.docno, d.title, d.text, d.line) for d in documents] == [
        ("1", "T", "body", 1),
        ("2", "", "c", 2),
        ("3", "", "p\n\nq", 3),
        ("4", "", "a", 4),
    ]
    assert codes(reader) == []


def test_all_problems_of_documents_are_reported_and_the_sound_ones_still_come():
    documents, reader = read(
        '{"docno": "a", "text": "x"}\n{"docno": "a", "text": "y"}\n{"text": "z"}\n{"docno": "b c", "text": "z"}\n'
        '{"docno": "d", "text": 1.5}\nnot json\n{"docno": "e", "text": ""}\n{"docno": "f", "text": "nul \\u0000"}\n'
        '{"docno": "' + "g" * 300 + '", "text": "t"}'
    )
    assert [document.docno for document in documents] == ["a", "e"]
    assert codes(reader) == [
        ("docno_duplicate", 2),
        ("docno_missing", 3),
        ("docno_space", 4),
        ("json_field", 5),
        ("json_broken", 6),
        ("document_empty", 7),
        ("json_field", 8),
        ("docno_long", 9),
    ]


def test_unclosed_documents_and_lost_text_are_reported_with_their_lines():
    documents, reader = read(
        "<DOC>\n<DOCNO>1</DOCNO> x\n<DOC>\n<DOCNO>2</DOCNO> y\n</DOC>\nlost\n<DOC>\n<DOCNO>3</DOCNO>"
    )
    assert [document.docno for document in documents] == ["2"]
    assert codes(reader) == [("document_unclosed", 1), ("outside_document", 6)]
    assert reader.problems.by_code["document_unclosed"] == 2


def test_a_document_that_never_ends_is_not_held_in_memory():
    documents, reader = read("<DOC>\n<DOCNO>1</DOCNO>\n" + "words\n" * 5000, max_record=10_000)
    assert documents == []
    assert codes(reader) == [("document_too_large", 1)]


def test_documents_are_given_out_before_the_file_has_been_read():
    class Endless(io.RawIOBase):
        numbers = itertools.count()

        def read(self, size: int = -1) -> bytes:
            return b"".join(b'{"docno": "%d", "text": "x"}\n' % next(self.numbers) for _ in range(1000))

    reader = DocumentReader(Endless())
    assert [document.docno for document in itertools.islice(reader, 3)] == ["0", "1", "2"]
    assert next(Endless.numbers) <= 3000


def test_hostile_markup_is_read_in_linear_time():
    for hostile in (
        "<a",
        "<!--",
        "<![CDATA[",
        "<![CDATA[]]>",
        "<script>",
        "<" + "a" * 50,
        "&",
        "<![",
        "<DOC ",
        "</DOC <",
    ):
        markup = "<DOC><DOCNO>1</DOCNO>\n" + hostile * (400_000 // len(hostile)) + "\n</DOC>"
        start = time.thread_time()
        read(markup)
        assert time.thread_time() - start < 10, hostile


def test_a_file_of_no_known_format_is_reported_with_the_known_formats():
    documents, reader = read("plain words\n")
    assert (documents, reader.format) == ([], None)
    assert codes(reader) == [("unknown_format", 1)]


def test_a_list_of_docnos_is_read_with_its_problems():
    reader = DocnoReader(io.BytesIO("a\r\n b \n\nc d\na\ne\u202ef\n".encode()))
    assert [record.docno for record in reader] == ["a", "b"]
    assert [(problem.code, problem.line) for problem in reader.problems.shown] == [
        ("docno_space", 4),
        ("docno_duplicate", 5),
        ("docno_direction", 6),
    ]


LISTED = st.sampled_from(
    [*"abcdefgh", "a/b", "a/../b", "..", "a.b", "\\N", "é", "x" * 200, "x" * 201, "", " a ", "a b", "\ufeffa"]
)
LINE_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@given(st.lists(st.tuples(LISTED, LINE_ENDS), max_size=12), st.integers(1, 20), st.booleans())
@example([("a", "\n"), ("b", "\n"), ("a", "\n"), ("c", "\n")], 4, False)
def test_docnos_many_at_a_time_are_those_one_by_one_with_the_same_problems(lines, chunk: int, keep_first: bool) -> None:
    data = "".join(docno + end for docno, end in lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "BLOCK", 3)
        one_by_one = DocnoReader(io.BytesIO(data), keep_first=keep_first)
        docnos = [record.docno for record in one_by_one]
        patch.setattr(source, "CHUNK", chunk)
        patch.setattr(source, "HEAD", 1)  # the first bytes are one chunk
        together = DocnoReader(io.BytesIO(data), keep_first=keep_first)
        assert [docno for block in together.blocks() for docno in block] == docnos
    assert together.count == one_by_one.count
    assert together.problems.to_json() == one_by_one.problems.to_json()


def test_plain_docnos_are_not_looked_at_one_by_one(monkeypatch) -> None:
    monkeypatch.setattr(DocnoReader, "_docno_is_sound", lambda *_: pytest.fail("one was"))
    data = "".join(f"d/{number}.html\r\n" for number in range(100_000)).encode()
    assert sum(map(len, DocnoReader(io.BytesIO(data)).blocks())) == 100_000


@pytest.mark.parametrize(
    "name",
    [
        "segment",
        "passage",
        "fullText",
        "full_text",
        "FULLTEXT",
        "contents",
        "body_text",
        "main-content",
        "content",
        "Full Text",
    ],
)
def test_a_text_under_any_of_the_usual_names_however_they_are_written_is_read(name: str):
    assert shown({"docno": "d", "title": "T", name: "the text"})[:3] == ("d", "T", "the text")


def test_a_passage_has_its_own_number_and_not_that_of_its_document():
    passages = [
        {"pid": "p1", "passage": "a", "spans": "(0,3)", "docid": "d"},
        {"docid": "d", "segment_id": "d#2", "segment": "b"},
        {"id": "d#3", "doc_id": "d", "text": "c"},
        {"docid": "d#4", "segment": "e"},
    ]
    documents, reader = read("\n".join(map(json.dumps, passages)))
    assert [(document.docno, document.text) for document in documents] == [
        ("p1", "a"),
        ("d#2", "b"),
        ("d#3", "c"),
        ("d#4", "e"),
    ]
    assert notes(reader)[0].startswith(
        "Left out of the documents: “docid” (2), “spans” (1), “doc_id” (1). What was read: docno"
    )


@pytest.mark.parametrize(
    ("passage", "docno"),
    [
        ({"id": "d_3", "doc_id": "d", "chunk_id": 3, "text": "a"}, "d_3"),
        ({"id": "d#2", "docid": "d", "segment_id": "2", "segment": "a"}, "d#2"),
        ({"_id": "x", "segment_id": 0, "segment": "a"}, "x"),
        ({"docid": "msmarco_v2.1_doc_00_0#0_0", "segment": "a", "start_char": 0}, "msmarco_v2.1_doc_00_0#0_0"),
        ({"docid": "d", "chunk_id": "d#1", "text": "a"}, "d#1"),
        ({"pid": "p", "id": "d", "passage": "a"}, "p"),
    ],
)
def test_the_number_of_a_passage_is_its_id_before_the_number_of_a_part_in_its_document(passage, docno):
    assert shown(passage)[0] == docno


def test_fields_to_show_are_found_however_they_are_written_as_the_usual_ones_are():
    value = {"id": "1", "Full_Text": "whole", "meta-data": {"Key_Words": "eggs"}}
    _, _, text, reader = shown(value, "fulltext", "metaData.keywords")
    assert text == "fulltext\nwhole\n\nmetaData.keywords\neggs"
    assert notes(reader) == []
    exact = shown({"id": "1", "full_text": "a", "fulltext": "b"}, "full_text")
    assert exact[2] == "a"
    assert "“fulltext”" in notes(exact[3])[0]


def test_what_stands_beside_a_chosen_field_in_a_field_is_named_as_left_out():
    value = {
        "id": "1",
        "meta": {"abstract": "a", "keywords": "k", "more": {"x": 1, "y": 2}, "none": ""},
        "text": "whole",
    }
    _, _, text, reader = shown(value, "meta.abstract", "meta.more.x")
    assert text == "meta.abstract\na\n\nmeta.more.x\n1"
    assert all(name in notes(reader)[0] for name in ("“meta.keywords”", "“meta.more.y”", "“text”"))
    assert "meta.none" not in notes(reader)[0]
    parts = {"id": "1", "parts": [{"text": "a", "place": "p"}, {"text": "b", "place": "q"}]}
    assert "“parts.place”" in notes(shown(parts, "parts.text")[3])[0]


def test_a_whole_field_is_shown_beside_a_part_of_it():
    assert shown({"id": "1", "meta": {"a": "x", "b": "y"}}, "meta.a", "meta")[2] == "meta.a\nx\n\nmeta\na\nx\n\nb\ny"


def test_a_key_that_stands_twice_in_an_object_is_named_and_texts_that_look_like_one_are_not():
    documents, reader = read(
        '{"docno": "1", "text": "a", "text" : "b"}\n{"docno": "2", "text": "so \\": it is", "x": {"y": ":"}}\n'
        '{"docno": "3", "text": [{"text": "a", "text": "b"}]}\n'
    )
    assert [one.text for one in documents] == ["b", 'so ": it is', "b"]
    [repeated] = [problem for problem in reader.problems.shown if problem.line]
    assert (repeated.code, repeated.line, repeated.count) == ("json_key_repeated", 1, 2)


@pytest.mark.parametrize("depth", range(800, 1000))
def test_repeated_keys_beside_a_deep_value_are_an_error_of_their_line_at_worst(depth):
    documents, reader = read(f'{{"docno": "1", "text": "a", "text": "b", "x": {"[" * depth + "]" * depth}}}\n')
    assert bool(documents) == ("json_key_repeated" in told(reader)) != ("json_broken" in told(reader))


def test_what_is_left_out_is_named_once_for_the_file_with_its_count():
    lines = [json.dumps({"docno": str(n), "title": "T", "url": "u", "transcript": "long"}) for n in range(2)]
    _, reader = read("\n".join([*lines, '{"docno": "9", "title": "T", "url": ""}']))
    assert notes(reader) == [
        "Left out of the documents: “url” (2), “transcript” (2). What was read: docno from “docno”; title from “title”."
    ]
    (titles,) = [problem for problem in reader.problems.shown if problem.code == "document_title_only"]
    assert (titles.message, titles.count, titles.severity) == ("3 documents have a title and no text.", 3, "warning")


def test_an_abstract_does_not_stand_for_a_longer_text():
    both = shown({"id": "1", "abstract": "In short.", "full_text": "At length."})
    assert both[2] == "abstract\nIn short.\n\nfull_text\nAt length."
    opens = shown({"id": "1", "abstract": "In short.", "text": "In short. At length."})
    assert opens[2] == "In short. At length."
    assert told(opens[3]) == set()
    _, _, text, reader = shown({"id": "1", "text": "short", "contents": "another and longer"})
    assert text == "short"
    assert "“contents”" in notes(reader)[0]


def test_texts_in_lists_and_objects_are_read_and_what_is_not_is_named():
    post = {
        "id": "w",
        "title": "T",
        "contents": [
            {"type": "kicker", "content": "Opinion"},
            None,
            {"type": "date", "content": 1325},
            {"type": "image", "fullcaption": "A bridge.", "imageURL": "u"},
            {"type": "sanitized_html", "content": "<p>para</p>"},
        ],
    }
    _, _, text, reader = shown(post)
    assert text == "Opinion\n\nA bridge.\n\n<p>para</p>"
    assert "“contents.type” (4), “contents.content” (1), “contents.imageURL” (1)" in notes(reader)[0]
    sections = {"paper_id": "p", "body_text": [{"text": "b", "section": "Intro", "cite_spans": []}, {"text": "c"}]}
    assert shown(sections)[2] == "Intro\n\nb\n\nc"
    structured = {"pmid": 3, "abstract": {"Background": "b", "Methods": ["m", "n"]}}
    assert shown(structured)[:3] == ("3", "", "Background\nb\n\nMethods\nm\n\nn")
    assert shown({"id": "h", "text": [["a", "b"], ["c"]]})[2] == "a\n\nb\n\nc"


def test_the_chosen_fields_are_shown_in_their_order_below_their_names():
    value = {"id": "1", "title": "T", "text": "t", "meta": {"year": 1999, "notes": ["n", "m"]}, "score": 1.5}
    docno, title, text, reader = shown(value, "score", "meta.notes", "text", "absent")
    assert (docno, title, text) == ("1", "T", "score\n1.5\n\nmeta.notes\nn\n\nm\n\ntext\nt")
    assert "No document has a text in the field “absent”." in [problem.message for problem in reader.problems.shown]
    assert shown(value, "meta")[2] == "year\n1999\n\nnotes\nn\n\nm"
    trec = "<DOC><DOCNO>1</DOCNO><TITLE>T</TITLE><KW>k</KW><TEXT>a<P>b</P></TEXT><LEAD>l</LEAD></DOC>"
    docno, title, text, reader = shown(trec, "LEAD", "text")
    assert (docno, title, text) == ("1", "T", "lead\nl\n\ntext\na\nb")
    assert notes(reader) == ["Left out of the documents: <kw>. What was read: text from <LEAD> (1), <text> (1)."]


def test_scripts_in_a_chosen_tag_are_no_text():
    page = "<DOC><DOCNO>1</DOCNO><BODY>a<script>if (x < '<p>') y</script> b</BODY></DOC>"
    _, _, text, reader = shown(page, "body")
    assert text == "a b"
    assert notes(reader) == ["Left out of the documents: <script>. What was read: text from <body>."]


def test_objects_nested_too_deeply_are_a_problem_of_their_line():
    for opens, closes in (("[", "]"), ('{"text":', "}")):
        _, reader = read('{"docno": "d", "text": ' + opens * 700 + '"x"' + closes * 700 + "}")
        assert reader.problems.ok or codes(reader)[0][1] == 1


def test_many_writings_of_one_name_are_read_in_linear_time():
    value = {"docno": "d", "text": "a" * 5_000_000, **{f"te{'_' * n}xt": "a" * 50 + "b" for n in range(1, 1_000)}}
    start = time.thread_time()
    assert "“te_xt”" in notes(shown(value)[3])[0]
    assert time.thread_time() - start < 3


def test_a_docno_may_be_written_with_hyphens_and_capitals():
    assert [shown({name: "d", "text": "t"})[0] for name in ("DOC_NO", "Doc-Id", "docId")] == ["d", "d", "d"]


def test_names_without_end_take_little_memory():
    _, reader = read("".join(json.dumps({"docno": str(n), "text": "t", f"key{n}": "x"}) + "\n" for n in range(1_500)))
    assert "“…” (500)" in notes(reader)[0]


@pytest.mark.parametrize(
    ("markup", "docno"),
    [
        ('<DOC id="AFP-1" type="story"><TEXT>t</TEXT></DOC>', "AFP-1"),
        ("<DOC ID=a2><TEXT>t</TEXT></DOC>", "a2"),
        ("<DOC><DOCID> a3 </DOCID><TEXT>t</TEXT></DOC>", "a3"),
        ('<DOC id="1"><DOCID>a4</DOCID><TEXT>t</TEXT></DOC>', "a4"),
        ('<DOC id="1"><DOCID>2</DOCID><DOCNO>a5</DOCNO><TEXT>t</TEXT></DOC>', "a5"),
    ],
)
def test_a_trec_document_without_docno_is_known_by_its_docid_or_its_id(markup: str, docno: str):
    assert shown(markup)[:3] == (docno, "", "t")


def test_further_titles_of_a_trec_document_stay_in_its_text_and_dropped_tags_are_named():
    markup = (
        "<DOC><DOCNO>1</DOCNO><DOCID>7</DOCID><DOCHDR>http://x</DOCHDR><TI>Quake</TI><HL>In the north</HL>"
        "<HEADLINE>Quake</HEADLINE><TX>It shook.</TX></DOC>"
    )
    _, title, text, reader = shown(markup)
    assert (title, text) == ("Quake", "In the north\n\nIt shook.")
    assert sorted(notes(reader)[0].removesuffix(".").removeprefix("Left out of the documents: ").split(", ")) == [
        "<dochdr> (1)",
        "<docid> (1)",
    ]


@pytest.mark.parametrize("docno", ["..", ".", "a/../b", "../a", "a/."])
def test_a_docno_that_leads_elsewhere_in_an_address_is_a_problem_of_its_line(docno: str):
    for lines in (f"<DOC><DOCNO>{docno}</DOCNO>t</DOC>", json.dumps({"docno": docno, "text": "t"})):
        documents, reader = read(lines)
        assert documents == []
        assert codes(reader) == [("docno_dots", 1)]
    listed = DocnoReader(io.BytesIO(f"a\n{docno}\n".encode()))
    assert [record.docno for record in listed] == ["a"]
    assert "docno_dots" in listed.problems.by_code


@pytest.mark.parametrize("docno", ["http://a.org/b/?c=d#e", "a..b", "...", "a/.b/c..", "/a//b/"])
def test_other_docnos_with_dots_and_slashes_are_taken(docno: str):
    assert shown({"docno": docno, "text": "t"})[0] == docno


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_in_json_alone_or_under_a_name_is_read_object_by_object(indent: int | None):
    values = [{"docno": str(number), "text": '{[\n" ' * number} for number in range(200)]
    for whole in (values, {"documents": values}):
        documents, reader = read(json.dumps(whole, indent=indent))
        assert [(document.docno, document.text) for document in documents] == [
            (value["docno"], value["text"].strip()) for value in values
        ]
        assert codes(reader) == [("document_empty", documents[0].line)]


def test_objects_over_several_lines_are_documents_with_the_line_on_which_each_begins():
    documents, reader = read(
        '{\n "docno": "1",\n "text": "a"\n}\n{"docno": "2", "text": "b"}\n\n{\n"docno": "3", "text": "c"}'
    )
    assert [(document.docno, document.line) for document in documents] == [("1", 1), ("2", 5), ("3", 7)]
    assert codes(reader) == []


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('[{"docno": "1", "text": "a"},\n{"docno": "2", "text": }]', "json_broken", 2),
        ('[{"docno": "1", "text": "a"},\n', "json_broken", 2),
        ('[{"docno": "1", "text": "a"}, 7]', "json_not_object", 1),
        ('{"docs": [{"docno": "1", "text": "a"}],\n"version": 2}', "json_beside_list", 2),
        ('[{"docno": "1", "text": "a"}]\n[{"docno": "2", "text": "b"}]', "json_beside_list", 2),
        ("[" * 100_000, "json_broken", 1),
        ('[{"docno": "1", "text": [' + "[]," * 1_000_001, "json_too_many_values", 1),
    ],
)
def test_what_is_wrong_in_a_list_in_json_is_named_with_its_line(text: str, code: str, line: int):
    _, reader = read(text, max_line=1 << 22)
    assert [(problem.code, problem.line) for problem in reader.problems.shown if problem.code == code] == [(code, line)]
    assert reader.problems.ok == (code == "json_beside_list")


@pytest.mark.parametrize("lines", [["["] * 900 + ['"b",'] * 5_000, [f'"{"b" * 2_500}"}}]']])
def test_an_object_in_a_list_that_is_too_long_ends_the_reading(lines: list[str]):
    documents, reader = read(
        '[{"docno": "1", "text": "a"},\n{"docno": "2", "text":\n' + "\n".join(lines), max_record=2_000
    )
    assert [document.docno for document in documents] == ["1"]
    assert codes(reader) == [("document_too_large", 2)]


@pytest.mark.parametrize("block", [2, 50_000])
def test_the_first_of_documents_that_come_twice_counts_where_the_sender_chose_so(
    block: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(repeats, "BLOCK", block)
    lines = ["title,cord_uid,abstract", "a,u1,x", "b,u2,y", "c,u1,z", "d,u3,q", "e,u3,q", "f,u2,w", "g,u2,v", "h,u4,v"]
    text = "\n".join(lines).encode()
    refused = DocumentReader(io.BytesIO(text))
    list(refused)
    assert refused.problems.by_code["docno_duplicate"] == 4
    assert "(--repeated first by command, repeated=first by program)" in refused.problems.shown[0].remedy
    reader = DocumentReader(io.BytesIO(text), keep_first=True)
    assert [(record.docno, record.title) for record in reader] == [("u1", "a"), ("u2", "b"), ("u3", "d"), ("u4", "h")]
    assert [problem.message for problem in reader.problems.shown] == [
        "4 documents came before under the same docno: the first counts."
    ]
    named = io.BytesIO(b"docno,kites,ponds\nd1,a,x\nd1,b,y\nd2,c,z\n")
    reader = DocumentReader(named, keep_first=True, fields=("kites",))
    assert [(record.docno, record.text) for record in reader] == [("d1", "a"), ("d2", "c")]
    assert reader.problems.ok
    docnos = DocnoReader(io.BytesIO(b"d1\nd2\nd1\n"), keep_first=True)
    assert ([record.docno for record in docnos], docnos.problems.ok) == (["d1", "d2"], True)


def test_documents_of_pubmed_as_text_have_title_and_abstract_and_what_else_is_there_is_named():
    text = (
        "\nPMID- 7\nOWN - NLM\nTI  - Mill\n      ponds\nAB  - They\n      fill.\nAU  - A B\nAU  - C D\n\n"
        "PMID- 8\nTI  - Kites\nAB  -\n"
    )
    documents, reader = read(text)
    assert [tuple_of(document) for document in documents] == [
        ("7", "Mill ponds", "They fill.", 2),
        ("8", "Kites", "", 11),
    ]
    assert reader.format == "medline"
    assert "OWN" in str(reader.problems)
    assert "AU" in str(reader.problems)
    assert told(reader) == {"document_fields_left_out", "document_title_only"}
    [note] = [problem.message for problem in reader.problems.shown if problem.code == "document_fields_left_out"]
    assert "docno from “PMID”; title from “TI”; text from “AB”." in note
    assert codes(read("PMID- 7\n" + "TI  - Mill ponds\n" * 50, max_record=2_000)[1]) == [("document_too_large", 1)]
    assert codes(read("PMID- 7\n" + "ab\n" * 50, max_record=2_000)[1]) == [("document_too_large", 1)]


def test_fields_of_pubmed_as_text_are_named_as_in_the_file():
    text = "PMID- 7\nBTI - A book\nAB  - They fill.\nMH  - Ponds\n"
    documents, reader = read(text, fields=("AB", "MH"))
    assert [tuple(document)[:3] for document in documents] == [("7", "A book", "AB\nThey fill.\n\nMH\nPonds")]
    assert codes(reader) == []
    documents, _ = read("PMID- 7\nBTI - A book\nTI  - A chapter\n")
    assert documents[0].title == "A chapter"


def test_a_list_in_json_on_one_line_that_is_too_long_is_told_the_command_that_makes_lines(tmp_path: Path):
    text = json.dumps([{"docno": str(number), "text": "kite " * 40} for number in range(30)])
    _, reader = read(text, max_line=2_000)
    remedy = next(problem.remedy for problem in reader.problems.shown if problem.code == "line_too_long")
    command = remedy.partition("own: ")[2].partition(" Break")[0].removesuffix(".")
    command = command.replace("NEW_FILE", str(tmp_path / "n")).replace("FILE", str(tmp_path / "f"))
    (tmp_path / "f").write_text(text)
    subprocess.run(["sh", "-c", command], check=True)
    documents, reader = read((tmp_path / "n").read_bytes(), max_line=2_000)
    assert (len(documents), reader.problems.total) == (30, 0)


def test_documents_in_other_tags_are_told_how_they_are_named():
    _, reader = read("<ITEM><DOCNO>N-1</DOCNO>eggs</ITEM>\n")
    assert codes(reader) == [("document_tag", None), ("outside_document", 1)]
    assert "sed -E 's,<(/?)ITEM>,<\\1DOC>,g'" in reader.problems.shown[0].remedy


def test_the_first_tag_of_a_document_counts_and_others_within_are_text():
    documents, reader = read("<REC><ACCN>n1</ACCN><DOC>eggs</DOC></REC>\n<rec><ACCN>n2</ACCN>salt</rec>")
    assert [(document.docno, document.text) for document in documents] == [("n1", "eggs"), ("n2", "salt")]
    assert codes(reader) == []
    documents, reader = read("<patent-document ucid='n1'>\n<doc>eggs</doc></patent-document>")
    assert [document.docno for document in documents] == ["n1"]
    _, reader = read("<REC><ACCN>n1</ACCN>eggs")
    assert reader.problems.shown[0].message == "The document is not closed by </REC>."


@pytest.mark.parametrize("line", ["", "\n"])
def test_a_tag_around_several_documents_is_none_of_them(line: str):
    """Text that it has beside them is told."""
    document = "<DOC><DOCNO>{}</DOCNO>eggs</DOC>"
    documents, reader = read(f"<REC>{line}{document.format(1)}\n{document.format(2)}\n</REC>")
    assert [document.docno for document in documents] == ["1", "2"]
    assert codes(reader) == []
    documents, reader = read(f"<REC>\nlost\n{document.format(1)}\n</REC>")
    assert [document.docno for document in documents] == ["1"]
    assert codes(reader) == [("outside_document", 2)]


@pytest.mark.parametrize("begin", ["<REC ID='b1'>", "<REC><DOCID>batch</DOCID>", "<rec>\n<accn>batch</accn>\n"])
def test_a_doc_with_a_docno_of_its_own_is_the_document_though_the_tag_around_it_has_one_too(begin: str):
    for document in ("<DOC><DOCNO>{}</DOCNO>eggs</DOC>", "<DOC ID='{}'>eggs</DOC>"):
        documents, _ = read(f"{begin}{document.format(1)}\n{document.format(2)}\n</REC>")
        assert [tuple(document)[:3] for document in documents] == [("1", "", "eggs"), ("2", "", "eggs")]


def test_a_doc_without_a_docno_is_a_part_of_the_record_around_it_also_where_the_docno_comes_later():
    record = "<REC><TITLE>x</TITLE><DOC>eggs</DOC><ACCN>n{}</ACCN></REC>\n"
    documents, reader = read(record.format(1) + record.format(2))
    assert [tuple(document)[:3] for document in documents] == [("n1", "x", "eggs"), ("n2", "x", "eggs")]
    assert codes(reader) == []


@pytest.mark.parametrize("line", ["", "ab", "<x>"])
def test_short_lines_before_the_first_document_are_not_held(line: str):
    text = "\n".join(["<x>", *[line] * 100_000, "<DOC><DOCNO>1</DOCNO>eggs</DOC>"])
    tracemalloc.start()
    documents, _ = read(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(documents), peak < 10_000_000) == (1, True)


def test_text_outside_is_told_with_the_tag_of_the_file():
    _, reader = read("<REC><ACCN>n1</ACCN>eggs</REC>\n<DeleteCitation>n2</DeleteCitation>")
    assert reader.problems.shown[0].message == "There is text outside of <REC> and </REC>."


def test_a_table_of_four_columns_with_addresses_is_that_of_ms_marco_only_with_its_docnos():
    line = "{}\thttps://example.org/a\tKites\t{}\n"
    documents, reader = read(line.format("D1", "") + line.format("D22", "One."))
    assert [tuple(document)[:3] for document in documents] == [("D1", "Kites", ""), ("D22", "Kites", "One.")]
    assert reader.problems.ok
    _, reader = read(line.format("2019-01-02", "One."))
    assert reader.problems.shown[0].code == "table_headings"


@pytest.mark.parametrize(
    ("titles", "title", "text"),
    [
        (("Title>J", "ArticleTitle>A", "ArticleTitle>B"), "A", "J\n\nB"),
        (("ArticleTitle>A", "ArticleTitle>B"), "A", "B"),
        (("Title>J", "ArticleTitle>"), "J", ""),
        (("ArticleTitle>", "Title>J", "ArticleTitle>A"), "A", "J"),
    ],
)
def test_the_first_title_of_an_article_that_has_a_text_is_its_title(titles: tuple[str, ...], title: str, text: str):
    parts = "".join(f"<{tag}</{tag.partition('>')[0]}>" for tag in titles)
    documents, _ = read(f"<PubmedArticle><PMID>7</PMID>{parts}</PubmedArticle>")
    assert [tuple(document)[:3] for document in documents] == [("7", title, text)]


def test_further_numbers_of_a_document_are_named():
    documents, reader = read("<DOC><DOCNO>d1</DOCNO><PMID>7</PMID>eggs</DOC>")
    assert [document.docno for document in documents] == ["d1"]
    assert notes(reader) == ["Left out of the documents: <pmid>."]


def test_kinds_of_files_that_are_not_read_are_named_with_what_to_do():
    _, reader = read("WARC/1.0\r\n")
    assert ["warcio" in problem.remedy for problem in reader.problems.shown] == [True]


def test_a_conclusion_is_the_title_of_an_argument_only():
    assert shown({"id": "1", "conclusion": "Boil eggs.", "premises": [{"text": "Raw."}]})[:3] == (
        "1",
        "Boil eggs.",
        "Raw.",
    )
    assert notes(shown({"id": "1", "text": "Raw.", "conclusion": "Boil."})[3]) == [
        "Left out of the documents: “conclusion”. What was read: docno from “id”; text from “text”."
    ]


def test_declarations_tags_and_the_end_of_a_file_of_dos_around_documents_are_no_lost_text():
    documents, reader = read('<?xml version="1.0"?>\n<!DOCTYPE x>\n<DOCS>\n<DOC><DOCNO>1</DOCNO>t</DOC>\n</DOCS>\n\x1a')
    assert [document.text for document in documents] == ["t"]
    assert codes(reader) == []


def test_text_in_a_cdata_section_is_read_as_it_stands():
    for text in ("plain", "a < b && c", "List<T> &amp;"):
        documents, _ = read(f"<DOC><DOCNO>1</DOCNO><TEXT>so: <![CDATA[{text}]]></TEXT></DOC>")
        assert [document.text for document in documents] == [f"so: {text}"]


def test_an_ampersand_at_the_end_of_a_cdata_section_begins_no_reference_with_the_text_behind_it():
    for within, behind in (("&", "amp;"), ("&a", "mp;"), ("&#", "38;")):
        documents, _ = read(f"<DOC><DOCNO>1</DOCNO><TEXT>so: <![CDATA[{within}]]>{behind}</TEXT></DOC>")
        assert [document.text for document in documents] == [f"so: {within}{behind}"]


def test_a_second_docno_is_named_and_not_joined_to_the_first():
    docno, _, _, reader = shown("<DOC><DOCNO>1</DOCNO><DOCNO>2</DOCNO>t</DOC>")
    assert docno == "1"
    assert notes(reader)[0].startswith("Left out of the documents: <further docno>.")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("id\ttitle\tabstract\n1\tEggs\tBoil; peel.\n\n2\t\tSalt.\n", "tsv"),
        ('cord_uid;title;abstract;;\r\n1;Eggs;"Boil; peel.";;\r\n;;;;\r\n2;;Salt.;;\r\n', "csv"),
        ("Doc ID,Title,Abstract\n1,Eggs,Boil; peel.\n2,,Salt.\n", "csv"),
        ("sep=,\nid,title,abstract\n1,Eggs,Boil; peel.\n2,,Salt.\n", "csv"),
        ('\ufeffid,Title,Abstract\n"1","Eggs","Boil; peel."\n"2","","Salt."\n', "csv"),
    ],
)
def test_documents_in_a_table_are_read_by_their_headings(text: str, kind: str):
    documents, reader = read(text)
    assert reader.format == kind
    assert [tuple_of(document)[:3] for document in documents] == [("1", "Eggs", "Boil; peel."), ("2", "", "Salt.")]
    assert reader.problems.ok


def tuple_of(record: DocumentRecord) -> tuple[str, str, str, int]:
    return record.docno, record.title, record.text, record.line


def test_a_first_passage_of_more_commas_than_a_table_has_columns_is_read():
    documents, reader = read(f"1\t{'a, ' * 10_001}\n2\tb\n")
    assert [one.docno for one in documents] == ["1", "2"]
    assert codes(reader) == []


def test_passages_are_read_from_two_columns_without_headings():
    documents, reader = read('0\tThe "presence" of\n1\t"so" and "so"\n2\t"To be" he said\n3\t"To be, or not"\n')
    texts = ['The "presence" of', '"so" and "so"', '"To be" he said', '"To be, or not"']
    assert [one.text for one in documents] == texts
    assert codes(reader) == [("quotes_kept", 4)]


def test_quotes_of_many_cells_on_one_line_are_taken_off_in_linear_time():
    start = time.thread_time()
    read("id\ttext\n" + "\t".join(f'"{number}"' for number in range(60_000)))
    assert time.thread_time() - start < 5


def test_a_byte_order_mark_within_a_list_of_docnos_is_named():
    reader = DocnoReader(io.BytesIO("d1\n\ufeffd2\n".encode()))
    assert [one.docno for one in reader] == ["d1"]
    assert codes(reader) == [("docno_mark", 2)]


def test_a_name_that_html_does_not_know_stays_as_it_is_written():
    documents, _ = read("<DOC><DOCNO>1</DOCNO><TEXT>AT&amplifier; &notit; &eacute;&#233;</TEXT></DOC>")
    assert documents[0].text == "AT&amplifier; &notit; éé"


def test_quotes_of_a_spreadsheet_around_cells_with_tabs_between_them_are_taken_off():
    documents, reader = read('id\ttext\ttitle\n1\t"Eggs, ""boiled"" ones"\tEggs\n')
    assert [tuple_of(one) for one in documents] == [("1", "Eggs", 'Eggs, "boiled" ones', 2)]
    assert codes(reader) == [("quotes_taken_off", 2)]


@pytest.mark.parametrize(
    ("table", "texts", "told"),
    [
        ('id\ttext\n1\t"so"\n2\t"a, b"\n3\t"a"" b"\n', ['"so"', "a, b", 'a" b'], ["quotes_kept", "quotes_taken_off"]),
        ('"1"\t"so"\n"2"\t"b"\n', ["so", "b"], ["quotes_taken_off"]),
        ('"id"\t"text"\n"1"\t"so"\n', ["so"], ["quotes_taken_off"]),
    ],
)
def test_quotes_are_taken_off_only_where_spreadsheets_put_them_and_the_doubt_is_told(table, texts, told):
    documents, reader = read(table)
    assert [one.text for one in documents] == texts
    assert sorted(code for code, _ in codes(reader)) == told


def test_cells_over_several_lines_have_the_line_of_their_row_and_unread_columns_are_named():
    documents, reader = read('\n\nid,text,url\n1,"a\nb",u\n2,c,v\n')
    assert [tuple_of(one) for one in documents] == [("1", "", "a\nb", 4), ("2", "", "c", 6)]
    assert notes(reader)[0].startswith("Left out of the documents: “url”.")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("D1\ta\tEggs\tBoil.\n", "table_headings", 1),
        ("sep=;\na;b\n", "table_headings", 2),
        ("id,text\n1,a,b\n", "table_cells", 2),
        ("id\ttext\tText\n1\ta\tb\n", "table_columns", 1),
        ('id,text\n1,"a\n', "csv_broken", 2),
        ('\nid,text\n1,a\n2,"' + "x" * 140_000 + '"\n', "csv_broken", 4),
        ("1;Eggs;Boil.\n", "unknown_format", 1),
    ],
)
def test_what_cannot_be_read_of_a_table_of_documents_is_named_with_its_line(text: str, code: str, line: int):
    _, reader = read(text)
    assert [(problem.code, problem.line) for problem in reader.problems.shown if problem.severity == "error"] == [
        (code, line)
    ]
    told = " ".join(str(problem) for problem in reader.problems.shown)
    assert "131,072 characters" in told or code != "csv_broken"
    assert "Name the columns in the first line" in told or code not in ("table_headings", "unknown_format")


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_of_two_columns_the_second_is_the_text_whatever_its_name(separator: str):
    table = separator.join(["docno", "lyrics"]) + "\n" + separator.join(["d1", "Knead."]) + "\n"
    documents, reader = read(table)
    assert [(document.docno, document.text) for document in documents] == [("d1", "Knead.")]
    (told,) = reader.problems.shown
    assert (told.code, told.line, told.severity) == ("table_first_line", 1, "warning")
    assert "docno and lyrics, was read as names of the columns, the second that of the text." in told.message
    assert "If it is the first document: write a line docno, text above it." in told.remedy
    assert shown(table, "lyrics")[2] == "Knead."


@pytest.mark.parametrize("docno", ["id", "ID", "Identifier", "pid", "pmid"])
def test_a_first_document_that_is_called_as_a_column_may_be_stays_one(docno: str):
    documents, reader = read(f"{docno}\tA text.\nd2\tAnother.\n")
    assert [(document.docno, document.text) for document in documents] == [(docno, "A text."), ("d2", "Another.")]
    (told,) = reader.problems.shown
    assert (told.code, told.severity) == ("table_first_line", "warning")
    assert f"was read as document {docno}." in told.message
    assert "If it names columns: call the second text." in told.remedy


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_of_more_columns_none_of_which_is_known_as_a_text_none_is_taken(separator: str):
    table = "\n".join(map(separator.join, [["docno", "singer", "lyrics"], ["d1", "Abc", "Knead."]]))
    documents, reader = read(table)
    assert (documents, reader.problems.by_code) == ([], {"table_headings": 1})
    assert shown(table, "lyrics")[2] == "Knead."


@pytest.mark.parametrize(
    "name",
    ["paperId", "nctId", "cord-uid", "DocumentID", "corpus-id", "article_id", "identifier", "passageId", "chunk-id"],
)
def test_a_docno_is_found_however_its_name_is_written(name: str):
    documents, _ = read(json.dumps({name: "d1", "text": "Knead."}))
    assert [document.docno for document in documents] == ["d1"]


@pytest.mark.parametrize("passage", ["pid", "passage_id", "psg_id", "passageId", "segment_id", "chunk_id"])
@pytest.mark.parametrize("other", ["article_id", "corpus_id", "articleId", "corpus-id", "identifier"])
def test_a_passage_has_its_own_number_and_not_that_of_its_article(passage: str, other: str):
    for value in ({passage: "p1", other: "A", "text": "a"}, {other: "A", passage: "p1", "text": "a"}):
        assert shown(value)[0] == "p1"


@pytest.mark.parametrize(
    ("text", "where"),
    [('{"uri": "d1", "text": "a"}', "name it docno"), ("<DOC><REF>d1</REF>a</DOC>", "<DOCNO>, <DOCID>")],
)
def test_a_docno_that_is_missing_is_told_where_it_is_read_from(text: str, where: str):
    _, reader = read(text)
    assert where in next(problem for problem in reader.problems.shown if problem.code == "docno_missing").remedy


def test_every_field_that_a_docno_is_read_from_is_named():
    _, reader = read('{"uri": "d1", "text": "a"}')
    (remedy,) = [problem.remedy for problem in reader.problems.shown if problem.code == "docno_missing"]
    named = remedy.partition("the fields ")[2].partition(":")[0].replace(" and ", ", ").split(", ")
    assert {"docno", "_id", "pid", "passage_id", "psg_id", "segment_id", "chunk_id", "identifier"} <= set(named)
    for name in named:
        assert shown({name: "d1", "text": "a"})[0] == "d1"


@pytest.mark.parametrize(
    ("character", "code"),
    [(character, "control") for character in "\x07\x1b\x7f\x9f"]
    + [(character, "unseen") for character in "\xad\u061c\u180e\u200b\u200f\u2060\u2064\U000e0041"],
)
def test_characters_without_a_shape_in_a_docno_and_in_a_topic_number_are_refused(character: str, code: str):
    _, reader = read(json.dumps({"docno": f"a{character}b", "text": "a"}))
    topics = read_topics(io.BytesIO(f"1{character}2\tmill ponds\n".encode())).problems
    assert reader.problems.by_code == {f"docno_{code}": 1}
    assert topics.by_code == {f"topic_number_{code}": 1}


@pytest.mark.parametrize("docno", ["\u06dd7", "\u0600a", "\U000110bd", "a\u200cb", "a\u200db"])
def test_signs_of_numbers_and_joiners_with_which_scripts_spell_stay_in_docnos(docno: str):
    assert shown({"docno": docno, "text": "a"})[0] == docno


def test_documents_of_smart_are_read_with_what_is_left_out_and_one_without_an_end_is_cut() -> None:
    text = ".I 1\n.T\nPonds\nof mills\n.A\nMill, A.\n.W\nA kite\nflies.\n.X\n1\t5\n.I 2\n.W\nReeds\n"
    reader = DocumentReader(io.BytesIO(text.encode()))
    assert [(one.docno, one.title, one.text) for one in reader] == [
        ("1", "Ponds of mills", "A kite\nflies."),
        ("2", "", "Reeds"),
    ]
    assert "“.A” (1), “.X” (1)" in reader.problems.shown[0].message
    for large in (b".I 1\n.W\n" + b"word\n" * 10_000, b".I 1\n" + b".W\n" * 500):
        reader = DocumentReader(io.BytesIO(large), Limits(max_record=40_000))
        assert list(reader) == []
        assert [problem.code for problem in reader.problems.shown] == ["document_too_large"]


@pytest.mark.parametrize(
    "text",
    [
        '<DOC\nid="a">\n<TEXT>kites</TEXT>\n</DOC>\n<DOC\n id="b"\n lang="en"><TEXT>tea</TEXT></DOC>\n',
        '<DOC\nlang="en">\n<DOCNO\n>a</DOCNO>\n<TEXT>kites</TEXT>\n</DOC\n>\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>tea</TEXT>\n</DOC>\n',
        "<REC\n>\n<DOCNO>a</DOCNO>\n<TEXT>kites</TEXT>\n</REC>\n<REC>\n<DOCNO>b</DOCNO>\n<TEXT>tea</TEXT>\n</REC>\n",
    ],
)
def test_a_tag_over_several_lines_begins_or_ends_a_document(text):
    documents, reader = read(text)
    assert [(one.docno, one.text) for one in documents] == [("a", "kites"), ("b", "tea")]
    assert not told(reader) & {"outside_document", "document_unclosed"}


@pytest.mark.parametrize(
    "text",
    [
        "  <DOC\n>\n<DOCNO>a</DOCNO><TEXT>kites</TEXT></DOC>\n{b}",
        "<DOC id=a\n checked lang=en>\n<TEXT>kites</TEXT></DOC>\n{b}",
        '<DOC id="a" title="it"s"\n x="1">\n<TEXT>kites</TEXT></DOC>\n{b}',
        '<DOC id = "a",\n lang = "en">\n<TEXT>kites</TEXT></DOC>{b}',
        "<docs><doc\n>\n<DOCNO>a</DOCNO><TEXT>kites</TEXT></doc>{b}</docs>",
        "<DOC\n><DOCNO>a</DOCNO><TEXT>kites</TEXT></DOC><DOC\n><DOCNO>b</DOCNO><TEXT>tea</TEXT></DOC\n>",
        "<DOC><DOCNO>a</DOCNO><TEXT>kites</TEXT>\n  </DOC\n  ><DOC\n checked><DOCNO>b</DOCNO><TEXT>tea</TEXT></DOC>",
        "<reuters>\n<doc\n>\n<DOCNO>a</DOCNO><TEXT>kites</TEXT></doc>{b}</reuters>",
    ],
)
def test_outside_of_documents_each_beginning_of_a_tag_over_several_lines_is_a_tag(text):
    documents, reader = read(text.format(b="<DOC\n>\n<DOCNO>b</DOCNO><TEXT>tea</TEXT></DOC>"))
    assert [(one.docno, one.text) for one in documents] == [("a", "kites"), ("b", "tea")]
    assert reader.problems.ok
    assert not told(reader) & {"outside_document", "document_unclosed"}


@pytest.mark.parametrize("tag", ['<DOC\n title="5 < 6">', '<DOC id="x" title="a<b">', "<DOC" + "\n x" * 30 + ">"])
def test_a_file_whose_tag_around_a_document_cannot_be_read_is_refused_with_its_line(tag):
    other = "<DOC>\n<DOCNO>b</DOCNO><TEXT>tea</TEXT></DOC>\n"
    _, reader = read(f"{other}{tag}\n<DOCNO>a</DOCNO><TEXT>kites</TEXT></DOC>\n")
    assert ("document_tag", 3) in [(one.code, one.line) for one in reader.problems.shown if one.severity == "error"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<newsitem><DOC\n>\n<DOCNO>a</DOCNO>kites</DOC></newsitem>\n<DOC><DOCNO>b</DOCNO>tea</DOC>", 4),
        ("<reuters newid=7>kites</reuters>\n<xml><DOC\n id=b\n>tea</DOC></xml>", 2),
        ("<rec><docid>a</docid>kites</rec>\n<DOC id=b>\ntea", 2),
        ("<DOC><DOCNO>a</DOCNO>kites</DOC>\n\n<newsitem itemid=b>tea</newsitem>", 3),
        (
            "<newsitem itemid=a>kites</newsitem>\n<newsitem><DOC id=b>tea</DOC><doc><DOCNO>c</DOCNO>jam</doc></newsitem>",
            2,
        ),
    ],
)
def test_documents_by_two_tags_in_one_file_are_refused_with_the_line_so_that_none_is_lost(text, line):
    _, reader = read(text)
    assert ("document_tag", line) in [(one.code, one.line) for one in reader.problems.shown if one.severity == "error"]


@pytest.mark.parametrize(
    ("text", "docnos"),
    [
        ("<newsitem itemid=1>a</newsitem>\n<!-- each <doc> was checked -->", ["1"]),
        ("<DOC><DOCNO>1</DOCNO>a</DOC>\n<!-- no <rec> here -->", ["1"]),
        ("<DOC><DOCNO>1</DOCNO>a</DOC>\n<!-- <rec>b</rec> --> and <!-- <rec> -->", ["1"]),
        ("<DOC><DOCNO>1</DOCNO>a</DOC>\n<rec-list>", ["1"]),
    ],
)
def test_a_tag_in_a_comment_and_a_word_like_a_tag_are_no_other_document(text: str, docnos: list[str]):
    documents, reader = read(text)
    assert ([one.docno for one in documents], reader.problems.ok) == (docnos, True)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- <rec> -->\n<rec>lost</rec>",
        "<!-- a\nb -->\n<rec>lost</rec>",
        "<rec>\n<!-- <rec> -->lost</rec>",
        "<!-- does not end\n<DOC><DOCNO>2</DOCNO>b</DOC>\n<rec>lost</rec>",
        "<rec>lost <!-- x</rec>\n<DOC><DOCNO>2</DOCNO>b</DOC>",
        "<!-- does not end\n<rec>lost</rec>\n",
        "<!--><rec>lost</rec> <!-- a -->",
        "<!-- x --!> <rec>lost</rec> <!-- a -->",
        '<rec t="a<b">lost</rec>',
    ],
)
def test_a_document_by_another_tag_beside_a_comment_is_refused(text: str):
    _, reader = read(f"<DOC><DOCNO>1</DOCNO>a</DOC>\n{text}")
    assert "stands outside of <DOC>" in " ".join(problem.message for problem in reader.problems.shown)


def test_the_command_that_takes_tags_around_documents_out_leaves_other_tags(tmp_path: Path):
    documents = "<DOC ID=b><recipient>x</recipient></DOC><doc>\n<DOCNO>c</DOCNO>jam</doc>"
    text = f"<REC id=a>kites</REC>\n<rec>{documents}</Rec >\n"
    _, reader = read(text)
    [remedy] = [problem.remedy for problem in reader.problems.shown if problem.code == "document_tag"]
    (tmp_path / "FILE").write_text(text)
    command = remedy.partition("out: ")[2].removesuffix(".")
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    assert (tmp_path / "NEW_FILE").read_text() == f"kites\n{documents}\n"


def test_other_tags_around_documents_and_within_them_are_no_documents():
    text = "<reuters><newsitem><DOC id=a>kites</DOC></newsitem>\n<DOC id=b>tea <rec>jam</rec></DOC></reuters>"
    documents, reader = read(text)
    assert ([one.docno for one in documents], reader.problems.ok) == (["a", "b"], True)
    documents, reader = read("<rec><docid>a</docid><doc>kites</doc><doc>tea</doc></rec>")
    assert ([one.docno for one in documents], reader.problems.ok) == (["a"], True)


def test_words_between_documents_that_begin_no_document_are_a_warning():
    other = "<DOC>\n<DOCNO>{}</DOCNO><TEXT>tea</TEXT></DOC>\n"
    documents, reader = read(f"{other.format('a')}</DOC and <docs and <document\n{other.format('b')}")
    assert ([one.docno for one in documents], reader.problems.ok) == (["a", "b"], True)
    assert "outside_document" in told(reader)


def test_the_tag_of_the_next_document_ends_one_that_is_not_closed_with_an_error():
    _, reader = read("<DOC>\n<DOCNO>a</DOCNO>\n  <DOC\n  >\n<DOCNO>b</DOCNO></DOC>\n")
    assert codes(reader)[0] == ("document_unclosed", 1)


def test_tags_over_several_lines_are_read_in_linear_time():
    began = time.process_time()
    for part in ("<DOC\n", "<DOC\n>", "<DOC\nx", "a <DOC\n"):
        read(part * 100_000)
        read("<DOC>\n" + part * 100_000)
    assert time.process_time() - began < 30


def test_the_lines_of_a_document_are_counted_where_a_tag_goes_over_several():
    documents, _ = read('<DOC\nid="a">kites</DOC>\n<DOC id="b">tea</DOC>\n')
    assert [one.line for one in documents] == [1, 3]
    unended, reader = read("<DOC\n" + "x\n" * 50)
    assert (unended, reader.problems.ok) == ([], False)


@pytest.mark.parametrize(
    "text",
    [
        '{"doc_id": "a", "pid": 1, "text": "x"}\n{"doc_id": "b", "pid": 1, "text": "y"}\n',
        "doc_id,pid,text\na,1,x\nb,1,y\n",
    ],
)
def test_passages_that_each_document_counts_anew_are_named_with_the_field_that_tells_them_apart(text):
    _, reader = read(text)
    [refused] = [problem for problem in reader.problems.shown if problem.code == "docno_duplicate"]
    assert "write both “doc_id” and “pid”, with a low line between them, into a field docno" in refused.remedy
    documents, joined = read('{"docno": "a_1", "doc_id": "a", "pid": 1, "text": "x"}\n')
    assert ([one.docno for one in documents], joined.problems.ok) == (["a_1"], True)


def test_lines_of_blanks_in_a_table_are_no_documents():
    documents, reader = read("docno|text\n  \n---|---\na|kites\n \t\nb|tea\n")
    assert ([one.docno for one in documents], reader.problems.ok) == (["a", "b"], True)


def test_documents_in_columns_with_vertical_bars_are_read_by_their_headings():
    documents, _ = read("| docno | title | text |\n|---|---|---|\n| a | Kites | fly, high |\n")
    assert documents == [DocumentRecord("a", "Kites", "fly, high", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "write the tag <doc\nand go on, a > b",
        "the tag <doc\nb > a",
        "the tag <doc\n> is old",
        "<reuters\nof 1987> and <doc\n= more",
    ],
)
def test_a_text_with_the_beginning_of_a_tag_stays_a_text(text):
    documents, reader = read(
        f"<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>{text}</TEXT>\n</DOC>\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n"
    )
    assert ([one.docno for one in documents], reader.problems.ok) == (["a", "b"], True), reader.problems.shown


@pytest.mark.parametrize(
    "text",
    [
        ".I 1\n.U\n87049087\n.S\nJ Kites 87\n.T\nKites.\n.W\nThey fly.\n.I 2\n.U\n87049088\n.T\nTea.\n.W\nIt steams.\n",
        ".I 1\n.U 87049087\n.S\nJ Kites 87\n.T\nKites.\n.W They fly.\n.I 2\n.U 87049088\n.T Tea.\n.W\nIt steams.\n",
    ],
)
def test_documents_of_ohsumed_have_the_number_of_medline_by_which_qrels_name_them(text):
    documents, reader = read(text)
    assert [(one.docno, one.title, one.text) for one in documents] == [
        ("87049087", "Kites.", "They fly."),
        ("87049088", "Tea.", "It steams."),
    ]
    (note,) = reader.problems.shown
    assert "“.I” (2), “.S” (1). What was read: docno from “.U”; title from “.T”; text from “.W”" in note.message


def test_a_document_without_the_number_that_the_first_one_has_is_named_with_its_line():
    _, reader = read(".I 1\n.U\n87\n.W\nkites\n.I 2\n.W\ntea\n")
    (missing,) = (one for one in reader.problems.shown if one.code == "docno_missing")
    assert (missing.line, missing.remedy.endswith("from .U where the first document has it, else from .I.")) == (
        6,
        True,
    )


def test_a_line_of_a_text_that_begins_like_a_part_stays_in_it():
    (document,), _ = read(".I 1\n.W\nkites\n.A tail\n")
    assert document.text == "kites\n.A tail"


def test_fields_of_smart_are_chosen_by_their_letters():
    (document,), reader = read(".I 1\n.T\nKites\n.A\nMill\n.W\nThey fly\n", fields=[".W", ".A"])
    assert (document.title, document.text) == ("Kites", "text\nThey fly\n\n.A\nMill")
    assert "document_field_absent" not in told(reader)


def test_a_docno_in_the_tag_around_a_document_is_never_cut() -> None:
    for length in range(9_970, 9_995):
        (document,), _ = read(f"<DOC a={'x' * length} id=1234567>a</DOC>\n")
        assert document.docno == "1234567"
    assert codes(read(f"<DOC {'x' * 1_000_000}=1 id=7>a</DOC>\n")[1]) == []


def test_lines_and_tags_of_a_document_are_counted_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_LINES_AND_TAGS", 10)
    for sound in ("a\n" * 8, "a < b " * 9 + "\n", "a<b>" * 8):
        assert read(f"<DOC><DOCNO>1</DOCNO>{sound}</DOC>\n")[1].problems.ok, sound
    for more in ("a\n" * 9, "a<b>" * 9):
        assert codes(read(f"<DOC><DOCNO>1</DOCNO>{more}</DOC>\n")[1]) == [("document_too_large", 1)], more
