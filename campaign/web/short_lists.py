"""Lists of topics and of runs on pages: a filter, as many rows as a reader takes in, and a link to all. Files keep every row."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.http import QueryDict

from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.text.tokens import folded

SHOWN = 20
Row = TypeVar("Row")


def first_rows(rows: list[Row]) -> list[Row]:
    return rows[:SHOWN]


@dataclass(frozen=True)
class ShortList(Generic[Row]):
    """`rows`: those to show. `total`: how many the list has; `matching`: how many the filter `search` leaves.

    `of`: topic or run.
    """

    rows: list[Row]
    total: int
    matching: int
    search: str = ""
    of: str = "topic"

    @property
    def is_long(self) -> bool:
        return self.total > SHOWN

    @property
    def left_out(self) -> int:
        return self.matching - len(self.rows)

    @property
    def is_opened(self) -> bool:
        """Whether all of many rows are shown, because somebody asked for them."""
        return self.is_long and not self.left_out

    @property
    def in_words(self) -> str:
        words = number_of(self.total, self.of)
        if self.search:
            words = f"{self.matching:,} of {words} {'matches' if self.matching == 1 else 'match'}"
        return f"{words}, {len(self.rows):,} shown" if self.left_out else words


def short_list(
    query: QueryDict,
    rows: Iterable[Row],
    names: Callable[[Row], str],
    cut: Callable[[list[Row]], list[Row]] = first_rows,
    *,
    of: str = "topic",
) -> ShortList[Row]:
    """The rows that `?search=` and `?topics=all`, or `?runs=all`, ask for.

    A list of at most SHOWN rows is shown whole, whatever they ask.

    A row matches if `names`, number and title or tag and team, hold each word of the search: in any order, case and accents
    aside.
    `cut` chooses among more than SHOWN matching rows.
    """
    every = list(rows)
    if len(every) <= SHOWN:
        return ShortList(every, len(every), len(every), of=of)
    search = query.get("search", "")[: limits.SEARCH].strip()
    words = folded(search).split()
    matching = [row for row in every if not words or _holds(folded(names(row)), words)]
    is_cut = len(matching) > SHOWN and query.get(f"{of}s") != "all"
    return ShortList(cut(matching) if is_cut else matching, len(every), len(matching), search if words else "", of)


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)
