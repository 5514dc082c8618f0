from collections.abc import Mapping, Sequence
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from django import forms

from campaign.collection.forms import ImportForm, match_topics_field
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.models import Import, Run, Task
from campaign.text import limits
from pooling.core.strategies.families import in_families
from pooling.core.strategies.judging_order import DEFAULT_ORDER, orders_of
from pooling.core.strategies.parameters import Choice, Number, Parameter, PoolSpecError, Whole, YesNo
from pooling.core.strategies.registry import STRATEGIES, default_strategy
from pooling.core.strategies.spec import RUNS_PER_TEAM, SEED, PoolSpec
from pooling.selectors.previews import SECONDS_PER_DOCUMENT
from pooling.services.growth import MOST_MORE
from pooling.services.imports import RANDOM

SECONDS = Number(name="seconds", label="Seconds per document", low=1, high=3600, default=SECONDS_PER_DOCUMENT)
KEPT_WHEN_THE_STRATEGY_CHANGES = ("strategy", "max_priority", "runs_per_team", "seed", "seconds", "a")
LONGEST_ADDRESS, MOST_SETTINGS = 2000, 40
LONGEST_SETTING = 600
"""Characters. Settings live in the address, twice where two are compared, and servers refuse addresses of 4,094."""
WIDEST_NARROW_NUMBER = 99_999
MEANINGS = {
    "max_priority": "Runs up to this priority only, as teams gave it.",
    "seed": "The same runs, settings and seed give the same pool, byte by byte.",
    "seconds": "For the hours of judging only. It does not change the pool.",
}
ORDER_HELP = (
    "Apart from what is pooled: random by default, whatever the strategy. A strategy's own order finds more at first."
)


class ParameterField(forms.Field):
    """A field made from a declared parameter, which reads and checks what is typed."""

    def __init__(self, parameter: Parameter, *, required: bool = True, when_empty: str = "") -> None:
        self.parameter = parameter
        message = f"Give {parameter.expected}."
        super().__init__(
            required=required and not parameter.optional,
            label=parameter.label,
            help_text=parameter.help,
            widget=_widget(parameter, when_empty or parameter.when_empty),
            error_messages={"required": message, "invalid": message},
        )

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return self.parameter.default if self.parameter.optional else None
        if len(str(value)) > LONGEST_SETTING:
            raise forms.ValidationError(f"Give at most {LONGEST_SETTING} characters. The command takes longer lists.")
        try:
            return self.parameter.from_text(str(value))
        except PoolSpecError as problem:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from problem


class PoolForm(forms.Form):
    """The settings of a pool. They live in the address of the page, so that a link shows the same preview.

    Apart from what all pools have, the fields are those of the strategy that the data name. `fields_of` holds the strategy
    whose fields the page shows: after a change of strategy (`is_for_another_strategy`) their values are left out. `a` holds
    the settings that these are compared with, as a query string.
    """

    def __init__(
        self, data: Mapping[str, str] | None = None, *, runs: Sequence[Run], seconds: float = SECONDS_PER_DOCUMENT
    ) -> None:
        self.runs, self.seconds = runs, seconds
        given = dict((data or {}).items())
        self.method = STRATEGIES.get(given.get("strategy", ""), default_strategy())
        self.is_for_another_strategy = given.pop("fields_of", self.method.name) != self.method.name
        if self.is_for_another_strategy:
            given = {name: given[name] for name in KEPT_WHEN_THE_STRATEGY_CHANGES if name in given}
        defaults = {**_defaults(self.method.parameters), "seconds": SECONDS.to_text(seconds)}
        super().__init__({**defaults, "strategy": self.method.name, **given})
        self._add_fields(runs)
        self.given = {name: value for name, value in given.items() if name in self.fields}

    def _add_fields(self, runs: Sequence[Run]) -> None:
        strategies = [
            (family, [(method.name, method.label) for method in members]) for family, members in in_families(STRATEGIES)
        ]
        orders = [(name, order.label) for name, order in orders_of(self.method).items()]
        described = forms.Select(attrs={"aria-describedby": "strategy-purpose"})
        self.fields["strategy"] = forms.ChoiceField(choices=strategies, widget=described)
        for parameter in self.method.parameters:
            self.fields[parameter.name] = ParameterField(parameter)
        self.fields["max_priority"] = forms.TypedChoiceField(
            label="Runs", choices=_priority_choices(runs), coerce=int, empty_value=None, required=False
        )
        self.fields["runs_per_team"] = ParameterField(RUNS_PER_TEAM, required=False, when_empty="all")
        self.fields["order"] = forms.ChoiceField(label="Judging order", choices=orders, help_text=ORDER_HELP)
        self.fields["seed"] = ParameterField(SEED)
        self.fields["seconds"] = ParameterField(SECONDS)
        self.fields["a"] = forms.CharField(required=False, max_length=LONGEST_ADDRESS, widget=forms.HiddenInput)

    def spec(self) -> PoolSpec:
        values = self.cleaned_data
        own = {parameter.name: values[parameter.name] for parameter in self.method.parameters}
        common = {name: values[name] for name in ("max_priority", "runs_per_team", "order", "seed")}
        return PoolSpec(self.method.name, own, **common)

    def query(self, **changes: str) -> str:
        """Return the settings as they came, with some changes, as a query string."""
        return urlencode({**self.given, **changes})

    @property
    def own_query(self) -> str:
        """The settings without those that they are compared with."""
        return urlencode({name: value for name, value in self.given.items() if name != "a"})

    @property
    def query_to_compare(self) -> str:
        """The same settings once more, to be changed, and beside them as A."""
        return urlencode({**self.given, "a": self.own_query or f"strategy={self.method.name}"})

    @property
    def query_of_a(self) -> str:
        """A and B the other way round."""
        return f"{self.given.get('a', '')}&{urlencode({'a': self.own_query})}"

    @property
    def meanings(self) -> list[tuple[str, str, str]]:
        """For each setting its label, its name as messages write it, and what it means, in the order of the form."""
        shown = [(name, self.fields[name]) for name in self.fields if name not in ("strategy", "a")]
        return [(str(field.label), name, str(field.help_text) or MEANINGS.get(name, "")) for name, field in shown]

    def compared(self) -> Self | None:
        """The form of the settings that these are compared with; None where there are none."""
        text = self.given.get("a", "")
        if not text:
            return None
        try:
            given = dict(parse_qsl(text, max_num_fields=MOST_SETTINGS))
        except ValueError:
            return None
        return type(self)({**given, "a": ""}, runs=self.runs, seconds=self.seconds)


