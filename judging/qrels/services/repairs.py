"""What mends a file of qrels without another file: what its check found, and the press that answers it."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.core.exceptions import ValidationError

from campaign.collection.services.repairs import Repair, topic_repairs
from campaign.formats.qrels.grade_columns import GRADE_COLUMNS, as_written, likely_grades, word_grades
from campaign.formats.qrels.repeats import REPEATED
from campaign.measures import measure_answers
from campaign.models import Import, Task, User
from campaign.modes import HIGHEST_GRADE, MOST_GRADES
from campaign.permissions import locked_organised_task_or_404
from campaign.setup.services.tasks import UnconfirmedChangesError, task_update
from campaign.text.plurals import listed
from judging.core.merging import FILE, HERE
from judging.core.modes.grades import with_grades
from judging.qrels.services.imports import (
    GRADE_COLUMN,
    GRADE_WORDS,
    LEAVE_OUT,
    LISTED_OPTION,
    MISSING_GRADES,
    REPEATED_OPTION,
)
from judging.qrels.services.merged_imports import COMBINE

REFUSE: Final = "refuse"
COUNTING: Final = {
    "first": "Let the first line of pairs that come twice count",
    "last": "Let the last line of pairs that come twice count",
    "highest": "Let the highest grade of pairs that come twice count",
}
LISTS: Final = frozenset({"passages", "listed_pairs"})
"""Codes of files that may list relevant documents."""
STANDS_ALONE: Final = Repair("alone", "Let the file stand alone", {COMBINE: "alone"})


def qrels_repairs(import_: Import) -> list[Repair]:
    return [
        *_of_grades(import_),
        *_of_grade_words(import_),
        *_of_grade_columns(import_),
        *_of_pairs(import_),
        *_of_lists(import_),
        *_of_merges(import_),
        *topic_repairs(import_),
        *_of_topics(import_),
    ]


def _of_grades(import_: Import) -> Iterator[Repair]:
    task, found = import_.task, import_.found.get(MISSING_GRADES, [])
    scale = set(task.grades.values_list("value", flat=True)) if found else set()
    missing = [grade for grade in found if grade not in scale]
    grown = sorted({*scale, *missing})
    if not missing:
        if found:
            yield Repair("again", "Take the scale as it is now")
    elif grown[-1] <= HIGHEST_GRADE and len(grown) <= MOST_GRADES and not task.mode.scale_problem(grown):
        told = ""
        if measure_answers().has_scores(task):
            told = (
                "Runs have scores already. Scores that the new scale changes are missing until you have the runs scored anew. "
                "The log keeps the change, and every leaderboard that is published from now on names it."
            )
        named = f"grade{'s' if len(missing) > 1 else ''} {listed(list(map(str, missing)))}"

        def mend(actor: User, is_confirmed: bool) -> None:
            grades_add(actor=actor, task=task, grades=missing, is_confirmed=is_confirmed)

        yield Repair("add-grades", f"Add {named} to the scale", mend=mend, told=told)


def grades_add(*, actor: User, task: Task, grades: Sequence[int], is_confirmed: bool) -> None:
    """Put grades on the scale of the task; ValidationError where that changes scores and nobody has confirmed it."""
    changed = locked_organised_task_or_404(actor, task)
    scale = with_grades([grade.step() for grade in changed.grades.all()], grades)
    try:
        task_update(actor=actor, task=changed, grades=scale, is_confirmed=is_confirmed)
    except UnconfirmedChangesError as asked:
        raise ValidationError(f"Not done: confirm first that scores change ({asked}).") from asked


def _of_grade_words(import_: Import) -> Iterator[Repair]:
    """What the sender said of a word stands; the orders that are known tell the others."""
    unknown, said = import_.found.get(GRADE_WORDS, []), import_.options.get(GRADE_WORDS, "")
    grades_said = word_grades(said) if said else {}
    likely = (likely_grades([*grades_said, *unknown]) or likely_grades(unknown)) if unknown else []
    written = dict.fromkeys(as_written({**grades, **grades_said}) for grades in likely)
    for number, words in enumerate(written, start=1):
        named = listed([f"{word} as {grade}" for word, grade in word_grades(words).items()])
        yield Repair(f"grade-words-{number}", f"Read the grades {named}", {GRADE_WORDS: words})


def _of_grade_columns(import_: Import) -> Iterator[Repair]:
    codes, chosen = import_.problems.get("by_code", {}), import_.options.get(GRADE_COLUMN)
    are_several = "grades_several" in codes or "grade_column" in codes
    for column in GRADE_COLUMNS if are_several else GRADE_COLUMNS[:2] if "sample_columns" in codes else ():
        if str(column) != chosen:
            yield Repair(f"grade-column-{column}", f"Take column {column} for the grade", {GRADE_COLUMN: str(column)})
    if "grade_column" in codes:
        yield Repair("grade-column-none", "Choose no column for the grade", {GRADE_COLUMN: ""})


def _of_pairs(import_: Import) -> Iterator[Repair]:
    codes, chosen = import_.problems.get("by_code", {}), import_.options.get(REPEATED_OPTION) or REFUSE
    if "pairs_repeated" in codes or (chosen == REFUSE and "judgment_duplicate" in codes):
        for name in REPEATED:
            if name not in (chosen, REFUSE):
                yield Repair(f"repeated-{name}", COUNTING[name], {REPEATED_OPTION: name})


def _of_lists(import_: Import) -> Iterator[Repair]:
    codes = import_.problems.get("by_code", {})
    if not import_.options.get(LISTED_OPTION) and not LISTS.isdisjoint(codes):
        grade = import_.task.lowest_relevant_grade
        yield Repair("listed", f"Give each document of the file the grade {grade}", {LISTED_OPTION: True})


def _of_merges(import_: Import) -> Iterator[Repair]:
    codes = import_.problems.get("by_code", {})
    if "merge_impossible" in codes:
        yield STANDS_ALONE
    if "grades_differ" in codes:
        yield Repair("here", "Let the grades given here stand", {COMBINE: HERE})
        yield Repair("file", "Let the grades of the file stand", {COMBINE: FILE})


def _of_topics(import_: Import) -> Iterator[Repair]:
    if "topics_tell_nothing" not in import_.problems.get("by_code", {}):
        return
    if import_.options.get(LEAVE_OUT, False):
        yield Repair("score-all", "Score runs on topics without a relevant document too", {LEAVE_OUT: False})
    else:
        yield Repair("leave-out", "Leave topics without a relevant document out of the scores", {LEAVE_OUT: True})
