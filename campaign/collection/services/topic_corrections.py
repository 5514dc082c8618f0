"""Topics after their import: texts corrected, topics deleted while nothing depends on them, or taken out of scoring."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.collection.selectors.corrections import PUT_TOPIC_BACK, REMOVE_TOPIC, texts_are_settled
from campaign.collection.selectors.topics import topic_texts
from campaign.collection.selectors.versions import topic_version
from campaign.collection.services.corrections import (
    Change,
    Why,
    changed_parts,
    correction_write,
    require_seen,
)
from campaign.events import what_counts_changed
from campaign.log.audit import AFTER_SCORES, audit
from campaign.measures import measure_answers
from campaign.models import Correction, Task, Topic, User
from campaign.permissions import locked_organised_task_or_404

STATE = "scored"


@transaction.atomic
def topic_correct(
    *,
    actor: User,
    topic: Topic,
    fields: Mapping[str, Any],
    reason: str = "",
    note: str = "",
    seen_sha256: str | None = None,
) -> Correction | None:
    """Change texts of a topic; return the erratum, None while nobody can have seen them.

    `fields`: some of title, description, narrative, and `subtopics` as number to text. `seen_sha256`: the `topic_version` of
    the texts that the editor had; ChangedMeanwhileError if they are others now.
    """
    task, current = _locked(actor, topic)
    before_sha256 = topic_version(current)
    require_seen(seen_sha256, before_sha256)
    before = topic_texts(current)
    fields = dict(fields)
    if "subtopics" in fields:
        fields["subtopics"] = _subtopics(before["subtopics"], fields["subtopics"])
    after = changed_parts(before, fields)
    _store(current, after)
    changed = {name: before[name] for name in after}
    now = topic_version(Topic.objects.get(pk=current.pk))
    change = Change(Correction.TOPIC, current.number, changed, after, before_sha256, now)
    why = Why(reason, note)
    correction = correction_write(actor=actor, task=task, change=change, why=why)
    data = {"before": changed, "after": after, "reason": why.reason}
    erratum = {"erratum": correction.number} if correction else {}
    audit(actor, "correct", current, campaign=task.campaign, topic=current.number, **data, **erratum)
    return correction


@transaction.atomic
def topic_delete(*, actor: User, topic: Topic) -> None:
    """Delete a topic that nothing depends on: later ones can only leave the scoring."""
    task, current = _locked(actor, topic)
    if texts_are_settled(task):
        raise ValidationError("Others may have seen this topic: remove it from scoring instead.")
    audit(actor, "delete", current, campaign=task.campaign, topic=current.number, texts=topic_texts(current))
    current.delete()


@transaction.atomic
def topic_remove_from_scoring(*, actor: User, topic: Topic, reason: str, note: str) -> Correction | None:
    """The topic stays, with its runs and judgments, and no longer counts; the public note is kept as its reason."""
    task, current = _locked(actor, topic)
    if current.removed_at is not None:
        raise ValidationError(f"Topic {current.number} is removed from scoring already.")
    others = task.topics.counting().exclude(pk=current.pk)
    if not current.is_feedback and not others.exists():
        raise ValidationError("This is the last topic that counts: without it nothing could be scored.")
    why = Why(reason, note)
    why.require()
    current.removed_at = timezone.now()
    current.removal_reason = why.note.strip()
    current.removed_after_scores = measure_answers().has_scores(task)
    return _scoring_changed(actor, task, current, why, REMOVE_TOPIC)


@transaction.atomic
def topic_put_back(*, actor: User, topic: Topic, reason: str, note: str) -> Correction | None:
    task, current = _locked(actor, topic)
    if current.removed_at is None:
        raise ValidationError(f"Topic {current.number} is in the scoring.")
    why = Why(reason, note)
    why.require()
    current.removed_at, current.removal_reason, current.removed_after_scores = None, "", False
    return _scoring_changed(actor, task, current, why, PUT_TOPIC_BACK)


def _scoring_changed(actor: User, task: Task, topic: Topic, why: Why, verb: str) -> Correction | None:
    topic.full_clean()
    topic.save(update_fields=["removed_at", "removal_reason", "removed_after_scores"])
    counts = topic.removed_at is None
    change = Change(Correction.SCORING, topic.number, {STATE: not counts}, {STATE: counts})
    correction = correction_write(actor=actor, task=task, change=change, why=why)
    has_scores = measure_answers().has_scores(task)
    said = f"topic {topic.number} {'put back into' if counts else 'removed from'} scoring"
    data = {
        "topic": topic.number,
        "reason": why.reason,
        "note": why.note,
        **({AFTER_SCORES: [said]} if has_scores else {}),
    }
    audit(actor, verb, task, campaign=task.campaign, **data)
    what_counts_changed.send(sender=Task, task=task)
    return correction


def _locked(actor: User, topic: Topic) -> tuple[Task, Topic]:
    task = locked_organised_task_or_404(actor, topic.task)
    return task, Topic.objects.prefetch_related("subtopics").get(pk=topic.pk)


def _subtopics(before: Mapping[str, str], given: object) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for text in given.values()):
        raise ValidationError({"subtopics": "Write a table of subtopic numbers and texts."})
    if unknown := sorted(given.keys() - before.keys()):
        raise ValidationError({"subtopics": f"There is no subtopic {unknown[0]}: only texts can be corrected."})
    return {**before, **given}


def _store(topic: Topic, fields: Mapping[str, Any]) -> None:
    for name in fields.keys() - {"subtopics"}:
        setattr(topic, name, fields[name])
    topic.full_clean()
    topic.save()
    texts = fields.get("subtopics", {})
    for subtopic in topic.subtopics.all():
        if subtopic.text != texts.get(subtopic.number, subtopic.text):
            subtopic.text = texts[subtopic.number]
            _check(subtopic)
            subtopic.save(update_fields=["text"])


def _check(subtopic: Any) -> None:
    try:
        subtopic.full_clean()
    except ValidationError as problem:
        raise ValidationError({"subtopics": f"Subtopic {subtopic.number}: {problem.messages[0]}"}) from problem
