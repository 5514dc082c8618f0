from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from campaign import lengths
from campaign.collection.forms import ImportForm
from campaign.models import Import, Task, Topic, User
from judging.models import Judgment
from judging.modes.declaration import Answers
from judging.modes.registry import judging_mode
from judging.resolution import LATEST, POLICIES
from judging.services.imports import LEAVE_OUT
from judging.services.judgments import Act
from pooling.models import DuplicateSearch, Pool, Search
from pooling.selectors.sizes import pooled_topics

TOPICS_LISTED = 500
"""With more topics a list to choose from would be most of the page: their numbers are typed instead."""
UNKNOWN_NAMED = 10
HANDED_OVER = (
    "A topic that another assessor has in this pass is handed over: the new assessor gets what is not graded yet. "
    "In a pool that grows both go on, each with documents of their own."
)
PLAUSIBLE_YEARS = range(2000, 2101)


class BrowserTextField(forms.CharField):
    """Text as browsers send it; half a character (of a pair that was cut in two) becomes a question mark."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").encode(errors="replace").decode()


class MeasuredTextField(forms.CharField):
    """What a browser says of an act besides its content. Anything else than a text is nothing."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: Any) -> str:
        return value.encode(errors="replace").decode() if isinstance(value, str) else ""


class BrowserTimeField(forms.DateTimeField):
    """A time by the browser's clock. An impossible time is ignored instead of refusing the grade."""

    def to_python(self, value: Any) -> datetime | None:
        if value is not None and not isinstance(value, str):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        try:
            time = super().to_python(value)
        except OverflowError:
            return None
        return time if time is not None and time.year in PLAUSIBLE_YEARS else None


class ActForm(forms.Form):
    """One act as the desk sends it; the service and the judging mode check its content."""

    uuid = forms.UUIDField()
    docno = BrowserTextField(max_length=200, strip=False)
    verdict = BrowserTextField(max_length=12, required=False)
    grade = forms.IntegerField(required=False)
    note = BrowserTextField(required=False, max_length=lengths.JUDGMENT_NOTE)
    shown_at = BrowserTimeField(required=False)
    judged_at = BrowserTimeField(required=False)
    active_ms = forms.IntegerField(required=False)
    away_ms = forms.IntegerField(required=False)
    reason = BrowserTextField(required=False, max_length=lengths.REASON_OF_JUDGMENT)
    flagged = forms.BooleanField(required=False)
    undoes = forms.UUIDField(required=False)
    input_method = MeasuredTextField()
    position = forms.IntegerField(required=False)
    extent = MeasuredTextField()
    text_sha256 = MeasuredTextField()
    topic_sha256 = MeasuredTextField()
    guidelines_sha256 = MeasuredTextField()

    def act(self, answers: Answers) -> Act:
        verdict = self.cleaned_data["verdict"] or Judgment.GRADED
        return Act(**{**self.cleaned_data, "verdict": verdict}, answers=answers)


class TopicNumbersField(forms.CharField):
    """Topics by their numbers, where a list to choose from would be too long for a page."""

    def __init__(self, topics: "QuerySet[Topic]", **kwargs: Any) -> None:
        help_text = f"The numbers of the topics, between blanks or commas. {HANDED_OVER}"
        super().__init__(label="Topics", help_text=help_text, **kwargs)
        self.topics = topics

    def clean(self, value: Any) -> Any:
        numbers = list(dict.fromkeys(super().clean(value).replace(",", " ").split()))
        found = {topic.number: topic for topic in self.topics.filter(number__in=numbers)}
        unknown = [number for number in numbers if number not in found]
        if unknown or not numbers:
            shown = ", ".join(unknown[:UNKNOWN_NAMED]) + (" …" if len(unknown) > UNKNOWN_NAMED else "")
            raise ValidationError(f"The pool has no topic {shown}. Write numbers as in the list of topics.")
        return [found[number] for number in numbers]


class AssignForm(forms.Form):
    assessor = forms.ModelChoiceField(User.objects.none())
    topics = forms.ModelMultipleChoiceField(
        Topic.objects.none(), help_text=f"Hold Ctrl (or ⌘) to choose several. {HANDED_OVER}"
    )
    pass_number = forms.IntegerField(
        label="Pass",
        min_value=1,
        max_value=9,
        initial=1,
        help_text="2 and above: judge a topic again, blind to pass 1.",
    )

    def __init__(self, *args: Any, task: Task, pool: Pool | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "assessor").queryset = _assessors(task)
        pooled = pooled_topics(pool) if pool is not None else set()
        topics = task.topics.filter(pk__in=pooled)
        if len(pooled) > TOPICS_LISTED:
            self.fields["topics"] = TopicNumbersField(topics)
        else:
            _choice(self, "topics").queryset = topics
            self.fields["topics"].widget.attrs["size"] = 12


class DistributeForm(forms.Form):
    assessors = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "assessors").queryset = _assessors(task)


class HandlingForm(forms.Form):
    """How near-identical documents are judged; `costs`: by handling, what is to be judged then."""

    handling = forms.ChoiceField(
        label="Near-identical documents are",
        widget=forms.RadioSelect,
        help_text="You may change this at any time: no judgment is lost. Documents judged already are in the counts.",
    )

    def __init__(self, *args: Any, costs: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = DuplicateSearch.HANDLINGS.items()
        _choice(self, "handling").choices = [(name, f"{label} ({costs[name]})") for name, label in labels]


class ReleaseForm(forms.Form):
    policy = forms.ChoiceField(
        label="Several judgments of one document become",
        choices=[(name, f"{name}: {words}") for name, words in POLICIES.items()],
        initial=LATEST,
        widget=forms.RadioSelect,
    )
    leave_undecided = forms.BooleanField(
        required=False,
        label="Release pairs without a majority as not judged (-1)",
        help_text="Otherwise a release by strict-majority is refused while there are any, and names them.",
    )
    not_scored = forms.MultipleChoiceField(
        required=False,
        label="Topics to leave out of the scores",
        widget=forms.CheckboxSelectMultiple,
        help_text="These topics tell no runs apart. Those you tick are not scored; their judgments are released all the same, "
        "and the leaderboard names them.",
    )
    note = forms.CharField(
        required=False,
        max_length=lengths.NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown with this version.",
    )

    def __init__(self, *args: Any, doubtful: Mapping[str, str], most_votes: int, **kwargs: Any) -> None:
        """`doubtful`: topics that tell no runs apart, and why. `most_votes`: grades of the pair that has most."""
        super().__init__(*args, **kwargs)
        if doubtful:
            _choice(self, "not_scored").choices = [(topic, f"{topic}: {why}") for topic, why in doubtful.items()]
        else:
            del self.fields["not_scored"]
        if most_votes < 2:
            del self.fields["leave_undecided"]


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
        self.fields[LEAVE_OUT] = forms.BooleanField(
            required=False,
            label="Leave topics out of the scores that have no relevant document, or one grade only",
            help_text="They tell no runs apart. The leaderboard names those that are left out.",
        )
        for file in judging_mode(task.judging_mode).files:
            if file.option:
                self.fields[file.option] = forms.BooleanField(required=False, label=file.label)
        self.order_fields([name for name in self.fields if name != "note"])


def _assessors(task: Task) -> Any:
    return User.objects.filter(roles__campaign=task.campaign_id, roles__role="assessor").order_by("username")


def _choice(form: forms.Form, name: str) -> Any:
    return form.fields[name]


class FindForm(forms.Form):
    query = BrowserTextField(max_length=Search.LONGEST_QUERY, required=False)


class AddForm(FindForm):
    docno = BrowserTextField(max_length=200)
