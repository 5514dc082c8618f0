"""The runs of a restored campaign are read once, so that what pools and scores them finds their tables."""

import logging
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import BinaryIO

from django.db import transaction
from django.utils import timezone

from campaign.formats.runs.check import RunCheck
from campaign.models import Restoration, Run, RunProblem
from campaign.runs.selectors.reading import counted_lines
from campaign.runs.table_cache import table_store
from runpool.archive.rows import name_of
from runpool.archive.services.restoring import Report, Restoring
from runpool.archive.table import hashable

logger = logging.getLogger(__name__)
TOO_DEEP = "topic_too_deep"


def tables_make(restoration: Restoration, report: Report) -> None:
    restoration.refresh_from_db()
    if restoration.state != Restoration.DONE or restoration.campaign is None:
        return
    for task in restoration.campaign.tasks.all():
        runs = task.runs.valid().filter(table="").select_related("task__campaign", "task__collection")
        total = len(runs)
        for done, run in enumerate(runs, start=1):
            check = _read(run)
            if check is None or check.table is None:
                _reject_unreadable(run)
            else:
                found = _facts(run, check)
                Run.objects.filter(pk=run.pk, table="").update(table=table_store(check.table), **found)
            report(done, total, "runs read")


def told_of_runs(work: Restoring) -> list[str]:
    """What the archive says of its valid runs and their files contradict: `tables_make` restores what the files say."""
    found = []
    for table, task_slug in work.incoming.tables():
        if table.model is not Run:
            continue
        for row in work.incoming.rows(table, task_slug):
            key = work.keys[Run, task_slug, hashable(name_of(table, row.values, row.number))]
            run = Run.objects.select_related("task__campaign", "task__collection").get(pk=key)
            if run.state == Run.VALID:
                with TemporaryFile() as content:  # a few megabytes of zip may unpack to any number of them
                    content.writelines(work.incoming.chunks_of(row.values["file"]))
                    content.seek(0)
                    found += [f"Run {run.tag} of task {task_slug}: {what}" for what in _contradictions(run, content)]
    return found


def _contradictions(run: Run, content: BinaryIO) -> Iterator[str]:
    said = {name: getattr(run, name) for name in ("lines", "topics_answered", "depth")}
    check = _read(run, content)
    if check is None or check.table is None:
        yield "its file cannot be read as a run. It is restored as rejected."
        return
    for name, number in _facts(run, check).items():
        if said[name] != number:
            yield f"“{name}” is {said[name]} in the archive, and {number} by its file. It is restored as {number}."


def _facts(run: Run, check: RunCheck) -> dict[str, int | None]:
    """Of what the archive says something of: what the file says."""
    found = {"lines": check.lines, "topics_answered": check.topics, "depth": run.depth}
    return {name: number for name, number in found.items() if getattr(run, name) is not None}


def _read(run: Run, content: BinaryIO | None = None) -> RunCheck | None:
    """Read the file. Where `depth` cut it without a finding of the check in the archive, the maximum of the task holds."""
    try:
        check = counted_lines(run, content)
        if not _is_cut(check) or run.problems.filter(code=TOO_DEEP).exists():
            return check
        logger.warning("run %s of an archive is deeper than the archive says: the task's maximum holds", run.pk)
        run.depth = run.task.max_documents_per_topic
        if content is not None:
            content.seek(0)
        return counted_lines(run, content)
    except ValueError:
        return None


def _is_cut(check: RunCheck) -> bool:
    return any(problem.code == TOO_DEEP for problem in check.problems.shown)


@transaction.atomic
def _reject_unreadable(run: Run) -> None:
    """What the archive calls valid, and no check would: pools and scores of the other runs go on without it."""
    logger.warning("run %s of a restored archive cannot be read as a run: it is rejected", run.pk)
    if Run.objects.filter(pk=run.pk, state=Run.VALID).update(state=Run.REJECTED, state_changed_at=timezone.now()):
        message = "The file in the archive that this campaign was restored from cannot be read as a run."
        problem = {"code": "unreadable", "severity": RunProblem.ERROR, "message": message, "remedy": "Send it again."}
        RunProblem.objects.create(run=run, **problem)
