"""PURE: which key does what at the desk. The mode's own keys come first; a command whose key they take gets another letter."""

from collections.abc import Collection, Iterable
from itertools import chain, repeat
from string import ascii_lowercase

COMMANDS = {
    "cannot_judge": ("x", "cannot judge this document"),
    "flag": ("f", "flag the document, to come back to it, or take the flag away"),
    "undo": ("u", "undo the last judgment: what was there before counts again"),
    "skip": ("s", "skip: the document comes back at the end"),
    "unjudged": ("n", "next document without a judgment"),
    "following": ("j", "next document, judged or not (also →)"),
    "previous": ("k", "document before this one (also ←)"),
    "back": ("b", "back to the document that was shown before"),
    "hit": ("h", "next marked word"),
    "hit_before": ("g", "marked word before"),
    "note": ("m", "write a note (Esc leaves it)"),
    "words": ("w", "find in the document: mark words of your own (also /; Esc leaves it)"),
    "find": ("c", "find more documents of the topic in the collection"),
}


def command_keys(taken: Iterable[str]) -> dict[str, str]:
    """Name of the command to its key; where the mode has taken the key, a letter that nothing else uses; "" when they run out.

    >>> command_keys(["0", "1", "S"])["skip"]
    'a'
    """
    used = {key.lower() for key in taken}
    free = (letter for letter in ascii_lowercase if letter not in used | {key for key, _ in COMMANDS.values()})
    return {name: key if key not in used else next(free, "") for name, (key, _) in COMMANDS.items()}


def letters_for(count: int, taken: Collection[str]) -> list[str]:
    """Letters that nothing else uses, in alphabetical order; "" when they run out.

    >>> letters_for(3, taken=["a", "1"])
    ['d', 'e', 'i']
    """
    used = {key.lower() for key in taken} | set(command_keys(taken).values())
    free = (letter for letter in ascii_lowercase if letter not in used)
    return [key for key, _ in zip(chain(free, repeat("")), range(count), strict=False)]
