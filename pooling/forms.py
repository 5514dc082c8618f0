from typing import Any

from django import forms

from campaign.models import Run
from pooling.selectors.previews import SECONDS_PER_DOCUMENT
from pooling.strategies.ordering import ORDERS
from pooling.strategies.registry import STRATEGIES
from pooling.strategies.spec import LARGEST_SEED, PoolSpec

BOUND_ERRORS = ("required", "invalid", "min_value", "max_value")


def _whole_number(low: int, high: int) -> dict[str, str]:
    return dict.fromkeys(BOUND_ERRORS, f"Give a whole number from {low:,} to {high:,}.")


class PoolForm(forms.Form):
    """The settings of a pool. It lives in the address of the page, so that a link shows the same preview."""

    strategy = forms.ChoiceField(choices=[(name, method.label) for name, method in STRATEGIES.items()])
    order = forms.ChoiceField(label="Judging order", choices=[(name, order.label) for name, order in ORDERS.items()])
    seed = forms.IntegerField(min_value=0, max_value=LARGEST_SEED, error_messages=_whole_number(0, LARGEST_SEED))
    seconds = forms.FloatField(
        label="Seconds per document",
        min_value=1,
        max_value=3600,
        error_messages=dict.fromkeys(BOUND_ERRORS, "Give the seconds from 1 to 3,600."),
    )

    field_order = ["strategy", "depth", "max_priority", "order", "seed", "seconds"]

    def __init__(self, data: Any = None, *, runs: list[Run]) -> None:
        defaults = PoolSpec().to_json() | {"seconds": SECONDS_PER_DOCUMENT, "max_priority": ""}
        super().__init__(_with_defaults(data, defaults))
        for method in STRATEGIES.values():
            for parameter in method.parameters:
                self.fields[parameter.name] = forms.IntegerField(
                    label=parameter.label,
                    min_value=parameter.low,
                    max_value=parameter.high,
                    help_text=parameter.help,
                    error_messages=_whole_number(parameter.low, parameter.high),
                )
        self.fields["max_priority"] = forms.TypedChoiceField(
            label="Runs", choices=_priority_choices(runs), coerce=int, empty_value=None, required=False
        )
        self.order_fields(self.field_order)

    def spec(self) -> PoolSpec:
        values = self.cleaned_data
        return PoolSpec(**{name: value for name, value in values.items() if name != "seconds"})


def _with_defaults(data: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    return {name: (data or {}).get(name, value) for name, value in defaults.items()}


def _priority_choices(runs: list[Run]) -> list[tuple[str, str]]:
    priorities = sorted({run.priority for run in runs})
    choices = [("", f"all {len(runs)}")]
    for priority in priorities[:-1]:
        count = sum(run.priority <= priority for run in runs)
        choices.append((str(priority), f"priority up to {priority} ({count} of {len(runs)})"))
    return choices
