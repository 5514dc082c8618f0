"""Names of the sets of qrels that a task can hold beside its judgments of relevance, as readability or credibility."""

import unicodedata
from typing import Final

DEFAULT: Final = ""
"""The name of the set that holds the judgments of relevance: those released from the desk, and files that name no other."""
DEFAULT_IN_WORDS: Final = "relevance"
LONGEST: Final = 40
ASSESSOR: Final = "assessor "
"""How the names of sets begin that hold the judgments of one assessor; the pseudonym follows."""


def tidy_set_name(text: str) -> str:
    """The name that a text means: composed letters, single spaces, and `DEFAULT` for "relevance".

    >>> tidy_set_name("  ease of   reading "), tidy_set_name("Relevance")
    ('ease of reading', '')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    return DEFAULT if name.casefold() == DEFAULT_IN_WORDS else name


def set_name_problem(name: str) -> str:
    """Why a tidy name cannot be that of a set, with the remedy; empty if it can.

    >>> set_name_problem("readability 2"), set_name_problem("a/b")
    ('', 'Name the set with letters, digits, spaces and hyphens only.')
    """
    if len(name) > LONGEST:
        return f"Name the set with at most {LONGEST} characters."
    if not all(character.isalnum() or character in " -" for character in name) or (name and not has_letter(name)):
        return "Name the set with letters, digits, spaces and hyphens only."
    return ""


def has_letter(name: str) -> bool:
    """Whether a letter or a digit is in the name.

    >>> has_letter("a-b"), has_letter("--")
    (True, False)
    """
    return any(character.isalnum() for character in name)


def set_in_words(name: str) -> str:
    """The name as pages show it.

    >>> set_in_words(""), set_in_words("readability")
    ('relevance', 'readability')
    """
    return name or DEFAULT_IN_WORDS
