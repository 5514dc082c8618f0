"""Counts of one assessor's judgments, which add up over documents."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from math import ceil
from typing import Any

from judging.judgments.selectors.acts import Said

PACE_DAYS = 7
DAYS_FORESEEN = 3650


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """How many documents of one assessor are of each kind, as their last judgments say.

    `left`: not judged yet. `grades`: by grade. `cannot_judge`: without a grade. `noted`: with a note.
    `days`: judged, by day (UTC). `timed`: judged documents of which the time is known; `active_ms`: the time of all of those.
    """

    left: int = 0
    grades: dict[int, int] = field(default_factory=dict)
    cannot_judge: int = 0
    timed: int = 0
    active_ms: int = 0
    flagged: int = 0
    noted: int = 0
    days: dict[date, int] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        return sum(self.grades.values()) + self.cannot_judge

    @property
    def mean_seconds(self) -> float | None:
        return self.active_ms / self.timed / 1000 if self.timed else None

    def exchanged(self, before: "OwnCounts", now: "OwnCounts") -> "OwnCounts":
        """These counts with some documents counted as they stand now, and no more as they stood before."""
        return OwnCounts(
            **{
                each.name: _exchanged(*(getattr(one, each.name) for one in (self, before, now)))
                for each in fields(self)
            }
        )


def _exchanged(whole: Any, before: Any, now: Any) -> Any:
    if isinstance(whole, Mapping):
        keys = {**whole, **now}
        counts = {key: whole.get(key, 0) - before.get(key, 0) + now.get(key, 0) for key in keys}
        return {key: count for key, count in counts.items() if count}
    return whole - before + now


class Tally:
    def __init__(self) -> None:
        self.left = self.cannot_judge = self.timed = self.active_ms = self.flagged = self.noted = 0
        self.grades: Counter[int] = Counter()
        self.days: Counter[date] = Counter()

    def add(self, said: Said) -> None:
        is_timed, time = said.active_ms is not None, said.active_ms or 0
        self.add_all(said.is_judged, said.grade, said.day, 1, said.is_flagged, said.has_note, is_timed, time)

    def add_all(
        self,
        is_judged: bool,
        grade: int | None,
        day: date,
        count: int,
        flags: int,
        notes: int,
        timed: int,
        active_ms: int,
    ) -> None:
        """So many acts alike: judged or not, of this grade, on this day; what of them is flagged, noted and timed."""
        self.flagged += flags
        self.noted += notes
        if not is_judged:
            return
        self.days[day] += count
        if grade is None:
            self.cannot_judge += count
        else:
            self.grades[grade] += count
        self.timed += timed
        self.active_ms += active_ms

    def counted(self) -> OwnCounts:
        values = {
            name: getattr(self, name) for name in ("left", "cannot_judge", "timed", "active_ms", "flagged", "noted")
        }
        return OwnCounts(grades=dict(self.grades), days=dict(self.days), **values)


def pace_per_day(days: Mapping[date, int], today: date) -> float | None:
    """Documents a day over the last 7 days, or since the first one if that was later; None where nothing was judged then.

    >>> today = date(2026, 3, 10)
    >>> pace_per_day({date(2026, 3, 9): 30, today: 10}, today), pace_per_day({date(2026, 3, 1): 30}, today)
    (20.0, None)
    """
    since = today - timedelta(days=PACE_DAYS - 1)
    judged = sum(count for day, count in days.items() if since <= day <= today)
    if not judged:
        return None
    first = max(since, min(days))
    return judged / ((today - first).days + 1)


def expected_end(left: int, pace: float | None, today: date) -> date | None:
    """The day on which so many documents are judged at this pace; None without one, and beyond ten years.

    >>> expected_end(50, 20.0, date(2026, 3, 10)), expected_end(50, None, date(2026, 3, 10))
    (datetime.date(2026, 3, 13), None)
    """
    days = ceil(left / pace) if pace else DAYS_FORESEEN + 1
    return today + timedelta(days=days) if days <= DAYS_FORESEEN else None
