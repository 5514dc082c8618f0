"""Files that are sent together and imported together or not at all: topics, documents, and a third file that rests on them.

The third file leads: it is checked against what the others bring, and its job applies them before it, in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from campaign.collection.selectors.documents import docnos
from campaign.collection.selectors.imports import sent_with
from campaign.collection.selectors.topics import topic_numbers
from campaign.collection.services.document_imports import Report, documents_publish, documents_read, documents_stage
from campaign.collection.services.imports import import_pass_back
from campaign.collection.services.topic_imports import topics_apply, topics_read
from campaign.formats.problems import ProblemLog
from campaign.models import Import, Subtopic, Task
from campaign.permissions import locked_task_or_404
from campaign.queues import queue_for_file


class RefusedTogetherError(Exception):
    """A file that was sent with this one cannot be imported any more; none of them is."""

    def __init__(self, refused: Import) -> None:
        super().__init__(refused.file_name)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Expected:
    """What the task has once the files are imported that were sent with an import. `problems`: of files that cannot be read."""

    topics: Sequence[str]
    subtopics: frozenset[tuple[str, str]]
    docnos: set[str] | None
    problems: ProblemLog


def expected_with(import_: Import) -> Expected:
    """Topics and docnos of the task, and those of the files sent with this one that are not imported yet."""
    task, problems = import_.task, ProblemLog()
    topics, subtopics, known = topic_numbers(task), set(_subtopics(task)), docnos(task)
    for one in sent_with(import_):
        if one.state in (Import.DONE, Import.DISCARDED):
            continue
        if one.kind == Import.TOPICS:
            read = topics_read(one)
            if one.options.get("replace"):
                topics, subtopics = [], set()
            topics = list(dict.fromkeys([*topics, *(record.number for record in read.records)]))
            subtopics |= {(record.number, subtopic.number) for record in read.records for subtopic in record.subtopics}
            is_good = read.problems.ok
        else:
            if known is None and task.docno_policy != Task.ANY:
                known = set()
            is_good = documents_read(one, known)
        if not is_good:
            message = f"{one.file_name}, which came together with this file, has errors: this file was not checked against it."
            problems.add("together_bad", message, "Correct that file, and send the files together again.")
    return Expected(topics, frozenset(subtopics), known, problems)


def _subtopics(task: Task) -> set[tuple[str, str]]:
    return set(Subtopic.objects.filter(topic__task=task).values_list("topic__number", "number"))


def stage_together(import_: Import, report: Report) -> bool:
    """Store the documents sent with this file where nobody sees them; whether all are there. Safe to run twice."""
    applied = [one for one in sent_with(import_) if one.state == Import.APPLYING]
    documents = [one for one in applied if one.kind == Import.DOCUMENTS]
    return all(documents_stage(one, report) for one in documents)


def apply_together(import_: Import) -> None:
    """Import the files sent with this one, within the caller's transaction; RefusedTogetherError if one cannot be any more."""
    files = [one for one in sent_with(import_) if one.state == Import.APPLYING]
    if files:
        locked_task_or_404(import_.task)
    for one in files:
        if one.kind == Import.TOPICS:
            topics_apply(one)
        else:
            documents_publish(one)
        one.refresh_from_db()
        if one.state != Import.DONE:
            raise RefusedTogetherError(one)
    import_.task.refresh_from_db()


@transaction.atomic
def give_up_together(import_: Import, refused: Import, problems: dict[str, Any]) -> None:
    """After the transaction was rolled back: the file that was refused says why, the others wait to be confirmed again."""
    for one in sorted([import_, *sent_with(import_)], key=lambda one: str(one.pk)):  # of locks
        import_pass_back(one, problems=problems if refused.pk == one.pk else None)


def queue_together(*, import_id: str) -> str:
    """The queue of a job that reads this file and those that were sent with it."""
    import_ = Import.objects.filter(pk=import_id).first()
    return queue_for_file(sum(one.size for one in [import_, *sent_with(import_)]) if import_ else None)
