"""Calendar files (RFC 5545): events without duration, at times in UTC."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

MOST_OCTETS = 75
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Event:
    """`uid` stays the same for good, so that a calendar that reads the file again moves the event."""

    uid: str
    at: datetime
    summary: str
    url: str
    changed_at: datetime


def calendar_lines(name: str, events: Iterable[Event]) -> Iterator[str]:
    r"""Yield the lines of the file, folded, with their ends.

    >>> list(calendar_lines("Dates", []))[-2:]
    ['X-WR-CALNAME:Dates\r\n', 'END:VCALENDAR\r\n']
    """
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Runpool//Campaign dates//EN", "CALSCALE:GREGORIAN"]
    lines = [*head, f"X-WR-CALNAME:{escaped(name)}"]
    for event in events:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{event.uid}",
            f"DTSTAMP:{_utc(event.changed_at)}",
            f"LAST-MODIFIED:{_utc(event.changed_at)}",
            f"DTSTART:{_utc(event.at)}",
            f"SUMMARY:{escaped(event.summary)}",
            *([f"URL:{CONTROLS.sub('', event.url)}"] if event.url else []),
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    for line in [*lines, "END:VCALENDAR"]:
        yield from folded(line)


def escaped(text: str) -> str:
    r"""A text as a value: backslash, semicolon, comma and line break escaped, control characters left out.

    >>> escaped("papers, posters;\nor \\ both")
    'papers\\, posters\\;\\nor \\\\ both'
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = CONTROLS.sub("", plain).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return plain.replace("\n", "\\n")


def folded(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most 75 octets without their ends, cut between characters; later ones begin with a blank."""
    piece, octets = "", 0
    for character in line:
        size = len(character.encode("utf-8", "replace"))
        if octets + size > MOST_OCTETS:
            yield f"{piece}\r\n"
            piece, octets = " ", 1
        piece, octets = piece + character, octets + size
    yield f"{piece}\r\n"


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
