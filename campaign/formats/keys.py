"""Topic numbers and docnos, the keys of every file, and what of them and of run tags cannot be a part of an address."""

import re

from campaign.formats.problems import KEY_LENGTH_LIMIT, Severity, visible
from campaign.text.limits import DIRECTION_MARKS

UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Characters of format (Cf) without a shape. Some others of this kind are seen, as U+06DD; scripts spell with joiners."""
WHITE_SPACE = re.compile(r"\s")
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
SEEN_OR_LINE_END = bytes(range(0x21, 0x7F)) + b"\n"
DOTS_ALONE = re.compile(rb"(?m)(?:^|/)\.\.?(?:/|$)")
"""The steps `.` and `..` of an address, in lines."""


def key_problem(key: str, what: str) -> tuple[str, str, str] | None:
    """What is wrong with a topic number or docno as a field of a run: (code ending, message, remedy)."""
    is_plain = key.isascii() and key.isprintable() and " " not in key  # nearly all are, and there may be millions
    if not key:
        return "missing", f"There is no {what}.", f"Give the {what}."
    if not is_plain and (problem := _unseen_problem(key, what)):
        return problem
    if len(key) > KEY_LENGTH_LIMIT:
        return "long", f"The {what} has {len(key)} characters, the maximum is {KEY_LENGTH_LIMIT}.", "Shorten it."
    return None


def _unseen_problem(key: str, what: str) -> tuple[str, str, str] | None:
    if WHITE_SPACE.search(key):
        return "space", f"The {what} {visible(key)!r} holds white space.", "Runs separate columns by it: take it out."
    if "\ufeff" in key:
        message = f"The {what} {visible(key)} holds a byte order mark."
        return "mark", message, "It stands where files were put together. Nobody sees it: take it out."
    if not DIRECTION_MARKS.isdisjoint(key):
        message = f"The {what} {visible(key)} holds marks that turn the direction of letters."
        return "direction", message, "Nobody sees them: take them out."
    if CONTROL.search(key):
        return "control", f"The {what} {visible(key)} holds control characters.", "Nobody sees them: take them out."
    if UNSEEN.search(key):
        message = f"The {what} {visible(key)} holds characters without a shape, such as a soft hyphen."
        return "unseen", message, "Nobody sees them: take them out."
    return None


def address_problem(key: str, what: str, *, slashes: bool = False) -> tuple[str, str, str] | None:
    """Why no page could have the key in its address: (code ending, message, remedy). `slashes`: whether the key may hold them.

    Browsers and servers fold `.` and `..` between slashes, also where they are percent-encoded.

    >>> address_problem("https://example.org/a.html", "docno", slashes=True)
    >>> address_problem("a/../b", "docno", slashes=True)[:2]
    ('dots', 'The docno a/../b leads to another place in an address.')
    """
    if not slashes and "/" in key:
        remedy = "It is part of addresses: write another character, such as a colon, here and in all files of the task."
        return "slash", f"The {what} {visible(key)} holds a slash.", remedy
    if "." in key and not {".", ".."}.isdisjoint(key.split("/")):
        remedy = (
            "Browsers take . and .. between slashes for steps: write it otherwise, here and in all files of the task."
        )
        return "dots", f"The {what} {visible(key)} leads to another place in an address.", remedy
    return None


def docno_problem(docno: str) -> tuple[str, str, str] | None:
    """Why no document can have the docno: (code ending, message, remedy).

    >>> docno_problem("a/b#1"), docno_problem("..")[0]
    (None, 'dots')
    """
    return key_problem(docno, "docno") or address_problem(docno, "docno", slashes=True)


def plain_docnos(lines: bytes) -> list[str] | None:
    """The docnos of lines that are cut at LF or CRLF, all of ASCII characters that are seen; None where any line may have a
    problem, or is empty.

    >>> plain_docnos(b"a\\r\\nb/c"), plain_docnos(b"a\\n\\nb"), plain_docnos(b"a\\n.."), plain_docnos(b"a b")
    (['a', 'b/c'], None, None, None)
    """
    lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
    if lines.translate(None, SEEN_OR_LINE_END) or DOTS_ALONE.search(lines):
        return None
    docnos = lines.decode("ascii").split("\n")
    return docnos if min(map(len, docnos)) > 0 and max(map(len, docnos)) <= KEY_LENGTH_LIMIT else None


def problem_without_collection(docno: str) -> tuple[str, str, str, Severity] | None:
    """What is wrong with a docno of qrels or a pool in a task without a collection: (code ending, message, remedy, severity).

    Runs write docnos as they like there. Refused is what no run may have either, and white space; what nobody sees stays, since
    without it the docno would be another one than that of the runs.

    >>> problem_without_collection("..")[0], problem_without_collection("d1")
    ('dots', None)
    >>> problem_without_collection("d\\u00ad1")[1::2]
    ('The docno d\\\\xad1 holds characters that nobody sees.', 'warning')
    """
    if dots := address_problem(docno, "docno", slashes=True):
        return *dots, "error"
    problem = key_problem(docno, "docno")
    if problem is None or problem[0] in ("missing", "space", "long"):
        return problem and (*problem, "error")
    message = f"The docno {visible(docno)} holds characters that nobody sees."
    remedy = "It stays as it is: a docno must be written alike in runs, qrels and pools, or it is two documents."
    return "unseen", message, remedy, "warning"
