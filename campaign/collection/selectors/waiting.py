"""Imports that are checked and that nobody has confirmed or discarded."""

from collections.abc import Iterator, Sequence

from campaign.addresses import Step
from campaign.models import Import, Task, User
from campaign.waiting import Waiting


def imports_to_confirm(user: User, tasks: Sequence[Task]) -> Iterator[Waiting]:
    by_key = {task.pk: task for task in tasks}
    ready = Import.objects.filter(task__in=tasks, state=Import.READY).order_by("created_at")
    for import_ in ready.only("task_id", "kind", "state"):
        task = by_key[import_.task_id]
        # The page of qrels belongs to a later app, which names it as this one names its own.
        page = "qrels_import_detail" if import_.kind == Import.QRELS else "import_detail"
        label = f"Confirm the import of {import_.kind}"
        text = f"an import of {import_.kind} is checked and waits for confirmation"
        yield Waiting(task, text, Step(label, task.url(page, import_id=import_.pk)))
