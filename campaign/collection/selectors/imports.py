from dataclasses import dataclass

from django.db.models import QuerySet

from campaign.models import Import, Job, Task, job_key


def task_imports(task: Task, kind: str) -> QuerySet[Import]:
    return task.imports.filter(kind=kind).select_related("created_by")


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """The progress of an import. `is_stuck`: it waits for a job that failed or is lost."""

    job: Job | None
    is_unfinished: bool
    is_stuck: bool


def import_progress(import_: Import) -> ImportProgress:
    """Return the progress, and refresh the import after reading its job: a job changes the import before it finishes."""
    job = import_job(import_)
    import_.refresh_from_db(fields=["state", "format", "records", "preview", "problems", "finished_at"])
    waits = import_.state in (Import.CHECKING, Import.APPLYING)
    goes_on = job is not None and job.is_unfinished
    return ImportProgress(job=job, is_unfinished=waits and goes_on, is_stuck=waits and not goes_on)


def import_job(import_: Import) -> Job | None:
    """Return the newest job about this import, of whichever app: the page of the import shows its progress."""
    return Job.objects.filter(key=job_key({"import_id": str(import_.pk)})).order_by("-pk").first()
