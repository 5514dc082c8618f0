"""Training data for learning to rank, as LETOR and SVMlight write them: `2 qid:10 1:0.03 2:0.67 #docid = D7`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from campaign.formats.problems import ProblemLog
from campaign.formats.runs.header import is_training_data

MOST_COMMENTS = 1_000
"""So many lines are passed over in search of the first one with columns."""
Lines = Iterator[tuple[int, bytes]]
DOCID = re.compile(rb"\bdoc(?:id|no)?\s*[=:]\s*(?=\S)", re.IGNORECASE)
UNCLEAR = re.compile(rb"[,;][a-z_]\w*=", re.IGNORECASE)
"""Commas and semicolons may stand in a docno, also before a name with a value: nobody can say where such a docno ends."""
QUOTED, BLANK = re.compile(rb"""(["'])((?:(?!\1).)+)\1(?=[\s,;]|$)"""), re.compile(rb"\s")
NO_DOCNO = "The line names no document, or does not show where its docno ends."
ADD_DOCNO = (
    "Write it behind #, such as #docid = D12 inc = 1, or send qrels with topic, 0, docno and grade on each line. Features "
    "alone do not say which document was judged."
)
ADD_QID = "Write the topic behind the grade, such as qid:10, or send qrels with topic, 0, docno and grade on each line."


def without_features(lines: Lines, problems: ProblemLog) -> Lines:
    """The lines; of training data topic, 0, docno and grade, where each line names its topic and its document.

    >>> list(without_features(iter([(1, b"2 qid:10 1:0.03 #docid = D7 inc = 1")]), ProblemLog()))
    [(1, b'10\\t0\\tD7\\t2')]
    >>> list(without_features(iter([(1, b"10 0 D7 2")]), ProblemLog()))
    [(1, b'10 0 D7 2')]
    """
    looked_at: list[tuple[int, bytes]] = []
    for entry in lines:
        looked_at.append(entry)
        if _holds_columns(entry[1]) or len(looked_at) > MOST_COMMENTS:
            break
    number, first = looked_at[-1] if looked_at else (0, b"")
    lines = chain(looked_at, lines)
    if not is_training_data(first):
        return lines
    message = (
        "These are training data for learning to rank: of each line the grade, the qid and the docno behind # count."
    )
    problems.add("columns_of_training", message, "The features are left out.", line=number, severity="warning")
    return _judged(lines, problems)


def _judged(lines: Lines, problems: ProblemLog) -> Lines:
    for number, line in lines:
        if not _holds_columns(line):
            continue
        data, _, remark = line.partition(b"#")
        fields = data.split(None, 2)
        qid = fields[1].removeprefix(b"qid:") if len(fields) > 1 and fields[1].startswith(b"qid:") else b""
        docno = _docno_of(remark)
        if qid and docno:
            yield number, b"\t".join((qid, b"0", docno, fields[0]))
        elif qid:
            problems.add("training_docno", NO_DOCNO, ADD_DOCNO, line=number, excerpt=line)
        else:
            problems.add("training_topic", "The line names no topic (qid).", ADD_QID, line=number, excerpt=line)


def _docno_of(remark: bytes) -> bytes:
    """The docno behind its name or alone; empty if there is none, one with a blank, or one of which nobody can say where it ends.

    >>> _docno_of(b'docid = "D7"'), _docno_of(b"docno=D,7, inc=1"), _docno_of(b" D7;"), _docno_of(b"docid = 'D 7'")
    (b'D7', b'D,7', b'D7', b'')
    >>> _docno_of(b"docid=D7,inc=1"), _docno_of(b"docid=http://a/b;id=1 inc = 1")
    (b'', b'')
    """
    found = DOCID.search(remark)
    text = remark[found.end() :] if found else remark.strip()
    if quoted := QUOTED.match(text):
        docno = quoted[2].strip()
        return b"" if BLANK.search(docno) or not (found or quoted.end() == len(text)) else docno
    words = text.split(None, 1)
    if not words or (len(words) > 1 and not found) or UNCLEAR.search(words[0]):
        return b""
    return words[0].rstrip(b",;")


def _holds_columns(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")
