"""The form of a file of judgments that were made elsewhere."""

from typing import Any

from django import forms

from campaign import lengths
from campaign.collection.forms import ImportForm
from campaign.models import Import, Task
from judging.merging import FILE, HERE, REFUSE
from judging.modes.registry import judging_mode
from judging.resolution import LATEST, POLICIES, UNION
from judging.selectors.judged import has_decisions, has_judgments
from judging.services.imports import LEAVE_OUT
from judging.services.merged_imports import ADJUDICATED, COMBINE, POLICY

ALONE = "alone"
COMBINATIONS = {
    ALONE: "stay out of this version: the file stands alone",
    HERE: "are merged with the file; where both grade a pair, the grade given here stands",
    FILE: "are merged with the file; where both grade a pair, the grade of the file stands",
    REFUSE: "are merged with the file; if both grade a pair and differ, the file is refused and the pairs are named",
}


class QrelsImportForm(ImportForm):
    """A file of judgments made elsewhere; the options are those of the files that the judging mode takes."""

    kind = Import.QRELS
    note = forms.CharField(required=False, max_length=lengths.NOTE, help_text="Where these judgments come from.")

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, task=task, **kwargs)
        self.fields["file"].label = "Qrels file"
        self.fields["file"].help_text = (
            "topic, 0, docno, grade on each line; of a sample with the stratum before the grade or the probability after it. "
            "Plain text or gzip. It is checked first."
        )
        if has_judgments(task):
            self.fields |= _merging_fields(task)
        self.fields[LEAVE_OUT] = forms.BooleanField(
            required=False,
            label="Leave topics out of the scores that have no relevant document, or one grade only",
            help_text="They tell no runs apart. The leaderboard names those that are left out.",
        )
        for file in judging_mode(task.judging_mode).files:
            if file.option:
                self.fields[file.option] = forms.BooleanField(required=False, label=file.label)
        self.order_fields([name for name in self.fields if name != "note"])


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