def _defaults(parameters: tuple[Parameter, ...]) -> dict[str, str]:
    values = {
        parameter.name: "" if parameter.optional else parameter.to_text(parameter.default)
        for parameter in (*parameters, SEED, SECONDS)
    }
    return {**values, "order": DEFAULT_ORDER, "max_priority": ""}


def _widget(parameter: Parameter, when_empty: str) -> forms.Widget:
    placeholder = {"placeholder": when_empty} if when_empty else {}
    if isinstance(parameter, Whole | Number):
        limits: dict[str, Any] = {"min": parameter.low, "max": parameter.high, **placeholder}
        if isinstance(parameter, Number):
            limits["step"] = "any"
        if parameter.high <= WIDEST_NARROW_NUMBER:
            limits["class"] = "narrow"
        return forms.NumberInput(attrs=limits)
    if isinstance(parameter, Choice):
        return forms.Select(choices=list(parameter.choices.items()))
    if isinstance(parameter, YesNo):
        return forms.Select(choices=[("yes", "yes"), ("no", "no")])
    return forms.TextInput(attrs={"maxlength": LONGEST_SETTING, **placeholder})


def _priority_choices(runs: Sequence[Run]) -> list[tuple[str, str]]:
    priorities = sorted({run.priority for run in runs})
    choices = [("", f"all {len(runs)}")]
    for priority in priorities[:-1]:
        count = sum(run.priority <= priority for run in runs)
        choices.append((str(priority), f"priority up to {priority} ({count} of {len(runs)})"))
    return choices


class PoolImportForm(ImportForm):
    """A pool that was made elsewhere."""

    kind = Import.POOL

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, task=task, **kwargs)
        self.fields["file"].label = "Pool file"
        self.fields["file"].help_text = (
            "topic and docno on each line; of a sample topic, docno, stratum and probability, with NA as the probability of "
            "documents that could have been drawn and were not. Columns are separated by white space, commas or semicolons. "
            "Plain text or gzip."
        )
        self.fields[RANDOM] = forms.BooleanField(
            required=False,
            label="Judge the documents of each topic in random order",
            help_text="Otherwise in the order of the file.",
        )
        self.fields[MATCH_TOPICS] = match_topics_field()


class StopForm(forms.Form):
    """Why no further documents are chosen for a topic."""

    reason = forms.CharField(
        max_length=limits.REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept in the log; assessors do not see it.",
    )


class GoOnForm(StopForm):
    """How many further documents of a stopped topic are chosen, whatever the rule says."""

    more = forms.IntegerField(
        label="Further documents",
        min_value=1,
        max_value=MOST_MORE,
        initial=20,
        help_text="The topic stops again after so many.",
        widget=forms.NumberInput(attrs={"class": "narrow"}),
    )
    field_order = ("more", "reason")
