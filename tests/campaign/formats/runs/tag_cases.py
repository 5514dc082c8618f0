"""Files and the tag that each suggests: the same table for Python, the check script and the script of the upload page."""

import gzip

LINE = b"401 Q0 FT1 1 2.5 bm25\n"
LONG_HEAD = b"# " + b"x" * 60 + b"\n"
NEARLY_64_KIB = LONG_HEAD * 1040
"""16 bytes less than what is read of a file for its tag: the line that follows is cut."""
TAG_CASES: dict[str, tuple[str, bytes, str]] = {
    "the last column of the first line": ("anything.txt", LINE, "bm25"),
    "a file packed by gzip": ("anything.gz", gzip.compress(LINE), "bm25"),
    "after comments and blank lines": ("a.txt", b"# made by hand\n\n  \n" + LINE, "bm25"),
    "after NTCIR's description of the system": ("a.txt", b"<SYSDESC>one two three four</SYSDESC>\n" + LINE, "bm25"),
    "after a description of several lines": (
        "a.txt",
        b"# one\n<SYSDESC>\nour system uses BM25 and BERT\n</sysdesc> \r\n" + LINE,
        "bm25",
    ),
    "after a description that begins the file": (
        "a.txt",
        b"<SYSDESC>\nit uses BM25 and then BERT</SYSDESC>\n" + LINE,
        "bm25",
    ),
    "after a description without an end": ("a.txt", b"<SYSDESC>BM25 baseline\n" + LINE, "bm25"),
    "a line of the run behind the end of a description": (
        "a.txt",
        b"<SYSDESC>\n401 Q0 FT1 1 2.5 bm25\n</SYSDESC> 1 Q0 d 1 2 t\n</SYSDESC>\n401 Q0 FT2 1 2.5 other\n",
        "bm25",
    ),
    "a description alone": ("alone.txt", b"<SYSDESC>\nour system uses BM25 and BERT\n</SYSDESC>", "alone"),
    "after the names of the columns": ("a.txt", b"qid\tQ0\tdocno\trank\tscore\ttag\n" + LINE, "bm25"),
    "a byte order mark": ("a.txt", b"\xef\xbb\xbf" + LINE, "bm25"),
    "UTF-16": ("a.txt", LINE.decode().encode("utf-16"), "bm25"),
    "UTF-16 of large bytes first": ("a.txt", b"\xfe\xff" + LINE.decode().encode("utf-16-be"), "bm25"),
    "tabs, and Windows line ends": ("a.txt", b"401\tQ0\tFT1\t1\t2.5\tbm25\r\n", "bm25"),
    "no end of the line": ("a.txt", LINE.rstrip(), "bm25"),
    "a tag beyond ASCII": ("a.txt", "401 Q0 FT1 1 2.5 größe\n".encode(), "größe"),
    "five columns": ("five.txt", b"401 Q0 FT1 1 2.5\n", "five"),
    "seven columns": ("seven.run", LINE.rstrip() + b" more\n", "seven"),
    "names of columns without a tag": (
        "terrier.txt",
        b"qid docid docno rank score query\n1 55 d1 0 2.5 kites\n",
        "terrier",
    ),
    "names of columns in another order": ("a.txt", b"qid docno q0 rank score tag\n1 d1 Q0 1 2.5 bm25\n", "bm25"),
    "tag and score in each other's place": ("swapped.txt", b"1 Q0 d1 1 bm25 2.5\n", "swapped"),
    "a text in the last column": ("table.txt", b"docno score 1 0.5 snippet mills\n", "table"),
    "commas and blanks": ("commas.txt", b"1, Q0, d1, 1, 2.5, bm25\n", "commas"),
    "JSON of six words": ("hits.txt", b'{"id": 1, "score": 2.5, "docno": 7}\n', "hits"),
    "markup of six words": ("page.txt", b'<run id = "1" n = 2>\n', "page"),
    "a passage before the rank": ("psg.txt", b"PSG1 Q0 WO-1 /claims/claim[1] 1 0.9\n", "psg"),
    "a passage before the rank, behind blanks": ("psg.txt", b"  PSG1 Q0 WO-1 /claims/claim[1] 1 0.9 \n", "psg"),
    "a passage before the rank, between blanks of all kinds": (
        "psg.txt",
        b"PSG1 \tQ0\vWO-1  /claims/claim[1] 1\t0.9\n",
        "psg",
    ),
    "a rank that is a word": ("a.txt", b"1 Q0 d1 x 4 base\n", "base"),
    "a decimal comma": ("a.txt", b"1 Q0 d1 1 -4,83646 galago\n", "galago"),
    "an infinite score": ("a.txt", b"1 Q0 d1 1 -Infinity bm25\n", "bm25"),
    "a tag that is too long": ("long.res", b"401 Q0 FT1 1 2.5 " + b"x" * 61 + b"\n", "long"),
    "a binary file": ("binary.txt", b"401 Q0 FT1 1 2.5 bm25\n\0", "binary"),
    "a damaged gzip file": ("damaged.run.gz", b"\x1f\x8bdamaged", "damaged"),
    "a line that is cut": ("cut.txt", NEARLY_64_KIB + LINE, "cut"),
    "a line that is cut in a gzip file": ("cut.gz", gzip.compress(NEARLY_64_KIB + LINE), "cut"),
    "a long head": ("long-head.txt", LONG_HEAD * 1000 + LINE, "bm25"),
    "an empty file": ("empty.txt", b"", "empty"),
    "res and gz": ("bm25.res.gz", b"", "bm25"),
    "txt and gz": ("bm25.txt.gz", b"", "bm25"),
    "upper case": ("BM25.TXT.GZ", b"", "BM25"),
    "gz alone": ("bm25.gz", b"", "bm25"),
    "two endings of a run": ("bm25.run.txt", b"", "bm25.run"),
    "another ending": ("bm25.v2", b"", "bm25.v2"),
    "no ending": ("bm25", b"", "bm25"),
    "an ending alone": (".run", b"", ".run"),
}
"""Case: file name, content, tag."""
