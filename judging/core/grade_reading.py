"""PURE: one grade, as people and programs write it: the same ways are read in forms, files, commands and the API."""

import re
from typing import Any, Final

from campaign.formats.problems import visible

LARGEST_GRADE: Final = 2**15 - 1
WHOLE = re.compile(r"([+-]?[0-9]{1,9})(\.0*)?")
EXCERPT = 40


def read_grade(value: Any) -> int:
    """The grade: an integer, from -32767 to 32767.

    Taken are an integer, a float without a fraction, and a text of either, with blanks around it or not. Everything else is
    no grade, also true and false. Raises ValueError, whose message is for whoever wrote the grade.

    >>> [read_grade(value) for value in (2, 2.0, "2", " 2.0 ", "-1")]
    [2, 2, 2, 2, -1]
    >>> read_grade(True)
    Traceback (most recent call last):
    ValueError: A grade is a whole number such as 2, not true.
    """
    grade = _whole(value)
    if grade is None:
        raise ValueError(f"A grade is a whole number such as 2, not {_in_words(value)}.")
    if abs(grade) > LARGEST_GRADE:
        raise ValueError(f"A grade lies between -{LARGEST_GRADE} and {LARGEST_GRADE}.")
    return grade


def _whole(value: Any) -> int | None:
    if isinstance(value, str):
        match = WHOLE.fullmatch(value.strip())
        return int(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def _in_words(value: Any) -> str:
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: "null"}[value]
    return f"“{visible(value, EXCERPT)}”" if isinstance(value, str) else visible(repr(value), EXCERPT)
