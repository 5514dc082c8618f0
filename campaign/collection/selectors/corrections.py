"""Errata of a task, and which version of a text somebody had."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from campaign.collection.selectors.topics import topics_are_in_use
from campaign.models import AuditEvent, Correction, Run, Task
from campaign.text.plurals import listed

REMOVE_TOPIC, PUT_TOPIC_BACK = "remove topic", "put topic back"
"""The verbs of their audit events, which belong to the task."""
NAMED_AT_MOST = 5
FACTS = ("pk", "number", "kind", "key", "version", "before_sha256", "after_sha256", "at")


def texts_are_settled(task: Task) -> bool:
    """Whether others may have seen or used the texts of the task: a change of them is then an erratum."""
    return (
        task.phase != Task.SETUP
        or Run.objects.filter(task=task).exists()
        or topics_are_in_use(task)
        or AuditEvent.objects.filter(object_type="task", object_id=str(task.pk), verb="enter phase").exists()
    )


def errata_of(task: Task) -> "QuerySet[Correction]":
    """The newest first."""
    return Correction.objects.filter(task=task).order_by("-number")


def corrections_by_text(task: Task, kinds: Iterable[str], keys: Iterable[str] | None = None) -> "ByText":
    """The corrections of each text, the oldest first, without the texts themselves. `keys`: only of these."""
    found = Correction.objects.filter(task=task, kind__in=kinds).order_by("number").only(*FACTS)
    if keys is not None:
        found = found.filter(key__in=set(keys))
    by_text: dict[tuple[str, str], list[Correction]] = defaultdict(list)
    for correction in found:
        by_text[correction.kind, correction.key].append(correction)
    return dict(by_text)


ByText = Mapping[tuple[str, str], Sequence[Correction]]


def seen_version(corrections: Sequence[Correction], sha256: str, at: datetime) -> int:
    """The version of a text whose SHA-256 somebody had; the one that stood at the moment where that tells nothing.

    `corrections`: all of the text, the oldest first. A text that was put back has one SHA-256 for two versions.
    """
    stood = 1 + sum(correction.at <= at for correction in corrections)
    hashes = [one.before_sha256 for one in corrections[:1]] + [one.after_sha256 for one in corrections]
    same = [version for version, known in enumerate(hashes, start=1) if sha256 and known == sha256]
    return max((version for version in same if version <= stood), default=same[0]) if same else stood


@dataclass(frozen=True, slots=True)
class LaterErrata:
    """Errata that came after a moment: `text` names or counts them."""

    first: int
    text: str


def errata_after(task: Task, moment: datetime) -> LaterErrata | None:
    numbers = list(errata_of(task).filter(at__gt=moment).order_by("number").values_list("number", flat=True))
    if not numbers:
        return None
    if len(numbers) == 1:
        return LaterErrata(numbers[0], f"erratum {numbers[0]}")
    if len(numbers) <= NAMED_AT_MOST:
        return LaterErrata(numbers[0], f"errata {listed([str(number) for number in numbers])}")
    return LaterErrata(numbers[0], f"{len(numbers)} errata, the first of which is number {numbers[0]}")
