"""Teams name, before publication, which of their runs rank."""

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.events import what_counts_changed
from campaign.log.audit import audit
from campaign.models import Run, Task, User
from campaign.permissions import locked_task_or_404
from campaign.setup.selectors.score_visibility_in_words import feedback_count
from campaign.web.daily_limits import require_few_changes

ONLY_MEMBERS = "Only members of the run's team say whether it ranks."
PUBLISHED = "A leaderboard is published: which runs rank was named before."


def naming_problem(run: Run) -> str:
    """Why its team cannot say now whether the run ranks; empty if it can."""
    task = run.task
    if run.state != Run.VALID:
        return "Only a valid run can rank."
    if run.after_qrels:
        return "The run was sent after participants could see relevance judgments: it never ranks."
    if task.leaderboards.exists():
        return PUBLISHED
    if run.is_ranked and task.scores_shown == Task.NOTHING and not feedback_count(task):
        return "All valid runs of this task rank."
    return ""


@transaction.atomic
def run_rank(*, actor: User, run: Run, is_ranked: bool) -> Run:
    """Say whether the run ranks on boards. The caller has made sure that the actor is a member of its team."""
    task = locked_task_or_404(run.task)
    changed = Run.objects.select_for_update(of=("self",)).select_related("team").get(pk=run.pk)
    changed.task = task
    if problem := naming_problem(changed):
        raise ValidationError(problem)
    if changed.is_ranked != is_ranked:
        changed.is_ranked = is_ranked
        changed.save(update_fields=["is_ranked"])
        require_few_changes(actor)
        audit(actor, "update", changed, campaign=task.campaign, is_ranked=is_ranked)
        what_counts_changed.send(sender=Task, task=task)
    return changed
