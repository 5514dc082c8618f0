import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand
from campaign.models import Archive, Campaign, User
from campaign.permissions import is_organiser
from campaign.storage.disk import written_at_once
from campaign.storage.reading import open_verified
from runpool.archive.selectors import shown_archive
from runpool.archive.services.requests import archive_request
from runpool.archive.services.writing import archive_make_with_moments_ahead


class Command(ScriptCommand):
    help = "Write an archive of a campaign, or of one task of it (campaign/task), to a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("address", help="campaign or campaign/task")
        parser.add_argument("file", type=Path, help="the zip to write; an existing file is not replaced")
        parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
        parser.add_argument(
            "--documents",
            choices=Archive.DOCUMENTS,
            default=Archive.DOCNOS,
            help="what it holds of documents (default: docnos)",
        )
        parser.add_argument(
            "--people",
            choices=Archive.PEOPLE,
            default=Archive.PSEUDONYMS,
            help="how it names people (default: pseudonyms)",
        )
        parser.add_argument(
            "--with-moments-ahead",
            action="store_true",
            help="archive rows with dates in the future too, stored while the clock was ahead; the archive names them",
        )

    def perform(self, actor: User, **options: Any) -> None:
        path = options["file"].absolute()
        if not path.parent.is_dir() or path.is_dir():
            raise CommandError(f"{path} cannot be written: name a file in a folder that is there.")
        there_already = f"{path} is there already. Name another file, or add --overwrite."
        if path.exists() and not options["overwrite"]:
            raise CommandError(there_already)
        slug, _, task_slug = options["address"].partition("/")
        campaign = Campaign.objects.filter(slug=slug).first()
        task = campaign.tasks.filter(slug=task_slug).first() if campaign else None
        if campaign is None or (task_slug and task is None):
            raise CommandError(f"There is no “{options['address']}”. Give it as campaign or campaign/task.")
        if not is_organiser(actor, campaign):
            raise CommandError(f"{actor.username} is no organiser of {slug}.")
        chosen = {name: options[name] for name in ("documents", "people")}
        archive = archive_request(actor=actor, campaign=campaign, task=task, **chosen)
        archive.refresh_from_db()
        if not archive.file and options["with_moments_ahead"]:
            archive_make_with_moments_ahead(actor=actor, archive=archive)
            archive.refresh_from_db()
        if not archive.file:
            job = shown_archive(archive).job
            raise CommandError(f"The archive was not made. {job.message if job else ''}".strip())
        with open_verified(str(archive.file), found_by="a command") as stored:
            try:
                with written_at_once(path, replace=options["overwrite"]) as out:
                    shutil.copyfileobj(stored, out)
            except FileExistsError as problem:  # it came meanwhile
                raise CommandError(there_already) from problem
            except OSError as problem:
                raise CommandError(f"{path} cannot be written: {problem.strerror}.") from problem
        self.stdout.write(f"{path}: SHA-256 {archive.sha256}, content {archive.content_sha256}")
