"""Which regular expressions organisers may use for participants' files: those that are matched in bounded time."""

import math
import re
from dataclasses import dataclass

PIECE = re.compile(
    r"\(\?\#[^)]*\)"  # a comment
    r"|(?P<open>\((?:\?(?:P<\w+>|<[=!]|[a-zA-Z-]*:|[=!>]))?)|(?P<close>\))|(?P<either>\|)"
    r"|(?P<repeat>[*+?]|\{\d*,?\d*\})[?+]?"
    r"|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.",
    re.DOTALL,
)
FEW = 4
"""The most repetitions of a part of variable length: a few are slow at worst, more may never finish."""
SHARE_OF_A_CHOICE = 0.25
MOST_REPETITIONS = 4
"""The most open repetitions in a row: the number of steps grows as the text's length to the power of their number.

A choice between two alternatives counts as a quarter, between n as log2(n) / 4: 16 choices in a row are 65,536 ways.
"""


def pattern_problem(pattern: str) -> str:
    """Return what is wrong with a regular expression, in words; empty if it may be used.

    The engine tries all ways to match a text: for (a+)+ or (a|ab)*, their number doubles with every character. So what is
    repeated many times must have one length and no alternatives. Some harmless patterns are refused, no harmful one passes.

    >>> pattern_problem("[A-Z]+-[0-9]{6}")
    ''
    >>> pattern_problem("(a+)+").split(",")[0]
    'A repetition within a repetition'
    """
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:
        return f"This is not a valid regular expression: {problem}."
    if re.search(r"\(\?[a-zA-Z]*x|\(\?P=|\(\?\(|\\[1-9]", pattern):
        return "Write it without references to groups, conditions and the flag x."
    repetitions = _open_repetitions(pattern)
    if MOST_REPETITIONS < repetitions < float("inf"):
        return f"It has too many repetitions: at most {MOST_REPETITIONS} like + or *, or 16 like ?, can be matched in time."
    if repetitions == float("inf"):
        return (
            "A repetition within a repetition, or alternatives within one, can take for ever on some texts. "
            "Write it with character classes instead, for example [A-Z0-9-]+ for (?:[A-Z0-9]+-)*[A-Z0-9]+."
        )
    return ""


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
