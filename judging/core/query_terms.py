"""PURE: the words of a topic that are worth marking in a document."""

import re
from functools import cache

from campaign.text.tokens import folded, letters

_STOP_TEXT = """
a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me may
might most much must my no not of on or other our shall should so some such than that the their them then there
these they this those to under up use used using was we were what when where which while who whom why will with
would you your about after against all also between both during each find give more only over per same very
document documents information relevant
"""
_STOP = frozenset(_STOP_TEXT.split())
_HAN_RANGES = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN = re.compile(f"[{_HAN_RANGES}]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_RUN = re.compile(rf"[{_HAN_RANGES}]+|[\u3041-\u309f]+|[\u30a0-\u30ff]+|[^{_HAN_RANGES}\u3041-\u30ff]+")


def query_terms(text: str, most: int = 20) -> list[str]:
    """Distinct content words in order of appearance, as `folded` makes them; a plural's ending is left off.

    Chinese and Japanese put no blanks between words: of Chinese characters each two neighbours are a term, of Katakana a whole
    run; Hiragana between them is grammar.

    >>> query_terms("How do flows of heated air change the lift of a wing?")
    ['flow', 'heated', 'air', 'change', 'lift', 'wing']
    >>> query_terms("自転車の旅とホテル")
    ['自転', '転車', '旅', 'ホテル']
    """
    words = (word for written in _word().findall(folded(text)) for word in _words_in(written))
    kept = (word for word in words if word not in _STOP and (len(word) > 1 or word.isdecimal() or _HAN.fullmatch(word)))
    return list(dict.fromkeys(_stem(word) for word in kept))[:most]


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"{letters()}(?:['’-]{letters()})*")


def _words_in(written: str) -> list[str]:
    words = []
    for run in _RUN.findall(written):
        if _HAN.match(run) and len(run) > 2:
            words += [run[place : place + 2] for place in range(len(run) - 1)]
        elif not _HIRAGANA.fullmatch(run):
            words.append(run)
    return words


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
