"""The organisers' choice of tests for the board of a task."""

from dataclasses import replace
from datetime import UTC, datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.database.clock import now
from campaign.log.audit import AFTER_SCORES, audit
from campaign.models import Task, User
from campaign.permissions import locked_organised_task_or_404
from campaign.web.daily_limits import require_few_changes
from evaluation.boards.choice import BASELINE, Choice, changes_in_words, choice_problems
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.models import BoardSettings
from evaluation.selectors.boards import board_choice
from evaluation.selectors.scores import may_have_seen_scores
from evaluation.selectors.task_measures import measures_of_task
from evaluation.services.scoring import scores_request

LATE = (
    "Somebody may have seen scores already. A run that is chosen when its score is known can be marked on the board, but not be "
    "the only one that others are compared with: compare all pairs of runs."
)

LATE_MARGIN = (
    "Somebody may have seen scores already: an equivalence margin can be named, changed or removed only before that, "
    "since one that is chosen when scores are known can make any two runs equivalent."
)
NO_MEAN = (
    "A margin is one of means over topics, and the first measure of the task is no mean: name another measure first."
)


@transaction.atomic
def board_settings_update(
    *, actor: User, task: Task, test: str, correction: str, family: str, baseline: str, margin: float | None
) -> BoardSettings:
    """Choose the tests; the board is computed anew. A baseline counts as one only if nobody can have seen scores.

    `margin`: of equivalence by the first measure of the task; refused where it is another one, and scores may have been seen.
    """
    locked = locked_organised_task_or_404(actor, task)
    before, is_late = board_choice(locked), may_have_seen_scores(locked)
    in_time = bool(baseline) and (before.named_before_scores if baseline == before.baseline else not is_late)
    chosen = Choice(test, correction, family, baseline, in_time)
    after = _with_old_margin(before, chosen, margin) if is_late else _with_margin(locked, before, chosen, margin)
    if problems := choice_problems(after):
        raise ValidationError(dict(problems))
    if baseline and baseline != before.baseline and not locked.runs.valid().filter(tag=baseline).exists():
        raise ValidationError({"baseline": "There is no valid run with this tag."})
    if family == BASELINE and not in_time:
        raise ValidationError({"family": LATE})
    settings = BoardSettings.objects.filter(task=locked).first() or BoardSettings(task=locked)
    for name in ("test", "correction", "family", "baseline", "named_before_scores", "margin", "margin_measure"):
        setattr(settings, name, getattr(after, name))
    settings.margin_named_at = datetime.fromisoformat(after.margin_named_at) if after.margin_named_at else None
    settings.full_clean()
    settings.save()
    if said := changes_in_words(before, after):
        logged = {AFTER_SCORES: said} if is_late else {"board": said}
        require_few_changes(actor)
        audit(actor, "update", locked, campaign=locked.campaign, **logged)
        if locked.qrels.exists():
            scores_request(actor=None, task=locked)
    return settings


def _with_old_margin(before: Choice, after: Choice, margin: float | None) -> Choice:
    if margin != before.margin:
        raise ValidationError({"margin": LATE_MARGIN})
    return replace(
        after, margin=before.margin, margin_measure=before.margin_measure, margin_named_at=before.margin_named_at
    )


def _with_margin(task: Task, before: Choice, after: Choice, margin: float | None) -> Choice:
    """The choice with this margin by the first measure, named now; or with the one that was named before."""
    if margin is None:
        return after
    try:
        first = measures_of_task(task)[0]
    except MeasureNameError as problem:
        raise ValidationError({"margin": str(problem)}) from problem
    if first.definition.summary != "mean":
        raise ValidationError({"margin": NO_MEAN})
    named_at = now().astimezone(UTC).isoformat(timespec="seconds")
    if (margin, first.name) == (before.margin, before.margin_measure):
        named_at = before.margin_named_at
    return replace(after, margin=margin, margin_measure=first.name, margin_named_at=named_at)
