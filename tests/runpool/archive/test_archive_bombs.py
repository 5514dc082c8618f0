"""Small archives that would become much memory, and damaged ones: what is no archive ends in a sentence, whatever is wrong."""

import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from zipfile import ZipFile

import pytest

from campaign.queue.jobs import JobFailed
from campaign.text import limits
from runpool.archive import bulk_insert, documents, reading, rows, zip_io
from runpool.archive.manifest import LARGEST_MANIFEST, Manifest, content_sha256
from runpool.archive.reading import Incoming
from runpool.archive.rows import line_of, row_of
from runpool.archive.zip_io import ArchiveError, ArchiveReader, ArchiveWriter, Entry, require_sums
from tests.runpool.archive.makers import packed

MIB = 1 << 20
FILES = {"a.txt": b"hello" * 100, "tasks/b.run": bytes(range(256)) * 10, "campaign.jsonl": b'{"a":1}\n'}


def written() -> bytes:
    entries = [Entry(path, len(content), sha256(content).hexdigest()) for path, content in FILES.items()]
    said = Manifest(
        {one.path: one for one in entries}, content_sha256(entries), {"slug": "s", "title": "t"}, [], {}, {}, "", "1.1"
    )
    out = BytesIO()
    writer = ArchiveWriter(out)
    for path, content in FILES.items():
        writer.add(path, [content])
    writer.add("manifest.json", [said.to_json()])
    writer.close()
    return out.getvalue()


def read_whole(content: bytes) -> None:
    incoming = Incoming(BytesIO(content))
    require_sums(incoming.reader, incoming.manifest.entries.values(), lambda done: None)
    for path in incoming.reader.paths:
        assert b"".join(f"{line.decode('latin-1')}\n".encode("latin-1") for line in incoming.reader.lines(path))


@pytest.mark.parametrize("names_are_utf8", [False, True])
@pytest.mark.parametrize("change", [lambda byte: 0, lambda byte: 255, lambda byte: byte ^ 1, lambda byte: byte ^ 128])
def test_a_zip_with_any_byte_changed_is_read_as_it_was_or_refused(
    change: Callable[[int], int], *, names_are_utf8: bool
) -> None:
    content = bytearray(written())
    for at in [at for at in range(len(content)) if content[at : at + 4] == zip_io.ENTRY and names_are_utf8]:
        content[at + 9] |= 8
    read_whole(bytes(content))
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] = change(changed[at])
        with suppress(ArchiveError):
            read_whole(bytes(changed))


@pytest.mark.parametrize("length", range(0, 60, 7))
def test_a_zip_that_lacks_or_repeats_some_bytes_is_read_as_it_was_or_refused(length: int) -> None:
    content = written()
    for at in range(0, len(content), 3):
        for changed in (
            content[:at] + content[at + length :],
            content[: at + length] + content[at:],
            content[: max(at, 1)],
        ):
            with suppress(ArchiveError):
                read_whole(changed)


def listed(number: int, *, zip64: bool, hidden: bool) -> bytes:
    """So many entries of no bytes; `hidden`: the usual end of the zip tells of none of them."""
    head = struct.pack("<6H3I5H2I", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    entries = b"".join(b"PK\x01\x02" + head + b"%c" % (97 + place % 26) for place in range(number))
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, number, number, len(entries), 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(entries), 1)
    size = 0 if hidden else 0xFFFFFFFF if zip64 else len(entries)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0, 0, size, 0, 0)
    return entries + (record + locator if zip64 else b"") + end


@pytest.mark.parametrize(("zip64", "hidden"), [(False, False), (True, False), (True, True)])
def test_a_list_of_more_files_than_an_archive_has_is_not_read(
    monkeypatch: pytest.MonkeyPatch, *, zip64: bool, hidden: bool
) -> None:
    monkeypatch.setattr(zip_io, "MOST_ENTRIES", 20)
    with pytest.raises(ArchiveError, match="lists more files"):
        ArchiveReader(BytesIO(listed(21, zip64=zip64, hidden=hidden)))
    with pytest.raises(ArchiveError, match="is there twice" if hidden or zip64 else "twice"):
        ArchiveReader(BytesIO(listed(20, zip64=zip64, hidden=hidden).replace(b"b", b"a")))


def test_a_second_record_of_the_list_that_stands_elsewhere_is_refused() -> None:
    content = listed(3, zip64=True, hidden=True)
    moved = content.replace(struct.pack("<4sLQ", b"PK\x06\x07", 0, 3 * 47), struct.pack("<4sLQ", b"PK\x06\x07", 0, 0))
    assert moved != content
    with pytest.raises(ArchiveError, match=r"Something stands before the zip: .* 141 bytes later than it says"):
        ArchiveReader(BytesIO(moved))


