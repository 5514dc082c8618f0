"""Which key does what at the desk. The scale's own keys come first; what they take is left without a key."""

from collections.abc import Iterable
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
    "words": ("w", "mark words of your own (Esc leaves it)"),
}


def command_keys(grade_keys: Iterable[str]) -> dict[str, str]:
    """Name of the command to its key; "" where a grade has the key."""
    taken = {key.lower() for key in grade_keys}
    return {name: "" if key in taken else key for name, (key, _) in COMMANDS.items()}


def subtopic_keys(count: int, grade_keys: Iterable[str]) -> list[str]:
    """Letters that nothing else uses, in order; "" when they run out."""
    taken = {key.lower() for key in grade_keys} | {key for key, _ in COMMANDS.values()}
    free = (letter for letter in ascii_lowercase if letter not in taken)
    return [key for key, _ in zip(chain(free, repeat("")), range(count), strict=False)]


def key_list(grades: Iterable[tuple[str, str]], subtopics: Iterable[tuple[str, str]] = ()) -> list[dict[str, str]]:
    """What the keys dialog says: grades as (key, label), subtopics as (key, number), then the commands."""
    scale = list(grades)
    keys = command_keys(key for key, _ in scale)
    rows = [{"key": key, "does": f"grade {label}, save, next document"} for key, label in scale]
    rows += [{"key": key, "does": f"the document covers subtopic {number}, or not"} for key, number in subtopics if key]
    return rows + [{"key": key, "does": COMMANDS[name][1]} for name, key in keys.items() if key]
