"""From text to index terms: words with a light stemmer and a stop list, or character n-grams."""

from __future__ import annotations

from collections.abc import Callable

from campaign.text.tokens import Cut, characters_and_pairs, pairs, tokens

Analyser = Callable[[str], list[str]]

STOP_LIST = """
a about after again all also am an and any are as at be because been before being both but by can could did do
does down each else even every few for from get had has have he her here hers him his how i if in into is it its
just like made make many may me might more most much must my no nor not now of off on once one only or other our
out over own same she should so some such than that the their them then there these they this those through to
too under up us very was we were what when where which while who why will with without would you your
"""
STOP_WORDS = frozenset(STOP_LIST.split())


def stem(word: str) -> str:
    """Strip the plural: -ies to -y, -es to -e, -s to nothing; -us, -ss, -aies, -eies, -aes, -ees, -oes stay (Harman 1991).

    >>> stem("bodies"), stem("brakes"), stem("glass")
    ('body', 'brake', 'glass')
    """
    if len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word if word.endswith(("aies", "eies")) else word[:-3] + "y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    if word.endswith("s"):
        return word if word.endswith(("us", "ss")) else word[:-1]
    return word


def words(text: str, cut: Cut = pairs) -> list[str]:
    """The tokens of a text, without possessives.

    >>> words("The rider's D-lock, 自転車")
    ['the', 'rider', 'd', 'lock', '自転', '転車']
    """
    return [word.removesuffix("'s") for word in tokens(text, cut)]


def stemmed_words(text: str, cut: Cut = pairs) -> list[str]:
    """The words without those of the stop list, each without its plural.

    >>> stemmed_words("How the brakes of a bike are used")
    ['brake', 'bike', 'used']
    """
    return [stem(word) for word in words(text, cut) if word not in STOP_WORDS]


def indexed_words(text: str) -> list[str]:
    """The stemmed words by which a text is found: of scripts without blanks also each character, for queries of one.

    >>> indexed_words("犬の本"), stemmed_words("犬")
    (['犬', 'の', '本', '犬の', 'の本'], ['犬'])
    """
    return stemmed_words(text, characters_and_pairs)


def character_ngrams(n: int) -> Analyser:
    """An analyser that cuts every word, with `_` marking its ends, into overlapping strings of n characters.

    >>> character_ngrams(4)("Bell")
    ['_bel', 'bell', 'ell_']
    """

    def analyse(text: str) -> list[str]:
        marked = (f"_{word}_" for word in words(text))
        return [word[start : start + n] for word in marked for start in range(max(1, len(word) - n + 1))]

    return analyse
