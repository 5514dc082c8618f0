import bz2
import gzip
import io
import re
import tarfile
import zipfile
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.formats import source
from campaign.formats.documents import DocnoReader, DocumentReader
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QRELS_LIMITS, QrelsRules, read_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.source import CHUNK, UTF8_MARK, Limits, numbered_lines, text_chunks, text_lines
from campaign.formats.topics.read import read_topics
from judging.judgment_imports import reading
from pooling.core.files.read import POOL_LIMITS
from tests.campaign.formats.packing import gzip_of_repeats, make_bomb

LIMITS = Limits()


def make_tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("run.txt"), io.BytesIO())
    return buffer.getvalue()


def make_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run.txt", "301 Q0 a 1 1.0 tag\n")
    return buffer.getvalue()


def read_lines(data: bytes, limits: Limits = LIMITS) -> tuple[list[tuple[int, str]], ProblemLog]:
    problems = ProblemLog()
    return list(text_lines(io.BytesIO(data), limits, problems)), problems


def document_problems(source) -> ProblemLog:
    reader = DocumentReader(source)
    assert not list(reader)
    return reader.problems


def docno_problems(source) -> ProblemLog:
    reader = DocnoReader(source)
    assert len(list(reader)) == reader.count
    return reader.problems


READERS = {
    "topics": lambda source: read_topics(source).problems,
    "documents": document_problems,
    "docnos": docno_problems,
    "runs": lambda source: check_run(source, RunRules()).problems,
    "qrels": lambda source: read_qrels(source, QrelsRules()).problems,
}
BAD_FILES = {
    "zip": (make_zip(), "archive"),
    "tar": (make_tar(), "archive"),
    "tar.gz": (gzip.compress(make_tar(), mtime=0), "archive"),
    "gzip of gzip": (gzip.compress(gzip.compress(b"a\tb\n", mtime=0)), "archive"),
    "bzip2": (bz2.compress(b"a\tb\n"), "archive"),
    "NUL": (b"\x01\x00\x02\n", "binary_file"),
    "empty": (b"", "empty_file"),
    "only blanks": (b" \r\n\n\t \n", "empty_file"),
    "only a byte order mark": (b"\xef\xbb\xbf", "empty_file"),
    "empty gzip": (gzip.compress(b"", mtime=0), "empty_file"),
    "cut gzip": (gzip.compress(b"<x>\n" * 40, mtime=0)[:-9], "gzip_truncated"),
    "gzip head only": (b"\x1f\x8b", "gzip_truncated"),
    "gzip that is not gzip": (b"\x1f\x8b this is not gzip at all", "gzip_corrupt"),
    "gzip with rubbish behind it": (gzip.compress(b"<x>\n", mtime=0) + b"rubbish", "gzip_corrupt"),
    "gzip bomb": (make_bomb(), "gzip_ratio"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_file_that_cannot_be_read_gets_one_clear_answer_from_every_reader(kind, reader):
    data, code = BAD_FILES[kind]
    if (kind, reader) == ("gzip bomb", "topics"):  # their text has a limit that is reached before a ratio is looked at
        code = "text_too_large"
    if kind == "gzip bomb" and reader in ("docnos", "qrels"):  # each of its lines is wrong: so many are read
        code = "too_many_errors"
    problems = READERS[reader](io.BytesIO(data))
    assert code in problems.by_code
    assert not problems.ok
    first = next(problem for problem in problems.shown if problem.code == code)
    assert first.message.endswith(".")
    assert first.remedy.endswith(".")


@given(data=st.binary(max_size=400))
@pytest.mark.parametrize("reader", ["topics", "documents_any", "docnos", "runs", "qrels"])
def test_no_bytes_whatsoever_make_a_reader_raise(reader, data):
    for prefix in (b"", b"<top><num>", b"<topics><topic>", b'{"number": ', b"<DOC><DOCNO>", b"\x1f\x8b\x08"):
        source = io.BytesIO(prefix + data)
        if reader == "documents_any":
            documents = DocumentReader(source)
            assert len(list(documents)) == documents.count
        else:
            assert READERS[reader](source).total >= 0


@given(st.text(alphabet="ab\r\n", max_size=40), st.lists(st.integers(0, 40), max_size=6))
@example("aaaa\r\nb", [5])
@example("aaaa\rb", [5])
def test_line_numbers_do_not_depend_on_how_the_stream_is_cut_into_chunks(text, cuts):
    data = text.encode()
    edges = [0, *sorted(cuts), len(data)]
    chunks = [data[a:b] for a, b in pairwise(edges)]
    problems = ProblemLog()
    lines = [line for _, line in numbered_lines(chunks, LIMITS, problems)]
    assert lines == data.splitlines()
    assert problems.total == 0


@given(st.binary(min_size=1, max_size=3000).filter(lambda data: b"\0" not in data), st.integers(1, 50))
def test_gzip_gives_the_same_text_as_the_plain_file_also_in_several_members_and_by_drips(data, drip):
    class Drips(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, drip))

    packed = (
        gzip.compress(b"x" + data[: len(data) // 2], mtime=0)
        + gzip.compress(data[len(data) // 2 :], mtime=0)
        + b"\0" * 7
    )
    problems = ProblemLog()
    assert b"".join(text_chunks(Drips(packed), LIMITS, problems)) == re.sub(rb"\x1a[\x1a\r\n]*\Z", b"", b"x" + data)
    assert problems.total == 0


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK + 7])
def test_text_that_unpacks_to_whole_chunks_loses_nothing(size):
    problems, limits = ProblemLog(), Limits(max_line=size)
    chunks = list(text_chunks(io.BytesIO(gzip.compress(b"a" * (size - 1) + b"\n", mtime=0)), limits, problems))
    assert problems.total == 0
    assert sum(map(len, chunks)) == size
    assert max(map(len, chunks)) <= CHUNK


def test_a_run_that_is_cut_short_is_not_told_about_topics_that_may_have_been_cut_off():
    packed = gzip.compress(b"301 Q0 a 1 1 base\n" * 50, mtime=0)[:-9]
    result = check_run(io.BytesIO(packed), RunRules(topics=frozenset({"301", "302"})))
    assert result.problems.by_code == {"gzip_truncated": 1}
    assert result.table is None


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("lines", [2, 3])
def test_a_file_of_too_many_lines_is_refused_before_rows_are_made_of_them(lines: int, end: str) -> None:
    problems = ProblemLog()
    content = "\n".join(["1 0 d 1"] * lines).encode() + end.encode()
    found = list(numbered_lines([content], Limits(max_lines=2), problems))
    said = [] if lines == 2 else ["The file goes on after line 2, the last that is read."]
    assert ([problem.message for problem in problems.shown], len(found)) == (said, 0 if said else 2)


def test_readers_that_make_a_row_of_each_line_take_a_bounded_number_of_lines() -> None:
    """A small packed file may hold hundreds of millions."""
    limits = (QRELS_LIMITS, POOL_LIMITS, reading.LIMITS)
    assert [one.max_lines for one in limits] == [5_000_000, 5_000_000, 100_000]


def test_crlf_lone_cr_and_lf_all_end_lines():
    lines, problems = read_lines(b"one\r\ntwo\rthree\n\nfive")
    assert lines == [(1, "one"), (2, "two"), (3, "three"), (4, ""), (5, "five")]
    assert problems.total == 0


def test_a_byte_order_mark_is_taken_off_with_a_warning():
    lines, problems = read_lines(b"\xef\xbb\xbf301\n")
    assert lines == [(1, "301")]
    assert problems.ok
    assert problems.by_code == {"byte_order_mark": 1}


def test_every_line_of_broken_utf8_is_reported_with_its_number():
    lines, problems = read_lines(b"fine\ncaf\xe9\nfine\n\xff\n")
    assert [number for number, _ in lines] == [1, 2, 3, 4]
    [problem] = problems.shown
    assert (problem.code, problem.line, problem.count) == ("not_utf8", 2, 2)
    assert problem.message.endswith("The same on 1 more line: 4.")
    assert problems.shown[0].excerpt == "caf\\xe9"


@pytest.mark.parametrize(
    ("line", "encoding"), [("café", "WINDOWS-1252"), ("“so”", "WINDOWS-1252"), ("卵", "ENCODING"), ("яйцо", "ENCODING")]
)
def test_a_line_that_is_not_utf8_comes_with_the_command_that_converts_the_file(line, encoding):
    codec = {"卵": "shift_jis", "яйцо": "koi8-r"}.get(line, "cp1252")
    _, problems = read_lines(b"fine\n" + line.encode(codec) + b"\n")
    [problem] = problems.shown
    assert problem.line == 2
    assert f"iconv -f {encoding} -t UTF-8 FILE > NEW_FILE." in problem.remedy


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("ISO-8859-1", "café"),
        ("iso-8859-1", "“so”"),
        ("Shift_JIS", "卵をゆでる"),
        ("Shift_JIS", "①㈱"),  # as Windows and nearly all such files have them
        ("EUC-JP", "卵"),
        ("gb18030", "煮蛋"),
    ],
)
def test_lines_below_an_xml_declaration_are_in_the_encoding_that_it_names(declared, text):
    codec = {"iso-8859-1": "cp1252", "shift_jis": "cp932"}.get(declared.lower(), declared)
    head = f'<?xml version="1.0" encoding="{declared}"?>'
    lines, problems = read_lines(f"{head}\nfine\n{text}\n{text}\n".encode(codec))
    assert lines == [(1, head), (2, "fine"), (3, text), (4, text)]
    assert [(problem.code, problem.line) for problem in problems.shown] == [("encoding_declared", 3)]
    assert problems.ok


def test_a_text_that_is_utf8_although_it_declares_latin1_is_read_as_utf8():
    lines, problems = read_lines('<?xml version="1.0" encoding="ISO-8859-1"?>\ncafé\n'.encode() + b"caf\xe9\n")
    assert lines[1] == (2, "café")
    assert [(problem.code, problem.line) for problem in problems.shown] == [("not_utf8", 3)]


@pytest.mark.parametrize("declared", ["zip", "unicode_escape", "utf-7", "idna", "no such", "utf-16"])
def test_other_declared_encodings_are_not_followed(declared):
    lines, problems = read_lines(f'<?xml version="1.0" encoding="{declared}"?>\n'.encode() + b"caf\xe9 +AGE-\n")
    assert lines[1] == (2, "caf\ufffd +AGE-")
    assert problems.by_code == {"not_utf8": 1}


def test_a_line_that_is_not_in_the_declared_encoding_is_an_error():
    _, problems = read_lines(b'<?xml version="1.0" encoding="EUC-JP"?>\n\xcd\xf1\n\xff\n')
    assert [(problem.code, problem.line) for problem in problems.shown] == [("encoding_declared", 2), ("not_utf8", 3)]


def test_a_nul_byte_names_its_line_and_ends_the_reading():
    lines, problems = read_lines(b"one\ntwo\x00\nthree\n")
    assert lines == []
    assert problems.shown[0].code == "binary_file"
    assert problems.shown[0].line == 2


@pytest.mark.parametrize("packed", [False, True])
def test_one_endless_line_is_refused_without_being_held(packed):
    data = b"x" * (5 << 20)
    lines, problems = read_lines(
        gzip.compress(data, mtime=0) if packed else data, Limits(max_line=1000, max_ratio=5000)
    )
    assert lines == []
    assert problems.by_code == {"line_too_long": 1}
    assert problems.shown[0].line == 1


def test_a_file_over_the_limit_is_refused_and_the_limit_named():
    _, problems = read_lines(b"a line\n" * 1000, Limits(max_bytes=2048))
    assert problems.by_code == {"file_too_large": 1}
    assert "2 KB" in problems.shown[0].message


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_text_over_the_limit_is_refused_plain_or_packed(pack):
    _, problems = read_lines(pack(b"a line\n" * 1000), Limits(max_text_bytes=2048))
    assert problems.by_code == {"text_too_large": 1}


def test_a_file_of_repeats_is_what_gzip_unpacks():
    assert gzip.decompress(gzip_of_repeats(b"a line\n", 3, first=b"first\n")) == b"first\n" + b"a line\n" * 3


def test_a_bomb_is_stopped_long_before_it_is_unpacked():
    problems = ProblemLog()
    size = sum(map(len, text_chunks(io.BytesIO(make_bomb()), Limits(max_ratio=50), problems)))
    assert size < 10 << 20
    assert problems.by_code == {"gzip_ratio": 1}


class Endless(io.BytesIO):
    """A file that goes on for ever; `given` is how much of it was read."""

    def __init__(self, piece: bytes) -> None:
        super().__init__()
        self.piece = piece
        self.given = 0

    def read(self, size=-1):
        self.given += size
        return (self.piece * (size // len(self.piece) + 1))[:size]


@pytest.mark.parametrize("reader", ["runs", "qrels", "topics", "documents", "docnos"])
def test_a_line_without_an_end_is_refused_after_little_of_it(reader):
    source = Endless(b"x")
    problems = READERS[reader](source)
    assert not problems.ok
    assert source.given <= 64 << 20
    assert (problems.shown[0].code, problems.shown[0].line) == ("line_too_long", 1)
    assert len(problems.shown[0].excerpt) == 120


@pytest.mark.parametrize(
    ("text", "says"), [(b'{"1": {"a": 2.5}, ', True), (b'[{"id": 1}, ', True), (b"1 Q0 a ", False)]
)
def test_a_line_of_json_that_is_too_long_is_called_json(text, says):
    _, problems = read_lines(text * 200, Limits(max_line=1000))
    assert problems.by_code == {"line_too_long": 1}
    assert ("JSON" in problems.shown[0].remedy) == says


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_long_line_that_begins_later_is_refused_and_short_ones_before_it_are_not(end):
    problems, limits = ProblemLog(), Limits(max_line=CHUNK)
    text = (b"x" * 1000 + end) * 3000 + b"y" * (2 * CHUNK + 1)
    read = sum(map(len, text_chunks(io.BytesIO(text), limits, problems)))
    assert (problems.by_code, problems.shown[0].excerpt[:2]) == ({"line_too_long": 1}, "yy")
    assert read < len(text)
    problems = ProblemLog()
    assert sum(map(len, text_chunks(io.BytesIO(text[: -CHUNK - 1]), limits, problems))) == len(text) - CHUNK - 1
    assert problems.total == 0


@pytest.mark.parametrize(("severity", "by_code"), [("error", {"byte_order_mark": 1}), ("off", {})])
def test_a_byte_order_mark_is_reported_as_the_caller_wants_it(severity, by_code):
    problems = ProblemLog()
    assert list(numbered_lines([UTF8_MARK[:1], UTF8_MARK[1:] + b"a\n"], LIMITS, problems, severity)) == [(1, b"a")]
    assert problems.by_code == by_code
    assert problems.ok == (severity == "off")


@pytest.mark.parametrize(
    "head",
    [
        b"GIF89a\x10\0",
        b"GIF87a\x10\0",
        b"LZIP\x01",
        b"{\\rtf1",
        b"ARROW1\0\0",
        b"\x93NUMPY",
        b"\x89HDF\r\n",
        b"SQLite format 3\0",
        b"PAR1\x15\x04",
        b"\x89PNG",
        b"\xd0\xcf\x11\xe0",
        b"\x1f\x9d",
        b"\xfd7zXZ\0",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!",
    ],
)
def test_what_a_foreign_file_is_is_said(head):
    _, problems = read_lines(head + b"\0" * 600)
    assert problems.by_code == {"archive": 1}
    assert problems.shown[0].message.startswith("This is a")


@pytest.mark.parametrize("reader", READERS)
def test_a_pointer_of_git_lfs_is_called_so_by_every_reader(reader):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:12ab\nsize 12\n"
    problems = READERS[reader](io.BytesIO(pointer))
    assert [(problem.code, "git lfs pull" in problem.remedy) for problem in problems.shown] == [("archive", True)]


@pytest.mark.parametrize(
    "topic", ["ARROW1", "ARROW1-b", "LZIP-1", "LZIP", "GIF8", "GIF89a", "GIF87a", "PDF-1", "SQLite", "HDF", "PAR1"]
)
def test_a_topic_that_is_called_as_files_of_other_kinds_begin_is_one(topic):
    assert check_run(io.BytesIO(f"{topic} Q0 d\u00e9 1 2.5 t\n".encode()), RunRules()).problems.by_code == {}
    assert read_qrels(io.BytesIO(f"{topic}\t0\td1\t1\n".encode()), QrelsRules()).problems.by_code == {}


@pytest.mark.parametrize(
    "end", [b"\x1a", b"\x1a" * 300, b"\n\x1a", b"\r\n\x1a\r\n", b"\n\x1a\n\x1a\n", b"\r\n\x1a\x1a\r\n\r\n"]
)
def test_the_end_of_a_file_of_dos_is_no_line_of_any_file(end):
    assert [line for _, line in read_lines(b"a\nb" + end)[0]] == ["a", "b"]
    assert [line for _, line in read_lines(b"a\x1ab\n")[0]] == ["a\x1ab"]
    assert [line for _, line in read_lines(b"a\n\x1a\nb\n\n")[0]] == ["a", "\x1a", "b", ""]
    assert check_run(io.BytesIO(b"1 Q0 d1 1 2.5 t\n" + end), RunRules()).problems.ok


@pytest.mark.parametrize(
    ("sign", "name"),
    [("\u2028", "U+2028"), ("\u2029", "U+2029"), ("\x85", "U+0085"), ("\x0b", "vertical tab"), ("\x0c", "form feed")],
)
def test_lines_that_run_into_one_another_are_told_where_lines_end(sign, name):
    run = check_run(io.BytesIO(f"1 Q0 d1 1 2.5 t{sign}1 Q0 d2 2 2.0 t\n".encode()), RunRules()).problems
    qrels = read_qrels(io.BytesIO(f"1 0 d1 1{sign}1 0 d2 0\n".encode()), QrelsRules()).problems
    for problems in (run, qrels):
        assert "Lines end at LF, CR or both" in problems.shown[0].remedy
        assert name in problems.shown[0].remedy


@pytest.mark.parametrize(("sign", "name"), [("|", "Vertical bars"), ("\u3000", "Wide blanks (U+3000)")])
def test_what_does_not_separate_columns_is_named(sign, name):
    run = check_run(io.BytesIO(sign.join(["1", "Q0", "d1", "1", "2.5", "t"]).encode()), RunRules()).problems
    spaced = check_run(io.BytesIO(f" {sign} ".join(["1", "Q0", "d1", "1", "2.5", "t"]).encode()), RunRules()).problems
    qrels = read_qrels(io.BytesIO(sign.join(["1", "0", "d1", "1"]).encode()), QrelsRules()).problems
    for problems in (run, qrels) if sign == "\u3000" else (run, spaced):
        assert f" {name} do not separate columns." in problems.shown[0].remedy


def test_a_line_of_many_gzip_files_of_a_byte_each_is_read_in_large_pieces():
    """Each piece was joined to the line before it, and each end of a file copied what followed: 8 MB took over 100 seconds."""
    packed = gzip.compress(b"1", 1, mtime=0)
    pieces = list(text_chunks(io.BytesIO(packed * 5_000 + gzip.compress(b"\nend")), Limits(), ProblemLog()))
    assert b"".join(pieces) == b"1" * 5_000 + b"\nend"
    assert len(pieces) < 5


def test_a_file_of_too_many_gzip_files_is_told_how_to_become_one(monkeypatch):
    monkeypatch.setattr(source, "MOST_MEMBERS", 100)
    packed = gzip.compress(b"1\n")
    problems = ProblemLog()
    assert b"".join(text_chunks(io.BytesIO(packed * 100), Limits(), problems)) == b"1\n" * 100
    assert problems.ok
    assert b"".join(text_chunks(io.BytesIO(packed * 101), Limits(), problems)) == b"1\n" * 101
    [problem] = problems.shown
    assert problem.code == "gzip_members"
    assert problem.message == "The file consists of more than 100 gzip files, one behind the other."
    assert problem.remedy == "Compress it as one: gzip -dc FILE | gzip > NEW_FILE."


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_file_of_line_ends_is_not_read_to_its_end(end: bytes) -> None:
    """Each would be a line of its own, for readers to pass over."""
    content = io.BytesIO(b"d1" + end + end * (2 * CHUNK) + b"d2")
    problems = ProblemLog()
    lines = list(text_lines(content, LIMITS, problems))
    assert len(lines) <= CHUNK + 1
    [problem] = problems.shown
    assert (problem.code, problem.message) == ("empty_lines", "More than 65,536 line ends follow each other.")
    assert 1 < (problem.line or 0) <= CHUNK + 1
    assert not problems.ok
    few = ProblemLog()
    assert len(list(text_lines(io.BytesIO(b"d1" + end * 60_000 + b"d2"), LIMITS, few))) == 60_001
    assert few.ok
