"""The key that is known in place of one that is not: the same but for what a reader hardly sees. Python 3.9 or newer.

Other spellings of the unknown key are looked up, so that a list of any length need not be read. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import islice, product
from typing import Literal
from urllib.parse import unquote

from campaign.formats.problems import KEY_LENGTH_LIMIT, visible

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
HINTED, MOST_SPELLINGS, MOST_DIGITS = 10, 4000, 12
OF_COLLECTION, OF_TASK, OF_POOL = "The collection", "The task", "The pool"
WIDER = 0xFEE0
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
FILE_ENDINGS = (".txt", ".html", ".htm", ".xml", ".json", ".pdf", ".md", ".gz", ".0")
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
LOOKS_LATIN = str.maketrans(
    {
        **dict.fromkeys(DASHES, "-"),
        **dict(zip("АВЕКМНОРСТХІЈЅаеорсухіјѕ", "ABEKMHOPCTXIJSaeopcyxijs")),  # noqa: B905 - Python 3.9
        **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo")),  # noqa: B905 - Python 3.9
    }
)
"""Letters and dashes that are taken for those of ASCII."""
UNSEEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
WORD, NUMERAL, LEADING_ZEROS = re.compile(r"[^\W\d_]+"), re.compile(r"[0-9]+"), re.compile(r"(?<![0-9])0+(?=[0-9])")
FILE_ENDING, PATH = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,6}\Z"), re.compile(r"\A.*[/\\](?=.)")
AROUND = "\"'`“”‘’«»<>()[],;"


def missing_from(known: Container[str]) -> Callable[[Iterable[str]], set[str]]:
    """The function that returns which keys are not among those known.

    >>> missing_from({"a"})(["a", "b"])
    {'b'}
    """
    return lambda keys: {key for key in keys if key not in known}


def hints(keys: Iterable[str], missing: Callable[[Iterable[str]], set[str]], holder: str) -> str:
    """Say what is known in place of unknown keys: of the first HINTED, a sentence for each kind of difference, after a blank.

    `missing` is asked once, for all spellings: it returns which of them are not known. Empty where nothing is near.

    >>> hints(["ft911-1", "7"], missing_from({"FT911-1", "0007"}), OF_COLLECTION)
    ' The collection has FT911-1 in capitals. For 7 the collection has 0007 with zeros.'
    """
    asked = list(islice(dict.fromkeys(keys), HINTED))
    spelt = {key: list(spellings(key)) for key in asked if len(key) <= KEY_LENGTH_LIMIT}
    every = {one for ones in spelt.values() for one in ones}
    known = every - missing(every) if every else every
    said: dict[str, str] = {}
    for key, ones in spelt.items():
        found = next((one for one in ones if one in known), None)
        if found is not None:
            begin = holder if key == asked[0] else f"For {visible(key)} {holder[0].lower()}{holder[1:]}"
            how = difference(found, key)
            said.setdefault(how.partition(" (")[0], f" {begin} has {visible(found)} {how}.")
    return "".join(said.values())


class FirstHints:
    """Hints for single keys, of the first HINTED of each holder only: a file may have millions of unknown ones."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, str]] = {}

    def hint(self, key: str, missing: Callable[[Iterable[str]], set[str]], holder: str) -> str:
        said = self._said.setdefault(holder, {})
        if key not in said and len(said) < HINTED:
            said[key] = hints([key], missing, holder)
        return said.get(key, "")


def spellings(key: str) -> Iterator[str]:
    """Other spellings of a key, those that differ least first, at most MOST_SPELLINGS.

    >>> {"7", "07", "T-07"} <= set(spellings("t-7")), "d3" in spellings("docs/d3.txt")
    (True, True)
    """
    first = dict.fromkeys(islice(_spellings(key), 2 * MOST_SPELLINGS))
    ones = (one for one in first if one != key and len(one) <= KEY_LENGTH_LIMIT)
    return islice(ones, MOST_SPELLINGS)


