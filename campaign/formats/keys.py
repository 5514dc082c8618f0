"""Topic numbers and docnos, the keys of every file."""

from campaign.formats.problems import KEY_LENGTH_LIMIT, visible
from campaign.text.limits import DIRECTION_MARKS


def key_problem(key: str, what: str) -> tuple[str, str, str] | None:
    """What is wrong with a topic number or docno as a field of a run: (code ending, message, remedy)."""
    if 0 < len(key) <= KEY_LENGTH_LIMIT and key.isascii() and key.isprintable() and " " not in key:
        return None  # nearly all of them, and there may be millions
    if not key:
        return "missing", f"There is no {what}.", f"Give the {what}."
    if any(character.isspace() for character in key):
        return "space", f"The {what} {visible(key)!r} holds white space.", "Runs separate columns by it: take it out."
    if any(mark in DIRECTION_MARKS for mark in key):
        message = f"The {what} {visible(key)} holds marks that turn the direction of letters."
        return "direction", message, "Nobody sees them: take them out."
    if len(key) > KEY_LENGTH_LIMIT:
        return "long", f"The {what} has {len(key)} characters, the maximum is {KEY_LENGTH_LIMIT}.", "Shorten it."
    return None
