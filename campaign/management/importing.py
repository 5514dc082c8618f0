"""Shared by the import commands: the same check as on the pages, confirmed at once."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.collection.selectors.imports import import_job
from campaign.collection.services.imports import (
    COLLECTION_JOBS,
    ImportJobs,
    import_confirm,
    import_discard,
    import_receive,
)
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.formats.encodings import ENCODINGS
from campaign.formats.problems import ProblemLog
from campaign.management.base import complain, opened
from campaign.models import Import, Task, User
from campaign.runs.selectors.progress import counted_problems


def add_file(parser: ArgumentParser) -> None:
    """Add the arguments that all commands of imports have."""
    parser.add_argument("task", help="campaign/task")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--encoding",
        choices=list(ENCODINGS),
        default="",
        help="encoding of a file that is not UTF-8 and does not name its own",
    )


def add_match_topics(parser: ArgumentParser) -> None:
    """Add the option of files that name topics of the task."""
    parser.add_argument(
        "--match-topics",
        action="store_true",
        help="read 051 or MB051 as topic 51, where no other topic has these numerals",
    )


def import_file_at(
    given: Mapping[str, Any],
    *,
    actor: User,
    task: Task,
    kind: str,
    options: Mapping[str, Any],
    jobs: ImportJobs = COLLECTION_JOBS,
) -> Import:
    """The finished import; problems are listed on stderr, and then nothing is imported.

    `given`: what `add_file` and `add_match_topics` have read.
    """
    path, encoding = given["file"], given["encoding"]
    chosen = {**options, "encoding": encoding} if encoding else dict(options)
    if given.get(MATCH_TOPICS, False):
        chosen[MATCH_TOPICS] = True
    with opened(path) as file:
        import_ = import_receive(
            actor=actor, task=task, kind=kind, file=file, file_name=path.name, options=chosen, jobs=jobs
        )
    import_.refresh_from_db()
    if import_.state == Import.READY:
        import_confirm(actor=actor, import_=import_, jobs=jobs)
        import_.refresh_from_db()
    if import_.problems:
        complain(str(ProblemLog.from_json(import_.problems)).splitlines())
    if import_.state == Import.BAD:
        import_discard(actor=actor, import_=import_)
        raise CommandError(f"{counted_problems(import_.problems, 'error')} in {path}; nothing was imported.")
    if import_.state != Import.DONE:
        job = import_job(import_)
        raise CommandError(f"The import stopped: {job.message if job else 'its job is lost'}")
    return import_