def _spellings(key: str) -> Iterator[str]:
    forms = list(dict.fromkeys(_forms(key)))
    parts = list(dict.fromkeys(part for form in forms for part in _parts(form)))
    yield from forms
    yield from parts
    for one in (*forms, *parts):
        yield from _cases(one)
        yield from _zeros(one)
    for form in forms:
        for cased in (form, form.lower(), form.upper(), form.capitalize()):
            yield from (cased + ending for ending in FILE_ENDINGS)
            yield from _zeros(cased)
    for part in parts:
        for cased in (part.lower(), part.upper(), part.capitalize()):
            yield from _zeros(cased)
    if (numeral := _numeral_alone(key)) != key:
        yield numeral
        yield from _zeros(numeral)
    for form in forms:
        yield from _swapped(form)
        yield from _swapped(form.lower())
        yield from _swapped(form.upper())


def _forms(key: str) -> Iterator[str]:
    """Unicode forms; without what nobody sees; with letters and dashes of ASCII; as it was before it was encoded once more."""
    bare = _without_unseen(key)
    for one in dict.fromkeys((key, bare, bare.translate(LOOKS_LATIN), unquote(bare), _decoded_again(bare))):
        yield from (unicodedata.normalize(form, one) for form in FORMS)


def _swapped(key: str) -> Iterator[str]:
    """Other separators and dashes, wide letters, and what nobody sees, in keys that are known."""
    yield from (key.replace("_", "-"), key.replace("-", "_"), *(key.replace("-", dash) for dash in DASHES))
    yield "".join(chr(ord(one) + WIDER) if "!" <= one <= "~" else one for one in key)
    yield from ("\ufeff" + key, key + "\u200b", key + "\u00ad")


def _parts(key: str) -> Iterator[str]:
    """Without the path, quotation marks around, and endings of files."""
    for one in dict.fromkeys((key, _name(key), _inner(key), _inner(_name(key)))):
        yield one
        while (shorter := FILE_ENDING.sub("", one)) != one:
            yield shorter
            one = shorter


def _cases(key: str) -> Iterator[str]:
    """All of a few letters; else each word in capitals, in small letters, with a capital, or with one inside, as in ClueWeb."""
    yield from (key.lower(), key.upper(), key.capitalize(), key.casefold())
    letters = [place for place, letter in enumerate(key) if letter.lower() != letter.upper()]
    if len(letters) <= 5:
        yield from map("".join, product(*(dict.fromkeys((one, one.lower(), one.upper())) for one in key)))
        return
    words = list(WORD.finditer(key))
    if len(words) <= 3:
        ways = [dict.fromkeys((one[0], one[0].lower(), one[0].upper(), one[0].capitalize())) for one in words]
        for chosen in product(*ways):
            yield _with(key, words, chosen)
    for whole in (key, key.lower()):
        for word in words:
            for place in range(1, word.end() - word.start()):
                first, second = whole[word.start() : word.start() + place], whole[word.start() + place : word.end()]
                for start in (first.lower(), first.capitalize()):
                    yield whole[: word.start()] + start + second.capitalize() + whole[word.end() :]


def _zeros(key: str) -> Iterator[str]:
    """Leading zeros of all numbers, and of each: none, and up to MOST_DIGITS digits."""
    bare = LEADING_ZEROS.sub("", key)
    yield bare
    for whole in dict.fromkeys((key, bare)):
        for found in NUMERAL.finditer(whole):
            number = found[0].lstrip("0") or "0"
            for width in range(len(number), MOST_DIGITS + 1):
                yield whole[: found.start()] + number.zfill(width) + whole[found.end() :]
    for width in range(2, MOST_DIGITS + 1):
        yield NUMERAL.sub(lambda found: found[0].zfill(width), bare)  # noqa: B023 - called at once


def _with(key: str, words: list[re.Match[str]], chosen: Iterable[str]) -> str:
    made, end = "", 0
    for word, new in zip(words, chosen):  # noqa: B905 - Python 3.9
        made, end = made + key[end : word.start()] + new, word.end()
    return made + key[end:]


def difference(known: str, key: str) -> str:
    """In words, how the known key differs from the other one.

    >>> difference("Z\\u00fcrich-1", "Zu\\u0308rich-1"), difference("d3", "D3.txt")
    ('in another Unicode form (NFC)', 'without the ending .txt and in small letters')
    """
    needed = list(_KINDS)
    for kind in _KINDS:
        fewer = [one for one in needed if one is not kind]
        if _alike(known, fewer) == _alike(key, fewer):
            needed = fewer
    if _alike(known, needed) != _alike(key, needed):
        return "in another spelling"
    return " and ".join(words(known, key) for _, words in needed)


