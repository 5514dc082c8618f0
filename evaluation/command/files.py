"""Reading runs and judgments from files: quickly where they are clean, and with every problem of those that are not."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock

from campaign.command.files import PROBLEMS_SHOWN, STANDARD_INPUT, displayed, text_of
from campaign.command.streams_and_signals import load_polars
from evaluation.command.reading.small import read_few_grades, read_few_scores
from evaluation.command.wrong_files import unreadable
from evaluation.engine.judgments import Judgments
from evaluation.engine.run_lines import RunLines

TAG = 5
EDGE = 1 << 14
LARGE_FILE = 1 << 26
_one_large_file = Lock()


def room_for(path: str) -> AbstractContextManager[object]:
    """Wait until no other large file is in memory, if this one is large."""
    large = path != STANDARD_INPUT and os.path.isfile(path) and os.path.getsize(path) > LARGE_FILE
    return _one_large_file if large else nullcontext()


@dataclass(frozen=True, eq=False)
class RunFile:
    """A run as read: `lines` have ranks if they were asked for.

    `name` is the path as given. The tags are those of the first and of the last line.
    """

    name: str
    lines: RunLines
    first_tag: str
    last_tag: str


def read_run(
    path: str,
    *,
    with_rank: bool = False,
    comments: bool = False,
    problems_shown: int = PROBLEMS_SHOWN,
    small: bool = False,
) -> RunFile:
    """Read a run, plain or gzip, from a path or from standard input (`-`); InputError lists all that is wrong with it.

    `comments` says whether lines that begin with # are passed over, as release 10.0 does; otherwise they are problems.
    `small` says that the run has so few lines that columns would not be read sooner.
    """
    data = text_of(path, unreadable)
    lines = read_few_scores(data, with_rank=with_rank) if small else None
    if lines is None:
        load_polars()
        from evaluation.command.reading.any_size import read_lines

        lines = read_lines(path, data, with_rank=with_rank, comments=comments, problems_shown=problems_shown)
    return RunFile(displayed(path), lines, _edge_tag(data, comments, last=False), _edge_tag(data, comments, last=True))


def read_judgments(
    path: str,
    *,
    subtopics: bool = False,
    sampled: bool = False,
    comments: bool = False,
    problems_shown: int = PROBLEMS_SHOWN,
    small: bool = False,
) -> Judgments:
    """Read qrels, plain or gzip, from a path or from standard input (`-`); InputError lists all that is wrong with them.

    With `subtopics` the second column names the subtopic, or the group of judgments; without, it may be any text.
    Only with `sampled` there may be a fifth column, that of a sample: which layout it is, is recognised.
    """
    data = text_of(path, unreadable)
    judgments = read_few_grades(data, subtopics=subtopics) if small else None
    if judgments is None:
        load_polars()
        from evaluation.command.reading import any_size

        judgments = any_size.read_judgments(
            path, data, subtopics=subtopics, sampled=sampled, comments=comments, problems_shown=problems_shown
        )
    return judgments


def _edge_tag(data: bytes, comments: bool, *, last: bool) -> str:
    """The tag of the first or the last line, without reading the lines between."""
    for size in (EDGE, len(data)):
        lines = (data[-size:] if last else data[:size]).splitlines()
        if size < len(data):
            lines.pop(0 if last else -1)  # it may be cut
        for line in reversed(lines) if last else lines:
            fields = line.split(maxsplit=TAG + 1)
            if len(fields) > TAG and not (comments and fields[0].startswith(b"#")):
                return fields[TAG].decode(errors="surrogateescape")
    return ""
