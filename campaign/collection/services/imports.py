"""The steps of an import: a file is received, checked by a job, confirmed by an organiser, applied by a job.

Each step is a conditional UPDATE of the state, so that a step taken twice does nothing the second time.
They serve every kind of import; kinds of later apps bring their own jobs (`ImportJobs`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from campaign.collection.selectors.documents import STAGING
from campaign.collection.selectors.imports import TOGETHER, import_job, sent_with
from campaign.database import clock
from campaign.formats.kinds import KINDS, kind_of, no_text
from campaign.formats.problems import ProblemLog, Severity
from campaign.log.audit import audit
from campaign.models import Collection, Import, Task, User
from campaign.permissions import held_organised_campaign_or_404, locked_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.storage import FileTooLargeError, store
from campaign.storage.reading import open_verified
from campaign.storage.room import taking_in
from campaign.web.daily_limits import DAY, require_few_of_person, require_few_rows

Upload = BinaryIO | File  # type: ignore[type-arg]
CHECK_IMPORT, APPLY_IMPORT = "check import", "apply import"
"""Done by campaign/collection/jobs.py."""
MOST_WAITING = 100
"""Imports of a campaign that are neither applied nor discarded: each keeps its file. And those discarded within a day."""
MOST_APPLIED_A_DAY = 1_000
"""Of one person in a campaign: their files are kept for good, also where nothing in them was new."""
MOST_CHECKED_AGAIN_A_DAY = 1_000
"""Of one person: each check reads the whole file once more."""
NO_TEXT = {"archive", "binary_file"}
"""Codes of problems of bytes that are no text."""
PREVIEWED, PREVIEW_LENGTH = 5, 600


@dataclass(frozen=True, slots=True)
class ImportJobs:
    """The names of the jobs that check and apply a kind of import; each takes an `import_id`."""

    check: str
    apply: str


COLLECTION_JOBS = ImportJobs(CHECK_IMPORT, APPLY_IMPORT)
_jobs = {Import.TOPICS: COLLECTION_JOBS, Import.DOCUMENTS: COLLECTION_JOBS}


def import_with(kind: str, jobs: ImportJobs) -> None:
    """Tell, when a later app starts, by which jobs it checks and applies its kind of import."""
    _jobs[kind] = jobs


def jobs_of(kind: str) -> ImportJobs:
    return _jobs[kind]


def import_receive(
    *,
    actor: User,
    task: Task,
    kind: str,
    file: Upload,
    file_name: str,
    options: dict[str, Any] | None = None,
    jobs: ImportJobs = COLLECTION_JOBS,
) -> Import:
    """Store a file and have it checked. Nothing is imported before `import_confirm`."""
    taken_in = import_take_in(actor=actor, task=task, kind=kind, file=file, file_name=file_name, options=options)
    import_add(actor=actor, import_=taken_in, jobs=jobs)
    return taken_in


def import_add(*, actor: User, import_: Import, jobs: ImportJobs = COLLECTION_JOBS) -> None:
    """Keep what `import_take_in` gave, and have it checked."""
    with transaction.atomic():
        _keep(actor, import_)
        enqueue(jobs.check, import_id=str(import_.pk))


def import_confirm(*, actor: User, import_: Import, jobs: ImportJobs = COLLECTION_JOBS) -> None:
    """Have a checked import applied; one that failed in a job is tried again. Confirming twice applies once.

    Files that were sent together are applied together: ValidationError while one of them is not ready.
    """
    with transaction.atomic():
        held_organised_campaign_or_404(actor, import_.task.campaign)
        if others := [one for one in sent_with(import_) if one.state != Import.DISCARDED]:
            _confirm_together(actor, [import_, *others])
            return
        if import_claim_apply(import_):
            audit(actor, "confirm", import_, campaign=import_.task.campaign, records=import_.records)
        elif not import_is_stuck(import_, Import.APPLYING):
            return
        enqueue(jobs.apply, import_id=str(import_.pk))


def _confirm_together(actor: User, files: Sequence[Import]) -> None:
    """The job of the one that leads applies all of them."""
    in_order = sorted(files, key=lambda one: str(one.pk))  # of locks
    claimed = [one for one in in_order if import_claim_apply(one)]
    if claimed and len(claimed) < len(files):
        other = next(one for one in files if one not in claimed)
        state = other.get_state_display()
        raise ValidationError(f"Files sent together are imported together, and {other.file_name} is {state}.")
    leads = next((one for one in files if TOGETHER not in one.options), None)
    if leads is None or not (claimed or import_is_stuck(leads, Import.APPLYING)):
        return
    for one in claimed:
        audit(actor, "confirm", one, campaign=one.task.campaign, records=one.records)
    enqueue(jobs_of(leads.kind).apply, import_id=str(leads.pk))


def import_check_again(*, actor: User, import_: Import, options: Mapping[str, Any], jobs: ImportJobs) -> None:
    """Have the same file checked again, with `options` in place of the sender's choices of these names."""
    fresh = {"options": {**import_.options, **options}, "records": 0, "preview": [], "found": {}, "problems": {}}
    with transaction.atomic():
        held_organised_campaign_or_404(actor, import_.task.campaign)
        if not _move(import_, [Import.READY, Import.BAD], state=Import.CHECKING, **fresh):
            raise ValidationError(f"This import is {import_.get_state_display()}: it cannot be checked again now.")
        Collection.objects.filter(campaign=import_.task.campaign_id, slug=staging_slug(import_)).delete()
        require_few_of_person(actor, "further checks of imports", MOST_CHECKED_AGAIN_A_DAY)
        audit(actor, "check again", import_, campaign=import_.task.campaign, **options)
        enqueue(jobs.check, import_id=str(import_.pk))


