"""A piece of a text where the words of a query stand, for a list of results."""

from __future__ import annotations

from collections.abc import Collection

from campaign.collection.search.text import WORD, stem

Part = tuple[str, bool]
"""A stretch of text, and whether it is a word of the query."""


def marked(text: str, terms: Collection[str]) -> list[Part]:
    """Cut a text where words of the query begin and end; `terms` are stems, as `stemmed_words` gives them.

    >>> marked("Cats and dogs", {"dog"})
    [('Cats and ', False), ('dogs', True)]
    """
    parts: list[Part] = []
    end = 0
    for match in WORD.finditer(text):
        if stem(match.group().lower().removesuffix("'s")) in terms:
            parts += [(text[end : match.start()], False), (match.group(), True)]
            end = match.end()
    return [part for part in [*parts, (text[end:], False)] if part[0]]


def snippet(text: str, terms: Collection[str], words: int = 40) -> list[Part]:
    """The first stretch of so many words that holds the most different words of the query, marked; "…" where text is left out.

    >>> snippet("one two three four dogs six", {"dog"}, words=3)
    [('… three four ', False), ('dogs', True), (' …', False)]
    """
    found = list(WORD.finditer(text))
    if not found:
        return marked(text.strip()[: words * 8], terms)
    stems = [stem(match.group().lower().removesuffix("'s")) for match in found]
    start = _best_start(stems, terms, words)
    last = min(start + words, len(found)) - 1
    piece = " ".join(text[found[start].start() : found[last].end()].split())
    before, after = "… " if start else "", " …" if last + 1 < len(found) else ""
    return marked(f"{before}{piece}{after}", terms)


def _best_start(stems: list[str], terms: Collection[str], words: int) -> int:
    best, best_start, inside = 0, 0, dict.fromkeys(terms, 0)
    held = 0
    for place, name in enumerate(stems):
        if name in inside:
            inside[name] += 1
            held += inside[name] == 1
        gone = stems[place - words] if place >= words else None
        if gone in inside:
            inside[gone] -= 1
            held -= inside[gone] == 0
        if held > best:
            best, best_start = held, max(place - words + 1, 0)
    return best_start
