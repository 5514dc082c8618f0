"""Runs of the round before, resubmitted: the same bytes become a new run of this round, checked by its rules."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from campaign.models import Run, Task, User
from campaign.runs.selectors.reading import sent_file
from campaign.runs.services.submission import run_submit
from campaign.storage.quarantine import DamagedFileError


def runs_resubmit(*, actor: User, task: Task, runs: Iterable[Run]) -> list[tuple[Run, Run | ValidationError]]:
    """Submit each run of an earlier round to this one; returns each with its new run, or with what refused it."""
    return [(run, _entered(actor, task, run)) for run in runs]


def _entered(actor: User, task: Task, run: Run) -> Run | ValidationError:
    try:
        with sent_file(run, found_by="entering a run again") as file:
            return run_submit(
                actor=actor,
                task=task,
                team=run.team,
                file=file,
                file_name=run.file_name,
                tag=run.tag,
                kind=run.kind,
                description=run.description,
                answers=run.answers,
            )
    except ValidationError as problem:
        return problem
    except DamagedFileError as damage:
        return ValidationError(str(damage))
