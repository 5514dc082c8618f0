from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.accounts.selectors import user_by_name
from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_TASK, hints
from campaign.management.base import ScriptCommand, task_at
from campaign.models import Topic, User
from campaign.text.plurals import number_of
from judging.assigning.services.assignments import assignments_create
from judging.progress.selectors.progress import pool_numbered
from pooling.models import Pool
from pooling.selectors.sizes import pooled_topics


class Command(ScriptCommand):
    help = "Assign topics of a pool to an assessor. An assignment that exists already does not change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("--assessor", required=True, metavar="USER", help="user name of the assessor")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--topics", nargs="+", metavar="NUMBER", help="numbers of the topics")
        which.add_argument("--all", action="store_true", help="every pooled topic")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool; without it the latest")
        parser.add_argument(
            "--pass", type=int, default=1, dest="pass_number", metavar="N", help="number of the pass (default: 1)"
        )

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        pool = pool_numbered(task, options["pool"])
        if pool is None:
            raise CommandError("There is no such pool yet. Freeze one with: manage.py freeze_pool")
        assessor = user_by_name(options["assessor"])
        if assessor is None:
            raise CommandError(f"There is no user “{options['assessor']}”.")
        created = assignments_create(
            actor=actor,
            pool=pool,
            topics=_topics(pool, options["topics"]),
            assessor=assessor,
            pass_number=options["pass_number"],
        )
        self.stdout.write(f"{number_of(len(created), 'topic')} assigned to {assessor.username}")


def _topics(pool: Pool, numbers: list[str] | None) -> list[Topic]:
    if numbers is None:
        return list(pool.task.topics.filter(pk__in=pooled_topics(pool)))
    topics = {topic.number: topic for topic in pool.task.topics.filter(number__in=numbers)}
    missing = [number for number in numbers if number not in topics]
    if missing:
        near = hints(missing, missing_in(pool.task.topics.all(), "number"), OF_TASK)
        raise CommandError(f"The task has no topic {', '.join(missing)}.{near}")
    return [topics[number] for number in dict.fromkeys(numbers)]
