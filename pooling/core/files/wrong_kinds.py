"""What a file looks like that was sent as a pool and is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from campaign.formats.kinds import KINDS
from campaign.formats.runs.header import is_training_data

LOOKED_AT = 20
"""A file shows what it is by so many lines."""
WHOLE = re.compile(rb"[+-]?[0-9]+")
NO_SUBTOPIC = frozenset({b"0", b"q0"})
TO_QRELS, TO_RUNS = KINDS["qrels"].where, KINDS["run"].where
QRELS_COLUMNS, SAMPLE_QRELS_COLUMNS, RUN_COLUMNS = 4, 5, 6
NOT_JUDGED = b"-1"


def wrong_kind(lines: Sequence[bytes]) -> tuple[str, str]:
    """What the first lines of a file with errors look like, and where to send it or what to do; two empty texts if a pool.

    >>> wrong_kind([b"1 0 a 1", b"1 0 b 0"])[0]
    'This looks like qrels: topic, 0, docno and grade.'
    >>> wrong_kind([b"1 a 1 0.5"])
    ('', '')
    """
    if not lines:
        return "", ""
    if is_training_data(lines[0]):
        return f"This looks like {KINDS['training'].what}.", KINDS["training"].where
    rows = [line.lower().split() for line in lines[:LOOKED_AT]]
    if all(map(_is_of_run, rows)):
        return "This looks like a run: topic, Q0, docno, rank, score and tag.", TO_RUNS
    if all(map(_is_of_qrels, rows)):
        return "This looks like qrels: topic, 0, docno and grade.", TO_QRELS
    if all(map(_is_of_sample_qrels, rows)):
        return "This looks like qrels of a sample, of five columns.", TO_QRELS
    return "", ""


def _is_of_run(fields: list[bytes]) -> bool:
    if len(fields) != RUN_COLUMNS or not WHOLE.fullmatch(fields[3]):
        return False
    if fields[1] == b"q0":
        return True
    return fields[4] != NOT_JUDGED and _is_number(fields[4]) and not _ends_a_sample(fields[5])


def _is_of_qrels(fields: list[bytes]) -> bool:
    if len(fields) != QRELS_COLUMNS or not WHOLE.fullmatch(fields[3]):
        return False
    return fields[1] in NO_SUBTOPIC or bool(WHOLE.fullmatch(fields[1]) and not WHOLE.fullmatch(fields[2]))


def _is_of_sample_qrels(fields: list[bytes]) -> bool:
    """In one of the three orders that are read: each has a grade or a stratum beside the docno."""
    return len(fields) == SAMPLE_QRELS_COLUMNS and any(WHOLE.fullmatch(field) for field in fields[2:4])


def _ends_a_sample(text: bytes) -> bool:
    """Whether it is a probability, or says that the document was not drawn."""
    return text == b"na" or (_is_number(text) and 0 < float(text) <= 1)


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
