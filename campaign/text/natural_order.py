"""The order in which people read names with numbers in them. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import re

DIGITS = re.compile("([0-9]+)")


def natural_order(text: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """The key that sorts texts by their numbers, and what lies between these by code point.

    For pages, messages and files that are made anew for each reader: files whose bytes or checksums others rely on stay in
    byte order.

    >>> sorted(["10", "9", "q10", "q9a", "1", "01", "100"], key=natural_order)
    ['01', '1', '9', '10', '100', 'q9a', 'q10']
    """
    # Texts and digits alternate, so that the same place of two keys compares like with like.
    parts = DIGITS.split(text)
    digits = [part.lstrip("0") if place % 2 else part for place, part in enumerate(parts)]
    return tuple((len(part) if place % 2 else 0, part) for place, part in enumerate(digits)), text
