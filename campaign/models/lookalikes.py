"""Names that look alike: which letters a name may have, and its skeleton, which is the same for all names that look the same.

Pure text: no database. The table is small and of our own making: what Cyrillic and Greek letters, after lower-casing, are
taken for in Latin. Digits stand for themselves, so bm25-l1 and bm25-11 are two names: both can be typed and read aloud.
"""

import re
import unicodedata

from django.core.exceptions import ValidationError

CYRILLIC = dict(zip("абвгдеёзиіїјкмнорсѕтухһьԁԛԝӏүөө", "a6brgee3uiijkmhopcstyxhbdqwlyoo", strict=True))
GREEK = dict(zip("αβγεζηικμνοπρστυχω", "abyezhikmnonpotyxw", strict=True))
LATIN = {"ı": "i", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ǀ": "l", "ƅ": "b", "ʋ": "u", "ᴏ": "o"}
SIGNS = dict.fromkeys("‐‑‒–—―−﹘", "-") | dict.fromkeys("‘’‛ʼʻʹ′`´", "'")
LOOKS_LIKE = str.maketrans({**CYRILLIC, **GREEK, **LATIN, **SIGNS})

EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "BOPOMOFO", "HANGUL"})
"""Written together in one word."""
INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
VARIATION_SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
MOST_MARKS = 3
LONGEST_SKELETON = 255
MOST_TYPED = 2_000
"""The time for a normal form grows with the square of the accents that stand together."""

HIDDEN = "Remove the invisible characters: this name holds some, such as zero-width spaces or marks of direction."
MIXED = "“{word}” mixes letters of different alphabets, which look alike. Write each word in one alphabet."
WEB_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
NO_WEB_ADDRESS = "Leave the web address out: this text stands in mails to people who do not know you."
TOWERS = "This name has letters with more accents than any language writes. Write it without them."


def tidy(name: str) -> str:
    """The name in the one form that is stored: compatible characters unified (NFKC), white space folded.

    Only the first MOST_TYPED characters are looked at, which are more than any name has.
    """
    return " ".join(unicodedata.normalize("NFKC", name[:MOST_TYPED]).split())


def folded(name: str) -> str:
    """The form in which names are compared: as it is stored, whatever its case. What was typed and what is stored go through it.

    >>> folded(" ZOE\u0308 ") == folded("zo\u00eb"), folded("\uff54\uff41\uff52\uff4f") == folded("Taro")
    (True, True)
    """
    return unicodedata.normalize("NFKC", tidy(name).casefold())


def plain_address(email: str) -> str:
    """The form in which mail addresses are stored and looked up.

    >>> plain_address(" Ada\uff20Example.org")
    'ada@example.org'
    """
    return tidy(email).lower()


def inbox(address: str) -> str:
    """One text for all spellings of an address that lead to the same inbox at many providers: without tag and dots.

    For counting mails only: elsewhere two of these spellings may be two people.

    >>> inbox("Kim.Lee+trec@Example.org"), inbox("+kim@example.org")
    ('kimlee@example.org', '+kim@example.org')
    """
    name, at, domain = plain_address(address).rpartition("@")
    plain = name.partition("+")[0].replace(".", "")
    return f"{plain or name}{at}{domain}"


def skeleton(name: str) -> str:
    """What a name looks like: names with the same skeleton cannot be told apart, or only by their case.

    >>> skeleton("Alba") == skeleton("\u0410LBA"), skeleton("bm25-l1") == skeleton("bm25-11")
    (True, False)
    """
    visible = "".join(character for character in folded(name) if not _is_invisible(character))
    return tidy(visible.translate(LOOKS_LIKE))[:LONGEST_SKELETON]


def name_problem(name: str) -> str:
    """What is wrong with the letters of a name, and what to do about it; empty if nothing is."""
    if any(_is_invisible(character) for character in name):
        return HIDDEN
    text = unicodedata.normalize("NFKC", name)
    if has_tower(text):
        return TOWERS
    mixed = next((word for word in _words(text) if len(_scripts(word)) > 1), "")
    return MIXED.format(word=mixed) if mixed else ""


def has_tower(text: str) -> bool:
    """Whether a letter has more accents than any language writes: they cover the lines above."""
    marks = 0
    for character in unicodedata.normalize("NFD", text):
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > MOST_MARKS:
            return True
    return False


def holds_web_address(text: str) -> bool:
    """Whether mail programs make a link of a part of the text, which then speaks for the site. Bare domains are names of firms.

    >>> holds_web_address("Win at HTTP://a.example"), holds_web_address("www.a.example"), holds_web_address("Jina.ai")
    (True, True, False)
    """
    return WEB_ADDRESS.search(unicodedata.normalize("NFKC", text)) is not None


def require_invites_without_link(*texts: object) -> None:
    """ValidationError for an invitation whose names speak for the site: they may be older than the rule, or restored."""
    if text := next((str(text) for text in texts if holds_web_address(str(text))), ""):
        raise ValidationError(f"Nobody is invited while “{text}” holds a web address. Change this name first.")


def validate_name(name: str) -> None:
    """For names of people and teams."""
    problem = name_problem(name) or (NO_WEB_ADDRESS if holds_web_address(name) else "")
    if problem:
        raise ValidationError(problem)


def _is_invisible(character: str) -> bool:
    return (
        unicodedata.category(character) in INVISIBLE_CATEGORIES
        or character in INVISIBLE_LETTERS
        or VARIATION_SELECTORS.match(character) is not None
    )


def _words(text: str) -> list[str]:
    """Letters, digits and accents that stand together."""
    parts = (character if unicodedata.category(character)[0] in "LMN" else " " for character in text)
    return "".join(parts).split()


def _scripts(word: str) -> set[str]:
    letters = (letter for letter in word if unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lo"})
    names = {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters}
    return {"EAST ASIAN" if name in EAST_ASIAN else name for name in names}
