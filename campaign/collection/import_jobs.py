"""The two jobs of an import that a later app brings: its file is checked, and applied once an organiser has confirmed it."""

from collections.abc import Callable

from campaign.collection.services.imports import ImportJobs
from campaign.models import Import
from campaign.permissions import get_or_404
from campaign.queue.jobs import SOFT_LIMIT_SECONDS, Progress, job
from campaign.queues import GENERAL

Step = Callable[[Import], None]
ReportingStep = Callable[[Import, Callable[[int, int, str], None]], None]


def register_import_jobs(
    names: ImportJobs,
    kind: str,
    *,
    check: Step,
    apply: ReportingStep,
    applying: str,
    queue: str | Callable[..., str] = GENERAL,
    limit_seconds: int = SOFT_LIMIT_SECONDS,
) -> None:
    """Register the jobs of these names. `applying` is what the page says until `apply` reports, such as "freezing".

    `limit_seconds`: how long `apply` may take.
    Safe to run twice: each does nothing where the import has left the state that it is for.
    """

    @job(names.check, queue=queue)
    def check_import(progress: Progress, *, import_id: str) -> None:
        if import_ := _begun(progress, import_id, Import.CHECKING, "reading"):
            check(import_)

    @job(names.apply, queue=queue, limit_seconds=limit_seconds)
    def apply_import(progress: Progress, *, import_id: str) -> None:
        if import_ := _begun(progress, import_id, Import.APPLYING, applying):
            apply(import_, progress.report)

    def _begun(progress: Progress, import_id: str, state: str, doing: str) -> Import | None:
        import_ = get_or_404(Import.objects.select_related("task__campaign", "created_by"), pk=import_id, kind=kind)
        if import_.state != state:
            return None
        progress.report(0, 0, doing)
        return import_
