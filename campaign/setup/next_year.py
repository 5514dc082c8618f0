"""What next year's campaign is proposed to be, made of this year's."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import count
from typing import Any

YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
LONGEST_SLUG, LONGEST_TITLE = 50, 120


def next_year(text: str) -> str:
    """The text with every year in it one higher.

    >>> next_year("Velo 2026"), next_year("velo-2026"), next_year("Velo")
    ('Velo 2027', 'velo-2027', 'Velo')
    """
    return YEAR.sub(lambda match: str(int(match.group()) + 1), text)


def free_slug(slug: str, taken: Collection[str]) -> str:
    """The address of next year, or with a number behind it where that is taken.

    >>> free_slug("velo", {"velo"}), free_slug("velo-2026", {"velo-2026"})
    ('velo-2', 'velo-2027')
    """
    stem = next_year(slug)[: LONGEST_SLUG - 4]
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def a_year_later(moment: datetime) -> datetime:
    """The same date and clock time, also where the offset of the zone differs; 29 February becomes 28 February.

    >>> a_year_later(datetime(2028, 2, 29, 23, 59))
    datetime.datetime(2029, 2, 28, 23, 59)
    """
    local = moment.replace(tzinfo=None)
    try:
        return local.replace(year=local.year + 1)
    except ValueError:
        return local.replace(year=local.year + 1, day=28)


def with_dates(tasks: list[Mapping[str, Any]], *, shifted: bool) -> list[dict[str, Any]]:
    """The tasks of a blueprint with their dates a year later, or without any."""
    names = ("opens_at", "closes_at")
    return [
        {
            name: a_year_later(value) if name in names else value
            for name, value in task.items()
            if shifted or name not in names
        }
        for task in tasks
    ]
