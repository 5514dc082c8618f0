"""Topic numbers and docnos, the keys of every file, and what of them and of run tags cannot be a part of an address."""

from unicodedata import category

from campaign.formats.problems import KEY_LENGTH_LIMIT, visible
from campaign.text.limits import DIRECTION_MARKS

JOINERS = "\u200c\u200d"
"""Unseen characters with which some scripts spell."""


def key_problem(key: str, what: str) -> tuple[str, str, str] | None:
    """What is wrong with a topic number or docno as a field of a run: (code ending, message, remedy)."""
    if 0 < len(key) <= KEY_LENGTH_LIMIT and key.isascii() and key.isprintable() and " " not in key:
        return None  # nearly all of them, and there may be millions
    if not key:
        return "missing", f"There is no {what}.", f"Give the {what}."
    if any(character.isspace() for character in key):
        return "space", f"The {what} {visible(key)!r} holds white space.", "Runs separate columns by it: take it out."
    if "\ufeff" in key:
        message = f"The {what} {visible(key)} holds a byte order mark."
        return "mark", message, "It stands where files were put together. Nobody sees it: take it out."
    if any(mark in DIRECTION_MARKS for mark in key):
        message = f"The {what} {visible(key)} holds marks that turn the direction of letters."
        return "direction", message, "Nobody sees them: take them out."
    if any(category(character) == "Cc" for character in key):
        return "control", f"The {what} {visible(key)} holds control characters.", "Nobody sees them: take them out."
    if any(category(character) == "Cf" and character not in JOINERS for character in key):
        message = f"The {what} {visible(key)} holds characters without a shape, such as a soft hyphen."
        return "unseen", message, "Nobody sees them: take them out."
    if len(key) > KEY_LENGTH_LIMIT:
        return "long", f"The {what} has {len(key)} characters, the maximum is {KEY_LENGTH_LIMIT}.", "Shorten it."
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
