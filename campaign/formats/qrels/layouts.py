"""What the columns of qrels hold: four for judgments of all pooled documents, five for judgments of a sample."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Sampling: TypeAlias = Literal["none", "stratum", "probability", "prels", "triples"]
ZERO = re.compile(rb"0(?:\.0+)?")
NO_SUBTOPIC = "0"
SAYS_NOTHING = frozenset({b"0", b"Q0"})
"""In the second column: neither a subtopic nor a docno."""
LEVEL = re.compile(rb"L(?=[0-9]{1,9}$)")
"""NTCIR's mark of a grade."""
GRADE = re.compile(rb"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of the columns, from 0; the topic stands first, and `None` is a column that is absent."""

    columns_in_words: str
    columns: int
    docno: int
    grade: int
    subtopic: int | None = None
    stratum: int | None = None
    method: int | None = None
    probability: int | None = None


LAYOUTS: Mapping[Sampling, Layout] = {
    "none": Layout("topic, 0 (or the subtopic), docno and grade", 4, subtopic=1, docno=2, grade=3),
    "stratum": Layout(
        "topic, 0 (or the subtopic), docno, stratum and grade", 5, subtopic=1, docno=2, stratum=3, grade=4
    ),
    "probability": Layout(
        "topic, 0 (or the subtopic), docno, grade and probability", 5, subtopic=1, docno=2, grade=3, probability=4
    ),
    "triples": Layout("topic, docno and grade", 3, docno=1, grade=2),
    "prels": Layout("topic, docno, grade, method and probability", 5, docno=1, grade=2, method=3, probability=4),
}


def recognise_sampling(lines: Iterable[bytes]) -> Sampling:
    """Recognise the layout from the lines of a file: the first line shows whether it has three, four or five columns.

    Of five columns all lines show what they are.

    A docno in the second column makes prels: the third column is then a whole number on every line, and the second is not
    always the same, or at least neither a whole number nor Q0. Of the others, a last column of whole numbers is the grade
    that follows a stratum, and any other last column a probability. Lines without five columns are ignored.
    """
    rows = (fields for fields in map(bytes.split, lines) if fields)
    first = next(rows, [])
    if len(first) == 3:
        return "none" if any(len(fields) == 4 for fields in rows) else "triples"
    if len(first) != 5:
        return "none"
    docno_is_second = _is_whole(first[2])
    second_differs, last_is_whole = False, _is_whole(first[4])
    for fields in rows:
        if len(fields) == 5:
            docno_is_second = docno_is_second and _is_whole(fields[2])
            second_differs = second_differs or fields[1] != first[1]
            last_is_whole = last_is_whole and _is_whole(fields[4])
    if docno_is_second and (second_differs or not (_is_whole(first[1]) or first[1] == b"Q0")):
        return "prels"
    return "stratum" if last_is_whole else "probability"


def are_passages(fields: Sequence[bytes]) -> bool:
    """Whether offset and length of a passage stand behind the docno, and words behind them, or the headings name both.

    >>> are_passages(b"160 12456 3001 200 GENE".split()), are_passages(b"160 d7 1 1 0.43".split())
    (True, False)
    >>> are_passages(b"1 0 12345 1 alice".split())
    False
    """
    if {b"offset", b"length"} <= set(map(bytes.lower, fields)):
        return True
    return (
        len(fields) > 4
        and fields[1] not in SAYS_NOTHING
        and all(map(bytes.isdigit, fields[2:4]))
        and fields[4][:1].isalpha()
        and fields[4] != b"NA"
    )


def are_of_smart(rows: Iterable[Sequence[bytes]]) -> bool:
    """Whether all lines are a topic, a docno and two zeros, as in CISI and CACM: every document is relevant.

    >>> are_of_smart([b"1 28 0 0.000000".split()]), are_of_smart([b"1 0 28 0".split()]), are_of_smart([])
    (True, False, False)
    """
    found = False
    for fields in rows:
        found = (
            len(fields) == 4 and fields[1] not in SAYS_NOTHING and fields[2] == b"0" and bool(ZERO.fullmatch(fields[3]))
        )
        if not found:
            return False
    return found


def _is_whole(value: bytes) -> bool:
    return value.removeprefix(b"-").isdigit()
