from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms

from campaign.models import Run
from pooling.selectors.previews import SECONDS_PER_DOCUMENT
from pooling.strategies.ordering import DEFAULT_ORDER, orders_of
from pooling.strategies.parameters import Choice, Number, Parameter, PoolSpecError, Whole, YesNo
from pooling.strategies.registry import STRATEGIES, default_strategy
from pooling.strategies.spec import SEED, PoolSpec

SECONDS = Number(name="seconds", label="Seconds per document", low=1, high=3600, default=SECONDS_PER_DOCUMENT)
KEPT_WHEN_THE_STRATEGY_CHANGES = ("strategy", "max_priority", "seed", "seconds")
WIDEST_NARROW_NUMBER = 99_999


class ParameterField(forms.Field):
    """A field made from a declared parameter, which reads and checks what is typed."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        message = f"Give {parameter.expected}."
        super().__init__(
            label=parameter.label,
            help_text=parameter.help,
            widget=_widget(parameter),
            error_messages={"required": message, "invalid": message},
        )

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return None
        try:
            return self.parameter.from_text(str(value))
        except PoolSpecError as problem:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from problem


class PoolForm(forms.Form):
    """The settings of a pool. They live in the address of the page, so that a link shows the same preview.

    Apart from what all pools have, the fields are those of the strategy that the data name. `fields_of` holds the strategy
    whose fields the page shows: after a change of strategy (`is_for_another_strategy`) their values are left out.
    """

    def __init__(self, data: Mapping[str, str] | None = None, *, runs: list[Run]) -> None:
        given = dict((data or {}).items())
        self.method = STRATEGIES.get(given.get("strategy", ""), default_strategy())
        self.is_for_another_strategy = given.pop("fields_of", self.method.name) != self.method.name
        if self.is_for_another_strategy:
            given = {name: given[name] for name in KEPT_WHEN_THE_STRATEGY_CHANGES if name in given}
        super().__init__({**_defaults(self.method.parameters), "strategy": self.method.name, **given})
        self._add_fields(runs)
        self.given = {name: value for name, value in given.items() if name in self.fields}

    def _add_fields(self, runs: list[Run]) -> None:
        strategies = [(name, method.label) for name, method in STRATEGIES.items()]
        orders = [(name, order.label) for name, order in orders_of(self.method).items()]
        self.fields["strategy"] = forms.ChoiceField(choices=strategies)
        for parameter in self.method.parameters:
            self.fields[parameter.name] = ParameterField(parameter)
        self.fields["max_priority"] = forms.TypedChoiceField(
            label="Runs", choices=_priority_choices(runs), coerce=int, empty_value=None, required=False
        )
        self.fields["order"] = forms.ChoiceField(label="Judging order", choices=orders)
        self.fields["seed"] = ParameterField(SEED)
        self.fields["seconds"] = ParameterField(SECONDS)

    def spec(self) -> PoolSpec:
        values = self.cleaned_data
        own = {parameter.name: values[parameter.name] for parameter in self.method.parameters}
        common = {name: values[name] for name in ("max_priority", "order", "seed")}
        return PoolSpec(self.method.name, own, **common)

    def query(self, **changes: str) -> str:
        """Return the settings as they came, with some changes, as a query string."""
        return urlencode({**self.given, **changes})


def _defaults(parameters: tuple[Parameter, ...]) -> dict[str, str]:
    values = {parameter.name: parameter.to_text(parameter.default) for parameter in (*parameters, SEED, SECONDS)}
    return {**values, "order": DEFAULT_ORDER, "max_priority": ""}


def _widget(parameter: Parameter) -> forms.Widget:
    if isinstance(parameter, Whole | Number):
        limits: dict[str, Any] = {"min": parameter.low, "max": parameter.high}
        if isinstance(parameter, Number):
            limits["step"] = "any"
        if parameter.high <= WIDEST_NARROW_NUMBER:
            limits["class"] = "narrow"
        return forms.NumberInput(attrs=limits)
    if isinstance(parameter, Choice):
        return forms.Select(choices=list(parameter.choices.items()))
    if isinstance(parameter, YesNo):
        return forms.Select(choices=[("yes", "yes"), ("no", "no")])
    return forms.TextInput()


def _priority_choices(runs: list[Run]) -> list[tuple[str, str]]:
    priorities = sorted({run.priority for run in runs})
    choices = [("", f"all {len(runs)}")]
    for priority in priorities[:-1]:
        count = sum(run.priority <= priority for run in runs)
        choices.append((str(priority), f"priority up to {priority} ({count} of {len(runs)})"))
    return choices
