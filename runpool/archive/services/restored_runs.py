"""The runs of a restored campaign are read once, so that what pools and scores them finds their tables."""

import logging

from django.db import transaction
from django.utils import timezone

from campaign.formats.runs.check import RunCheck
from campaign.models import Restoration, Run, RunProblem
from campaign.runs.selectors.reading import counted_lines
from campaign.runs.tables import table_store
from runpool.archive.services.restoring import Report

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
            try:
                check = _read(run)
            except ValueError:
                check = None
            if check is None or check.table is None:
                _reject_unreadable(run)
            else:
                found = {"lines": check.lines, "topics_answered": check.topics, "depth": run.depth}
                said = {name: number for name, number in found.items() if getattr(run, name) is not None}
                Run.objects.filter(pk=run.pk, table="").update(table=table_store(check.table), **said)
            report(done, total, "runs read")


def _read(run: Run) -> RunCheck:
    """Read the file. Where `depth` cut it without a finding of the check in the archive, the maximum of the task holds."""
    check = counted_lines(run)
    if not _is_cut(check) or run.problems.filter(code=TOO_DEEP).exists():
        return check
    logger.warning("run %s of a restored archive is deeper than the archive says: the task's maximum holds", run.pk)
    run.depth = run.task.max_documents_per_topic
    return counted_lines(run)


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
