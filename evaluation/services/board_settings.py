"""The organisers' choice of tests for the board of a task."""

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import AFTER_SCORES, audit
from campaign.models import Task, User
from campaign.permissions import locked_organised_task_or_404
from evaluation.boards.choice import BASELINE, Choice, changes_in_words, choice_problems
from evaluation.models import BoardSettings, Evaluation
from evaluation.selectors.boards import board_choice
from evaluation.services.scoring import scores_request

LATE = (
    "Scores have been computed already. A run that is chosen when its score is known can be marked on the board, but not be the "
    "only one that others are compared with: compare all pairs of runs."
)


@transaction.atomic
def board_settings_update(
    *, actor: User, task: Task, test: str, correction: str, family: str, baseline: str
) -> BoardSettings:
    """Choose the tests; the board is computed anew. A baseline counts as one only if it is named before there are scores."""
    locked = locked_organised_task_or_404(actor, task)
    before, has_scores = board_choice(locked), Evaluation.objects.filter(run__task=locked).exists()
    in_time = bool(baseline) and (before.named_before_scores if baseline == before.baseline else not has_scores)
    after = Choice(test, correction, family, baseline, in_time)
    if problems := choice_problems(after):
        raise ValidationError(dict(problems))
    if baseline and baseline != before.baseline and not locked.runs.valid().filter(tag=baseline).exists():
        raise ValidationError({"baseline": "There is no valid run with this tag."})
    if family == BASELINE and not in_time:
        raise ValidationError({"family": LATE})
    settings = BoardSettings.objects.filter(task=locked).first() or BoardSettings(task=locked)
    for name in ("test", "correction", "family", "baseline"):
        setattr(settings, name, getattr(after, name))
    settings.named_before_scores = in_time
    settings.full_clean()
    settings.save()
    if said := changes_in_words(before, after):
        logged = {AFTER_SCORES: said} if has_scores else {"board": said}
        audit(actor, "update", locked, campaign=locked.campaign, **logged)
        if locked.qrels.exists():
            scores_request(actor=None, task=locked)
    return settings
