"""The outcome of a run's check, and the decisions of organisers on runs."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from campaign.events import run_accepted, run_left
from campaign.formats.problems import Problem
from campaign.formats.runs.check import RunCheck
from campaign.formats.runs.ir_metadata import read_ir_metadata
from campaign.log.audit import audit
from campaign.models import Run, RunProblem, Task, User
from campaign.models.fields import require_length
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.selectors.residual import residual
from campaign.runs.services.mails import mail_decision, mail_outcome
from campaign.runs.services.states import move, replacement_failed, replacement_succeeded
from campaign.runs.table_cache import table_store
from campaign.teams.selectors.quotas import quota
from campaign.teams.services.registrations import registration_lock
from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_changes

NO_DECISION = {"decision": "", "decision_reason": "", "decided_by": None}
NOTHING_READ = Problem(
    "nothing_to_accept",
    "An organiser accepted the run by hand, but no line of its file can be read.",
    "Mend the file and upload it again.",
)


def run_finish_check(*, run: Run, check: RunCheck) -> bool:
    """Record the outcome of the check and move the run to valid or rejected; return whether this call did.

    `run` is as the check read it: nothing changes if the run was decided on or sent to another check since.
    """
    table = table_store(check.table) if check.table is not None else ""
    with transaction.atomic():
        now = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
        accepted = check.ok or (bool(table) and now.decision == Run.ACCEPTED)
        is_news = now.lines is None or bool(now.table.name) != accepted
        moved = now.state_changed_at == run.state_changed_at and move(
            run,
            [Run.RECEIVED],
            state=Run.VALID if accepted else Run.REJECTED,
            table=table if accepted else "",
            depth=run.task.max_documents_per_topic,
            judged_before=_judged_before(run, check) if accepted else 0,
            **_facts(now, check),
        )
        if moved:
            _replace_problems(run, [*_problems_despite_acceptance(run), *check.problems.shown])
            audit(None, run.state, run, campaign=run.task.campaign, problems=check.problems.total)
            _tell_outcome(run, is_news=is_news)
        else:
            run.refresh_from_db()
    return moved


def _judged_before(run: Run, check: RunCheck) -> int:
    if check.table is None or run.task.round_kind != Task.RESIDUAL:
        return 0
    return check.table.height - residual(run.task, check.table).height


def run_check_again(*, actor: User, run: Run) -> None:
    """Have a run checked once more: it was waiting too long, or the task's rules, topics or documents have changed.

    An earlier decision of an organiser no longer holds.
    """
    with transaction.atomic():
        held_organised_campaign_or_404(actor, run.task.campaign)
        if not wait_for_check(run, [Run.RECEIVED, Run.VALID, Run.REJECTED], **NO_DECISION):
            raise ValidationError("A withdrawn run is not checked. Reinstate it first.")
        require_few_changes(actor)
        audit(actor, "check again", run, campaign=run.task.campaign, tag=run.tag)


def run_accept(*, actor: User, run: Run, reason: str) -> None:
    """Accept a run in spite of its errors. It is read once more: all lines that can be read count."""
    with transaction.atomic():
        held_organised_campaign_or_404(actor, run.task.campaign)
        reason = _required(reason)
        decision = {"decision": Run.ACCEPTED, "decision_reason": reason, "decided_by": actor}
        if not wait_for_check(run, [Run.RECEIVED, Run.REJECTED], **decision):
            raise ValidationError(f"This run is {run.get_state_display()}: there is nothing to accept.")
        require_few_changes(actor)
        audit(actor, "accept by hand", run, campaign=run.task.campaign, tag=run.tag, reason=reason)
        follows = "It is read once more and counts as far as it can be read; the outcome comes by mail."
        mail_decision(run, actor, "accepted by hand", follows, reason)


def run_reject(*, actor: User, run: Run, reason: str) -> None:
    """Reject a run, whatever the outcome of its check."""
    with transaction.atomic():
        held_organised_campaign_or_404(actor, run.task.campaign)
        reason = _required(reason)
        decision = {"decision": Run.REJECTED_BY_HAND, "decision_reason": reason, "decided_by": actor}
        if not move(run, [Run.RECEIVED, Run.VALID], state=Run.REJECTED, table="", **decision):
            raise ValidationError(f"This run is {run.get_state_display()} already and does not count.")
        restored = replacement_failed(run)
        require_few_changes(actor)
        audit(actor, "reject by hand", run, campaign=run.task.campaign, tag=run.tag, reason=reason)
        run_left.send(sender=Run, run=run)
        follows = "It is not scored, no new pool takes it, and it does not count towards the quota."
        if restored is not None:
            follows += f" Attempt {restored.attempt} of this tag counts again."
        mail_decision(run, actor, "rejected by hand", follows, reason)


def run_reinstate(*, actor: User, run: Run, reason: str) -> None:
    """Take a withdrawn run back in, as if it had just been submitted."""
    with transaction.atomic():
        held_organised_campaign_or_404(actor, run.task.campaign)
        reason = _required(reason)
        if not wait_for_check(run, [Run.WITHDRAWN], table="", **NO_DECISION):
            raise ValidationError(f"This run is {run.get_state_display()}: only a withdrawn one can be reinstated.")
        require_few_changes(actor)
        audit(actor, "reinstate", run, campaign=run.task.campaign, tag=run.tag, reason=reason)
        follows = "It is checked again; the outcome comes by mail. It counts towards the quota."
        mail_decision(run, actor, "reinstated", follows, reason)


def wait_for_check(run: Run, states: list[str], **changes: Any) -> bool:
    """Move a run of these states to received and have it checked; ValidationError when its place is taken."""
    with transaction.atomic():
        # The same lock as for uploads: all of them count this run in the quota.
        registration_lock(team_id=run.team_id, campaign_id=run.task.campaign_id)
        run.refresh_from_db(fields=["state"])
        if run.state not in states:
            return False
        if run.state in (Run.REJECTED, Run.WITHDRAWN):
            _require_place(run)
        try:
            with transaction.atomic():
                moved = move(run, states, state=Run.RECEIVED, **changes)
        except IntegrityError as problem:
            raise ValidationError(_tag_taken(run)) from problem
        if moved:
            enqueue(CHECK_RUN, run_id=run.pk)
        return moved


def why_no_place(run: Run) -> str:
    """Return what keeps a run that does not count from counting again; empty if nothing does."""
    if not run.team.registrations.approved().filter(campaign=run.task.campaign_id).exists():
        return f"{run.team} does not take part in this campaign. Approve its registration first."
    if Run.objects.counting().filter(task=run.task_id).looking_like(run.tag).exists():
        return _tag_taken(run)
    room = quota(run.task, run.team)
    if not room.left:
        return (
            f"{run.team} has used up its quota, {room.used} of {number_of(room.most, 'run')}. "
            "Give the team an extra run first, or withdraw one of its runs."
        )
    return ""


def _require_place(run: Run) -> None:
    taken = why_no_place(run)
    if taken:
        raise ValidationError(taken)


def _tag_taken(run: Run) -> str:
    return f"Another attempt of “{run.tag}” or a tag like it counts, and of one tag only one run can. Withdraw that one first."


def _required(reason: str) -> str:
    if not reason.strip():
        raise ValidationError({"reason": "Give the reason: the team reads it, and it is kept with the run."})
    require_length("reason", reason, limits.REASON)
    return reason.strip()


def _facts(run: Run, check: RunCheck) -> dict[str, Any]:
    is_first_check = run.lines is None  # later its team may have cleared the description
    metadata, metadata_problem = read_ir_metadata(check.header)
    return {
        "lines": check.lines,
        "topics_answered": check.topics,
        "error_count": check.problems.errors,
        "warning_count": check.problems.warnings,
        "metadata": metadata,
        "metadata_problem": metadata_problem[:300],
        "description": run.description or (check.description[: limits.DESCRIPTION] if is_first_check else ""),
    }


def _tell_outcome(run: Run, *, is_news: bool) -> None:
    restored, replaced = None, run.replaces
    if run.state == Run.VALID:
        replacement_succeeded(run)
        run_accepted.send(sender=Run, run=run)
    else:
        restored = replacement_failed(run)
    if is_news:  # a new check of all runs notifies only teams whose runs have changed
        mail_outcome(run, restored=restored, replaced=replaced)


def _problems_despite_acceptance(run: Run) -> list[Problem]:
    return [NOTHING_READ] if run.decision == Run.ACCEPTED and run.state == Run.REJECTED else []


def _replace_problems(run: Run, problems: Iterable[Problem]) -> None:
    run.problems.all().delete()
    RunProblem.objects.bulk_create(
        RunProblem(
            run=run,
            line=problem.line,
            code=problem.code,
            severity=problem.severity,
            message=problem.message,
            remedy=problem.remedy,
            excerpt=problem.excerpt,
            count=problem.count,
        )
        for problem in problems
    )
