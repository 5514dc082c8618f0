from dataclasses import dataclass

from django.db.models import Q, QuerySet

from campaign.models import Import, Job, Task, job_key

TOGETHER = "together"
"""The option of an import that names the one with which it is imported, or not at all: its key."""


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
    leads = import_.options.get(TOGETHER) if import_.state == Import.APPLYING else None
    return Job.objects.filter(key=job_key({"import_id": str(leads or import_.pk)})).order_by("-pk").first()


def sent_with(import_: Import) -> list[Import]:
    """The files that are imported together with this one, topics first; none of most imports."""
    leads = import_.options.get(TOGETHER, str(import_.pk))
    if import_.kind != Import.QRELS and TOGETHER not in import_.options:
        return []
    together = import_.task.imports.filter(Q(pk=leads) | Q(**{f"options__{TOGETHER}": leads})).exclude(pk=import_.pk)
    found = together.select_related("task__campaign", "created_by")
    order = (Import.TOPICS, Import.DOCUMENTS, Import.QRELS)
    return sorted(found, key=lambda one: order.index(one.kind))
