"""Shared by the import commands: the same check as on the pages, confirmed at once."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.collection.selectors.imports import import_job
from campaign.collection.services.imports import (
    COLLECTION_JOBS,
    ImportJobs,
    import_confirm,
    import_discard,
    import_receive,
)
from campaign.formats.problems import ProblemLog
from campaign.management.base import complain
from campaign.models import Import, Task, User
from campaign.runs.selectors.progress import counted_problems
from campaign.storage.interface import StorageAwayError


def import_file_at(
    path: Path, *, actor: User, task: Task, kind: str, options: dict[str, Any], jobs: ImportJobs = COLLECTION_JOBS
) -> Import:
    """The finished import; problems are listed on stderr, and then nothing is imported."""
    try:
        with path.open("rb") as file:
            import_ = import_receive(
                actor=actor, task=task, kind=kind, file=file, file_name=path.name, options=options, jobs=jobs
            )
    except StorageAwayError:
        raise
    except OSError as problem:
        raise CommandError(f"{path} cannot be read: {problem.strerror}.") from problem
    import_.refresh_from_db()
    if import_.state == Import.READY:
        import_confirm(actor=actor, import_=import_, jobs=jobs)
        import_.refresh_from_db()
    if import_.problems:
        complain(str(ProblemLog.from_json(import_.problems)).splitlines())
    if import_.state == Import.BAD:
        import_discard(actor=actor, import_=import_)
        raise CommandError(f"{counted_problems(import_.problems, 'error')} in {path}; nothing was imported.")
    if import_.state != Import.DONE:
        job = import_job(import_)
        raise CommandError(f"The import stopped: {job.message if job else 'its job is lost'}")
    return import_
