"""Imports that are checked and that nobody has confirmed or discarded."""

from collections.abc import Iterator, Sequence

from campaign.addresses import Step
from campaign.models import Import, Task, User
from campaign.waiting import Waiting


def imports_to_confirm(user: User, tasks: Sequence[Task]) -> Iterator[Waiting]:
    by_key = {task.pk: task for task in tasks}
    for import_ in _not_superseded(tasks):
        if import_.state != Import.READY:
            continue
        task = by_key[import_.task_id]
        # The page of qrels belongs to a later app, which names it as this one names its own.
        page = "qrels_import_detail" if import_.kind == Import.QRELS else "import_detail"
        label = f"Confirm the import of {import_.kind}"
        text = f"an import of {import_.kind} is checked and waits for confirmation"
        yield Waiting(task, text, Step(label, task.url(page, import_id=import_.pk)))


def _not_superseded(tasks: Sequence[Task]) -> list[Import]:
    """Imports that were found good, the oldest first. A later file of topics or qrels takes the place of earlier ones.

    Files of documents may be the parts of one collection: each waits for itself.
    """
    good = Import.objects.filter(task__in=tasks, state__in=[Import.READY, Import.APPLYING, Import.DONE])
    newest: dict[tuple[object, ...], Import] = {}
    for import_ in good.order_by("created_at").only("task_id", "kind", "state"):
        part = import_.pk if import_.kind == Import.DOCUMENTS else None
        newest[import_.task_id, import_.kind, part] = import_
    return list(newest.values())
