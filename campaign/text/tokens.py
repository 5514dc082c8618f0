"""PURE: the words of a text in any script: for search, its marked words, and near-identical texts.

static/js/desk/words.js, which marks words at the desk, folds texts in the same way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import add
from typing import NamedTuple

ACCENTS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    r"\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff"
    r"\u20d0-\u20ff\ufe20-\ufe2f"
)
"""Marks that one word may have or lack: accents, points of Hebrew, vowel signs of Arabic. All others are letters in effect."""
IGNORED = (
    r"\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What nobody sees (Unicode's Default_Ignorable_Code_Point), and the stretch of Arabic."""
JOINED = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u17d7\u17dc\ua9e0-\ua9ef"
    r"\ua9fa-\ua9fe\uaa60-\uaa7f\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
"""Scripts whose words stand together: Thai, Lao, Khmer, Burmese, Han, Kana; Korean, where particles stand at their nouns."""
MOST_MARKS = 30
_BETWEEN_ASCII = re.compile(r"[^\0-\x7f]+")
_DROPPED = re.compile(f"[{ACCENTS}{IGNORED}]+")
_ASCII_WORD = re.compile("[a-z0-9]+(?:'[a-z0-9]+)?")
_PLAIN_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NOT_PLAIN = re.compile(r"[\u0300-\u036f\u0483-\u1fff\u2c00-\U0010ffff]")
"""Marks and joined scripts are among these: texts without them (Latin, Greek, Cyrillic) are cut by a quicker pattern."""
Cut = Callable[[list[str]], list[str]]
"""What becomes of the characters that stand together in a script without blanks."""


class Token(NamedTuple):
    """A token and its place, `text[start:end]`; `is_joined`: of a script without blanks."""

    term: str
    start: int
    end: int
    is_joined: bool


def folded(text: str) -> str:
    """The text without case, accents and width: NFKD, without `ACCENTS` and `IGNORED`, case folded, dotless i as i, NFC.

    Of more than MOST_MARKS marks at one letter the others are left out: no language writes so many.

    Source: the Unicode Standard, 3.13 (caseless matching) and Annex 15 (normal forms).

    >>> folded("Nguyễn, STRASSE = Straße, ＡＢＣ, שָׁלוֹם")
    'nguyen, strasse = strasse, abc, שלום'
    """
    lower = text.lower()  # no mark that stays composes with a letter of ASCII: what lies between these folds by itself
    return lower if text.isascii() else _BETWEEN_ASCII.sub(_folded_match, lower)


def _folded_match(match: re.Match[str]) -> str:
    piece = match.group()
    if len(piece) > MOST_MARKS:  # the time for a normal form grows with the square of the marks that stand together
        piece = _towers().sub(r"\1", piece)
    plain = _DROPPED.sub("", unicodedata.normalize("NFKD", piece)).casefold().replace("ı", "i")
    return unicodedata.normalize("NFC", plain)


def characters(joined: list[str]) -> list[str]:
    """Each character by itself.

    >>> characters(["自", "転", "車"])
    ['自', '転', '車']
    """
    return joined


def pairs(joined: list[str]) -> list[str]:
    """Each two neighbours; one that stands alone by itself.

    >>> pairs(["自", "転", "車"]), pairs(["犬"])
    (['自転', '転車'], ['犬'])
    """
    return list(map(add, joined, joined[1:])) or joined


def characters_and_pairs(joined: list[str]) -> list[str]:
    """Both, so that a text is found by a single character as well as by several.

    >>> characters_and_pairs(["自", "転", "車"])
    ['自', '転', '車', '自転', '転車']
    """
    return joined + pairs(joined) if len(joined) > 1 else joined


def tokens(text: str, cut: Cut = pairs) -> list[str]:
    """The words of the folded text, with an apostrophe inside; marks belong to them.

    In scripts without blanks (`JOINED`), `cut` makes tokens of the characters that stand together, each with its marks.

    >>> tokens("The rider's PDFファイル: हिन्दी"), tokens("自転車", characters)
    (['the', "rider's", 'pdf', 'ファ', 'ァイ', 'イル', 'हिन्दी'], ['自', '転', '車'])
    """
    searched = folded(text)
    if searched.isascii():
        return _ASCII_WORD.findall(searched)
    if not _NOT_PLAIN.search(searched):
        return _PLAIN_WORD.findall(searched)
    found: list[str] = []
    for match in _run().finditer(searched):
        if match.lastgroup is None:
            found.append(match.group())
        else:
            found += cut(_character().findall(match.group()))
    return found


