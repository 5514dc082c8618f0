"""The form of a file of judgments that were made elsewhere."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.collection.forms import ImportForm, match_topics_field
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.formats.qrels.grade_columns import GRADE_COLUMNS, word_grades
from campaign.formats.qrels.repeats import REPEATED
from campaign.models import Import, Task
from campaign.text import limits
from judging.core.merging import FILE, HERE, REFUSE
from judging.core.modes.registry import judging_mode
from judging.core.resolution import LATEST, POLICIES, UNION
from judging.core.set_names import DEFAULT, DEFAULT_IN_WORDS, LONGEST, set_name_problem
from judging.qrels.selectors.qrels_sets import qrels_sets, set_named
from judging.qrels.services.imports import (
    GRADE_COLUMN,
    GRADE_WORDS,
    GRADES_OF_OTHER_SETS,
    LEAVE_OUT,
    LISTED_OPTION,
    REPEATED_OPTION,
)
from judging.qrels.services.merged_imports import ADJUDICATED, COMBINE, POLICY, SET
from judging.selectors.judged_documents import has_decisions, has_judgments

ALONE = "alone"
NEW_SET = "new_set"
COMBINATIONS = {
    ALONE: "stay out of this version: the file stands alone",
    HERE: "are merged with the file; where both grade a pair, the grade given here stands",
    FILE: "are merged with the file; where both grade a pair, the grade of the file stands",
    REFUSE: "are merged with the file; if both grade a pair and differ, the file is refused and the pairs are named",
}


class QrelsImportForm(ImportForm):
    """A file of judgments made elsewhere; the options are those of the files that the judging mode takes."""

    kind = Import.QRELS
    note = forms.CharField(required=False, max_length=limits.NOTE, help_text="Where these judgments come from.")

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, task=task, **kwargs)
        self.fields["file"].label = "Qrels file"
        self.fields["file"].help_text = (
            "topic, 0, docno, grade on each line; of a sample with the stratum before the grade or the probability after it. "
            "Columns are separated by white space, commas or semicolons. Plain text or gzip. It is checked first."
        )
        self.fields |= _set_fields(task)
        self.fields |= _merging_fields(task) if has_judgments(task) else {COMBINE: _nothing_to_merge()}
        self.fields[LEAVE_OUT] = forms.BooleanField(
            required=False,
            label="Leave topics out of the scores that have no relevant document",
            help_text="AP, P, R, RR and bpref are 0 there for every run. The leaderboard names those that are left out.",
        )
        self.fields[REPEATED_OPTION] = _repeated_field()
        self.fields[LISTED_OPTION] = forms.BooleanField(
            required=False,
            label="The file lists relevant documents",
            help_text=(
                "Two columns, topic and docno, or passages: each document gets the lowest grade that is relevant. Files with "
                "grades are read as usual."
            ),
        )
        self.fields |= _grade_fields()
        self.fields[MATCH_TOPICS] = match_topics_field()
        for file in judging_mode(task.judging_mode).files:
            if file.option:
                self.fields[file.option] = forms.BooleanField(required=False, label=file.label)
        self.order_fields([name for name in self.fields if name != "note"])

    def choices(self, options: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        """A set that has no version yet is typed once more."""
        is_new = bool(options.get(SET)) and options[SET] not in qrels_sets(self.task)
        return super().choices({**options, NEW_SET: options[SET], SET: ""} if is_new else options)

    def clean_new_set(self) -> str:
        name = set_named(self.task, self.cleaned_data[NEW_SET])
        if problem := set_name_problem(name):
            raise ValidationError(problem)
        return name

    def clean_grade_words(self) -> str:
        words: str = self.cleaned_data[GRADE_WORDS].strip()
        try:
            word_grades(words or "E=3")
        except ValueError as error:
            raise ValidationError(str(error)) from error
        return words

    def clean(self) -> dict[str, Any]:
        """A name that is typed stands before the default set, never against another one that is chosen."""
        chosen, typed = self.cleaned_data.get(SET, DEFAULT), self.cleaned_data.pop(NEW_SET, DEFAULT)
        if chosen and typed and chosen != typed:
            self.add_error(
                NEW_SET, f"You chose the set {chosen}: empty this field, or choose {DEFAULT_IN_WORDS} above."
            )
        self.cleaned_data[SET] = chosen or typed
        return self.cleaned_data


def _set_fields(task: Task) -> dict[str, forms.Field]:
    others = [name for name in qrels_sets(task) if name != DEFAULT]
    fields: dict[str, forms.Field] = {}
    if others:
        fields[SET] = forms.ChoiceField(
            label="What was judged",
            required=False,
            choices=[(DEFAULT, DEFAULT_IN_WORDS), *((name, name) for name in others)],
            help_text="The file becomes the next version of this set.",
        )
    fields[NEW_SET] = forms.CharField(
        label="Another criterion",
        required=False,
        max_length=4 * LONGEST,
        help_text=(
            f"What was judged if not {DEFAULT_IN_WORDS}, such as readability: up to {LONGEST} letters, digits, spaces and "
            f"hyphens. Such a set has its own grades, from {GRADES_OF_OTHER_SETS[0]} to {GRADES_OF_OTHER_SETS[-1]}, and its "
            "own versions; runs are scored with it as well."
        ),
    )
    return fields


def _repeated_field() -> forms.Field:
    return forms.ChoiceField(
        required=False,
        label="Pairs that come twice",
        choices=[(name, f"{name}: {words}") for name, words in REPEATED.items()],
        help_text="The same topic and docno on two lines. With the same grade they count once in any case.",
    )


def _grade_fields() -> dict[str, forms.Field]:
    return {
        GRADE_WORDS: forms.CharField(
            required=False,
            max_length=limits.NOTE,
            label="Grades that are words",
            help_text="What letters or words stand for, such as E=3 S=2 C=1 I=0. Empty: grades are numbers.",
        ),
        GRADE_COLUMN: forms.ChoiceField(
            required=False,
            label="Column of the grade",
            choices=[("", "the one that the number of columns says"), *((str(one), str(one)) for one in GRADE_COLUMNS)],
            help_text="Of files with several grades for each document, such as relevance, usefulness and credibility.",
        ),
    }


def _nothing_to_merge() -> forms.Field:
    """No page shows it: a program may say what is so in any case."""
    problem = f"Nothing is judged here yet that a file could be merged with: leave it out, or send {ALONE}."
    return forms.ChoiceField(
        required=False,
        choices=[(ALONE, COMBINATIONS[ALONE])],
        widget=forms.HiddenInput,
        error_messages={"invalid_choice": problem},
    )


def _merging_fields(task: Task) -> dict[str, forms.Field]:
    policies = [(name, f"{name}: {words}") for name, words in POLICIES.items()]
    fields: dict[str, forms.Field] = {
        COMBINE: forms.ChoiceField(
            label="The judgments made here",
            choices=list(COMBINATIONS.items()),
            initial=ALONE,
            widget=forms.RadioSelect,
            help_text="The check counts the pairs of both sides before anything is released.",
        ),
        POLICY: forms.ChoiceField(
            label="Of a merge: several judgments made here become",
            choices=[choice for choice in policies if choice[0] != UNION or task.mode.needs_subtopics],
            initial=LATEST,
        ),
    }
    if has_decisions(task):
        fields[ADJUDICATED] = forms.BooleanField(
            required=False, initial=True, label="Of a merge: what adjudicators decided stands before the policy"
        )
    return fields
