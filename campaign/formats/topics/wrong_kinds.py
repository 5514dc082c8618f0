"""What lines look like that were sent as topics and are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from campaign.formats.column_names import TOPIC, roles_of
from campaign.formats.kinds import KINDS
from campaign.formats.names import folded

IN_COLUMNS = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)(e[+-]?\d++)?|L\d", re.IGNORECASE | re.ASCII)
"""Grades, among them NTCIR's such as L2, ranks and scores."""
DOCNO = re.compile(r"(?=.*[0-9])[A-Za-z0-9_.:/-]+")
"""One word with a digit, which as a title would be unusual."""
HEADING = re.compile(r"[^\W\d]\w*(?:[ -]\w+){0,2}")
OR_TOPICS = "If these are topics, write headings above them: number, title."
TO_QRELS, TO_RUNS, TO_POOL = (f"{KINDS[kind].where} {OR_TOPICS}" for kind in ("qrels", "run", "pool"))
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+", re.IGNORECASE)
DOCUMENT_HEADINGS = frozenset({"docno", "doc", "docid", "document", "documentid", "pid", "passageid", "corpusid"})
"""As `folded`: what qrels and runs have, and topics have not."""
OF_SET_UP = frozenset({"slug", "tasks"})
CREATE_CAMPAIGN = f"{KINDS['campaign'].where} Then send the topics: a number, a tab and a title on each line."
SET_UP = ("This is the set-up of a campaign and not a file of topics.", CREATE_CAMPAIGN)
TRAINING = ("This is training data for learning to rank and not a file of topics.", KINDS["training"].where)
POOL_COLUMNS, QRELS_COLUMNS, RUN_COLUMNS = 2, range(3, 6), 6
SAYS_NOTHING = frozenset({"0", "Q0"})


def wrong_kind(rows: Sequence[Sequence[str]]) -> tuple[str, str]:
    """What rows of fields look like, with or without headings, and where to send them; two empty texts if topics.

    >>> wrong_kind([["1", "0", "D1", "1"], ["1", "0", "D2", "0"]])[0]
    'This looks like qrels and not like topics: topic, 0, docno and grade.'
    >>> wrong_kind([["1", "1984", "a novel", "of 1949"]])
    ('', '')
    """
    if len(rows) > 1 and not DOCUMENT_HEADINGS.isdisjoint(map(folded, rows[0])):
        if all(len(row) == POOL_COLUMNS for row in rows) and TOPIC in roles_of(rows[0]):
            return "This looks like a pool and not like topics: topic and docno.", TO_POOL
        rows = rows[1:]
    if not rows or any(character.isspace() for row in rows for field in row for character in field):
        return "", ""
    if all(len(row) == QRELS_COLUMNS[0] and row[1] == "all" and IN_COLUMNS.fullmatch(row[2]) for row in rows):
        return "This looks like the output of trec_eval and not like topics.", KINDS["trec_eval"].where
    if all(map(_is_of_run, rows)):
        return "This looks like a run and not like topics: topic, Q0, docno, rank, score and tag.", TO_RUNS
    if len(set(map(len, rows))) == 1 and all(map(_is_of_qrels, rows)):
        columns = {3: "topic, docno and grade", 4: "topic, 0, docno and grade", 5: "those of a sample, of five columns"}
        return f"This looks like qrels and not like topics: {columns[len(rows[0])]}.", TO_QRELS
    return "", ""


def _is_of_run(fields: Sequence[str]) -> bool:
    return len(fields) == RUN_COLUMNS and all(map(IN_COLUMNS.fullmatch, fields[3:5]))


def _is_of_qrels(fields: Sequence[str]) -> bool:
    """Titles are rarely one word with a digit: where no field could be a docno, the last one may be a year."""
    if len(fields) not in QRELS_COLUMNS:
        return False
    if len(fields) == QRELS_COLUMNS[0] and not DOCNO.fullmatch(fields[1]):
        return False
    if len(fields) == QRELS_COLUMNS[1] and not (fields[1].upper() in SAYS_NOTHING or DOCNO.fullmatch(fields[2])):
        return False
    return any(map(IN_COLUMNS.fullmatch, fields[2:] if len(fields) == QRELS_COLUMNS[-1] else fields[-1:]))


def look_like_headings(fields: Sequence[str]) -> bool:
    """Whether the fields look like names of columns: short, and without digits.

    >>> look_like_headings(["QueryNr", "Query text"]), look_like_headings(["T1", "boats"])
    (True, False)
    """
    return len(fields) > 1 and all(HEADING.fullmatch(field) and not _has_digit(field) for field in fields)


def are_headings_above(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row looks like headings, and the first fields of those below like numbers of topics.

    >>> are_headings_above(["nr", "words"], [["7", "boats"]]), are_headings_above(["a", "boats"], [["b", "bread"]])
    (True, False)
    """
    return bool(rows) and look_like_headings(first) and all(_has_digit(row[0]) for row in rows)


def _are_words(pairs: Sequence[Sequence[str]]) -> bool:
    """Whether pairs of a number and a word may be topics, as in NTCIR INTENT: docnos have digits, and pools several of a topic.

    >>> _are_words([["0051", "heron"], ["0052", "ponds"]]), _are_words([["51", "d1"]]), _are_words([["1", "a"], ["1", "b"]])
    (True, False, False)
    """
    return len({number for number, _ in pairs}) == len(pairs) and not any(_has_digit(word) for _, word in pairs)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def why_no_topics(rows: Sequence[Sequence[str]]) -> str:
    """Why lines of a number and words, split at their blanks, look like a run, qrels or a pool; empty if they do not.

    >>> why_no_topics([["1", "D1", "2"], ["1", "D2", "0"]]), why_no_topics([["1", "find", "boats"], ["2", "bread"]])
    ('each line ends with a number', '')
    """
    if any(row[1].upper() == "Q0" for row in rows):
        return "Q0 stands in the second column"
    if all(len(row) == 2 for row in rows) and not _are_words(rows):
        return "each line is a number and one word"
    if all(IN_COLUMNS.fullmatch(row[-1]) for row in rows):
        return "each line ends with a number"
    if len(set(map(len, rows))) == 1 and any(
        all(map(IN_COLUMNS.fullmatch, column)) for column in list(zip(*rows, strict=True))[1:]
    ):
        return "all lines have the same number of columns, and one of these holds numbers only"
    return ""
