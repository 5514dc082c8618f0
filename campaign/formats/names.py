"""Names of fields, elements and tags as they are counted in a file and listed in a note of its import."""

from __future__ import annotations

from collections import Counter

from campaign.formats.problems import EXCERPT_LENGTH, visible

MOST_COUNTED, LISTED = 1_000, 10
FURTHER = "…"
IGNORED = {ord(sign): None for sign in "_- "}


def folded(name: str) -> str:
    """The name in lower case, without hyphens, underscores and blanks: what spells one name otherwise is equal.

    >>> folded("QueryText"), folded("query-text"), folded("Query text")
    ('querytext', 'querytext', 'querytext')
    """
    return name.lower().translate(IGNORED)


def count_name(names: Counter[str], name: str) -> None:
    """Count a name of which a file can hold any number, of any length: what is beyond the limits is counted as one.

    >>> names = Counter()
    >>> count_name(names, "url")
    >>> names
    Counter({'url': 1})
    """
    name = name[: EXCERPT_LENGTH + 1]
    names[name if name in names or len(names) < MOST_COUNTED else FURTHER] += 1


def listed(names: Counter[str], mark: str) -> str:
    """The most frequent names, each in its `mark`; with their counts where they are several.

    >>> listed(Counter({"url": 1200, "lang": 3}), "<{}>"), listed(Counter(url=3), "“{}”")
    ('<url> (1,200), <lang> (3)', '“url”')
    """
    several = len(names) > 1
    words = [
        visible(mark.format(name)) + (f" ({count:,})" if several else "") for name, count in names.most_common(LISTED)
    ]
    return ", ".join(words) + (", …" if len(names) > LISTED else "")