def import_discard(*, actor: User, import_: Import) -> None:
    """Give an import up before it is applied, and those that were sent together with it."""
    with transaction.atomic():
        held_organised_campaign_or_404(actor, import_.task.campaign)
        others = [one for one in sent_with(import_) if one.state not in (Import.DONE, Import.DISCARDED)]
        for one in sorted([import_, *others], key=lambda one: str(one.pk)):  # of locks
            _discard(actor, one)
        import_.refresh_from_db(fields=["state", "finished_at"])


def _discard(actor: User, import_: Import) -> None:
    states = [Import.READY, Import.BAD]
    states += [state for state in (Import.CHECKING, Import.APPLYING) if import_is_stuck(import_, state)]
    if not _move(import_, states, state=Import.DISCARDED, finished_at=timezone.now()):
        raise ValidationError(f"This import is {import_.get_state_display()}: it cannot be discarded now.")
    Collection.objects.filter(campaign=import_.task.campaign_id, slug=staging_slug(import_)).delete()
    audit(actor, "discard", import_, campaign=import_.task.campaign)


def import_store(
    *, actor: User, task: Task, kind: str, file: Upload, file_name: str, options: dict[str, Any] | None = None
) -> Import:
    taken_in = import_take_in(actor=actor, task=task, kind=kind, file=file, file_name=file_name, options=options)
    _keep(actor, taken_in)
    return taken_in


def import_take_in(
    *, actor: User, task: Task, kind: str, file: Upload, file_name: str, options: dict[str, Any] | None = None
) -> Import:
    """Store the bytes, which may take long, before a transaction holds anything; the import is not saved yet."""
    _require_few_waiting(actor, task)
    try:
        with taking_in():
            stored = store(file, folder="imports", limit=settings.UPLOAD_LIMIT_BYTES)
    except FileTooLargeError as problem:
        raise ValidationError({"file": str(problem)}) from problem
    return Import(
        task=task,
        kind=kind,
        file=stored.name,
        file_name=PurePath(file_name).name[-200:],
        size=stored.size,
        sha256=stored.sha256,
        options=options or {},
        created_by=actor,
    )


@transaction.atomic
def _keep(actor: User, received: Import) -> None:
    campaign, said = received.task.campaign, {"kind": received.kind, "file": received.file_name}
    locked_organised_campaign_or_404(actor, campaign)
    _require_few_waiting(actor, received.task)  # others may have come in while this one was stored
    received.full_clean(exclude=["file", "finished_at"])
    received.save()
    audit(actor, "receive", received, campaign=campaign, **said, sha256=received.sha256)


