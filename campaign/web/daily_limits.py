"""What is made within a day has a limit, where nothing else bounds how much a site keeps of it."""

import time
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils import timezone

from campaign.database import clock
from campaign.models import User
from campaign.text.plurals import number_of
from campaign.web.cache import count_of, count_up, transactional_cache

DAY = timedelta(days=1)
SECONDS = int(DAY.total_seconds())
MOST_CHANGES_A_DAY = 2_000
"""Of one person: the log keeps what was there before each, and what was after."""
TOGETHER = 2
"""How many times as much as one person the organisers of a campaign make."""


def require_few_rows(rows: "QuerySet[Any]", made_at: str, by_actor: Mapping[str, object], most: int, what: str) -> None:
    """ValidationError where the actor made `most` of the rows within a day, or all people `TOGETHER` times as many.

    So one organiser cannot use up what another needs. `made_at` names a column; `by_actor` filters the rows, and the
    sentence calls them `what`.
    """
    today = rows.filter(clock.within(made_at, DAY, timezone.now()))
    if today.filter(**by_actor).count() >= most:
        raise _reached(what, most)
    if today.count() >= TOGETHER * most:
        raise ValidationError(
            f"All organisers together have reached the limit of {TOGETHER * most:,} {what} within a day. Go on tomorrow."
        )


def require_few_of_person(actor: Model, what: str, most: int, number: int = 1) -> None:
    """Count so many more; ValidationError beyond `most`. Call it once in the transaction that makes them all.

    What is rolled back is not counted.
    """
    if count_up(_key(actor, what), SECONDS, number, store=transactional_cache()) > most:
        raise _reached(what, most, number)


class MadeAgain:
    """What replaces stored acts of an actor, in one transaction: so many a day. What is stored for the first time has no limit.

    What is left is asked once, and only what is stored is counted; transactions at once may together pass the limit a little.
    Each takes one counter: two, in another order than elsewhere, would be a deadlock.
    """

    def __init__(self, actor: Model, noun: str, most: int) -> None:
        self._actor, self._noun, self._most = actor, noun, most
        self._number = 0

    def add(self) -> None:
        """One more, after all else that could refuse it; ValidationError where none is left."""
        if self._number >= self._left:
            raise ValidationError(
                f"This was not stored: the limit of {number_of(self._most, self._noun)} within a day is reached. "
                "Do it again tomorrow. What is stored for the first time has no limit."
            )
        self._number += 1

    def count(self) -> None:
        """Count those that were added, in the transaction that stores them."""
        if self._number:
            count_up(_key(self._actor, self._noun), SECONDS, self._number, store=transactional_cache())

    @cached_property
    def _left(self) -> int:
        return left_of_person(self._actor, self._noun, self._most)


def left_of_person(actor: Model, what: str, most: int) -> int:
    """How many more the person may make today. Counts nothing."""
    return most - count_of(_key(actor, what), store=transactional_cache())


def require_left(number: int, left: int, what: str, most: int) -> None:
    """ValidationError where so many more would pass `most`, of which so many are left."""
    if number > left:
        raise _reached(what, most, number)


def _key(actor: Model, what: str) -> str:
    return f"{what.replace(' ', '-')}-a-day-{actor.pk}-{int(time.time() // SECONDS)}"


def _reached(what: str, most: int, number: int = 1) -> ValidationError:
    if number > most:  # it will not fit tomorrow either
        return ValidationError(
            f"This alone passes your limit of {most:,} {what} within a day. Divide it over several days."
        )
    return ValidationError(f"You have reached your limit of {most:,} {what} within a day. Go on tomorrow.")


def require_few_changes(actor: User, number: int = 1) -> None:
    """As `require_few_of_person`, for what can be done to the same thing again and again."""
    require_few_of_person(actor, "changes", MOST_CHANGES_A_DAY, number)
