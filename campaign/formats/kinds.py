"""What kind of file the first lines show, at whichever door it was sent, and the door that takes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import BinaryIO

from campaign.formats.column_names import DOCNO, GRADE, TOPIC, roles_of
from campaign.formats.documents import RECORDS
from campaign.formats.names import folded
from campaign.formats.problems import ProblemLog
from campaign.formats.runs.header import is_training_data
from campaign.formats.sent_tables import separator_of
from campaign.formats.source import Limits, numbered_lines, text_chunks

HEAD = 1 << 16
"""Bytes, of the file as it was sent, that show its kind."""
LOOKED_AT, MOST_TEXT = 20, 1 << 18
"""Lines of the head, and bytes of its text."""
RUN_COLUMNS, QRELS_COLUMNS, POOL_COLUMNS = 6, range(4, 6), 2
NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)(e[+-]?\d++)?", re.IGNORECASE | re.ASCII)
INTEGER = re.compile(r"[+-]?\d{1,9}|L\d", re.ASCII)
WITH_DIGIT = re.compile(r"\S*\d\S*")
MARKUP = (
    ("topics", re.compile(r"<(?:top|topics?|query|queries)\b", re.IGNORECASE)),
    ("documents", re.compile(rf"<(?:{'|'.join(RECORDS)}|docs|PubmedArticleSet)\b", re.IGNORECASE)),
    ("page", re.compile(r"<(?:!DOCTYPE\s+)?html\b", re.IGNORECASE)),
)
TEXTS, ANSWERS = {"text", "contents", "body"}, {"left", "right"}
OF_RUNS = {"rank", "tag", "run", "runid", "runtag"}
"""A score alone says nothing: grades of qrels have the name as well."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`what` completes the sentence “This looks like …”; `where`: the door for it, as a sentence."""

    what: str
    where: str


KINDS: Mapping[str, Kind] = {
    "run": Kind(
        "a run: topic, Q0, docno, rank, score and tag",
        "A team submits runs on the page Runs of the task (submit_run by command, the address runs by program).",
    ),
    "qrels": Kind(
        "qrels: topic, 0, docno and grade",
        "Import qrels on the page Qrels of the task (import_qrels by command, imports/qrels by program).",
    ),
    "pool": Kind(
        "a pool: topic and docno",
        "Import a pool on the page Pool of the task (import_pool by command, imports/pool by program).",
    ),
    "topics": Kind(
        "topics",
        "Import topics on the page Topics of the task (import_topics by command, imports/topics by program).",
    ),
    "documents": Kind(
        "documents",
        "Import documents on the page Documents of the task (import_documents by command, imports/documents by program).",
    ),
    "judgments": Kind(
        "judgments with their assessors",
        "Import judgments on the page Judgments of the task (import_judgments by command, imports/judgments by program).",
    ),
    "campaign": Kind(
        "the set-up of a campaign",
        "Create the campaign from it: New campaign, Create from a file (create_campaign by command).",
    ),
    "preferences": Kind(
        "preferences between documents",
        "They come in by no file: assessors state them at the desk, or programs do.",
    ),
    "training": Kind(
        "training data for learning to rank: grade, qid and features",
        "Its grades come in as qrels: on the page Qrels of the task (import_qrels by command, imports/qrels by program).",
    ),
    "trec_eval": Kind("the output of trec_eval", "Measures are computed here: submit the run that was evaluated."),
    "page": Kind(
        "a page of a web site", "Download the file itself: this may be a page to sign in, or one of an error."
    ),
}


def kind_of(file: BinaryIO, encoding: str = "") -> str:
    """A key of KINDS, or "" where the first lines show none of them. `encoding`: as of `text_chunks`.

    >>> kind_of(BytesIO(b"1 Q0 d1 1 2.5 bm25\\n")), kind_of(BytesIO(b"1 0 d1 2\\n")), kind_of(BytesIO(b"1\\tkites\\n"))
    ('run', 'qrels', '')
    """
    head = file.read(HEAD)
    lines = _lines(head, encoding)
    if not lines:
        return ""
    first = lines[0].lstrip()
    if first.startswith("<"):
        text = "\n".join(lines)
        found = [(match.start(), kind) for kind, tag in MARKUP if (match := tag.search(text))]
        return min(found, default=(0, ""))[1]
    if is_set_up(lines):
        return "campaign"
    if first.startswith(("{", "[")):
        return _kind_of_names(_keys(first))
    if is_training_data(first.encode(errors="replace")):
        return "training"
    separator = separator_of([first])
    cells = [cell.strip().strip('"') for cell in first.split(separator)]
    return _kind_of_names(cells) or _kind_of_columns([line.split() for line in lines])


