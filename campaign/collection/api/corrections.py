"""Texts corrected by program, and topics taken out of scoring: what becomes an erratum, and who was faster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest
from ninja import Field, Path, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.bodies import MAY_CONFLICT, Body, ChangedMeanwhile, ToConfirm
from campaign.api.fields import Text, one_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.documents import tasks_with
from campaign.collection.selectors.topics import DELETE, PUT_BACK, REMOVE, removal_consequences, topic_texts
from campaign.collection.selectors.versions import text_version, topic_version
from campaign.collection.services import topic_corrections as services
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.collection.services.document_corrections import document_correct
from campaign.log.audit import last_editor
from campaign.measures import measure_answers
from campaign.models import Correction, Document, Task, Topic
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text import limits

router = Router(tags=["Organising: corrections"])
TOPIC = f"{TASK}/topics/{{topic:number}}"
Texts = Mapping[Any, Any]
"""Of a text by its name; those of subtopics and grades by number within."""
DOCUMENT = f"{TASK}/document-texts/{{path:docno}}"


class CorrectionIn(Body):
    reason: Text = Field("", max_length=limits.REASON, description="For organisers; needed once `is_settled`.")
    note: Text = Field("", max_length=limits.NOTE, description="For everybody, an erratum; needed once `is_settled`.")
    seen_sha256: Text | None = Field(
        None,
        description="Of the texts that you read: if they are others now, the answer is 409. Left out: any.",
        json_schema_extra=MAY_CONFLICT,
    )

    def why(self) -> dict[str, Any]:
        """What services take besides the texts."""
        return {name: getattr(self, name) for name in CorrectionIn.model_fields}

    def texts(self) -> dict[str, Any]:
        """Those that were sent."""
        sent = self.model_dump(exclude_unset=True, exclude_none=True, exclude=set(CorrectionIn.model_fields))
        return dict(sent)


class TopicCorrectionIn(CorrectionIn):
    title: Text | None = Field(None, max_length=limits.TITLE_OF_TOPIC)
    description: Text | None = Field(None, max_length=limits.PART_OF_TOPIC)
    narrative: Text | None = Field(None, max_length=limits.PART_OF_TOPIC)
    subtopics: dict[Text, Text] | None = Field(None, description="Number to text, of those that change.")


class DocumentCorrectionIn(CorrectionIn):
    title: Text | None = Field(None, max_length=limits.TITLE_OF_DOCUMENT)
    text: Text | None = Field(None, max_length=limits.EDITED_ON_A_PAGE)


class WrittenErratum(Schema):
    task: str
    number: int
    kind: str = one_of(Correction.KINDS)
    key: str


class CorrectableTexts(Schema):
    sha256: str = Field(description="Send it as `seen_sha256` with a correction.")
    is_settled: bool = Field(description="Others may have seen them: a correction becomes an erratum.")
    errata: list[WrittenErratum] = Field([], description="That this correction has written.")


class TopicTexts(CorrectableTexts):
    title: str
    description: str
    narrative: str
    subtopics: dict[str, str] = Field(description="Number to text.")


class DocumentTexts(CorrectableTexts):
    title: str
    text: str


class TopicScoringIn(ToConfirm):
    act: Literal["remove", "put_back", "delete"] = Field(
        description="delete: only as long as nobody can have seen the topic, in place of remove."
    )
    reason: Text = Field("", max_length=limits.REASON, description="For organisers; needed but to delete.")
    note: Text = Field("", max_length=limits.NOTE, description="For everybody, an erratum; needed but to delete.")


class TopicScoringOut(Schema):
    act: Literal["remove", "put_back", "delete"] = Field(description="What was done.")


@router.get(f"{TOPIC}/texts", response=TopicTexts, summary="Read a topic to correct it")
def read_topic_texts(request: HttpRequest, path: Path[TaskPath], number: str) -> TopicTexts:
    """For organisers."""
    return _topic_texts(_topic(request, path, number))


@router.patch(f"{TOPIC}/texts", response=TopicTexts, summary="Correct a topic", **ORGANISING)
def correct_topic(request: HttpRequest, path: Path[TaskPath], number: str, data: TopicCorrectionIn) -> TopicTexts:
    """Texts that are not sent stay as they are. Judgments stay, with the version of the topic that their assessor had."""
    topic, actor = _topic(request, path, number), signed_in(request.user)

    def save() -> list[Correction]:
        erratum = services.topic_correct(actor=actor, topic=topic, fields=data.texts(), **data.why())
        return [erratum] if erratum else []

    def stored() -> tuple[str, Texts]:
        now = _now(topic)
        return topic_version(now), topic_texts(now)

    errata = corrected(save, stored, sent=data.texts(), on=topic)
    return _topic_texts(_now(topic), errata)


@router.post(f"{TOPIC}/scoring", response=TopicScoringOut, summary="Take a topic out of scoring", **ORGANISING)
def change_topic_scoring(
    request: HttpRequest, path: Path[TaskPath], number: str, data: TopicScoringIn
) -> TopicScoringOut:
    """Or put it back. A topic that nobody can have seen is deleted."""
    topic = _topic(request, path, number)
    possible = PUT_BACK if topic.removed_at else REMOVE if texts_are_settled(topic.task) else DELETE
    if data.act != possible:
        raise ValidationError({"act": f"This cannot be done with the topic as it is. What can be: {possible}."})
    data.require(removal_consequences(topic, data.act, has_scores=measure_answers().has_scores(topic.task)))
    actor, why = signed_in(request.user), {"reason": data.reason, "note": data.note}
    if data.act == DELETE:
        services.topic_delete(actor=actor, topic=topic)
    elif data.act == PUT_BACK:
        services.topic_put_back(actor=actor, topic=topic, **why)
    else:
        services.topic_remove_from_scoring(actor=actor, topic=topic, **why)
    return TopicScoringOut(act=data.act)


@router.get(DOCUMENT, response=DocumentTexts, summary="Read a document to correct it")
def read_document_texts(request: HttpRequest, path: Path[TaskPath], docno: str) -> DocumentTexts:
    """For organisers. A docno may hold slashes."""
    return _document_texts(_document(request, path, docno))


@router.patch(DOCUMENT, response=DocumentTexts, summary="Correct a document", **ORGANISING)
def correct_document(
    request: HttpRequest, path: Path[TaskPath], docno: str, data: DocumentCorrectionIn
) -> DocumentTexts:
    """In every task that shares the collection, with an erratum in each in which others may have seen it."""
    document, actor = _document(request, path, docno), signed_in(request.user)

    def save() -> list[Correction]:
        return document_correct(actor=actor, document=document, fields=data.texts(), **data.why())

    def stored() -> tuple[str, Texts]:
        document.refresh_from_db()
        return text_version(document.title, document.text), {"title": document.title, "text": document.text}

    errata = corrected(save, stored, sent=data.texts(), on=document)
    document.refresh_from_db()
    return _document_texts(document, errata)


def corrected(
    save: Callable[[], Sequence[Correction]], stored: Callable[[], tuple[str, Texts]], *, sent: Texts, on: Model
) -> list[WrittenErratum]:
    """Save a correction; where somebody else was faster, say what is stored now of the texts that were sent."""
    try:
        written = save()
    except ChangedMeanwhileError:
        sha256, texts = stored()
        now, wanted = dict(_flat(texts)), dict(_flat(sent))
        changed = {name: text for name, text in now.items() if wanted.get(name, text) != text}
        raise ChangedMeanwhile(last_editor(on), sha256, changed) from None
    return [WrittenErratum(task=one.task.slug, number=one.number, kind=one.kind, key=one.key) for one in written]


def _flat(texts: Texts, before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in texts.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _topic(request: HttpRequest, path: TaskPath, number: str) -> Topic:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return get_or_404(task.topics.select_related("task").prefetch_related("subtopics"), number=number)


def _now(topic: Topic) -> Topic:
    return Topic.objects.select_related("task").prefetch_related("subtopics").get(pk=topic.pk)


def _topic_texts(topic: Topic, errata: Sequence[WrittenErratum] = ()) -> TopicTexts:
    about: dict[str, Any] = {
        "sha256": topic_version(topic),
        "is_settled": texts_are_settled(topic.task),
        "errata": list(errata),
    }
    return TopicTexts(**about, **topic_texts(topic))


def _document(request: HttpRequest, path: TaskPath, docno: str) -> Document:
    task: Task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return get_or_404(Document.objects.filter(collection=task.collection_id, has_text=True), docno=docno)


def _document_texts(document: Document, errata: Sequence[WrittenErratum] = ()) -> DocumentTexts:
    return DocumentTexts(
        sha256=text_version(document.title, document.text),
        is_settled=any(map(texts_are_settled, tasks_with(document))),
        errata=list(errata),
        title=document.title,
        text=document.text,
    )
