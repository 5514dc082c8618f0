"""PURE: text of users in LaTeX sources."""

from __future__ import annotations

import unicodedata

_COMMANDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def escaped(text: str) -> str:
    r"""The text as LaTeX prints it, whatever it holds: nothing of it is a command, ends a line or a comment.

    >>> escaped("bm25_v2 & 100 % {x}\\input")
    'bm25\\_v2 \\& 100 \\% \\{x\\}\\textbackslash{}input'
    """
    return "".join(_COMMANDS.get(sign, " " if unicodedata.category(sign)[0] in "CZ" else sign) for sign in text)
