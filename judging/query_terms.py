"""PURE: the words of a topic that are worth marking in a document."""

import re

_STOP_TEXT = """
a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me may
might most much must my no not of on or other our shall should so some such than that the their them then there
these they this those to under up use used using was we were what when where which while who whom why will with
would you your about after against all also between both during each find give more only over per same very
document documents information relevant
"""
_STOP = frozenset(_STOP_TEXT.split())
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def query_terms(text: str, most: int = 20) -> list[str]:
    """Distinct content words in order of appearance, in lower case; a plural's ending is left off.

    >>> query_terms("How do flows of heated air change the lift of a wing?")
    ['flow', 'heated', 'air', 'change', 'lift', 'wing']
    """
    words = (word.lower() for word in _WORD.findall(text))
    kept = (word for word in words if word not in _STOP and (len(word) > 1 or word.isdecimal()))
    return list(dict.fromkeys(_stem(word) for word in kept))[:most]


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
