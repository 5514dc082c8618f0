import gzip
import io
import itertools
import json
import time

from campaign.formats.documents import DocnoReader, DocumentReader, DocumentRecord
from campaign.formats.source import Limits

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


def read(data: str | bytes, **limits: int) -> tuple[list[DocumentRecord], DocumentReader]:
    reader = DocumentReader(io.BytesIO(data.encode() if isinstance(data, str) else data), Limits(**limits))
    return list(reader), reader


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
    assert codes(reader) == [("document_empty", 12)]
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
    assert codes(reader) == [("document_unclosed", 1), ("outside_document", 6), ("document_unclosed", 7)]


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
    for hostile in ("<a", "<!--", "<script>", "<" + "a" * 50, "&", "<![", "<DOC ", "</DOC <"):
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
