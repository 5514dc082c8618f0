"""Imports that are checked and that nobody has confirmed or discarded."""

from collections.abc import Iterator, Sequence

from campaign.collection.selectors.imports import TOGETHER
from campaign.models import Import, Task, User
from campaign.navigation import Step, Todo

PAGES = {
    Import.QRELS: "qrels_import_detail",
    Import.POOL: "pool_import_detail",
    Import.JUDGMENTS: "judgments_import_detail",
}
"""Pages that belong to later apps, which name them as this one names its own."""
IN_WORDS = {Import.POOL: "a pool"}


def imports_to_confirm(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    by_key = {task.pk: task for task in tasks}
    for import_ in _not_superseded(tasks):
        if import_.state != Import.READY or import_.found.get("new") == 0:  # nothing is to confirm
            continue
        if TOGETHER in import_.options:  # confirmed with the one that it was sent with
            continue
        task = by_key[import_.task_id]
        page, what = PAGES.get(import_.kind, "import_detail"), IN_WORDS.get(import_.kind, import_.kind)
        label = f"Confirm the import of {what}"
        text = f"an import of {what} is checked and waits for confirmation"
        yield Todo(task, text, Step(label, task.url(page, import_id=import_.pk)))


def _not_superseded(tasks: Sequence[Task]) -> list[Import]:
    """Imports that were found good, the oldest first. A later file of topics or qrels takes the place of earlier ones.

    Files of documents may be the parts of one collection, and files of judgments those of several people: each waits for itself.
    """
    good = Import.objects.filter(task__in=tasks, state__in=[Import.READY, Import.APPLYING, Import.DONE])
    newest: dict[tuple[object, ...], Import] = {}
    for import_ in good.order_by("created_at").only("task_id", "kind", "state", "found", "options"):
        part = import_.pk if import_.kind in (Import.DOCUMENTS, Import.JUDGMENTS) else None
        newest[import_.task_id, import_.kind, part] = import_
    return list(newest.values())