def is_letter(character: str) -> bool:
    """Whether a character is a letter, a digit or a mark, of which words are made.

    >>> is_letter("é"), is_letter("\u0301"), is_letter("-")
    (True, True, False)
    """
    return unicodedata.category(character)[0] in "LNM"


def pieces(text: str) -> list[str]:
    """The text as it is, cut into words (in scripts without blanks what stands together), blanks and single signs.

    >>> pieces("to be: हिन्दी")
    ['to', ' ', 'be', ':', ' ', 'हिन्दी']
    """
    return _piece().findall(text)


def placed_tokens(text: str) -> Iterator[Token]:
    """The tokens by `characters_and_pairs`, by their start, with their places in the text as it is.

    >>> [text[1:3] for text in placed_tokens("Ｃafé 自転")]
    [(0, 4), (5, 6), (5, 7), (6, 7)]
    """
    searched, starts, ends = _placed(text)
    for match in (_run() if _NOT_PLAIN.search(searched) else _PLAIN_WORD).finditer(searched):
        if match.lastgroup is None:
            yield Token(match.group(), starts[match.start()], ends[match.end() - 1], False)
            continue
        own = list(_character().finditer(searched, *match.span()))
        for one, following in zip(own, [*own[1:], None], strict=True):
            yield Token(one.group(), starts[one.start()], ends[one.end() - 1], True)
            if following:
                yield Token(one.group() + following.group(), starts[one.start()], ends[following.end() - 1], True)


def _placed(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The folded text, and for each of its characters where the piece of the text begins and ends that became it."""
    if text.isascii():
        return text.lower(), range(len(text)), range(1, len(text) + 1)
    known: dict[str, str] = {}
    folds: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _cluster().finditer(text):
        cluster = match.group()
        start, end = match.span()
        if (fold := known.get(cluster)) is None:
            fold = known[cluster] = folded(cluster)
        folds.append(fold)
        is_ascii = cluster.isascii()
        starts += range(start, end) if is_ascii else [start] * len(fold)
        ends += range(start + 1, end + 1) if is_ascii else [end] * len(fold)
    return "".join(folds), starts, ends


@cache
def _marks() -> tuple[str, str]:
    """Marks as classes of a pattern: those of the first plane, and the others, which `re` looks up one after another."""
    found = [chr(number) for number in range(0x300, 0x1F000) if unicodedata.category(chr(number))[0] == "M"]
    return "".join(mark for mark in found if mark <= "\uffff"), "".join(mark for mark in found if mark > "\uffff")


@cache
def _mark() -> str:
    return rf"(?:[{_marks()[0]}]|(?=[\U00010000-\U0001f000])[{_marks()[1]}])"


@cache
def _towers() -> re.Pattern[str]:
    return re.compile(f"({_mark()}{{{MOST_MARKS}}}){_mark()}+")


@cache
def letters(but: str = "") -> str:
    """A pattern of letters and digits with their marks, without the characters of a class.

    >>> re.findall(letters("b"), "हिन्दी_abc")
    ['हिन्दी', 'a', 'c']
    """
    return rf"(?:[^\W_{but}]+{_mark()}*)+"


def whole(text: str, also: str = "", behind: str | None = None) -> str:
    """A pattern of the text where it is no part of a longer word: neither letters, digits nor marks stand at it.

    Vowel signs of Hindi and Thai are marks, which `\\w` does not match. `also`: signs of a class that continue a word as letters
    do; `behind`: those that do so behind it, where they are others.

    >>> re.findall(whole("हिन्द"), "हिन्दी हिन्द"), re.findall(whole("ada", "-"), "ada-1 ada")
    (['हिन्द'], ['ada'])
    """
    near, far = _marks()
    after = also if behind is None else behind
    return rf"(?<![\w{near}{also}])(?<![{far}]){re.escape(text)}(?![\w{near}{after}])(?![{far}])"


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(rf"\s+|(?:\w+{_mark()}*)+|.{_mark()}*", re.DOTALL)


@cache
def _character() -> re.Pattern[str]:
    return re.compile(rf"[{JOINED}][{_marks()[0]}]*")


@cache
def _run() -> re.Pattern[str]:
    word = letters(JOINED)
    return re.compile(rf"(?P<joined>[{JOINED}][{JOINED}{_marks()[0]}]*)|{word}(?:'{word})?")


@cache
def _cluster() -> re.Pattern[str]:
    """Pieces of a text that fold each by itself: what a normal form composes (marks, Korean letters, kana) stays together."""
    follows = rf"(?:{_mark()}|[{IGNORED}\u1160-\u11ff\ud7b0-\ud7ff\u314f-\u3163\uff9e\uff9f\uffc2-\uffdc])"
    return re.compile(rf"[\0-\x7f]+(?!{follows})|.{follows}*", re.DOTALL)
