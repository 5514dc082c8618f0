"""The regular expressions that organisers set for participants' files, matched in time proportional to a text's length.

Patterns are what RE2 and Python's `re` with the flag ASCII both understand, and in the same way: RE2, which never goes
back, matches them here; the check script has Python's engine alone (see `check_script/matching.py`).
"""

import math
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

import re2

PIECE = re.compile(
    r"\(\?\#[^)]*\)"  # a comment
    r"|(?P<open>\((?:\?(?:P<\w+>|<[=!]|[a-zA-Z-]*:|[=!>]))?)|(?P<close>\))|(?P<either>\|)"
    r"|(?P<repeat>[*+?]|\{\d*,?\d*\})[?+]?"
    r"|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.",
    re.DOTALL,
)
OPEN_BELOW = re.compile(r"(?<!\\)(?:\\\\)*\{,[0-9]+\}")
"""Python reads {,5} as {0,5}, RE2 as five characters."""
MOST_MEMORY = 1 << 20
FEW = 4
"""The most repetitions of a part of variable length: a few are slow at worst, more may never finish."""
SHARE_OF_A_CHOICE = 0.25
MOST_REPETITIONS = 2
"""The most open repetitions in a row: the number of steps grows as the text's length to the power of their number.

A choice between two alternatives counts as a quarter, between n as log2(n) / 4: 16 choices in a row are 65,536 ways.
"""


class PatternError(ValueError):
    """A stored pattern is none of the dialect any more; the message says what its task's organiser should do."""

    def __init__(self, pattern: str) -> None:
        super().__init__(
            f"The pattern {pattern} cannot be used: {pattern_problem(pattern)} "
            "An organiser must change it in the task's settings."
        )


def matches_whole(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text; a text that UTF-8 cannot hold is matched by none.

    >>> matches_whole("[A-Z]+-[0-9]{6}", "FT-000123"), matches_whole("[A-Z]+", "FT-000123")
    (True, False)
    """
    try:
        return _compiled(pattern).fullmatch(text) is not None
    except UnicodeEncodeError:
        return False


@lru_cache(maxsize=256)
def pattern_problem(pattern: str) -> str:
    """Return what is wrong with a regular expression, in words; empty if it may be used.

    >>> pattern_problem("(?:[A-Z0-9]+-)*[0-9]{6}")
    ''
    >>> pattern_problem("a*(?=b)b")
    '“(?=” is not supported: patterns follow RE2, without lookaheads, lookbehinds and references.'
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # of what later versions of Python will read otherwise
            re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError) as problem:
        return f"This is not a valid regular expression: {problem}."
    except FutureWarning:
        return r"Within a character class, write \[, \-, \& and \| instead of [[, --, && and ||."
    if OPEN_BELOW.search(pattern):
        return "Write {0,n} instead of {,n}."
    try:
        _re2(pattern)
    except re2.error as problem:
        what, _, where = problem.args[0].decode(errors="replace").partition(": ")
        return (
            f"“{where or what}” is not supported: patterns follow RE2, without lookaheads, lookbehinds and references."
        )
    except UnicodeEncodeError:
        return "Write it without halves of characters (lone surrogates)."
    return ""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "re2._Regexp[str]":
    if pattern_problem(pattern):
        raise PatternError(pattern)
    return _re2(pattern)


def _re2(pattern: str) -> "re2._Regexp[str]":
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    return re2.compile(pattern, options)


def is_quick_to_backtrack(pattern: str) -> bool:
    """Whether Python's engine matches a docno in bounded time as well: `re` tries all ways to match a text.

    For (a+)+ or (a|ab)*, their number doubles with every character; for a*a*a*a* it grows as the fourth power of the length.
    Some harmless patterns are called slow, no harmful one quick.

    >>> is_quick_to_backtrack("[A-Z]+-[0-9]{6}"), is_quick_to_backtrack("(a+)+")
    (True, False)
    """
    return _open_repetitions(pattern) <= MOST_REPETITIONS


@dataclass
class _Part:
    """Properties of a group or a part of it: whether it can match in several ways, its open repetitions, its alternatives."""

    varies: bool = False
    open_ended: float = 0
    alternatives: int = 1

    def add(self, other: "_Part") -> None:
        self.varies |= other.varies
        self.open_ended += other.open_ended


def _open_repetitions(pattern: str) -> float:
    """Return the number of open repetitions in a row; infinite if one is nested in another."""
    groups = [_Part()]
    last = _Part()
    for piece in PIECE.finditer(pattern):
        if piece["repeat"]:
            _repeat(last, *_times(piece["repeat"]))
            continue
        groups[-1].add(last)
        last = _Part()
        if piece["open"]:
            groups.append(_Part())
        elif piece["close"] and len(groups) > 1:
            last = groups.pop()
            last.open_ended += SHARE_OF_A_CHOICE * math.log2(last.alternatives)
        elif piece["either"]:
            groups[-1].varies = True
            groups[-1].alternatives += 1
    groups[-1].add(last)
    return groups[0].open_ended


def _repeat(part: _Part, least: float, most: float) -> None:
    if part.varies and most > FEW:
        part.open_ended = float("inf")
    part.open_ended *= min(most, FEW)
    if least != most:
        part.open_ended += min(SHARE_OF_A_CHOICE * math.log2(most - least + 1), 1)
    part.varies = part.varies or least != most


def _times(repeat: str) -> tuple[float, float]:
    if repeat in "*+?":
        return {"*": (0, float("inf")), "+": (1, float("inf")), "?": (0, 1)}[repeat]
    least, comma, most = repeat[1:-1].partition(",")
    if not (least or comma):  # these brackets stand for themselves
        return (1, 1)
    return int(least or 0), (int(most) if most else float("inf")) if comma else int(least)
