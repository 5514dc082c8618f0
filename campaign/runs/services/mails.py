"""Mails to a team about its run. Call these inside the transaction of the event. No mail mentions scores."""

from campaign.addresses import absolute
from campaign.mail.services import mail_text, mail_user
from campaign.models import Run, User


def mail_outcome(run: Run, restored: Run | None = None) -> None:
    """The outcome of a check, to the submitter of the run, with every problem. `restored`: the attempt that counts again.

    To the owners instead where that person has left the team.
    """
    name = "run_accepted" if run.state == Run.VALID else "run_rejected"
    verdict = "accepted" if run.state == Run.VALID else "not accepted"
    body = mail_text(name, problems=list(run.problems.all()), restored=restored, **_context(run))
    for user in _submitter(run) or _owners(run):
        mail_user(user=user, subject=f"{run.tag}: {verdict}", body=body, campaign=run.task.campaign)


def mail_decision(run: Run, actor: User, verdict: str, what_follows: str, reason: str) -> None:
    """An organiser's decision, to the submitter of the run and to the owners of its team."""
    body = mail_text(
        "run_decided", actor=actor, verdict=verdict, what_follows=what_follows, reason=reason, **_context(run)
    )
    for user in {user.pk: user for user in [*_submitter(run), *_owners(run)]}.values():
        mail_user(user=user, subject=f"{run.tag}: {verdict}", body=body, campaign=run.task.campaign)


def _submitter(run: Run) -> list[User]:
    """The submitter of the run, if still a member: others must not learn about the team's runs."""
    return list(User.objects.filter(pk=run.submitted_by_id, memberships__team=run.team_id))


def _owners(run: Run) -> list[User]:
    return list(User.objects.filter(memberships__team=run.team_id, memberships__is_owner=True))


def _context(run: Run) -> dict[str, object]:
    return {"run": run, "task": run.task, "url": absolute(f"{run.get_absolute_url()}?attempt={run.attempt}")}
