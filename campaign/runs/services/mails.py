"""Mails to a team about its run. Call these inside the transaction of the event. No mail mentions scores.

A submission makes one mail: its outcome, with the receipt. The page of the run shows the receipt at once.
"""

from campaign.mail.services import mail_text, mail_user
from campaign.models import Run, User
from campaign.models.fields import zone_named
from campaign.models.mail import RUN
from campaign.runs.selectors.progress import findings_in_words, shown_problems
from campaign.web.links import absolute


def mail_outcome(run: Run, *, restored: Run | None = None, replaced: Run | None = None) -> None:
    """The outcome of a check, with every problem and the receipt, to the submitter of the run.

    `restored`: the attempt that counts again; `replaced`: the one that this run has taken the place of.
    To the owners instead where that person has left the team. Who chose one mail a day reads a line of it there.
    """
    name = "run_accepted" if run.state == Run.VALID else "run_rejected"
    verdict = "accepted" if run.state == Run.VALID else "not accepted"
    body = mail_text(
        name,
        problems=shown_problems(run)["shown"],
        findings=findings_in_words(run),
        restored=restored,
        replaced=replaced,
        received_there=run.submitted_at.astimezone(zone_named(run.task.campaign.time_zone)),
        **_context(run),
    )
    told = {"body": body, "kind": RUN, "in_digest": mail_text("run_in_digest", verdict=verdict, **_context(run))}
    for user in _submitter(run) or _owners(run):
        mail_user(user=user, subject=f"{run.tag}: {verdict}", campaign=run.task.campaign, **told)


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
