"""What can be verified of a site: each room registers how the records that it keeps are compared with what they rest on.

No room knows the rooms after it. The command `manage.py verify` and the job of the operations page run what is registered.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from django.db import DatabaseError
from django.db.models import Model, QuerySet

from campaign.snapshot import one_state
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError

SECTIONS = {
    "files": "stored files, by their checksums",
    "pools": "frozen pools, by their entries and runs",
    "judgments": "which judgments stand, by the acts",
    "qrels": "versions of the qrels, by the acts and decisions that they were released from",
    "scores": "a sample of scores, computed anew from the stored run and qrels",
    "boards": "stored and published boards, by their evaluations",
    "documents": "the stored numbers of the documents of collections, by their rows",
    "errata": "texts and their versions, by their checksums",
    "audit": "the log, by the checksums that it has of releases",
}
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


Verifier = Callable[[Extent], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class _Check:
    section: str
    verifier: Verifier
    in_one_state: bool


_checks: list[_Check] = []


def verify_with(section: str, verifier: Verifier, *, in_one_state: bool = True) -> None:
    """Register a comparison of a section. `in_one_state`: it reads the database as it is at one moment, and writes nothing."""
    if section not in SECTIONS:
        raise ValueError(f"There is no section “{section}” of the verification.")
    check = _Check(section, verifier, in_one_state)
    if check not in _checks:
        _checks.append(check)


def verify_sections(sections: Sequence[str], extent: Extent) -> Iterator[Finding]:
    """What is found in these sections, in the order of `SECTIONS`; others may go on writing meanwhile."""
    for section, about in SECTIONS.items():
        if section not in sections:
            continue
        extent.report(about)
        for check in _checks:
            if check.section == section:
                yield from _found(check, extent)


def _found(check: _Check, extent: Extent) -> Iterator[Finding]:
    """What one comparison finds. That it breaks off is a finding as well: the others go on."""
    try:
        with one_state() if check.in_one_state else nullcontext():
            yield from check.verifier(extent)
    except StorageAwayError:  # no finding: whoever asked for the verification begins it again
        raise
    except (DatabaseError, DamagedFileError, OSError, LookupError, ValueError) as problem:
        what = f"{type(problem).__name__}: {problem}"
        text = f"It broke off, so that the rest of it was not compared. {what}"
        yield Finding(check.section, f"the section {check.section}", text, "Mend what it names, then verify again.")


def first_of(rows: "QuerySet[Model]") -> tuple[list[str], int]:
    """The keys of the first rows as texts, and how many there are besides."""
    keys = [str(pk) for pk in rows.order_by("pk").values_list("pk", flat=True)[: MOST_OF_A_KIND + 1]]
    more = rows.count() - MOST_OF_A_KIND if len(keys) > MOST_OF_A_KIND else 0
    return keys[:MOST_OF_A_KIND], more
