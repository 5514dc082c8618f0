"""PURE: numbers and lists in sentences."""

from collections.abc import Sequence


def number_of(count: int | None, noun: str) -> str:
    """A number with its noun, an en dash for None; an irregular plural follows a comma.

    >>> number_of(1, "run"), number_of(1200, "run"), number_of(0, "person,people"), number_of(None, "line")
    ('1 run', '1,200 runs', '0 people', '– lines')
    """
    singular, _, plural = noun.partition(",")
    number = "–" if count is None else f"{count:,}"
    return f"{number} {singular if count == 1 else plural or singular + 's'}"


def work_time(hours: float) -> str:
    """How long work is expected to take: minutes below an hour, never none.

    >>> work_time(0.004), work_time(0.25), work_time(0.999), work_time(12.34)
    ('1 min', '15 min', '1.0 h', '12.3 h')
    """
    minutes = max(1, round(hours * 60))
    return f"{minutes} min" if minutes < 60 else f"{hours:.1f} h"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["Runs"]), listed(["Runs", "Pool"]), listed(["Runs", "Pool", "Judging"])
    ('Runs', 'Runs and Pool', 'Runs, Pool and Judging')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