def _require_few_waiting(actor: User, task: Task) -> None:
    of_campaign = Import.objects.filter(task__campaign=task.campaign_id)
    waiting = of_campaign.filter(state__in=(Import.CHECKING, Import.READY, Import.BAD, Import.APPLYING)).count()
    today = of_campaign.filter(clock.within("finished_at", DAY, timezone.now()))
    discarded = today.filter(state=Import.DISCARDED).count()
    if waiting >= MOST_WAITING:
        problem = f"{MOST_WAITING} imports of this campaign wait already. Apply or discard some first."
        raise ValidationError({"file": problem})
    if discarded >= MOST_WAITING:
        problem = f"{MOST_WAITING} imports of this campaign were discarded within a day. Go on tomorrow."
        raise ValidationError({"file": problem})
    applied, what = of_campaign.filter(state=Import.DONE), "applied imports of this campaign"
    try:
        require_few_rows(applied, "finished_at", {"created_by": actor}, MOST_APPLIED_A_DAY, what)
    except ValidationError as problem:
        remedy = (
            "Or send many files as one: join files of one format, such as those of a TREC disk, before you send them."
        )
        raise ValidationError({"file": f"{problem.messages[0]} {remedy}"}) from problem


def encoding_of(import_: Import) -> str:
    """The character encoding that the sender of the file named; "" if none."""
    return str(import_.options.get("encoding", ""))


@contextmanager
def import_file(import_: Import) -> Iterator[BinaryIO]:
    with open_verified(str(import_.file), found_by=f"an import of {import_.get_kind_display()}") as file:
        yield cast(BinaryIO, file)


def import_finish_check(
    import_: Import,
    *,
    format: str | None,
    records: int,
    preview: Sequence[dict[str, Any]],
    problems: ProblemLog,
    found: Mapping[str, Any] | None = None,
) -> None:
    """Record the outcome of the check: the import is ready if the file has no errors. `found`: for confirmation and job."""
    _tell_of_kind(import_, records, problems)
    _move(
        import_,
        [Import.CHECKING],
        state=Import.READY if problems.ok else Import.BAD,
        format=format or "",
        records=records,
        preview=list(preview),
        found=dict(found or {}),
        problems=problems.of_import(),
    )


def _tell_of_kind(import_: Import, records: int, problems: ProblemLog) -> None:
    """Say what a file of another kind is, and which door takes it, where it was refused or none of its documents has a text."""
    are_empty = problems.by_code["document_empty"] >= records
    if problems.ok and not (records and are_empty):
        return
    with import_file(import_) as file:
        why = "" if NO_TEXT & problems.by_code.keys() else no_text(file)
        file.seek(0)
        kind = kind_of(file, encoding_of(import_))
    severity: Severity = "warning" if problems.ok else "error"
    if why:
        problems.add("archive", why, "", severity=severity)
    is_right = import_.kind == ("qrels" if kind == "training" else kind) or (
        import_.kind == Import.DOCUMENTS and not are_empty
    )
    if not kind or is_right or any(KINDS[kind].where in problem.remedy for problem in problems.shown):
        return
    problems.add("other_kind", f"This looks like {KINDS[kind].what}.", KINDS[kind].where, severity=severity)


def import_claim_apply(import_: Import) -> bool:
    """Move the import from ready to importing; return whether this call did."""
    return _move(import_, [Import.READY], state=Import.APPLYING)


def import_finish(import_: Import) -> None:
    """Mark the import as done; call this inside the transaction that makes the imported things visible."""
    _move(import_, [Import.APPLYING], state=Import.DONE, finished_at=timezone.now())


def import_refuse(import_: Import, problems: ProblemLog) -> None:
    """Reject an import that was valid when it was checked: something else was imported in between."""
    _move(import_, [Import.APPLYING], state=Import.BAD, problems=problems.of_import())


def import_pass_back(import_: Import, *, problems: dict[str, Any] | None) -> None:
    """One that was to be applied with others, and was not: it waits again, or with problems of its own is rejected."""
    rejected: dict[str, Any] = {"state": Import.BAD, "problems": problems} if problems else {"state": Import.READY}
    if _move(import_, [Import.APPLYING], **rejected):
        Collection.objects.filter(campaign=import_.task.campaign_id, slug=staging_slug(import_)).delete()


def import_is_stuck(import_: Import, state: str) -> bool:
    """Whether the import waits in this state for a job that has failed for good or is lost."""
    job = import_job(import_)
    return import_.state == state and (job is None or not job.is_unfinished)


def shortened(text: str) -> str:
    """Return the text cut to the length that a preview shows."""
    return text if len(text) <= PREVIEW_LENGTH else text[: PREVIEW_LENGTH - 1] + "…"


def staging_slug(import_: Import) -> str:
    return f"{STAGING}{import_.pk}"


def _move(import_: Import, states: Sequence[str], **changes: Any) -> bool:
    moved = Import.objects.filter(pk=import_.pk, state__in=states).update(**changes) == 1
    import_.refresh_from_db(fields=["state", *changes])
    return moved
