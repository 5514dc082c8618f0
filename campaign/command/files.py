"""Reading files that the command line names: plain or gzip, from a path or from the standard input."""

import errno
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO

from campaign.formats.encodings import HEAD, wide_encoding
from campaign.formats.problems import Problem, ProblemLog
from campaign.formats.sent_tables import Table, TableError, read_table
from campaign.formats.source import GZIP_MAGIC, Limits, text_chunks

NO_LIMIT = sys.maxsize
LIMITS = Limits(NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT)
STANDARD_INPUT = "-"
PROBLEMS_SHOWN = 25
FILE_REMEDIES: Mapping[int, str] = {
    errno.ENOENT: "Check the path.",
    errno.EISDIR: "Name the files in it, as in DIR/*.",
    errno.EACCES: "Make it readable to you.",
}


class InputError(Exception):
    """What cannot be used: `lines` of the form `file:line: problem`, of `total` problems, of one `file` or of several."""

    def __init__(self, lines: Sequence[str], total: int | None = None, file: str = "") -> None:
        super().__init__("\n".join(lines))
        self.file = file
        self.lines = tuple(lines)
        self.total = len(self.lines) if total is None else total

    @classmethod
    def joined(cls, errors: Iterable["InputError"]) -> "InputError":
        errors = tuple(errors)
        return cls([line for error in errors for line in error.lines], sum(error.total for error in errors))


def displayed(path: str) -> str:
    """The name of a file in messages and results."""
    return "<stdin>" if path == STANDARD_INPUT else path


def unreadable(path: str, problem: OSError) -> str:
    """Say why a file cannot be read and what to do."""
    reason = problem.strerror or str(problem)
    return f"{reason}. {FILE_REMEDIES.get(problem.errno or 0, 'Check the file.')}"


def bytes_of(path: str, why_unreadable: Callable[[str, OSError], str] = unreadable) -> bytes:
    """Read a file as it is; InputError where that is not possible."""
    try:
        return _bytes(path)
    except OSError as problem:
        raise InputError([f"{displayed(path)}: {why_unreadable(path, problem)}"], file=displayed(path)) from None


def text_of(path: str, why_unreadable: Callable[[str, OSError], str] = unreadable) -> bytes:
    """Read a file, unpacked; InputError where it cannot be read or is no text."""
    return _unpacked(path, bytes_of(path, why_unreadable))


def _unpacked(path: str, data: bytes) -> bytes:
    problems = ProblemLog()
    if data.startswith(GZIP_MAGIC) or wide_encoding(data[:HEAD]):
        data = b"".join(text_chunks(BytesIO(data), LIMITS, problems))
    else:
        for _ in text_chunks(BytesIO(data[:HEAD]), LIMITS, problems):
            pass  # archives are recognised by their first bytes
    raise_problems(path, problems)
    return data


def table_of(path: str) -> Table:
    """Read a table, plain or gzip; InputError names each line that cannot be used."""
    data = bytes_of(path)
    try:
        return read_table(_unpacked(path, data))
    except TableError as error:
        places = ["" if line is None else f"{line}:" for line, _ in error.problems]
        shown = displayed(path)
        lines = [f"{shown}:{place} {message}" for place, (_, message) in zip(places, error.problems, strict=True)]
        raise InputError(lines, file=shown) from None


def raise_problems(path: str, problems: ProblemLog, remedy_of: Callable[[Problem], str] | None = None) -> None:
    """Make an InputError of the errors in the log, if there are any."""
    if problems.ok:
        return
    errors = [problem for problem in problems.shown if problem.severity == "error"]
    lines = [line_of(path, problem, remedy_of(problem) if remedy_of else problem.remedy) for problem in errors]
    raise InputError(lines, problems.distinct["error"], displayed(path))


def line_of(path: str, problem: Problem, remedy: str) -> str:
    """A problem as the commands print it: file, line, message, remedy."""
    place = "" if problem.line is None else f"{problem.line}:"
    return f"{displayed(path)}:{place} {problem.message} {remedy}"


def _bytes(path: str) -> bytes:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "The standard input is closed")
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()
