"""What mends an import without another file: other choices than its sender's, or something that the task lacks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from campaign.collection.services.document_imports import FIRST
from campaign.collection.services.imports import ImportJobs, import_check_again
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.models import Import, User


@dataclass(frozen=True, slots=True)
class Repair:
    """One press, after which the file is checked again.

    `name`: in the form. `label`: what the press does. `options`: choices that take the place of the sender's. `mend`: what it
    changes besides, by whom and whether `told` was confirmed; it raises ValidationError. `told`: what follows from it, for
    the person who confirms it; empty if there is nothing to confirm.
    """

    name: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    mend: Callable[[User, bool], None] | None = None
    told: str = ""


@transaction.atomic
def import_repair(
    *, actor: User, import_: Import, repair: Repair, jobs: ImportJobs, is_confirmed: bool = False
) -> None:
    """Mend, and have the same file checked again; ValidationError, and nothing is changed, where one of both is impossible."""
    if repair.mend is not None:
        repair.mend(actor, is_confirmed)
    import_check_again(actor=actor, import_=import_, options=repair.options, jobs=jobs)


def topic_repairs(import_: Import) -> list[Repair]:
    """Of files that name topics of the task: to match their numbers by numerals, or to match none any more."""
    codes = import_.problems.get("by_code", {})
    if import_.options.get(MATCH_TOPICS, False) and "topics_matched" in codes:
        return [Repair("match-no-topics", "Match no topic numbers", {MATCH_TOPICS: False})]
    if "topics_would_match" in codes:
        return [Repair("match-topics", "Match topic numbers by their numerals", {MATCH_TOPICS: True})]
    return []


def document_repairs(import_: Import) -> list[Repair]:
    """Of documents that come twice, to let the first count, or to refuse them again."""
    codes = import_.problems.get("by_code", {})
    if import_.options.get("repeated") == FIRST and "document_repeated" in codes:
        return [Repair("repeated-refuse", "Refuse documents that come twice", {"repeated": ""})]
    if "docno_duplicate" in codes:
        return [Repair("repeated-first", "Let the first of documents that come twice count", {"repeated": FIRST})]
    return []
