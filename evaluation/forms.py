from collections.abc import Iterable

from django import forms

from campaign.models import Task
from campaign.text import limits
from campaign.text.natural_order import natural_order
from evaluation.boards.audiences import LICENCES
from evaluation.boards.choice import FAMILIES, FAMILIES_ARE_FOR, Choice
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS, Correction, Test, ranks_do_not_follow


class PublishForm(forms.Form):
    """What the organiser writes of a publication; licence and terms begin as they were last time."""

    note = forms.CharField(
        required=False,
        max_length=limits.BOARD_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What readers should know of this version, such as what changed since the last one. All its readers see it.",
    )
    licence = forms.ChoiceField(
        required=False, choices=list(LICENCES.items()), help_text="Under which the numbers may be used by others."
    )
    terms = forms.CharField(
        label="Terms of use",
        required=False,
        max_length=limits.BOARD_TERMS,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What users of the scores should do or not do: cite the overview paper, for example.",
    )

    def __init__(self, *args: object, task: Task, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        last = task.leaderboards.order_by("-number").values_list("licence", "terms").first()
        if last is not None:
            self.fields["licence"].initial, self.fields["terms"].initial = last


def _explained(declared: Iterable[Test | Correction]) -> list[tuple[str, str]]:
    return [(one.name, _sentence(one.label, one.is_for)) for one in declared]


def _tests_explained() -> list[tuple[str, str]]:
    said = dict(_explained(TESTS.values()))
    without = {test.name: f" {ranks_do_not_follow(test.no_ranks)}" for test in TESTS.values() if test.no_ranks}
    return [(name, f"{sentence}{without.get(name, '')}") for name, sentence in said.items()]


def _sentence(label: str, is_for: str) -> str:
    return f"{label[0].upper()}{label[1:]}: {is_for}."


class BoardSettingsForm(forms.Form):
    """The tests of a board, with a sentence on what each is for."""

    family = forms.ChoiceField(
        label="Comparisons",
        choices=[(name, _sentence(label, FAMILIES_ARE_FOR[name])) for name, label in FAMILIES.items()],
        widget=forms.RadioSelect,
    )
    test = forms.ChoiceField(choices=_tests_explained(), widget=forms.RadioSelect)
    correction = forms.ChoiceField(
        choices=_explained(CORRECTIONS.values()),
        widget=forms.RadioSelect,
        help_text="For the number of comparisons by one measure.",
    )
    baseline = forms.ChoiceField(
        required=False,
        help_text="A run that all others are marked against, such as BM25. Name it before there are scores.",
    )
    margin = forms.FloatField(
        label="Equivalence margin",
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0"}),
        help_text="Two runs whose means by the first measure differ by less are equal for every practical purpose, such as 0.01. "
        "Pairs are then tested for equivalence. It can be named, changed or removed only before anybody can have seen scores.",
    )

    def __init__(self, *args: object, task: Task, choice: Choice, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        tags = sorted({*task.runs.valid().values_list("tag", flat=True), choice.baseline} - {""}, key=natural_order)
        self.fields["baseline"].choices = [("", "no baseline"), *((tag, tag) for tag in tags)]  # type: ignore[attr-defined]
        for name in ("family", "test", "correction", "baseline", "margin"):
            self.fields[name].initial = getattr(choice, name)


class DrawFeedbackForm(forms.Form):
    """How many topics are drawn for feedback, and by which seed."""

    LONGEST_SEED = 40

    count = forms.IntegerField()
    seed = forms.CharField(
        max_length=LONGEST_SEED,
        initial="1",
        help_text="The same topics, number and seed draw the same; it is kept in the log.",
    )

    def __init__(self, *args: object, most: int, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["count"] = forms.IntegerField(
            label="Topics to draw", min_value=1, max_value=most, initial=max(1, most // 5)
        )
