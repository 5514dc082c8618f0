"""Texts of documents after their import. Pools and judgments name documents by docno and stay as they are."""

from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.docno_index import documents_changed
from campaign.collection.selectors.displays import display_of
from campaign.collection.selectors.versions import display_version, text_version
from campaign.collection.services.corrections import (
    Change,
    Why,
    changed_parts,
    correction_write,
    require_seen,
)
from campaign.log.audit import audit
from campaign.models import Collection, Correction, Document, Task, User
from campaign.permissions import held_organised_campaign_or_404

Texts = Mapping[str, str]


@transaction.atomic
def document_correct(
    *,
    actor: User,
    document: Document,
    fields: Texts,
    reason: str = "",
    note: str = "",
    seen_sha256: str | None = None,
) -> list[Correction]:
    """Change title or text; return the errata, one for each task of the collection in which others may have seen them.

    `seen_sha256`: the `text_version` that the editor had; ChangedMeanwhileError if title or text are others now.
    """
    held_organised_campaign_or_404(actor, document.collection.campaign)
    key = document.collection_id
    tasks = Task.objects.select_for_update(of=("self",), no_key=True).select_related("campaign").filter(collection=key)
    sharing = list(tasks.order_by("pk"))
    collection = Collection.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=key)
    current = Document.objects.get(pk=document.pk)
    if not current.has_text:
        raise ValidationError("This document has no text yet: import it.")
    texts = {"title": current.title, "text": current.text}
    require_seen(seen_sha256, text_version(**texts))
    after = changed_parts(texts, fields)
    current.title, current.text = after.get("title", current.title), after.get("text", current.text)
    current.full_clean()
    current.save(update_fields=["title", "text"])
    documents_changed(key)
    now, why = {**texts, **after}, Why(reason, note)
    changes = ((task, _change(task, current.docno, texts, now)) for task in sharing)
    written = [correction_write(actor=actor, task=task, change=change, why=why) for task, change in changes]
    errata = [correction for correction in written if correction]
    hashes = {"before_sha256": text_version(**texts), "after_sha256": text_version(**now)}
    numbers = {f"{correction.task.slug}": correction.number for correction in errata}
    data = {"docno": current.docno, "reason": reason, "errata": numbers, **hashes}
    audit(actor, "correct", current, campaign=collection.campaign, **data)
    return errata


def _change(task: Task, docno: str, before: dict[str, str], after: dict[str, str]) -> Change:
    changed = [name for name in before if before[name] != after[name]]
    return Change(
        Correction.DOCUMENT,
        docno,
        {name: before[name] for name in changed},
        {name: after[name] for name in changed},
        _as_shown(task, docno, before),
        _as_shown(task, docno, after),
    )


def _as_shown(task: Task, docno: str, texts: dict[str, str]) -> str:
    """As acts record it: of a task that shows sanitised pages, of the page."""
    return display_version(display_of(task, {"docno": docno, **texts, "has_text": True}), texts["text"])
