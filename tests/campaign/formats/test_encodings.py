import codecs
import gzip
import io

import pytest

from campaign.command.files import text_of
from campaign.formats.blueprint_files import read_blueprint
from campaign.formats.documents import DocnoReader, DocumentReader
from campaign.formats.encodings import DECLARED_ENCODINGS, ENCODINGS, READ_AS, as_utf8
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.line_reader.reader import read_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.source import Limits, text_lines
from campaign.formats.topics.read import read_topics
from pooling.core.files.read import PoolRules, read_pool

WORDS = {
    "windows-1252": "café “so”",
    "windows-1250": "žluťoučký",
    "iso-8859-2": "žluťoučký",
    "windows-1251": "яйцо",
    "koi8-r": "яйцо",
    "windows-1256": "بيضة",
    "euc-jp": "卵①をゆでる",
    "shift_jis": "卵①をゆでる",
    "iso-2022-jp": "卵をゆでる",
    "gb18030": "煮熟的鸡蛋",
    "big5": "煮熟的雞蛋",
    "euc-kr": "달걀 삶기",
    "utf-16le": "卵をゆでる",
}
WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32")
RUN = "1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1.5 bm25\n"


def read_lines(data: bytes, encoding: str = "") -> tuple[list[tuple[int, str]], ProblemLog]:
    problems = ProblemLog()
    return list(text_lines(io.BytesIO(data), Limits(), problems, encoding)), problems


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_encoding_that_can_be_chosen_is_read_without_a_word_lost(encoding, pack):
    data = pack(f"fine\r\n{WORDS[encoding]}\n".encode(READ_AS.get(encoding, encoding)))
    lines, problems = read_lines(data, encoding)
    assert lines == [(1, "fine"), (2, WORDS[encoding])]
    assert problems.total == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_letters_are_whole_wherever_the_chunks_of_a_file_end(encoding, size):
    data = (WORDS[encoding] * 9).encode(READ_AS.get(encoding, encoding))
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert b"".join(as_utf8(chunks, encoding, ProblemLog())).decode() == WORDS[encoding] * 9


@pytest.mark.parametrize("codec", WIDE)
def test_every_reader_reads_what_shows_that_it_is_utf16(codec):
    def wide(text: str) -> io.BytesIO:
        return io.BytesIO(text.encode(codec))

    assert [topic.title for topic in read_topics(wide("301\ttitle\n")).records] == ["title"]
    assert [one.text for one in DocumentReader(wide('{"docno": "d", "text": "boil"}\n'))] == ["boil"]
    assert [one.docno for one in DocnoReader(wide("d1\nd2\n"))] == ["d1", "d2"]
    qrels, pool = read_qrels(wide("1 0 a 2\n"), QrelsRules()), read_pool(wide("1 a\n"), PoolRules())
    assert (qrels.lines, qrels.problems.by_code) == (1, {"utf16": 1})
    assert (pool.lines, pool.problems.by_code) == (1, {"utf16": 1})
    rules = RunRules(severities={"topic_short": "off"})
    run, script = check_run(wide(RUN), rules), read_run(wide(RUN), rules, Limits())
    assert (run.lines, run.tag, run.problems.by_code) == (2, "bm25", {"utf16": 1})
    assert script.problems.shown == run.problems.shown
    assert read_blueprint('slug = "velo"'.encode(codec), "toml") == {"slug": "velo"}


def test_a_command_reads_a_file_in_utf16(tmp_path):
    (tmp_path / "run.txt").write_bytes(RUN.encode("utf-16"))
    assert text_of(str(tmp_path / "run.txt")) == RUN.encode()


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        (b"fine\r\nfine\rcaf\x81\n", "windows-1252", 3),
        ("卵\n卵\n".encode("euc-jp") + b"a\xff", "euc-jp", 3),
        ("卵\n".encode("shift_jis") + b"\x88", "shift_jis", 2),  # ends in the middle of a letter
        ("卵\n卵\n".encode("utf-16-le") + b"\0\xd8a\0", "utf-16le", 3),
        ("卵\n".encode("utf-16") + b"\0", "", 2),
        (b"\xfe\xff" + ("卵" * (1 << 18) + "\n").encode("utf-16-be") * 3 + b"\xd8\0\0a", "", 4),
    ],
)
def test_the_first_line_that_is_not_in_the_chosen_encoding_is_named_and_ends_the_reading(data, encoding, line):
    _, problems = read_lines(data, encoding)
    [problem] = [one for one in problems.shown if one.severity == "error"]
    assert (problem.code, problem.line) == ("not_in_encoding", line)
    assert read_topics(io.BytesIO(data), encoding=encoding).problems.by_code["not_in_encoding"] == 1


