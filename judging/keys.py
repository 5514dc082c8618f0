"""PURE: which key does what at the desk. The mode's own keys come first; a command whose key they take has none."""

from collections.abc import Collection, Iterable
from itertools import chain, repeat
from string import ascii_lowercase

COMMANDS = {
    "cannot_judge": ("x", "cannot judge this document"),
    "undo": ("u", "undo the last judgment and go back to its document"),
    "skip": ("s", "skip: the document comes back at the end"),
    "unjudged": ("n", "next document without a judgment"),
    "following": ("j", "next document, judged or not (also →)"),
    "previous": ("k", "document before this one (also ←)"),
    "hit": ("h", "next marked word"),
    "note": ("m", "write a note (Esc leaves it)"),
    "find": ("f", "find more documents of the topic in the collection"),
    "words": ("w", "mark words of your own (Esc leaves it)"),
}


def command_keys(taken: Iterable[str]) -> dict[str, str]:
    """Name of the command to its key; "" where the mode has taken the key.

    >>> command_keys(["0", "1", "S"])["skip"]
    ''
    """
    lower = {key.lower() for key in taken}
    return {name: "" if key in lower else key for name, (key, _) in COMMANDS.items()}


def letters_for(count: int, taken: Collection[str]) -> list[str]:
    """Letters that nothing else uses, in alphabetical order; "" when they run out.

    >>> letters_for(3, taken=["a", "1"])
    ['b', 'c', 'd']
    """
    used = {key.lower() for key in taken} | {key for key, _ in COMMANDS.values()}
    free = (letter for letter in ascii_lowercase if letter not in used)
    return [key for key, _ in zip(chain(free, repeat("")), range(count), strict=False)]
