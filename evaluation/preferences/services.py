"""Scoring by an order of preferences: every valid run that lacks its scores by it gets them."""

from collections.abc import Callable

from django.db import transaction

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import ordered_columns
from campaign.log.audit import audit
from campaign.models import Run, Task, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.runs.selectors.reading import run_table
from campaign.web.daily_limits import require_few_changes
from evaluation.models import Evaluation, PreferenceScores
from evaluation.preferences.scoring import COMPATIBILITY, ByOrder, scores_by
from evaluation.preferences.selectors import SCORE_PREFERENCES, scored_by
from judging.models import PreferenceOrder
from judging.preferences.selectors import order_table


def preference_scores_request(*, actor: User | None, order: PreferenceOrder) -> None:
    with transaction.atomic():
        if actor is not None:
            held_organised_campaign_or_404(actor, order.task.campaign)
            require_few_changes(actor)
            audit(actor, "asked for scores", order, campaign=order.task.campaign)
        enqueue(SCORE_PREFERENCES, order_id=order.pk)


def newest_order_score(*, task: Task) -> None:
    """Ask for scores by the newest order, if the task has one."""
    order = task.preference_orders.order_by("-version").first()
    if order is not None:
        preference_scores_request(actor=None, order=order)


def order_score(*, order: PreferenceOrder, report: Callable[[int, int], None]) -> None:
    """Score all valid runs by the order, skipping those that are scored already."""
    runs = list(order.task.runs.valid().exclude(pk__in=scored_by(order).values("run")).order_by("pk"))
    report(0, len(runs))
    if not runs:
        return
    ordering = order.task.ordering
    tables = (run_table(run, ordered_columns(ordering)) for run in runs)
    scored = scores_by(order_table(order), tables, ordering)
    for done, (run, values) in enumerate(zip(runs, scored, strict=True), start=1):
        _save(run, order, ordering, values)
        report(done, len(runs))


@transaction.atomic
def _save(run: Run, order: PreferenceOrder, ordering: Ordering, scored: ByOrder) -> None:
    """Keep the scores in place of earlier ones by the same engine; two jobs may do so at the same time."""
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    PreferenceScores.objects.filter(run=run, order=order, engine=Evaluation.ENGINE).delete()
    PreferenceScores.objects.create(
        run=run,
        order=order,
        engine=Evaluation.ENGINE,
        measure=COMPATIBILITY,
        run_order=ordering.run_order,
        reference=ordering.reference,
        run_sha256=run.sha256,
        values=scored.values.astype("<f8").tobytes(),
        mean=scored.mean,
        topics_answered=scored.answered,
    )
