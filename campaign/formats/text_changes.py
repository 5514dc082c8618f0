"""Where two versions of a text differ, word by word, short enough to be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from campaign.text.tokens import is_letter, pieces

COMPARED_WORDS, COMPARED_CHARACTERS = 400, 8_000
"""The time of a comparison grows with the square of the words: of longer differences only the ends are matched."""
AROUND, SHOWN = 80, 2_000
"""Characters of an equal part that are shown at each side of a change, and of a changed part."""
LEFT_OUT = " … "


@dataclass(frozen=True, slots=True)
class Piece:
    """An equal part, and after it what one version has (`gone`) and what the other has in its place (`new`)."""

    same: str
    gone: str
    new: str


def text_changes(before: str, after: str) -> list[Piece]:
    """Both versions in their order; long equal parts are cut, and so are very long changes. Empty for equal texts.

    >>> text_changes("the cat sat", "the dog sat")
    [Piece(same='the ', gone='cat', new='dog'), Piece(same=' sat', gone='', new='')]
    """
    if before == after:
        return []
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    start, end = _at_words(before, after, start, end)
    between = list(_between(before[start : len(before) - end], after[start : len(after) - end]))
    first = between[0]
    pieces = [Piece(before[:start] + first.same, first.gone, first.new), *between[1:]]
    if end:
        pieces.append(Piece(before[len(before) - end :], "", ""))
    return [_shortened(piece, number == 0, piece is pieces[-1]) for number, piece in enumerate(pieces)]


def _common(one: str, other: str) -> int:
    """How many characters both begin with, found by halving: texts may have millions."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _at_words(before: str, after: str, start: int, end: int) -> tuple[int, int]:
    """Move the borders of the difference out to those of words."""
    while start and is_letter(before[start - 1]):
        start -= 1
    while end and is_letter(before[len(before) - end]):
        end -= 1
    return start, end


def _between(old: str, new: str) -> Iterator[Piece]:
    words, others = pieces(old[: COMPARED_CHARACTERS + 1]), pieces(new[: COMPARED_CHARACTERS + 1])
    if max(len(old), len(new)) > COMPARED_CHARACTERS or max(len(words), len(others)) > COMPARED_WORDS:
        yield Piece("", old, new)
        return
    same = ""
    for tag, left, right, first, last in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        if tag == "equal":
            same = "".join(words[left:right])
        else:
            yield Piece(same, "".join(words[left:right]), "".join(others[first:last]))
            same = ""
    if same:
        yield Piece(same, "", "")


def _shortened(piece: Piece, is_first: bool, is_last: bool) -> Piece:
    head = "" if is_first else piece.same[:AROUND]
    tail = "" if is_last and not (piece.gone or piece.new) else piece.same[-AROUND:]
    is_short = len(piece.same) <= len(head) + len(tail) + AROUND
    return Piece(piece.same if is_short else head + LEFT_OUT + tail, _cut(piece.gone), _cut(piece.new))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + LEFT_OUT
