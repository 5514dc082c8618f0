"""How the records that a site keeps are compared with what they rest on: what is found, and how much was looked at."""

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from campaign.database.readable import Unreadable, named, readable_rows
from campaign.storage.interface import StorageAwayError, is_lost

M = TypeVar("M", bound=Model)
logger = logging.getLogger(__name__)

SAMPLE = 20
MOST_OF_A_KIND = 20
"""Findings that one check names one by one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`subject`: what is wrong, as a person finds it. `text`: what is wrong with it. `remedy`: what to do. Both are sentences."""

    section: str
    subject: str
    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.text} {self.remedy}".strip()


@dataclass(slots=True)
class Extent:
    """How much is looked at, and what was. `sample`: number of scores to compute anew, None for all; `seed`: of that choice.

    `looked`: what was compared, in words, with its number. `notes`: sentences on what could not be compared, and is no fault.
    """

    sample: int | None = SAMPLE
    seed: int = 0
    report: Callable[[str], None] = lambda words: None
    looked: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def chosen(self, keys: Sequence[int]) -> list[int]:
        """The sample of these keys, in their order; the same for the same seed."""
        if self.sample is None or self.sample >= len(keys):
            return list(keys)
        return sorted(random.Random(self.seed).sample(sorted(keys), self.sample))


NOT_FOUND_OUT = (StorageAwayError, SoftTimeLimitExceeded)
"""No findings: whoever asked for the verification begins it again."""
MEND = "Mend what it names, then verify again."
MOST_OF_A_PROBLEM = 500
Verifier = Callable[[Extent], Iterator[Finding]]


def each_by_itself(
    section: str, rows: "QuerySet[M]", compare: Callable[[M], Iterator[Finding]], chunk_size: int = 100
) -> Iterator[Finding]:
    """What is found of each row. One that cannot be read, or whose comparison breaks off, is a finding; the others go on."""
    for row in readable_rows(rows, chunk_size):
        if isinstance(row, Unreadable):
            yield Finding(section, row.name, f"It cannot be read: {row.problem}", MEND)
            continue
        try:
            # A statement that the database refuses must not end the transaction of the whole comparison.
            with transaction.atomic() if connection.in_atomic_block else nullcontext():
                found = list(compare(row))
        except NOT_FOUND_OUT:
            raise
        except Exception as problem:
            if is_lost(problem):
                raise
            name = named(type(row), row.pk)
            logger.exception("the comparison of %s broke off", name)
            found = [Finding(section, name, f"It cannot be compared: {what_failed(problem)}", MEND)]
        yield from found


def what_failed(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:MOST_OF_A_PROBLEM]


def first_of(rows: "QuerySet[Model]") -> tuple[list[str], int]:
    """The keys of the first rows as texts, and how many there are besides."""
    keys = [str(pk) for pk in rows.order_by("pk").values_list("pk", flat=True)[: MOST_OF_A_KIND + 1]]
    more = rows.count() - MOST_OF_A_KIND if len(keys) > MOST_OF_A_KIND else 0
    return keys[:MOST_OF_A_KIND], more