def _alike(key: str, kinds: Iterable[tuple[Callable[[str], str], object]]) -> str:
    for change, _ in kinds:
        key = change(key)
    return key


def _normal(key: str) -> str:
    return unicodedata.normalize("NFKC", key)


def _form_in_words(known: str, key: str) -> str:
    form = next((form for form in FORMS[:2] if unicodedata.normalize(form, key) == known != key), "")
    return f"in another Unicode form ({form})" if form else "in another Unicode form"


def _is_unseen(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp")
        or character in UNSEEN_LETTERS
        or "\ufe00" <= character <= "\ufe0f"
    )


def _without_unseen(key: str) -> str:
    return "".join(character for character in key if not _is_unseen(character))


def _unseen_in_words(known: str, key: str) -> str:
    unseen = list(dict.fromkeys(filter(_is_unseen, key))) or list(dict.fromkeys(filter(_is_unseen, known)))
    what = "blanks" if all(character.isspace() for character in unseen) else "invisible characters"
    codes = ", ".join(f"U+{ord(character):04X}" for character in unseen[:3])
    return f"{'without' if len(known) < len(key) else 'with'} {what} ({codes})"


def _latin(key: str) -> str:
    return key.translate(LOOKS_LATIN)


def _latin_in_words(known: str, key: str) -> str:
    return "in other characters that look the same"


def _decoded(key: str) -> str:
    return _decoded_again(unquote(key))


def _decoded_again(key: str) -> str:
    """UTF-8 that was taken for Latin-1 or Windows-1252 once."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return key.encode(encoding).decode()
        except UnicodeError:
            continue
    return key


def _decoded_in_words(known: str, key: str) -> str:
    return "in another encoding"


def _name(key: str) -> str:
    return PATH.sub("", key)


def _name_in_words(known: str, key: str) -> str:
    return "without the path"


def _inner(key: str) -> str:
    return key.strip(AROUND) or key


def _inner_in_words(known: str, key: str) -> str:
    return "without the marks around it"


def _stem(key: str) -> str:
    while (shorter := FILE_ENDING.sub("", key)) != key:
        key = shorter
    return key


def _stem_in_words(known: str, key: str) -> str:
    ending, of_known = (one[len(_stem(one)) :] for one in (key, known))
    return f"without the ending {visible(ending)}" if not of_known else f"with the ending {visible(of_known)}"


def _separated(key: str) -> str:
    return key.replace("_", "-")


def _separated_in_words(known: str, key: str) -> str:
    return f"with {'_' if known.count('_') > key.count('_') else '-'} between its parts"


def _numeral_alone(key: str) -> str:
    found = NUMERAL.findall(key)
    return found[0] if len(found) == 1 else key


def _numeral_alone_in_words(known: str, key: str) -> str:
    return "as the number alone" if NUMERAL.fullmatch(known) else "with other characters around the number"


def _without_zeros(key: str) -> str:
    return LEADING_ZEROS.sub("", key)


def _zeros_in_words(known: str, key: str) -> str:
    fewer = min(known, key, key=lambda one: len(one) - len(_without_zeros(one)))
    has_some = _without_zeros(fewer) != fewer
    if fewer == key:
        return "with more zeros" if has_some else "with zeros"
    return "with fewer zeros" if has_some else "without zeros"


def _case_in_words(known: str, key: str) -> str:
    return (
        "in capitals"
        if known == known.upper()
        else "in small letters"
        if known == known.lower()
        else "with other capitals"
    )


_KINDS: tuple[tuple[Callable[[str], str], Callable[[str, str], str]], ...] = (
    (_numeral_alone, _numeral_alone_in_words),
    (_decoded, _decoded_in_words),
    (_without_unseen, _unseen_in_words),
    (_latin, _latin_in_words),
    (_normal, _form_in_words),
    (_name, _name_in_words),
    (_inner, _inner_in_words),
    (_stem, _stem_in_words),
    (_separated, _separated_in_words),
    (_without_zeros, _zeros_in_words),
    (str.casefold, _case_in_words),
)
"""The kinds of difference: what takes it out of a key, and what is said of it."""
