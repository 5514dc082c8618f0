"""Dates and times as people and programs write them: the one reader of whatever comes in."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from campaign.formats.problems import visible

MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ](?P<time>[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)"
    r" ?(?P<zone>[Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?"
)
ZONE_IN_LETTERS = re.compile(
    rf"{MOMENT.pattern} ?(?:[A-Z]{{2,5}}(?:[+-][0-9:]+)?|AoE|[A-Z][A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+"
    r"|\[[A-Za-z0-9_/+-]+\]|\([A-Za-z /+-]+\))"
)
"""A moment with the name of a zone behind it: summer time makes some ambiguous, and CST is one in China and America."""
HALVES = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ](?P<hour>[0-9]{1,2})(?P<rest>(:[0-5][0-9]){1,2})? ?(?P<half>[AP])\.?M\.?",
    re.IGNORECASE,
)
"""The clock of twelve hours."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
SECONDS = re.compile(r"[0-9]{9,}")
"""Seconds since 1970: a date has eight digits, and Python reads some texts of ten as one."""
LONGEST = 40
FIRST_YEAR, LAST_YEAR = 1900, 9998
"""Beyond, some time zones have no such moment, and the driver of PostgreSQL can read no row that holds it."""
EARLIEST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC)
LATEST = datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC) - timedelta(microseconds=1)


class MomentError(ValueError):
    """Why a text is no moment, or no day, and what to write; without a full stop."""


def read_moment(value: object) -> datetime:
    """Read a date with its time, to the minute at least; naive where it names no zone.

    A date alone is refused: as a deadline, some take it for its last minute and some for its first. A number is refused too: one
    program means seconds by it, another one a date. MomentError says what to write.

    >>> read_moment("2027-03-15 23:59"), read_moment("2027-03-15T23:59Z").tzinfo
    (datetime.datetime(2027, 3, 15, 23, 59), datetime.timezone.utc)
    >>> read_moment("2027-03-15")
    Traceback (most recent call last):
    campaign.formats.moments.MomentError: “2027-03-15” is a date without a time. Give the time, such as 2027-03-15 23:59
    """
    if isinstance(value, datetime):
        return value
    text = str(value).strip()
    found = MOMENT.fullmatch(text)
    if half := HALVES.fullmatch(text):
        raise MomentError(f"“{visible(text, LONGEST)}” is of a clock of twelve hours. Write {_of_24_hours(half)}")
    if ZONE_IN_LETTERS.fullmatch(text) and not found:
        write = "Write the offset in place of the name, such as +01:00, or -12:00 for anywhere on Earth"
        raise MomentError(f"“{visible(text, LONGEST)}” names a time zone. {write}")
    try:
        if found:
            return datetime.fromisoformat(f"{found['day']}T{found['time']}{(found['zone'] or '').upper()}")
        day = date.fromisoformat("" if SECONDS.fullmatch(text) else text)
    except ValueError:  # also what is well formed, but no date, as 30 February
        raise MomentError(f"“{visible(text, LONGEST)}” is no date and time. Write it like 2026-11-30T23:59") from None
    raise MomentError(f"“{text}” is a date without a time. Give the time, such as {day} 23:59")


def _of_24_hours(written: re.Match[str]) -> str:
    hour = int(written["hour"])
    if not 1 <= hour <= 12:
        return "the hour from 00 to 23, such as 23:59"
    return f"{hour % 12 + (12 if written['half'] in 'Pp' else 0):02}{written['rest'] or ':00'}"


def read_day(value: object) -> date:
    """Read a date alone. MomentError says what to write.

    >>> read_day("2027-03-15")
    datetime.date(2027, 3, 15)
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    text = str(value).strip()
    try:
        return date.fromisoformat(text if DAY.fullmatch(text) else "")
    except ValueError:  # also what is well formed, but no date, as 30 February
        raise MomentError(f"“{visible(text, LONGEST)}” is no date. Write it like 2026-11-30") from None


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The moment by the clocks of the zone, if it names none itself.

    MomentError where these clocks show it twice or never, as at the end and the beginning of summer time.

    >>> from zoneinfo import ZoneInfo
    >>> in_zone(datetime(2027, 3, 15, 23, 59), ZoneInfo("Europe/Zurich")).isoformat()
    '2027-03-15T23:59:00+01:00'
    """
    if moment.tzinfo is not None:
        return moment
    first, second = moment.replace(tzinfo=zone, fold=0), moment.replace(tzinfo=zone, fold=1)
    if first.utcoffset() == second.utcoffset():
        return first
    how_often = "never" if first.utcoffset() < second.utcoffset() else "twice"  # type: ignore[operator]  # zones have one
    raise MomentError(
        f"Clocks of {zone} show {moment:%Y-%m-%d %H:%M} {how_often}, since they are changed then. "
        "Choose another time, or add the offset, such as +01:00"
    )
