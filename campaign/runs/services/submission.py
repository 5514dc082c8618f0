"""A team's actions on its runs: submit, replace, edit, withdraw. `decisions` holds the outcome of checks.

States move by conditional UPDATEs, so that a job that runs twice moves a run once.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from campaign import log
from campaign.events import run_left
from campaign.formats.kinds import no_text
from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from campaign.log.audit import apply_changes, audit
from campaign.models import Role, Run, Task, Team, User
from campaign.models.run import TAG_NOT_FREE
from campaign.permissions import held_campaign_or_404, is_member, is_organiser
from campaign.queue.jobs import enqueue_first
from campaign.runs.selectors.integrity import receipt_of
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.services.states import move, replaced_run, withdraw_replaced
from campaign.runs.services.validation import about_run, not_taking_part, require_place, require_submission
from campaign.setup.selectors.schedule import run_window
from campaign.setup.services.interests import conflicts_record
from campaign.storage import FileTooLargeError, StoredFile, store
from campaign.storage.room import taking_in
from campaign.teams.services.registrations import registration_lock
from campaign.web.daily_limits import require_few_changes

ONLY_TEAM = "Only the team of this run or an organiser of this campaign can do this."


class SameBytesError(ValidationError):
    """A file that would replace the run of the very same bytes."""

    def __init__(self, run: Run, message: str) -> None:
        super().__init__({"file": message})
        self.run = run


def run_submit(
    *,
    actor: User,
    task: Task,
    team: Team,
    file: "BinaryIO | File[bytes]",
    file_name: str,
    tag: str = "",
    kind: str = Run.AUTOMATIC,
    priority: int | None = None,
    description: str = "",
    answers: Mapping[str, Any] | None = None,
    replace: bool = False,
    received_at: datetime | None = None,
) -> Run:
    """Take a run in and have it checked; ValidationError, and nothing stored in the database, when it cannot be taken.

    Without a tag the run gets the one that its file suggests; without a priority that of the run which it replaces, else the
    next after the team's other runs. With `replace` the team's run of that tag, if there is one, is withdrawn by the same
    transaction. `received_at`: when the last byte of the file had arrived, which counts for the deadline.
    """
    received_at = received_at or timezone.now()
    tag = tag or tag_of_file(file, file_name)
    priority = priority if priority is not None else _priority(task, team, tag, replace=replace)
    about = {"kind": kind, "priority": priority, "description": description, "answers": answers or {}}
    size = getattr(file, "size", 0)
    values = require_submission(actor, task, team, tag, about, replace=replace, size=size, received_at=received_at)
    run = _new_run(task, team, tag, _store(file), file_name, actor, submitted_at=received_at, **values)
    with transaction.atomic():
        _wait_for_other_uploads(task, team)
        run.after_qrels = _comes_after_qrels(task, received_at)
        earlier = replaced_run(task, team, tag) if replace else None
        _require_other_bytes(run, earlier)
        _take_place(actor, run, earlier)
        _insert(run)
        require_place(run, earlier)
        _log(actor, run, earlier)
        enqueue_first(CHECK_RUN, run_id=run.pk)
        log.about(campaign_id=task.campaign_id, task_id=task.pk, run_id=run.pk)
    return run


def _take_place(actor: User, run: Run, earlier: Run | None) -> None:
    if earlier is not None:
        run.replaces = withdraw_replaced(actor, earlier)
        run.paper_url, run.code_url = earlier.paper_url, earlier.code_url


def _require_other_bytes(run: Run, earlier: Run | None) -> None:
    if earlier is None or earlier.state != Run.VALID or earlier.sha256 != run.sha256:
        return
    attempt = f", attempt {earlier.attempt}," if earlier.attempt > 1 else ""
    problem = (
        f"This file has the very same bytes as the run {earlier.tag}{attempt} that it would replace: nothing is replaced, and "
        "its stored file is intact. Send the corrected file; the details of a run are changed without a file, on its page or by "
        "program."
    )
    raise SameBytesError(earlier, problem)


def _wait_for_other_uploads(task: Task, team: Team) -> None:
    """The uploads of one team wait for each other, so that all of them count in its quota: few queries, no other work."""
    registration = registration_lock(team_id=team.pk, campaign_id=task.campaign_id)
    if registration is None or registration.state != registration.APPROVED:
        raise ValidationError({"team": not_taking_part(team, registration)})


def _comes_after_qrels(task: Task, received_at: datetime) -> bool:
    """Whether participants could see qrels before the run came; in a development round they always can."""
    known_at = Task.objects.values_list("qrels_known_at", flat=True).get(pk=task.pk)
    return known_at is not None and received_at >= known_at and task.round_kind != Task.DEVELOPMENT


def _log(actor: User, run: Run, replaced: Run | None) -> None:
    facts = {**receipt_of(run), **({"replaces": replaced.attempt} if replaced else {})}
    audit(actor, "submit", run, campaign=run.task.campaign, tag=run.tag, team=run.team.name, **facts)
    conflicts_record(Role.objects.filter(campaign=run.task.campaign_id, user__memberships__team=run.team))


def _priority(task: Task, team: Team, tag: str, *, replace: bool) -> int:
    """The priority of a run that is sent without one."""
    replaced = replaced_run(task, team, tag) if replace else None
    return replaced.priority if replaced else Run.objects.next_priority(task, team)


def tag_of_file(file: "BinaryIO | File[bytes]", file_name: str) -> str:
    """The tag that the file suggests; its reading begins anew afterwards."""
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return suggested_tag(head, file_name)


def run_edit(
    *,
    actor: User,
    run: Run,
    kind: str,
    priority: int,
    description: str,
    answers: Mapping[str, Any] | None = None,
) -> Run:
    """Edit the details of a run: its team before its deadline, an organiser at any time. The file stays."""
    about = {"kind": kind, "priority": priority, "description": description, "answers": answers or {}}
    values = about_run(run.task, about)
    with transaction.atomic():
        _require_part(actor, run, "change the details of this run")
        edited = Run.objects.select_for_update(of=("self",)).select_related("task__campaign", "team").get(pk=run.pk)
        if not edited.counts:
            raise ValidationError(f"This run is {edited.get_state_display()} and does not count: nothing to change.")
        changes = apply_changes(edited, values)
        if changes:
            edited.save(update_fields=list(changes))
            audit(actor, "edit", edited, campaign=edited.task.campaign, tag=edited.tag, changes=changes)
            require_few_changes(actor)
    return edited


def run_link(*, actor: User, run: Run, paper_url: str | None = None, code_url: str | None = None) -> Run:
    """Say where a run's paper and code are: its team or an organiser, until the campaign is archived. None: that link stays.

    Of a run that does not count a team only takes links away. Nothing that is computed reads this.
    """
    given = {"paper_url": paper_url, "code_url": code_url}
    values = {name: link.strip() for name, link in given.items() if link is not None}
    with transaction.atomic():
        organises = is_organiser(actor, held_campaign_or_404(run.task.campaign))
        if not organises and not is_member(actor, run.team):
            raise PermissionDenied(ONLY_TEAM)
        edited = Run.objects.select_for_update(of=("self",)).select_related("task__campaign", "team").get(pk=run.pk)
        if not (edited.counts or organises) and any(
            link not in ("", getattr(edited, name)) for name, link in values.items()
        ):
            raise ValidationError(
                f"This run is {edited.get_state_display()} and does not count: its links can only be taken away."
            )
        changes = apply_changes(edited, values)
        edited.clean_fields(exclude={field.name for field in Run._meta.fields} - set(values))
        if changes:
            edited.save(update_fields=list(changes))
            audit(actor, "edit", edited, campaign=edited.task.campaign, tag=edited.tag, changes=changes)
            require_few_changes(actor)
    return edited


def require_withdrawable(actor: User, run: Run) -> None:
    """Raise ValidationError where `run_withdraw` would refuse."""
    _require_time(actor, run, "withdraw this one")
    if run.state not in (Run.RECEIVED, Run.VALID):
        raise ValidationError(f"This run is {run.get_state_display()} already and does not count.")


def run_withdraw(*, actor: User, run: Run) -> None:
    """Take a run back: it is scored and pooled no more, and its tag and its place in the quota are free again.

    Its team can do this for as long as the task takes its runs, an organiser at any time.
    """
    with transaction.atomic():
        _require_part(actor, run, "withdraw this one")
        if not move(run, [Run.RECEIVED, Run.VALID], state=Run.WITHDRAWN, replaces=None):
            raise ValidationError(f"This run is {run.get_state_display()} already and does not count.")
        audit(actor, "withdraw", run, campaign=run.task.campaign, tag=run.tag)
        run_left.send(sender=Run, run=run)


def _require_part(actor: User, run: Run, act: str) -> None:
    if not is_organiser(actor, held_campaign_or_404(run.task.campaign)) and not is_member(actor, run.team):
        raise PermissionDenied(ONLY_TEAM)
    _require_time(actor, run, act)


def _require_time(actor: User, run: Run, act: str) -> None:
    if not run_window(run.task, run.team).is_open and not is_organiser(actor, run.task.campaign):
        raise ValidationError(f"The task no longer accepts runs: ask an organiser to {act}.")


def _store(file: "BinaryIO | File[bytes]") -> StoredFile:
    """A picture or a PDF takes no place among the runs, and replaces none."""
    why = no_text(cast(BinaryIO, file))
    file.seek(0)
    if why:
        raise ValidationError({"file": f"{why} Nothing was stored."})
    try:
        with taking_in():
            return store(file, folder="runs", limit=settings.UPLOAD_LIMIT_BYTES)
    except FileTooLargeError as problem:
        raise ValidationError({"file": str(problem)}) from problem


def _new_run(task: Task, team: Team, tag: str, stored: StoredFile, file_name: str, actor: User, **values: Any) -> Run:
    run = Run(
        task=task,
        team=team,
        tag=tag,
        file=stored.name,
        file_name=PurePath(file_name.replace("\0", "").encode(errors="replace").decode()).name[-200:] or tag,
        size=stored.size,
        sha256=stored.sha256,
        submitted_by=actor,
        **values,
    )
    run.clean_fields(exclude={"task", "team", "submitted_by"})  # these were read from the database
    return run


def _insert(run: Run) -> None:
    """Insert the run as the next attempt of its tag. The constraints see to it that of one tag only one run counts."""
    last = Run.objects.filter(task=run.task_id, tag=run.tag).aggregate(last=Max("attempt"))["last"] or 0
    run.attempt = last + 1
    try:
        run.save(force_insert=True)
    except IntegrityError as problem:  # another upload of the same tag came first
        raise ValidationError({"tag": TAG_NOT_FREE}) from problem