def test_a_zip_behind_something_else_is_read_or_told_that_something_stands_before_it() -> None:
    out = BytesIO()
    with ZipFile(out, "w") as made:
        for number in range(66_000):  # more than the usual end of a zip can count
            made.writestr(f"a{number}", b"")
    before, content = b"a header of a mail\n", out.getvalue()
    assert len(ZipFile(BytesIO(before + content)).infolist()) == 66_000
    with pytest.raises(ArchiveError, match="Something stands before the zip: its list of files ends 19 bytes later"):
        ArchiveReader(BytesIO(before + content))
    assert ArchiveReader(BytesIO(before + written())).paths == {*FILES, "manifest.json"}


def peak_of(act: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("read", [row_of, Manifest.from_json])
def test_an_emoji_in_a_long_line_is_held_once(read: Callable[[bytes], object]) -> None:
    """Beside it each letter takes four bytes."""
    line = '{"a": "\U0001f600'.encode() + b"a" * (4 * MIB) + b'"}'

    def act() -> None:
        with suppress(ArchiveError):  # it is no manifest
            read(line)

    assert peak_of(act) < 24 * MIB
    assert 5 * max(zip_io.LONGEST_LINE, LARGEST_MANIFEST) < 256 * MIB


def test_a_line_without_an_end_is_held_once_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_io, "LONGEST_LINE", 4 * MIB)
    reader = ArchiveReader(BytesIO(packed({"a.jsonl": b"a" * (3 * MIB) + b"\n" + b"b" * (10 * MIB)})))

    def act() -> None:
        lines = reader.lines("a.jsonl")
        assert next(lines) == b"a" * (3 * MIB)
        with pytest.raises(ArchiveError, match=r"A line of a\.jsonl is longer"):
            next(lines)

    assert peak_of(act) < 14 * MIB


def test_lines_are_those_of_the_file_wherever_its_pieces_end(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"one\n\ntwo and more\n\n\nthree"
    reader = ArchiveReader(BytesIO(packed({"a.txt": content, "b.txt": content + b"\n"})))
    for size in range(1, 30):
        monkeypatch.setattr(zip_io, "CHUNK", size)
        lines = [b"one", b"", b"two and more", b"", b"", b"three"]
        assert list(reader.lines("a.txt")) == list(reader.lines("b.txt")) == lines


def test_a_file_that_is_read_as_a_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = ArchiveReader(BytesIO(packed({"board.json": b"a" * 2000})))
    monkeypatch.setattr(zip_io, "LARGEST_WHOLE", 1999)
    with pytest.raises(ArchiveError, match=r"board.json is larger than"):
        reader.bytes_of("board.json", reader.size("board.json"))


def test_what_is_too_large_is_told_so_and_not_that_the_archive_was_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    content = written()

    def code(act: Callable[[], object]) -> str:
        with pytest.raises(ArchiveError, match="Make it again where the campaign is") as refused:
            act()
        assert "damaged" not in str(refused.value)
        return refused.value.code

    incoming = Incoming(BytesIO(content))
    monkeypatch.setattr(zip_io, "LARGEST_WHOLE", 499)
    assert code(lambda: incoming.reader.bytes_of("a.txt", 500)) == "too_large"
    monkeypatch.setattr(zip_io, "LONGEST_LINE", 499)
    assert code(lambda: list(incoming.reader.lines("a.txt"))) == "too_large"
    monkeypatch.setattr(reading, "LARGEST_MANIFEST", 100)
    assert code(lambda: Incoming(BytesIO(content))) == "too_large"


def test_documents_with_long_texts_are_read_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_insert, "BYTES_AT_ONCE", 400)
    for part in ("title", "text"):
        made = [document_line(f"d{n}", **{part: "a" * 100}) for n in range(7)]
        reader = ArchiveReader(BytesIO(packed({"documents.jsonl": b"".join(made)})))
        read = [[one.docno for one in batch] for batch in documents.read_documents(reader, "documents.jsonl")]
        assert read == [["d0", "d1", "d2"], ["d3", "d4", "d5"], ["d6"]]


def document_line(docno: str, **values: str) -> bytes:
    return line_of({"docno": docno, "title": "", "text": "", "has_text": True, **values}, "documents.jsonl", "")


def test_a_document_with_a_longer_title_than_any_import_takes_is_refused_with_its_line() -> None:
    lines = [document_line("d1"), document_line("d2", title="a" * (limits.TITLE_OF_DOCUMENT + 1))]
    reader = ArchiveReader(BytesIO(packed({"documents.jsonl": b"".join(lines)})))
    with pytest.raises(ArchiveError, match=r"documents\.jsonl, line 2: Write at most 2,000 characters"):
        list(documents.read_documents(reader, "documents.jsonl"))


def test_no_archive_is_made_with_a_line_that_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LONGEST_LINE", 100)
    with pytest.raises(JobFailed, match=r"the row of errata\.jsonl that begins .* Leave it out\."):
        line_of({"text": "a" * 100}, "errata.jsonl", "Leave it out.")
