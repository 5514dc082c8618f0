"""The runs of a restored campaign are read once, so that what pools and scores them finds their tables."""

import logging

from django.db import transaction
from django.utils import timezone

from campaign.models import Restoration, Run, RunProblem
from campaign.runs.selectors.reading import sent_table
from campaign.runs.tables import table_store
from runpool.archive.services.restoring import Report

logger = logging.getLogger(__name__)


def tables_make(restoration: Restoration, report: Report) -> None:
    restoration.refresh_from_db()
    if restoration.state != Restoration.DONE or restoration.campaign is None:
        return
    for task in restoration.campaign.tasks.all():
        runs = task.runs.valid().filter(table="").select_related("task__campaign", "task__collection")
        total = len(runs)
        for done, run in enumerate(runs, start=1):
            try:
                table = table_store(sent_table(run))
            except ValueError:
                _reject_unreadable(run)
            else:
                Run.objects.filter(pk=run.pk, table="").update(table=table)
            report(done, total, "runs read")


@transaction.atomic
def _reject_unreadable(run: Run) -> None:
    """What the archive calls valid, and no check would: pools and scores of the other runs go on without it."""
    logger.warning("run %s of a restored archive cannot be read as a run: it is rejected", run.pk)
    if Run.objects.filter(pk=run.pk, state=Run.VALID).update(state=Run.REJECTED, state_changed_at=timezone.now()):
        message = "The file in the archive that this campaign was restored from cannot be read as a run."
        problem = {"code": "unreadable", "severity": RunProblem.ERROR, "message": message, "remedy": "Send it again."}
        RunProblem.objects.create(run=run, **problem)
