"""Files that name relevant documents without a grade: lists of two columns, passages, and the judgments of SMART."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.layouts import are_passages

Lines = Iterator[tuple[int, bytes]]
PASSAGES = "The columns are those of passages: topic, docno, offset and length. Judgments are of whole documents here."
CHOOSE = (
    "choose “The file lists relevant documents” (--listed by command, listed=true by program): each document gets the grade "
    "{grade}."
)
NOT_RELEVANT = (
    "Documents that are not relevant are not in this file: take the judgments of documents, if the campaign has them."
)
RIGHT_FOR_LISTS = "This is right for lists of relevant documents alone. All other documents are not judged by the file."


def whole_documents(lines: Lines, problems: ProblemLog, grade: int, *, are_listed: bool) -> Lines:
    """The lines, of which passages, as those of the genomics track of 2006 and 2007, are refused or become their documents.

    `are_listed`: the sender says that all documents of the file are relevant, so that two columns become three as well.

    >>> list(whole_documents(iter([(1, b"7 d1 30 5 GENE")]), ProblemLog(), 1, are_listed=True))
    [(1, b'7\\td1\\t1')]
    """
    number, first = next(((number, line) for number, line in lines if line.strip()), (0, b""))
    fields = first.split()
    have_passages = are_passages(fields)
    if have_passages and not are_listed:
        problems.add(
            "passages",
            PASSAGES,
            f"If each passage is of a relevant document, {CHOOSE.format(grade=grade)} {NOT_RELEVANT}",
            line=number,
            excerpt=first,
        )
        return iter(())
    lines = chain([(number, first)] if number else [], lines)
    if not are_listed or not (have_passages or len(fields) == 2):
        return lines
    if b"offset" in map(bytes.lower, fields):
        next(lines)
    return with_grade(lines, 4 if have_passages else 2, grade, problems)


def with_grade(lines: Lines, fewest: int, grade: int, problems: ProblemLog) -> Lines:
    """Topic, docno and `grade` of each line that has at least `fewest` columns; of two columns exactly these."""
    problems.add(
        "listed",
        f"Documents are listed without a grade: each has the grade {grade}.",
        RIGHT_FOR_LISTS,
        severity="warning",
    )
    for number, line in lines:
        fields = line.split()
        is_listed = len(fields) == fewest if fewest == 2 else len(fields) >= fewest
        yield number, b"\t".join((*fields[:2], str(grade).encode())) if is_listed else line
