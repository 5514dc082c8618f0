from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, complain, phase_told, task_at
from campaign.models import User
from campaign.text.plurals import number_of
from judging.core.resolution import OVER, POLICIES, UNGRADED_AS, UNJUDGED_AS
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.selectors.release_counts import drafted_counts
from judging.qrels.services.releases import qrels_release


class Command(ScriptCommand):
    help = "Release the current judgments as the task's next qrels."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool; without it the latest")
        parser.add_argument(
            "--policy",
            choices=list(POLICIES),
            default="latest",
            help="how several judgments of a document become one grade (default: latest)",
        )
        parser.add_argument(
            "--leave-undecided", action="store_true", help="release pairs without a strict majority as not judged (-1)"
        )
        parser.add_argument(
            "--not-scored", nargs="+", default=(), metavar="TOPIC", help="topics on which runs are not scored"
        )
        parser.add_argument(
            "--adjudicated", action="store_true", help="what adjudicators decided stands before the policy"
        )
        parser.add_argument(
            "--cannot-judge-as",
            choices=list(UNGRADED_AS),
            default="-2",
            help="the grade of documents that could not be judged (default: -2)",
        )
        parser.add_argument(
            "--unjudged-as",
            choices=list(UNJUDGED_AS),
            default="-1",
            help="the grade of pooled documents without a judgment (default: -1)",
        )
        parser.add_argument("--note", default="", help="what readers should know about this version")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        pool = pool_numbered(task, options["pool"])
        if pool is None:
            raise CommandError("There is no such pool: nothing to release.")
        draft = drafted_counts(pool, OVER + options["policy"] if options["adjudicated"] else options["policy"])
        left_out = draft.topics_left_out
        names = ("policy", "adjudicated", "cannot_judge_as", "unjudged_as", "note", "leave_undecided", "not_scored")
        chosen = {name: options[name] for name in names}
        with phase_told(self, task):
            qrels = qrels_release(actor=actor, task=task, pool=pool, **chosen)
            if qrels.unjudged_count:
                pairs = number_of(qrels.unjudged_count, "pooled pair")
                complain([f"warning: {pairs} {'has' if qrels.unjudged_count == 1 else 'have'} no grade"])
            if left_out:
                complain([f"warning: left out, without a single grade: topic {', '.join(left_out)}"])
            for topic, why in draft.topics_that_tell_nothing.items():
                if topic in qrels.topics:
                    complain([f"warning: topic {topic}: {why} (--not-scored leaves it out)"])
            judgments, topics = number_of(qrels.judgment_count, "judgment"), number_of(len(qrels.topics), "topic")
            self.stdout.write(f"{qrels}: {judgments} of {topics}")
