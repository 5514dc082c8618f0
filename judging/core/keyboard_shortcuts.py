"""PURE: which key does what at the desk. The mode's own keys come first; a command whose key they take gets another letter."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, repeat
from string import ascii_lowercase
from types import MappingProxyType

from campaign.modes import CANNOT_JUDGE_KEY, UNDO_KEY

NOTHING: Mapping[str, str] = MappingProxyType({})
COMMANDS = {
    "cannot_judge": (CANNOT_JUDGE_KEY, "cannot judge this document"),
    "flag": ("f", "flag the document, to come back to it, or take the flag away"),
    "undo": (UNDO_KEY, "undo the last judgment: what was there before counts again"),
    "skip": ("s", "skip: the document comes back at the end"),
    "unjudged": ("t", "next document without a judgment"),
    "following": ("j", "next document, judged or not (also →)"),
    "previous": ("k", "document before this one (also ←)"),
    "back": ("b", "back to the document that was shown before"),
    "hit": ("h", "next marked word"),
    "hit_before": ("g", "marked word before"),
    "note": ("n", "write a note (Esc leaves it)"),
    "words": (
        "w",
        "find in the document: mark words of your own (also /, which searches the site on other pages; Esc leaves it)",
    ),
    "list": ("l", "list of your judgments, to filter and search"),
    "guidelines": ("i", "unfold or fold the guidelines"),
    "full": ("p", "full text of a long document, or its passage"),
    "elsewhere": ("o", "open the document elsewhere, in a new tab, where the organisers give a link"),
    "find": ("c", "find more documents of the topic in the collection"),
}


RESERVED = "?/"
"""Keys that always do the same: the list of keys, and the field for words to find."""
STAYS_FREE = "m"
"""The note's key until 1.0.0: who still presses it for a note must not meet a command, and then a grade."""
LETTERS = ascii_lowercase.replace(STAYS_FREE, "")


def chosen_keys(own: Mapping[str, str]) -> dict[str, str]:
    """Name of the command to its key, before a mode takes any; `own` are those that the assessor has chosen.

    >>> chosen_keys({"skip": "q"})["skip"], chosen_keys({})["skip"]
    ('q', 's')
    """
    return {name: own.get(name, key) for name, (key, _) in COMMANDS.items()}


def command_keys(taken: Iterable[str], own: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Name of the command to its key; where the mode, or a key that the assessor has chosen for another command, has taken it, a
    letter that nothing else uses; "" when they run out.

    >>> command_keys(["0", "1", "S"])["skip"]
    'a'
    >>> command_keys(["0", "1"], {"skip": "q"})["skip"]
    'q'
    >>> command_keys([], {"flag": "n"})["note"]
    'a'
    """
    used, chosen = {key.lower() for key in taken}, chosen_keys(own)
    free = (letter for letter in LETTERS if letter not in used | set(chosen.values()))
    is_taken = {name: key in used or (name not in own and key in own.values()) for name, key in chosen.items()}
    return {name: next(free, "") if is_taken[name] else key for name, key in chosen.items()}


def key_problem(name: str, keys: Mapping[str, str]) -> str:
    """Why the key of this command cannot be used with those of the others; "" if it can.

    >>> key_problem("flag", {"flag": "u", "undo": "u"})
    '“u” is the key of undo, too. Choose another one.'
    """
    key = keys[name]
    if len(key) != 1 or not key.isprintable() or key.isspace():
        return "Type one character, such as a letter."
    if key.isdecimal():
        return "Digits are the keys of the grades. Choose a letter or a sign."
    if key in RESERVED:
        return f"“{key}” always does the same: ? shows the keys, / finds words. Choose another one."
    other = next((one for one, used in keys.items() if used == key and one != name), "")
    return f"“{key}” is the key of {other.replace('_', ' ')}, too. Choose another one." if other else ""


def letters_for(count: int, taken: Collection[str]) -> list[str]:
    """Letters that nothing else uses, in alphabetical order; "" when they run out.

    >>> letters_for(3, taken=["a", "1"])
    ['d', 'e', 'q']
    """
    used = {key.lower() for key in taken} | set(command_keys(taken).values())
    free = (letter for letter in LETTERS if letter not in used)
    return [key for key, _ in zip(chain(free, repeat("")), range(count), strict=False)]
