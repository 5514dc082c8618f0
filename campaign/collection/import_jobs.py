"""The two jobs of an import that a later app brings: its file is checked, and applied once an organiser has confirmed it."""

from collections.abc import Callable

from campaign.collection.services.imports import ImportJobs
from campaign.models import Import
from campaign.permissions import get_or_404
from campaign.queue.jobs import Progress, job
from campaign.queues import GENERAL

Step = Callable[[Import], None]


def register_import_jobs(
    names: ImportJobs, kind: str, *, check: Step, apply: Step, applying: str, queue: str | Callable[..., str] = GENERAL
) -> None:
    """Register the jobs of these names. `applying` is what the page says while `apply` works, such as "freezing".

    Safe to run twice: each does nothing where the import has left the state that it is for.
    """

    @job(names.check, queue=queue)
    def check_import(progress: Progress, *, import_id: str) -> None:
        _step(progress, import_id, Import.CHECKING, check, "reading")

    @job(names.apply, queue=queue)
    def apply_import(progress: Progress, *, import_id: str) -> None:
        _step(progress, import_id, Import.APPLYING, apply, applying)

    def _step(progress: Progress, import_id: str, state: str, step: Step, doing: str) -> None:
        import_ = get_or_404(Import.objects.select_related("task__campaign", "created_by"), pk=import_id, kind=kind)
        if import_.state == state:
            progress.report(0, 0, doing)
            step(import_)