def no_text(file: BinaryIO) -> str:
    """Why the first bytes are no text at all, and what to do; "" where they are one, or cannot be told.

    >>> no_text(BytesIO(b"%PDF-1.5")), no_text(BytesIO(b"1 Q0 d1 1 2.5 bm25"))
    ('This is a PDF document. Send the text file itself, plain or compressed with gzip.', '')
    """
    problems = ProblemLog()
    next(numbered_lines(text_chunks(BytesIO(file.read(HEAD)), Limits(), problems), Limits(), problems), None)
    why = [problem for problem in problems.shown if problem.code == "archive" or _is_binary(problem.code, problem.line)]
    return f"{why[0].message} {why[0].remedy}" if why else ""


def _is_binary(code: str, line: int | None) -> bool:
    return code == "binary_file" and line == 1


def _lines(head: bytes, encoding: str) -> list[str]:
    """The first whole lines with text that is no comment: one that the head cuts is left out, unless it is the only one."""
    problems = ProblemLog()
    chunks = _beginning(text_chunks(BytesIO(head), Limits(), problems, encoding))
    texts = (line.decode(errors="replace") for _, line in numbered_lines(chunks, Limits(), problems, "off"))
    lines = list(islice((text for text in texts if text.strip() and not text.lstrip().startswith("#")), LOOKED_AT + 1))
    return lines[: -1 if len(head) == HEAD and len(lines) > 1 else None][:LOOKED_AT]


def _beginning(chunks: Iterable[bytes]) -> Iterator[bytes]:
    left = MOST_TEXT
    for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left <= 0:
            return


OF_SET_UP, FIRST_OF_SET_UP = (re.compile(rf"\s*(?:{keys})\s*[=:].*") for keys in ("slug|tasks", "slug|tasks|title"))
TABLE_OF_TOML = re.compile(r"\s*\[\[?[^\W\d][\w.]*\]\]?\s*")


def is_set_up(lines: Sequence[str]) -> bool:
    """Whether lines are those of the set-up of a campaign in TOML or YAML.

    >>> is_set_up(['slug = "velo"', "[[tasks]]"]), is_set_up(["[[tasks]]"]), is_set_up(["slugs in gardens"])
    (True, True, False)
    """
    if not lines or TABLE_OF_TOML.fullmatch(lines[0]):
        return bool(lines)
    return bool(FIRST_OF_SET_UP.fullmatch(lines[0])) and any(map(OF_SET_UP.fullmatch, lines))


def _keys(line: str) -> list[str]:
    """The keys of the object of JSON on a line, alone or as the first of a list."""
    try:
        value, _ = json.JSONDecoder().raw_decode(line.lstrip("[ "))
    except (ValueError, RecursionError):
        return []
    return list(value) if isinstance(value, dict) else []


def _kind_of_names(names: Sequence[str]) -> str:
    """What names of columns, or keys, say.

    >>> _kind_of_names(["topic", "docno", "assessor", "grade"]), _kind_of_names(["qid", "docid", "score", "rank"])
    ('judgments', 'run')
    >>> _kind_of_names(["docno", "topic", "score", "text"]), _kind_of_names(["qid", "docid", "score"])
    ('documents', '')
    """
    roles, plain = set(roles_of(names)), {folded(name) for name in names}
    if {"slug", "tasks"} <= plain:
        return "campaign"
    if TOPIC in roles and plain >= ANSWERS:
        return "preferences"
    if DOCNO in roles and (TEXTS & plain or (TOPIC not in roles and "title" in plain)):
        return "documents"
    if not {TOPIC, DOCNO} <= roles:
        return ""
    if "assessor" in plain:
        return "judgments"
    if OF_RUNS & plain:
        return "run"
    return "qrels" if GRADE in roles and "score" not in plain else ""


def _kind_of_columns(rows: Sequence[Sequence[str]]) -> str:
    """What lines say whose columns white space separates."""
    counts = {len(row) for row in rows}
    if len(counts) != 1:
        return ""
    columns = counts.pop()
    if columns == RUN_COLUMNS and all(INTEGER.fullmatch(row[3]) and NUMBER.fullmatch(row[4]) for row in rows):
        return "run"
    if columns in QRELS_COLUMNS and all(_is_of_qrels(row) for row in rows):
        return "qrels"
    if columns == POOL_COLUMNS + 1 and all(row[1] == "all" and NUMBER.fullmatch(row[2]) for row in rows):
        return "trec_eval"
    topics = {row[0] for row in rows}
    is_pool = columns == POOL_COLUMNS and len(topics) < len(rows) and all(WITH_DIGIT.fullmatch(row[1]) for row in rows)
    return "pool" if is_pool else ""


def _is_of_qrels(row: Sequence[str]) -> bool:
    """Behind Q0 a fifth column may as well be the score of a run without a tag."""
    second, docno, grade = row[1:4]
    is_second = second == "0" or (
        len(row) == QRELS_COLUMNS[0] and (second.upper() == "Q0" or INTEGER.fullmatch(second))
    )
    return bool(is_second and WITH_DIGIT.fullmatch(docno) and INTEGER.fullmatch(grade))
