from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.log.audit import apply_changes, audit
from campaign.mail.services import mail_text, mail_user
from campaign.models import Allowance, Registration, Task, Team, User
from campaign.models.fields import moment_in_words, require_length
from campaign.permissions import locked_organised_task_or_404
from campaign.setup.selectors.schedule import run_window
from campaign.teams.selectors.quotas import quota
from campaign.text import limits
from campaign.web.daily_limits import require_few_of_person
from campaign.web.links import absolute

MOST_ALLOWANCES_A_DAY = 1_000


@transaction.atomic
def allowance_give(
    *,
    actor: User,
    task: Task,
    team: Team,
    extra_runs: int,
    closes_at: datetime | None,
    reason: str,
    extra_attempts: int = 0,
    extra_gib: int = 0,
) -> Allowance:
    """More runs, more uploads a day or a later deadline for one team; 0 and None take it back. A mail tells the reason."""
    locked = locked_organised_task_or_404(actor, task)
    allowance = Allowance.objects.filter(task=locked, team=team).first() or Allowance(task=locked, team=team)
    is_same_time = closes_at is not None and closes_at == allowance.closes_at
    require_length("reason", reason, limits.REASON)
    _require_sense(locked, team, None if is_same_time else closes_at, reason)
    daily = {"extra_attempts": extra_attempts, "extra_gib": extra_gib}
    changes = apply_changes(allowance, {"extra_runs": extra_runs, "closes_at": closes_at, **daily})
    if changes:
        allowance.full_clean()
        require_few_of_person(actor, "allowances", MOST_ALLOWANCES_A_DAY)
        allowance.save()
        audit(
            actor, "allow", allowance, campaign=locked.campaign, team=team.name, task=locked.slug,
            reason=reason.strip(), **changes
        )  # fmt: skip
        _tell_team(allowance, reason.strip())
    return allowance


def _require_sense(task: Task, team: Team, closes_at: datetime | None, reason: str) -> None:
    wrong: dict[str, str] = {}
    deadline = run_window(task).deadline
    if not reason.strip():
        wrong["reason"] = "Give the reason. The team reads it, and it is logged."
    if not Registration.objects.approved().filter(campaign=task.campaign_id, team=team).exists():
        raise ValidationError(f"{team} does not take part in this campaign.")
    if closes_at is not None and closes_at <= timezone.now():
        wrong["closes_at"] = "This time is in the past. Choose a later one, or leave it empty."
    elif closes_at is not None and deadline is not None and closes_at <= deadline:
        wrong["closes_at"] = "The task's own deadline is not earlier. Choose a later time, or leave it empty."
    if wrong:
        raise ValidationError(wrong)


def _tell_team(allowance: Allowance, reason: str) -> None:
    task, team = allowance.task, allowance.team
    deadline = run_window(task, team).deadline
    day = quota(task, team).day
    body = mail_text(
        "allowance_given",
        task=task,
        team=team,
        most=task.max_runs_per_team + allowance.extra_runs,
        extra_runs=allowance.extra_runs,
        uploads_a_day=day.in_words if allowance.extra_attempts or allowance.extra_gib else "",
        has_own_deadline=allowance.closes_at is not None,
        deadline=moment_in_words(deadline, task.campaign.time_zone) if deadline else "",
        reason=reason,
        page=absolute(task.url("run_list")),
    )
    for member in User.objects.filter(memberships__team=team):
        mail_user(user=member, subject=f"{task}: what {team} may submit", body=body, campaign=task.campaign)
