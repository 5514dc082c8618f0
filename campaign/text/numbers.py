"""Whole numbers in texts that somebody sent: primary keys, pages, attempts."""

MOST_DIGITS = 18
"""So many fit into 64 bits, whatever they are."""


def whole_number(text: str, most_digits: int = MOST_DIGITS) -> int | None:
    """The number that ASCII digits alone write; None for any other text, among them ² and ٣, which `str.isdigit` takes too.

    >>> whole_number("042"), whole_number("²"), whole_number("-1"), whole_number("9" * 19)
    (42, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else None