def test_every_encoding_that_a_file_may_declare_is_one_that_can_be_read():
    for name in (*DECLARED_ENCODINGS, *ENCODINGS):
        assert codecs.lookup(READ_AS.get(name, name))


def test_a_line_end_of_two_characters_is_one_where_chunks_end_within_it():
    problems = ProblemLog()
    list(as_utf8([b"a\r", b"\nb\r", b"c\x81"], "windows-1252", problems))
    assert problems.shown[0].line == 3


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_byte_order_mark_counts_for_more_than_what_was_chosen(mark):
    codec = "utf-16-le" if mark == b"\xff\xfe" else "utf-8"
    lines, problems = read_lines(mark + "卵\n".encode(codec), "shift_jis")
    assert lines == [(1, "卵")]
    assert problems.ok
    assert "encoding_other" in problems.by_code


def test_a_text_in_utf8_that_is_read_as_something_else_comes_with_a_warning():
    lines, problems = read_lines("café\n".encode(), "windows-1252")
    assert lines == [(1, "cafÃ©")]
    assert problems.by_code == {"encoding_other": 1}
    later = b"plain words\n" * (1 << 17) + "café\n".encode()
    assert read_lines(later, "windows-1252")[1].by_code == {"encoding_other": 1}
    assert read_lines(later.replace("é".encode(), b"\xe9"), "windows-1252")[1].total == 0


def test_a_mark_is_seen_where_the_first_part_of_a_gzip_file_ends_within_it():
    data = gzip.compress(b"\xff") + gzip.compress(b"\xfe1\0\n\0")
    assert read_lines(data)[0] == [(1, "1")]


@pytest.mark.parametrize(
    ("codec", "named"), [("shift_jis", "SHIFT_JIS, GB18030"), ("euc-jp", "EUC-JP, GB18030, BIG5, EUC-KR")]
)
def test_a_line_that_is_not_utf8_names_the_encodings_in_which_it_is_text(codec, named):
    _, problems = read_lines("卵をゆでる方法を教えてください。\n".encode(codec))
    assert f"Without an error it can be read as {named}, WINDOWS-1252, KOI8-R and" in problems.shown[0].message
    assert "choose its character encoding" in problems.shown[0].remedy


def test_japanese_in_seven_bits_is_read_where_it_is_declared_and_named_where_it_is_not():
    head = '<?xml version="1.0" encoding="ISO-2022-JP"?>'
    lines, problems = read_lines(f"{head}\n卵\n".encode("iso-2022-jp"))
    assert (lines[1], problems.by_code) == ((2, "卵"), {"encoding_declared": 1})
    _, problems = read_lines("a\n卵\n".encode("iso-2022-jp"))
    [problem] = problems.shown
    assert (problem.line, problem.severity, "ISO-2022-JP" in problem.remedy) == (2, "error", True)


def test_a_docno_that_comes_again_is_found_in_the_chosen_encoding_too(monkeypatch):
    monkeypatch.setattr("campaign.formats.repeats.BLOCK", 2)
    data = "卵1\n卵2\n卵1\n".encode("euc-jp")
    reader = DocnoReader(io.BytesIO(data), encoding="euc-jp")
    list(reader)
    assert [(one.line, "line 1" in one.message) for one in reader.problems.shown] == [(3, True)]


def test_a_text_that_grows_as_utf8_stays_under_the_limit_of_texts():
    problems = ProblemLog()
    assert list(text_lines(io.BytesIO(b"\xe9" * 60), Limits(max_text_bytes=100), problems, "windows-1252")) == []
    assert "text_too_large" in problems.by_code
