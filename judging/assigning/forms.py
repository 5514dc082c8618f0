"""What organisers choose when they assign topics."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.html import format_html

from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_POOL, hints
from campaign.models import Role, Task, Topic, User
from campaign.web.forms import DayField
from judging.assigning.selectors.planning import Distribution, Overlap
from judging.assigning.services.assignments import MOST_PARTS, new_seed
from judging.models import AssigningRules
from pooling.models import Pool
from pooling.selectors.sizes import pooled_topics

TOPICS_LISTED = 500
"""With more topics a list to choose from would be most of the page: their numbers are typed instead."""
UNKNOWN_NAMED = 10
HANDED_OVER = (
    "A topic that another assessor has in this pass is handed over: the new assessor gets what is not graded yet. "
    "In a pool that grows both go on, each with documents of their own."
)
DOCUMENTS, HOURS = "documents", "hours"
NO_ASSESSOR = "Choose at least one assessor."


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
            near = hints(unknown, missing_in(self.topics, "number"), OF_POOL)
            raise ValidationError(f"The pool has no topic {shown}. Write numbers as in the list of topics.{near}")
        return [found[number] for number in numbers]


class PartField(forms.CharField):
    """A part of a topic as one writes it, "2 of 3"; empty for the whole."""

    def clean(self, value: Any) -> tuple[int, int]:
        text = super().clean(value)
        part, _, parts = text.partition("of") if text else ("1", "", "1")
        if not (part.strip().isdecimal() and parts.strip().isdecimal()) or len(text) > 12:
            raise ValidationError(
                "Write which part of how many, for example 2 of 3; leave it empty for the whole topic."
            )
        if not 1 <= int(part) <= int(parts) <= MOST_PARTS:
            raise ValidationError(f"There is no part {int(part)} of {int(parts)}: count from 1, {MOST_PARTS} at most.")
        return int(part), int(parts)


class AssignForm(forms.Form):
    assessor = forms.ModelChoiceField(User.objects.none())
    topics = forms.ModelMultipleChoiceField(
        Topic.objects.none(), help_text=f"Hold Ctrl (or ⌘) to choose several. {HANDED_OVER}"
    )
    part = PartField(
        required=False,
        help_text="2 of 3: a third of each topic's documents, drawn at random. The other parts have none of them. Empty: all.",
    )
    pass_number = forms.IntegerField(
        label="Pass",
        min_value=1,
        max_value=9,
        initial=1,
        help_text="2 and above: judge a topic again, blind to pass 1.",
    )
    due_on = DayField(label="Due on", required=False, help_text="Empty: the date of the task, if it has one.")

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
        self.order_fields(["assessor", "topics"])

    @property
    def chosen(self) -> dict[str, Any]:
        """The arguments of the service."""
        part, parts = self.cleaned_data["part"]
        return {**self.cleaned_data, "part": part, "parts": parts}


class AssessorsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Assessors to tick; `has`: by their keys, what each has now, which stands beside the name."""

    has: Mapping[int, str] = MappingProxyType({})

    def label_from_instance(self, obj: Any) -> str:
        has = self.has.get(obj.pk)
        return format_html('<span><bdi>{}</bdi> <span class="muted">{}</span></span>', obj, has) if has else str(obj)


class PlanForm(forms.Form):
    """What all plans ask: who, and balanced by what. `sent` is what a preview sends again."""

    assessors = AssessorsField(
        User.objects.none(), widget=forms.CheckboxSelectMultiple, error_messages={"required": NO_ASSESSOR}
    )
    by = forms.ChoiceField(
        label="The same number of",
        choices=[
            (DOCUMENTS, "documents"),
            (HOURS, "hours, by each assessor's own pace (30 s a document until it is known)"),
        ],
        initial=DOCUMENTS,
        widget=forms.RadioSelect,
    )
    avoids_conflicts = forms.BooleanField(
        required=False, initial=True, label="Leave out members of teams whose runs are in the pool"
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "assessors" in self.fields:
            _choice(self, "assessors").queryset = _assessors(task)

    def show_loads(self, has: Mapping[int, str]) -> None:
        """Let each assessor stand with what he or she has now, by the key of the user."""
        _choice(self, "assessors").has = has
        self["assessors"].label = "Assessors, with what each has now"

    @property
    def people(self) -> dict[str, Any]:
        return {
            "assessors": list(self.cleaned_data["assessors"]),
            "by_hours": self.cleaned_data["by"] == HOURS,
            "avoids_conflicts": self.cleaned_data["avoids_conflicts"],
        }


class DistributeForm(PlanForm):
    reads = forms.CharField(
        label="Only assessors who read",
        required=False,
        max_length=30,
        help_text="One language as it is written under “Languages”, for example de. Empty: all.",
    )
    only = forms.CharField(
        label="Only these topics",
        required=False,
        max_length=20_000,
        help_text="Their numbers, between blanks or commas. Empty: all that nobody has.",
    )
    most = forms.IntegerField(
        label="Divide topics of more documents than",
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text="Their parts, drawn at random, may go to several assessors. Empty: each topic stays whole.",
    )

    @property
    def wish(self) -> Distribution:
        numbers = self.cleaned_data["only"].replace(",", " ").split()
        chosen = {name: self.cleaned_data[name] for name in ("most", "reads")}
        return Distribution(**self.people, **chosen, only=frozenset(numbers) if numbers else None)


class ShareForm(PlanForm):
    percent = forms.DecimalField(
        label="Share of each topic, in %", min_value=Decimal("0.1"), max_value=100, max_digits=4, decimal_places=1
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        help_text="Drawn at random; kept with the share, so that anybody can draw it again.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seed"].initial = new_seed()

    @property
    def share(self) -> float:
        return float(self.cleaned_data["percent"] / 100)


class OverlapForm(ShareForm):
    field_order = ("percent", "assessors", "by", "avoids_conflicts", "seed")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["percent"].initial = 10
        self.fields["percent"].help_text = "100: whole topics, which may also be given when judging has begun."

    @property
    def wish(self) -> Overlap:
        return Overlap(self.share, self.cleaned_data["seed"], **self.people)


class RepeatForm(ShareForm):
    assessors = by = avoids_conflicts = None  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["percent"].initial = 5

    @property
    def wish(self) -> Overlap:
        return Overlap(self.share, self.cleaned_data["seed"])


class LanguagesForm(forms.Form):
    """A line for each assessor; the service checks what they hold."""

    def __init__(self, *args: Any, roles: list[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys = {f"languages_{role.pk}": role.pk for role in roles}
        for role in roles:
            self.fields[f"languages_{role.pk}"] = forms.CharField(
                label=str(role.user), required=False, max_length=100, initial=role.languages
            )

    @property
    def languages(self) -> dict[int, str]:
        return {pk: self.cleaned_data[name] for name, pk in self.keys.items()}


class RulesForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = AssigningRules
        fields = ("due_on", "remind_days", "topics_are_open", "topics_at_once", "avoids_conflicts")
        field_classes = {"due_on": DayField}
        help_texts = {"topics_at_once": "An assessor with this many finishes one before taking another."}


def _assessors(task: Task) -> Any:
    return User.objects.filter(roles__campaign=task.campaign_id, roles__role="assessor").order_by("username")


def _choice(form: forms.Form, name: str) -> Any:
    return form.fields[name]
