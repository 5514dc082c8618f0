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
DOCID = re.compile(rb"\bdoc(?:id|no)?\s*[=:]\s*(\S+)", re.IGNORECASE)
ADD_DOCNO = (
    "Write it behind #, such as #docid = D12, or send qrels with topic, 0, docno and grade on each line. Features alone do not "
    "say which document was judged."
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
        fields = data.split()
        qid = fields[1].removeprefix(b"qid:") if len(fields) > 1 and fields[1].startswith(b"qid:") else b""
        found = DOCID.search(remark)
        words = remark.split()
        docno = found[1] if found else words[0] if len(words) == 1 else b""
        if qid and docno:
            yield number, b"\t".join((qid, b"0", docno, fields[0]))
        elif qid:
            problems.add("training_docno", "The line names no document.", ADD_DOCNO, line=number, excerpt=line)
        else:
            problems.add("training_topic", "The line names no topic (qid).", ADD_QID, line=number, excerpt=line)


def _holds_columns(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")
