"""The base of all commands for scripted campaigns: acting user, exit code 0 or 1, problems on stderr, jobs run at once."""

import logging
import sys
from argparse import ArgumentParser
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from campaign.accounts.selectors import user_by_name
from campaign.command.files import unreadable
from campaign.formats.problems import printable_lines
from campaign.models import Task, User
from campaign.permissions import is_organiser
from campaign.queue.jobs import JobFailed, inline
from campaign.setup.selectors.schedule import run_window
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import DiskFullError
from campaign.version import OF_VERSION

HOW_TO_OPEN = "To take runs, set a deadline in the future, or go back to the phase Runs on the page of the task."
DRAFT = "The campaign is a draft: nobody but its own people sees the task. Open the campaign on its page."


class ScriptCommand(BaseCommand):
    """Subclasses implement `perform(actor, **options)`; the services they call are those of the pages."""

    # A scripted campaign is dozens of commands: loading all pages to check them would triple the time of each.
    requires_system_checks = (OF_VERSION,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--as", dest="actor", metavar="USER", required=True, help="user name of the account that acts"
        )

    def handle(self, *args: Any, actor: str, **options: Any) -> None:
        user = user_by_name(actor)
        if user is None:
            raise CommandError(f"There is no user “{actor}”. Create one with: manage.py create_user {actor}")
        try:
            with inline(), nullcontext() if options["verbosity"] > 1 else quiet():
                self.perform(user, **options)
        except ValidationError as problem:
            raise CommandError("\n".join(problem.messages)) from problem
        except (JobFailed, DamagedFileError) as problem:
            raise CommandError(str(problem)) from problem
        except StorageAwayError as problem:
            raise CommandError(f"{problem} {problem.reason}") from problem
        except DiskFullError as problem:
            raise CommandError(str(problem)) from problem

    def perform(self, actor: User, **options: Any) -> None:
        raise CommandError("This command does nothing by itself.")


@contextmanager
def quiet() -> Iterator[None]:
    """Lines of the log on each job that begins and ends would stand between the messages of a command.

    Handlers are no place for it: Celery has Django set up its logging anew when the first job is looked up.
    """
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


def why_no_runs(task: Task) -> str:
    """Why the task takes no runs from every team now, and what to do about it; empty if it does."""
    window = run_window(task)
    if window.is_open:
        return ""
    if task.campaign.opened_at is None:
        return DRAFT
    is_closed = window.is_over or (task.phase != Task.RUNS and window.deadline is None)
    return f"{window.why_closed} {HOW_TO_OPEN}" if is_closed else window.why_closed


@contextmanager
def phase_told(command: BaseCommand, task: Task) -> Iterator[None]:
    """Say afterwards which phase the task has entered meanwhile, and whether it has stopped taking runs."""
    before, was_open = task.phase, run_window(task).is_open
    yield
    task.refresh_from_db()
    if task.phase != before:
        command.stdout.write(f"The task is now in the phase {task.get_phase_display()}.")
    if (was_open or before == Task.SETUP != task.phase) and (why := why_no_runs(task)):
        command.stdout.write(why)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file that a command names, to be read. What fails where it is stored is no fault of this file, and passes."""
    try:
        file = path.open("rb")
    except OSError as problem:
        raise CommandError(f"{path} cannot be read: {unreadable(str(path), problem)}") from problem
    with file:
        yield file


def print_file(output: OutputWrapper, pieces: Iterable[str]) -> None:
    """Print a file in UTF-8, whatever the encoding: escapes would make other texts of it. A terminal is steered by none."""
    if hasattr(output, "reconfigure"):
        output.reconfigure(encoding="utf-8")
    try:
        for piece in pieces:
            output.write(printable_lines(piece) if output.isatty() else piece, ending="")
    finally:
        if isinstance(pieces, Generator):  # with its cursor, while the database is open
            pieces.close()


def task_at(address: str) -> Task:
    """The task at `campaign/task`."""
    campaign, _, slug = address.partition("/")
    task = Task.objects.select_related("campaign").filter(campaign__slug=campaign, slug=slug).first()
    if task is None:
        raise CommandError(f"There is no task “{address}”. Give it as campaign/task.")
    return task


def organised_task_at(actor: User, address: str) -> Task:
    task = task_at(address)
    if not is_organiser(actor, task.campaign):
        raise CommandError(f"{actor.username} is no organiser of {task.campaign.slug}.")
    return task


def complain(lines: list[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201 - the output of commands
