"""Run files with something wrong, for everything that checks runs: all checks must report the same."""

import bz2
import gzip
import io
import tarfile
import zipfile

from hypothesis import strategies as st

from campaign.formats.runs.rules import DocnoSet, RunRules
from tests.campaign.formats.packing import make_bomb

TOPICS = frozenset({"1", "2", "003"})
DOCNOS = frozenset({*"abcdefgh", *(f"d{i}" for i in range(30))})


def make_rules(**changed) -> RunRules:
    """Rules that nearly every kind of bad line breaks."""
    asked = {"topics": TOPICS, "docnos": DocnoSet(DOCNOS), "docno_pattern": "[a-z][0-9]*", "max_documents_per_topic": 4}
    return RunRules(**{**asked, **changed})


def make_archive(kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("run.txt", "1 Q0 a 1 1.0 base\n")
    else:
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.addfile(tarfile.TarInfo("run.txt"), io.BytesIO())
    return buffer.getvalue()


GOOD = b"1 Q0 a 1 9.5 base\n1 Q0 b 2 3 base\n2 Q0 a 1 .5 base\n003 Q0 c 1 1 base\n"

BAD_RUNS: dict[str, bytes] = {
    "good": GOOD,
    "good, packed": gzip.compress(GOOD, mtime=0),
    "steps of addresses as docnos": b"1 Q0 .. 1 3 base\n1 Q0 a/./b 2 2 base\n1 Q0 a 3 1 base\n",
    "empty": b"",
    "blank": b" \n\t\n",
    "only comments": b"# one\n# two\n",
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "byte order mark alone": b"\xef\xbb\xbf",
    "header": b"# ir_metadata.start\n# tag: base\n# ir_metadata.end\n\n" + GOOD + b"1 Q0 c\n",
    "description of NTCIR": b"<SYSDESC>BM25 of the\ntitles</SYSDESC>\n" + GOOD,
    "description of NTCIR without an end": b"<SYSDESC>BM25\n" + GOOD,
    "description of NTCIR without an end, and ranks": b"<SYSDESC>BM25 baseline\n" + GOOD.replace(b" 1 ", b" 1.0 "),
    "description of NTCIR with a line of the run behind its end": b"<SYSDESC>a</SYSDESC> 1 Q0 d 1 2 t\n" + GOOD,
    "description of NTCIR that ends too late": b"<SYSDESC>\n" + b"x\n" * 32768 + b"</SYSDESC>\n" + GOOD,
    "description of NTCIR in the middle": GOOD + b"<SYSDESC>BM25</SYSDESC>\n",
    "names of columns": b"qid\tQ0\tdocno\trank\tscore\ttag\n" + GOOD,
    "comment in the middle": GOOD + b"# one\n",
    "five columns": GOOD + b"1 Q0 c 3 2\n1 Q0 d 4 1\n",
    "commas": b"1,Q0,a,1,9.5,base\n",
    "JSON": b'{"topic": "1", "docno": "a"}\n',
    "JSON of six words": b'{"1": {"a": 2.5, "b": 2, "c": 1}}\n' * 2,
    "JSON over several lines": b'{\n  "1": {\n    "a": 2.5\n  }\n}\n',
    "JSON, then a NUL": b'{"1": {"a": 2.5, "b": 2, "c": 1}}\n\0\n',
    "JSON in the middle": GOOD + b'{"1": {"a": 2.5, "b": 2, "c": 1}}\n',
    "JSON over several lines in the middle": GOOD + b'{\n "1": {\n  "a": 2.5\n }\n}\n' + GOOD + b"[\n1 Q0\n" + GOOD,
    "names of columns in another order": b"docno qid Q0 rank score tag\n" + GOOD,
    "commas and blanks": b"1, Q0, a, 1, 9.5, base\n" * 2,
    "rank and score one column further back": b"1 Q0 a /p[1] 1 0.5\n1 Q0 b /p[2] 2 0.4\n",
    "markup": b"<html>\n<p>1 Q0 a\n",
    "qrels": b"1 0 a 2\n1 0 b 0\n",
    "a decimal comma": GOOD + b"1 Q0 c 3 2,5 base\n",
    "no-break spaces": "1\u00a0Q0\u00a0a 1 9.5 base\n".encode(),
    "scores": b"".join(
        b"1 Q0 d%d 1 %s base\n" % (i, s) for i, s in enumerate([b"nan", b"inf", b"1e999", b"x", b"1_0"])
    ),
    "ranks": b"1 Q0 a x 4 base\n1 Q0 b 1.0 3 base\n1 Q0 c -4 2 base\n",
    "Latin-1": GOOD + b"1 Q0 caf\xe9 3 1 base\n",
    "carriage returns": GOOD.replace(b"\n", b"\r"),
    "UTF-16": GOOD.decode().encode("utf-16"),
    "UTF-16 without a mark": GOOD.decode().encode("utf-16-le"),
    "NUL": GOOD + b"1 Q0 c\0 3 1 base\n1 Q0\n",
    "binary": bytes(range(256)) * 9,
    "zip": make_archive("zip"),
    "tar": make_archive("tar"),
    "tar, packed": gzip.compress(make_archive("tar"), mtime=0),
    "bzip2": bz2.compress(GOOD),
    "cut": gzip.compress(GOOD * 9, mtime=0)[:-9],
    "damaged": b"\x1f\x8b no gzip",
    "bomb": make_bomb(),
    "endless line": b"1" * (3 << 20),
    "endless line, packed": gzip.compress(b"\n" + b"1" * (3 << 20), mtime=0),
    "long line": GOOD + b"1 Q0 " + b"x" * (1 << 20) + b" 1 1 base\n" + GOOD,
    "NUL in a cut file": gzip.compress(b"\0\n" * 9, mtime=0)[:-3],
    "unknown topics": GOOD + b"9 Q0 a 1 1 base\n3 Q0 a 1 1 base\n10 Q0 a 1 1 base\n9 Q0 b 2 .5 base\n",
    "no known topic": b"9 Q0 a 1 1 base\n8 Q0 a 1 1 base\n",
    "ungrouped": GOOD + b"1 Q0 c 3 1 base\n2 Q0 b 2 .1 base\n1 Q0 d 4 1 base\n",
    "too deep": b"".join(b"1 Q0 d%d %d %d base\n" % (i, i, -i) for i in range(9)),
    "tie at the cut": b"".join(b"1 Q0 d%d %d %d base\n" % (i, i, -(i // 2)) for i in range(9)),
    "tie across the cut": b"".join(b"1 Q0 d%d %d %d base\n" % (i, i, -((i + 1) // 2)) for i in range(9)),
    "unknown documents": GOOD + b"1 Q0 z 3 2 base\n1 Q0 z9 4 1 base\n2 Q0 Q 2 .1 base\n",
    "long docno": GOOD + b"1 Q0 " + b"d" * 201 + b" 3 2 base\n",
    "repeated": GOOD + b"1 Q0 a 3 2 base\n1 Q0 a 4 1 base\n2 Q0 a 2 .4 base\n",
    "ranks all 0": GOOD.replace(b" 1 ", b" 0 ").replace(b" 2 3 ", b" 0 3 "),
    "scores rise": b"1 Q0 a 1 1 base\n1 Q0 b 2 2 base\n2 Q0 a 1 2 base\n2 Q0 b 2 1 base\n",
    "reversed": b"".join(b"%s Q0 d%d %d %d base\n" % (t, i, i, i) for t in (b"1", b"2", b"003") for i in range(1, 6)),
    "documents that are written otherwise": GOOD + b"1 Q0 A 3 2 base\n1 Q0 d007 4 1 base\n2 Q0 d3.txt 2 .1 base\n",
    "topics that are written otherwise": GOOD + b"3 Q0 b 3 2 base\n01 Q0 a 4 1 base\n1.0 Q0 d3 2 .1 base\n",
    "scores beyond single precision": b"1 Q0 a 1 2e39 base\n1 Q0 b 2 1e39 base\n1 Q0 c 3 2 base\n1 Q0 d 4 1e-50 base\n",
    "scores alike in single precision": b"".join(b"1 Q0 d%d %d %d.5 base\n" % (i, i, 10**9 - i) for i in range(20)),
    "one score in single precision": b"".join(b"1 Q0 %c %d 1.000000%d base\n" % (97 + i, i, 10 + i) for i in range(3)),
    "scores all the same": b"".join(b"1 Q0 %c %d 7 base\n" % (97 + i, i) for i in range(4)),
    "ranks twice": b"1 Q0 a 1 3 base\n1 Q0 b 1 2 base\n1 Q0 c 2 1 base\n2 Q0 a 2 3 base\n2 Q0 b 2 2 base\n",
    "many ties": b"".join(b"2 Q0 d%d %d %d base\n" % (i, i, 20 - i // 3) for i in range(20)),
    "0 for Q0": GOOD.replace(b"Q0", b"0"),
    "tags": GOOD + b"1 Q0 c 3 2 ../x\n1 Q0 d 4 1 sp\xc3\xa4t\n",
    "everything": (
        b"1 Q0 a 1 5 base\n1 Q0 a 2 4 base\n9 Q0 a 1 5 base\n1 Q0 x 3 3 base\n1 Q0 b 4 two base\n"
        b"1 0 c 5 2 base\n1 Q0 d 6 1 other\n1 Q0 caf\xe9 7 1 base\n1 Q0 d\n2 Q0 {topic} -1 7 {0}\n"
    ),
}

_fields = [
    st.sampled_from([b"1", b"1", b"2", b"003", b"3", b"9", b"#1", b"\xff"]),
    st.sampled_from([b"Q0", b"Q0", b"Q0", b"0", b"q0"]),
    st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"f", b"z", b"Q", b"d" * 201, "\u00e4".encode()]),
    st.sampled_from([b"1", b"2", b"3", b"4", b"5", b"0", b"-1", b"x", b"1.0"]),
    st.sampled_from([b"1", b"2", b"2.0", b"3", b"4", b"-0", b"0", b"nan", b"1e999", b"7,5"]),
    st.sampled_from([b"base", b"base", b"base", b"other", b"../x"]),
]
_line = st.tuples(*_fields).map(list)
_separated = st.builds(
    lambda fields, separator: separator.join(fields), _line, st.sampled_from([b" ", b" ", b"\t", b"  "])
)
_other = st.sampled_from(
    [b"", b"1 Q0 a", b"# comment", b"# ir_metadata.start", b"# ir_metadata.end", b"1 Q0 a 1 1 b c"]
)
_end = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r", b" \n"])
_whole_line = st.builds(lambda line, end: line + end, st.one_of(_separated, _separated, _separated, _other), _end)
run_files = st.builds(
    lambda mark, lines, tail: mark + b"".join(lines) + tail,
    st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]),
    st.lists(_whole_line, max_size=25),
    st.sampled_from([b"", b"", b"1 Q0 h 1 1 base", b"\0"]),
)
settings_of_rules = st.dictionaries(
    st.sampled_from(["topic_unknown", "topic_missing", "not_q0", "byte_order_mark", "topic_short", "docno_unknown"]),
    st.sampled_from(["error", "warning", "off"]),
)
