"""Errata as pages and programs show them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaign.collection.selectors.corrections import corrections_by_text, errata_of
from campaign.formats.text_changes import Piece, text_changes
from campaign.models import Correction, Task, Topic

CountEarlierVersions = Callable[[Task, Sequence[Correction]], Mapping[int, int]]
_earlier_versions: list[CountEarlierVersions] = []


def count_earlier_versions_with(count: CountEarlierVersions) -> None:
    """Register what counts the judgments of earlier versions: it belongs to a later app."""
    _earlier_versions[:] = [count]


@dataclass(frozen=True, slots=True)
class Part:
    label: str
    pieces: list[Piece]


@dataclass(frozen=True, slots=True)
class Erratum:
    """`page` leads to what was corrected; `judged`: judgments made with earlier versions, None for who must not know."""

    correction: Correction
    what: str
    page: str
    parts: list[Part]
    judged: int | None


def errata_shown(
    task: Task, corrections: Iterable[Correction], *, reads_documents: bool, organises: bool
) -> list[Erratum]:
    """Texts of documents are shown to those only who may read them."""
    listed = list(corrections)
    judged = _earlier_versions[0](task, listed) if organises and _earlier_versions else {}
    return [
        Erratum(
            correction,
            what_is_corrected(correction),
            _page(task, correction, reads_documents=reads_documents),
            list(_parts(correction)) if reads_documents or correction.kind != Correction.DOCUMENT else [],
            judged.get(correction.pk),
        )
        for correction in listed
    ]


def what_is_corrected(correction: Correction) -> str:
    if correction.kind == Correction.SCORING:
        counts = correction.after["scored"]
        return f"Topic {correction.key} {'put back into' if counts else 'removed from'} scoring"
    nouns = {Correction.TOPIC: "Topic", Correction.DOCUMENT: "Document", Correction.GRADE: "Grade"}
    return f"{nouns[correction.kind]} {correction.key}" if correction.kind in nouns else "Guidelines"


def _page(task: Task, correction: Correction, *, reads_documents: bool) -> str:
    if correction.kind in (Correction.TOPIC, Correction.SCORING):
        return task.url("topic_detail", topic_number=correction.key)
    if correction.kind == Correction.DOCUMENT:
        return task.url("document_detail", docno=correction.key) if reads_documents else ""
    return f"{task.get_absolute_url()}#guidelines" if correction.kind == Correction.GUIDELINES else ""


def _parts(correction: Correction) -> Iterator[Part]:
    if correction.kind == Correction.SCORING:
        return
    for name, before in correction.before.items():
        after = correction.after[name]
        if name == "subtopics":
            numbers = [number for number in before if before[number] != after[number]]
            yield from (Part(f"Subtopic {one}", text_changes(before[one], after[one])) for one in numbers)
        else:
            yield Part(name.capitalize(), text_changes(before, after))


def versions_of(task: Task, kinds: Sequence[str], key: str) -> Sequence[Correction]:
    """The corrections of one text with their notes, the oldest first."""
    return list(errata_of(task).filter(kind__in=kinds, key=key).defer("before", "after").order_by("number"))


def versions_of_topics(task: Task, topics: Iterable[Topic]) -> dict[str, int]:
    """Number to version, of those topics whose text was corrected."""
    found = corrections_by_text(task, [Correction.TOPIC], [topic.number for topic in topics])
    return {key: corrections[-1].version for (_, key), corrections in found.items()}
