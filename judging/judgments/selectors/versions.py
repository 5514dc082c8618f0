"""Which version of topic and document each judgment saw, where texts were corrected."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Count, Q

from campaign.collection.selectors.corrections import ByText, corrections_by_text, seen_version
from campaign.models import Correction, Task
from judging.models import Judgment

OF_GUIDELINES = (Correction.GUIDELINES, Correction.GRADE)
"""Assessors see both together: one SHA-256 stands for both."""
HASHES = {Correction.TOPIC: "topic_sha256", Correction.DOCUMENT: "text_sha256"}


class SeenVersions:
    """Versions by the SHA-256 that a judgment recorded; 1 for texts that were never corrected."""

    def __init__(self, task: Task, keys: Iterable[str] | None = None) -> None:
        """`keys`: topic numbers and docnos; without them those of the whole task."""
        self._corrections: ByText = corrections_by_text(task, HASHES, keys)

    def topic(self, number: str, sha256: str, at: datetime) -> int:
        return seen_version(self._corrections.get((Correction.TOPIC, number), ()), sha256, at)

    def document(self, docno: str, sha256: str, at: datetime) -> int:
        return seen_version(self._corrections.get((Correction.DOCUMENT, docno), ()), sha256, at)

    def of(self, act: Judgment) -> dict[str, int]:
        return {
            "topic_version": self.topic(act.topic.number, act.topic_sha256, act.received_at),
            "document_version": self.document(act.docno, act.text_sha256, act.received_at),
        }

    def are_several(self, act: Judgment) -> bool:
        """Whether topic or document of the judgment was ever corrected."""
        texts = {(Correction.TOPIC, act.topic.number), (Correction.DOCUMENT, act.docno)}
        return not texts.isdisjoint(self._corrections)


def made_with_earlier_versions(task: Task, corrections: Sequence[Correction]) -> dict[int, int]:
    """How many judgments that count were made with earlier versions than that of each correction."""
    by_text = _by_text(task)
    wanted = {one.pk: _made_before(one, by_text[_text(one)]) for one in corrections if one.is_of_text}
    if not wanted:
        return {}
    acts = Judgment.objects.of_task(task.pk).filter(is_current=True, verdict=Judgment.GRADED)
    counts = acts.aggregate(**{f"c{key}": Count("pk", filter=condition) for key, condition in wanted.items()})
    return {key: counts[f"c{key}"] for key in wanted}


def _text(correction: Correction) -> tuple[str, str]:
    return (Correction.GUIDELINES, "") if correction.kind in OF_GUIDELINES else (correction.kind, correction.key)


def _by_text(task: Task) -> Mapping[tuple[str, str], list[Correction]]:
    found = corrections_by_text(task, [*HASHES, *OF_GUIDELINES])
    by_text: dict[tuple[str, str], list[Correction]] = {}
    for one in sorted((one for corrections in found.values() for one in corrections), key=lambda one: one.number):
        by_text.setdefault(_text(one), []).append(one)
    return by_text


def _made_before(correction: Correction, of_text: Sequence[Correction]) -> Q:
    """By the SHA-256 where that tells; by the time where it is not known, or stands for an earlier and a later version."""
    earlier = {one.before_sha256 for one in of_text if one.number <= correction.number}
    later = {one.after_sha256 for one in of_text if one.number >= correction.number}
    field = HASHES.get(correction.kind, "guidelines_sha256")
    told = Q(**{f"{field}__in": earlier - later})
    untold = ~Q(**{f"{field}__in": earlier ^ later}) & Q(received_at__lt=correction.at)
    made = told | untold
    if correction.kind == Correction.TOPIC:
        return made & Q(topic__number=correction.key)
    return made & Q(docno=correction.key) if correction.kind == Correction.DOCUMENT else made
