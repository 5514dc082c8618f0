"""The scores of a restored campaign: what its archive says of them is not believed, and stays where this site finds the same.

They are inserted when the campaign is there already, and only then, so that no score counts before it was computed here.
"""

import logging
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, cast

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.models import Restoration, Run, Task
from campaign.storage.reading import open_verified
from evaluation.models import Evaluation, PreferenceScores
from evaluation.preferences.services import newest_order_score
from evaluation.services.scored_elsewhere import found_here_too, preferences_found_here_too
from evaluation.services.scoring import scores_request
from judging.models import PreferenceOrder, Qrels
from runpool.archive.bulk_insert import rows_insert
from runpool.archive.reading import Incoming
from runpool.archive.rows import RowError
from runpool.archive.services.restoring import Report, Restoring, row_values

logger = logging.getLogger(__name__)
Scores = Evaluation | PreferenceScores


def scores_restore(restoration: Restoration, report: Report) -> None:
    """Keep the scores that this site finds too, then have the others computed. Safe to run twice."""
    campaign = restoration.campaign
    if restoration.state != Restoration.DONE or campaign is None:
        return
    if restoration.file:
        with open_verified(str(restoration.file), found_by="the restoring of scores") as file:
            work = Restoring(Incoming(cast(BinaryIO, file)), restoration, campaign, {})
            for task in campaign.tasks.all():
                _keys_of(work, task)
                _keep(work, task, report)
    for task in campaign.tasks.all():
        if Qrels.objects.filter(task=task).exists():
            scores_request(actor=None, task=task)
        newest_order_score(task=task)


def _keys_of(work: Restoring, task: Task) -> None:
    """The rows that scores refer to, by the names that they have in the archive."""
    for pk, tag, attempt in task.runs.values_list("pk", "tag", "attempt"):
        work.keys[Run, task.slug, (tag, attempt)] = pk
    for model in (Qrels, PreferenceOrder):
        for pk, version in model._base_manager.filter(task=task).values_list("pk", "version"):
            work.keys[model, task.slug, version] = pk


def _keep(work: Restoring, task: Task, report: Report) -> None:
    compared: list[Iterable[tuple[Scores, bool]]] = [
        found_here_too(_rows(work, Evaluation, task)),
        preferences_found_here_too(_rows(work, PreferenceScores, task)),
    ]
    done = others = 0
    for scored in compared:
        for scores, is_found in scored:
            done += 1
            others += not is_found
            if is_found:
                _insert(scores)
            report(done, 0, "scores computed anew and compared")
    if others:
        logger.warning(
            "restored task %s: %d of %d scores in the archive are not found here, and left out", task.pk, others, done
        )


def _rows(work: Restoring, model: Any, task: Task) -> Iterator[Any]:
    table = work.tables[model]
    for row in work.incoming.rows(table, task.slug):
        try:
            yield model(**row_values(work, table, task.slug, row))
        except (RowError, ValidationError):  # of a run that was removed meanwhile
            continue


@transaction.atomic
def _insert(scores: Scores) -> None:
    """Unless the site has scored the run already."""
    Run.objects.select_for_update(no_key=True).get(pk=scores.run_id)
    by = {"qrels": scores.qrels_id} if isinstance(scores, Evaluation) else {"order": scores.order_id}
    if not type(scores)._base_manager.filter(run=scores.run_id, engine=scores.engine, **by).exists():
        rows_insert([scores])
