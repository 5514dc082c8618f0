from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.qrels.grade_columns import GRADE_COLUMNS, word_grades
from campaign.formats.qrels.repeats import REPEATED
from campaign.management.base import ScriptCommand, organised_task_at, phase_told
from campaign.management.importing import add_file, add_match_topics, import_file_at
from campaign.models import Import, User
from campaign.text.plurals import number_of
from judging.core.merging import RULES
from judging.core.resolution import LATEST, POLICIES
from judging.core.set_names import set_name_problem
from judging.qrels.selectors.manifests import manifest_of
from judging.qrels.selectors.qrels_sets import set_named
from judging.qrels.selectors.releases import latest_qrels
from judging.qrels.services.imports import (
    GRADE_COLUMN,
    GRADE_WORDS,
    LEAVE_OUT,
    LISTED_OPTION,
    QRELS_JOBS,
    REPEATED_OPTION,
)
from judging.qrels.services.merged_imports import ADJUDICATED, COMBINE, POLICY, SET


class Command(ScriptCommand):
    help = (
        "Release qrels that were judged elsewhere as the task's next version. A task between Set-up and Scores moves on to "
        "Scores; without a deadline, it then takes no more runs. A task in its set-up stays there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_file(parser)
        add_match_topics(parser)
        parser.add_argument("--subtopics", action="store_true", help="the second column is the subtopic")
        parser.add_argument(
            "--leave-out",
            action="store_true",
            help="do not score topics without a relevant document",
        )
        parser.add_argument(
            "--repeated",
            choices=list(REPEATED),
            default="refuse",
            help="which line counts if a topic and docno come twice with different grades",
        )
        parser.add_argument(
            "--listed",
            action="store_true",
            help="two columns, or passages, list relevant documents: each gets the lowest grade that is relevant",
        )
        self._add_grades(parser)
        self._add_merging(parser)
        parser.add_argument(
            "--set",
            default="",
            metavar="NAME",
            help="what was judged, if it is not relevance: for example readability",
        )
        parser.add_argument("--note", default="")

    def _add_grades(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--grade-words",
            default="",
            metavar="GRADES",
            help='what letters or words in place of grades stand for, such as "E=3 S=2 C=1 I=0"',
        )
        parser.add_argument(
            "--grade-column",
            type=int,
            choices=GRADE_COLUMNS,
            help="the column of the grade, from 1, in files with several grades for each document",
        )

    def _add_merging(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--merge",
            choices=list(RULES),
            help="release it together with the judgments made here; where both differ, the grade of this side counts",
        )
        parser.add_argument(
            "--policy",
            choices=list(POLICIES),
            default=LATEST,
            help="with --merge: how several judgments of a document become one grade",
        )
        parser.add_argument(
            "--adjudicated",
            action="store_true",
            help="with --merge: what adjudicators decided stands before the policy",
        )

    def _of_grades(self, options: dict[str, Any]) -> dict[str, str]:
        words, column = options["grade_words"], options["grade_column"]
        try:
            word_grades(words or "E=3")
        except ValueError as error:
            raise CommandError(f"--grade-words: {error}") from error
        return {name: str(value) for name, value in ((GRADE_WORDS, words), (GRADE_COLUMN, column)) if value}

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        set_name = set_named(task, options["set"])
        if problem := set_name_problem(set_name):
            raise CommandError(problem)
        chosen = {
            "subtopics": options["subtopics"],
            "note": options["note"],
            LEAVE_OUT: options["leave_out"],
            REPEATED_OPTION: options["repeated"],
            LISTED_OPTION: options["listed"],
            **self._of_grades(options),
            SET: set_name,
        }
        if options["merge"]:
            chosen |= {COMBINE: options["merge"], POLICY: options["policy"], ADJUDICATED: options["adjudicated"]}
        with phase_told(self, task):
            import_file_at(options, actor=actor, task=task, kind=Import.QRELS, options=chosen, jobs=QRELS_JOBS)
            qrels = latest_qrels(task, set_name)
            if qrels is None:
                raise CommandError("No qrels were released.")
            judgments, topics = number_of(qrels.judgment_count, "judgment"), number_of(len(qrels.topics), "topic")
            self.stdout.write(f"{qrels}: {judgments} of {topics}")
            if merged := manifest_of(qrels).get("merged"):
                words = "graded here only: {only_here}, in the file only: {only_in_file}, alike: {same}, differently: {different}"
                self.stdout.write(words.format(**merged))
