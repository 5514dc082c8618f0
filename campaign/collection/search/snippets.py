"""A piece of a text where the words of a query stand, for a list of results."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

from campaign.collection.search.text import stem
from campaign.text.tokens import Token, placed_tokens

Part = tuple[str, bool]
"""A stretch of text, and whether it is a word of the query."""
WIDTH = 6
"""Of a word; of scripts without blanks, three characters and the pairs that begin with them are as wide."""


def marked(text: str, terms: Collection[str]) -> list[Part]:
    """Cut a text where words of the query begin and end; `terms` are stems, as `stemmed_words` gives them.

    >>> marked("Cats and dogs, 自転車", {"dog", "自転", "転車"})
    [('Cats and ', False), ('dogs', True), (', ', False), ('自転車', True)]
    """
    spans: list[tuple[int, int]] = []
    for token in placed_tokens(text):
        if _name(token) in terms:
            overlaps = bool(spans) and token.start < spans[-1][1]
            start = spans.pop()[0] if overlaps else token.start
            spans.append((start, token.end))
    parts: list[Part] = []
    end = 0
    for start, after in spans:
        parts += [(text[end:start], False), (text[start:after], True)]
        end = after
    return [part for part in [*parts, (text[end:], False)] if part[0]]


def snippet(text: str, terms: Collection[str], words: int = 40) -> list[Part]:
    """The first stretch of so many words that holds the most different words of the query, marked; "…" where text is left out.

    >>> snippet("one two three four dogs six", {"dog"}, words=3)
    [('… three four ', False), ('dogs', True), (' …', False)]
    """
    found = list(placed_tokens(text))
    if not found:
        return marked(text.strip()[: words * 8], terms)
    first, last = _best_stretch(found, terms, words * WIDTH)
    piece = " ".join(text[found[first].start : found[last].end].split())
    before, after = "… " if first else "", " …" if last + 1 < len(found) else ""
    return marked(f"{before}{piece}{after}", terms)


def _best_stretch(found: Sequence[Token], terms: Collection[str], width: int) -> tuple[int, int]:
    """Places of the first and the last token of the best stretch that is not wider."""
    reached = [0, *accumulate(1 if token.is_joined else WIDTH for token in found)]
    names = [_name(token) for token in found]
    best, best_first, first, held = 0, 0, 0, 0
    inside = dict.fromkeys(terms, 0)
    for place, name in enumerate(names):
        if name in inside:
            inside[name] += 1
            held += inside[name] == 1
        while reached[place + 1] - reached[first] > width:
            if names[first] in inside:
                inside[names[first]] -= 1
                held -= inside[names[first]] == 0
            first += 1
        if held > best:
            best, best_first = held, first
    return best_first, bisect_right(reached, reached[best_first] + width) - 2


def _name(token: Token) -> str:
    return token.term if token.is_joined else stem(token.term.removesuffix("'s"))
