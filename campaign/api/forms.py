"""The fields of a page's form as the body of an operation, and the body as the page would send it.

A field that a page gains is in the API at once, under the same name, checked by the same form.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from ninja import Field
from pydantic import create_model

from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Day, Moment, Text

F = TypeVar("F", bound=BaseForm)
Whole = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
KINDS: tuple[tuple[type[forms.Field], Any], ...] = (
    (forms.BooleanField, bool),
    (forms.FloatField, float | None),
    (forms.DecimalField, float | None),
    (forms.IntegerField, Whole | None),
    (forms.DateTimeField, Moment | None),
    (forms.DateField, Day | None),
    (forms.UUIDField, UUID),
    (forms.MultipleChoiceField, list[Text]),
    (forms.ModelMultipleChoiceField, list[Text]),
    (forms.ModelChoiceField, Text | None),
)
"""The first kind of field that fits gives the type; any other is a text. A decimal number is a whole one to Django."""

MOST_NAMED = 20
NAMES = ("slug", "username", "number")
"""By which of these a body names a row that a page lets choose from a list: the first that the model has."""


def form_body(
    name: str,
    form: type[BaseForm],
    *,
    without: Collection[str] = (),
    optional: bool = False,
    base: type[Body] = Body,
    more: Mapping[str, Any] | None = None,
) -> Any:
    """A body with the fields of a form, but for those in `without`.

    `optional`: none has to be sent. `more`: types by name, of fields that the form has otherwise or that it gets as it is made.
    """
    fields = {
        name: _declared(field, is_required=field.required and not optional and _has_no_value(form, field, name))
        for name, field in form.base_fields.items()  # type: ignore[attr-defined]  # set by the metaclass
        if name not in without and not isinstance(field, forms.FileField)
    }
    return create_model(name, __base__=base, **{**fields, **(more or {})})


def _has_no_value(form: type[BaseForm], field: forms.Field, name: str) -> bool:
    """Whether the page shows the field empty: a value that it begins with need not be sent."""
    model = getattr(getattr(form, "_meta", None), "model", None)
    return field.initial is None and (model is None or not model._meta.get_field(name).has_default())


def _declared(field: forms.Field, *, is_required: bool) -> Any:
    about: dict[str, Any] = {"description": _description(field)}
    kind = next((kind for of, kind in KINDS if isinstance(field, of)), Text)
    choices = [] if isinstance(field, forms.ModelChoiceField) else [str(key) for key in _keys(field)]
    if choices and kind is Text:
        about["json_schema_extra"] = {"enum": choices}
    elif kind is Text and getattr(field, "max_length", None):
        about["max_length"] = field.max_length  # type: ignore[attr-defined]  # of CharField
    # A factory: a default would stand in the document, and what is left out keeps what the page shows.
    return (kind, Field(**about) if is_required else Field(default_factory=_nothing, **about))


def _nothing() -> None:
    return None


def _keys(field: forms.Field) -> list[Any]:
    if not isinstance(field, forms.ChoiceField) or isinstance(field, forms.MultipleChoiceField):
        return []
    pairs: list[Any] = list(field.choices)  # type: ignore[arg-type]  # an iterator by now, whatever was declared
    return [key for pair in pairs for key in (_of_group(pair) if isinstance(pair[1], list) else [pair[0]])]


def _of_group(pair: Any) -> list[Any]:
    return [key for key, _ in pair[1]]


def _description(field: forms.Field) -> str | None:
    said = [str(text).rstrip(".") for text in (field.label, field.help_text) if text]
    return f"{'. '.join(said)}." if said else None


def as_sent(make: Callable[[Any], F], sent: Mapping[str, Any]) -> F:
    """The form as its page sends it, where every field that the body leaves out stays as the page shows it."""
    shown = make(None)
    missing = [name for name, value in sent.items() if name not in shown.fields and value not in (None, "", [], False)]
    if missing:
        raise ValidationError(dict.fromkeys(missing, "This cannot be chosen here as things are. Leave it out."))
    untouched = {name: _kept(shown, name, field) for name, field in shown.fields.items()}
    typed = {name: _typed(name, shown.fields[name], value) for name, value in sent.items() if name in shown.fields}
    return make({**untouched, **typed})


def accepted(form: BaseForm) -> dict[str, Any]:
    """What the form has read; ValidationError with its messages by field where it refuses."""
    if not form.is_valid():
        raise ValidationError(form.errors.as_data())
    values: dict[str, Any] = form.cleaned_data
    return values


def _kept(form: BaseForm, name: str, field: forms.Field) -> Any:
    value = form.get_initial_for_field(field, name)
    # As pages show it a time has no seconds: a field that is not sent must not lose them.
    return value if isinstance(value, datetime) else field.prepare_value(value)


def _typed(name: str, field: forms.Field, value: Any) -> Any:
    """The value as a browser sends it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(field, forms.ModelChoiceField) and value:
        return _keys_of_rows(name, field, value)
    if isinstance(value, list) and not isinstance(field, forms.MultipleChoiceField):
        return "\n".join(value)
    return "" if value is None else value


def _keys_of_rows(name: str, field: forms.ModelChoiceField[Any], value: str | list[str]) -> Any:
    rows = field.queryset
    if rows is None:
        return value
    column = next((column for column in NAMES if column in {one.name for one in rows.model._meta.fields}), "pk")
    wanted = [value] if isinstance(value, str) else value
    key = field.to_field_name or "pk"
    found = {str(getattr(row, column)): getattr(row, key) for row in rows.filter(**{f"{column}__in": wanted})}
    if unknown := [one for one in wanted if one not in found]:
        known = ", ".join(str(one) for one in rows.values_list(column, flat=True)[:MOST_NAMED]) or "none yet"
        raise ValidationError(
            {name: f"There is no {', '.join(unknown[:MOST_NAMED])} to choose here. There are: {known}."}
        )
    keys = [found[one] for one in wanted]
    return keys[0] if isinstance(value, str) else keys
