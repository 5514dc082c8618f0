"""What several models need of their fields: time zones with AoE, text without white space, limits of length, names unlike."""

import json
import re
import unicodedata
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.sql.compiler import SQLCompiler

from campaign.formats.moments import FIRST_YEAR, LAST_YEAR
from campaign.formats.shapes import ANYTHING, Shape
from campaign.formats.web_links import web_link_problem
from campaign.models.lookalikes import LONGEST_SKELETON, has_tower, skeleton
from campaign.text.limits import DIRECTION_MARKS

NO_PLAIN_LINE = (
    "Write this on one line that can be read, without tabs, control characters, marks of direction, invisible letters and "
    "letters with more than 3 accents."
)
HIDING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters without a look of their own that no language needs; those that join or part letters are not among them."""
AOE = timezone(timedelta(hours=-12), "AoE")

no_white_space = RegexValidator(r"^\S+$", "White space cannot stand here: run and qrels files are split at it.")

topic_number = RegexValidator(
    r"^(?!\.{1,2}$)\S+$", "White space cannot stand here, nor . or .. alone: it is part of files and addresses."
)

address_part = RegexValidator(
    r"^[^\s/]+$", "White space and slashes cannot stand here: it is part of files and addresses."
)


def zone_named(name: str) -> tzinfo:
    return AOE if name == "AoE" else ZoneInfo(name)


def day_problem(day: date) -> str:
    """What to tell of a date, or of a date and time, that not every time zone has; empty if all have it."""
    return "" if FIRST_YEAR <= day.year <= LAST_YEAR else f"Choose a year from {FIRST_YEAR} to {LAST_YEAR}."


def moment_in_words(at: datetime, zone: str) -> str:
    """A date and time as the clocks of the zone show it, with the zone's name."""
    return f"{at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M} {zone}"


def second_in_words(at: datetime, zone: str) -> str:
    """Like `moment_in_words`, to the second: for times that are compared."""
    return f"{at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M:%S} {zone}"


def time_zone_validator(name: str) -> None:
    if name != "AoE" and name not in available_timezones():
        raise ValidationError(f"“{name}” is no time zone. Use AoE or a name such as Europe/Zurich.")


def length_problem(value: object, limit: int) -> str:
    """What to tell the author of a text, or of JSON, that is too long; empty if it is not."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"Write at most {limit:,} characters; these are {len(text):,}." if len(text) > limit else ""


def require_length(field: str, text: str, limit: int) -> None:
    """Raise ValidationError for a text that no column limits: one that goes into a mail or the log only."""
    if problem := length_problem(text, limit):
        raise ValidationError({field: problem})


def require_plain_lines(instance: models.Model) -> None:
    """ValidationError for a line that breaks, or that holds what no reader sees: lines stand in mails, tables and terminals.

    With line breaks, a short text could write a mail of its own into each mail that names it.
    """
    values = {
        field.name: getattr(instance, field.attname)
        for field in instance._meta.concrete_fields
        if isinstance(field, models.CharField)
    }
    if problems := {
        name: NO_PLAIN_LINE for name, value in values.items() if isinstance(value, str) and not is_plain_line(value)
    }:
        raise ValidationError(problems)


def is_plain_line(text: str) -> bool:
    """Whether the text is one line that readers see; the empty text is one.

    >>> is_plain_line("L\u00e4ufe \u2764\ufe0f"), is_plain_line("\u3164"), is_plain_line("\u200d\u0301"), is_plain_line("")
    (True, False, False, True)
    """
    kinds = {unicodedata.category(mark) for mark in text}
    if kinds & {"Cc", "Cs", "Zl", "Zp"} or DIRECTION_MARKS.intersection(text) or HIDING.search(text):
        return False
    return not has_tower(text) and (not text or any(kind[0] in "LNPS" or kind == "Cn" for kind in kinds))


class Limited(models.Field):  # type: ignore[type-arg]
    """A column whose values have a greatest length, whichever way they come in: forms check it, and so does every write.

    Migrations see the field of Django that it is: to the database its limit means nothing.
    """

    def __init__(self, *args: Any, limit: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.limit = limit

    def clone(self) -> "Limited":
        copy = super().clone()
        copy.limit = self.limit
        return copy

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        super().validate(value, model_instance)
        self.require_limits(value)

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        self.require_limits(value)
        return super().get_db_prep_save(value, connection)

    def require_limits(self, value: Any) -> None:
        if self.limit and not hasattr(value, "resolve_expression") and (problem := length_problem(value, self.limit)):
            raise ValidationError(problem, code="max_length")


class LinesField(forms.CharField):
    """A text of several lines. Browsers end them as Windows does: a text that nobody touched would be another one."""

    def to_python(self, value: Any) -> str | None:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if text else text


class LimitedTextField(Limited, models.TextField):  # type: ignore[type-arg]
    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{"form_class": LinesField, **kwargs})

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


class LimitedJSONField(Limited, models.JSONField):
    """Every write, and every row of an archive, has the shape that is declared with the column."""

    def __init__(self, *args: Any, shape: Shape = ANYTHING, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shape = shape

    def clone(self) -> "LimitedJSONField":
        copy: Any = super().clone()
        copy.shape = self.shape
        return copy  # type: ignore[no-any-return]

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def require_limits(self, value: Any) -> None:
        super().require_limits(value)
        if value is not None and not hasattr(value, "resolve_expression") and not self.shape.fits(value):
            raise ValidationError(f"This must be {self.shape.words}.", code="shape")


class Sha256Field(models.CharField):  # type: ignore[type-arg]
    default_validators = [RegexValidator(r"^[0-9a-f]{64}\Z", "This is no SHA-256: 64 hexadecimal digits.")]

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class MomentField(models.DateTimeField):  # type: ignore[type-arg]
    """A date and time that people or programs send: every time zone has it, whichever way it comes in."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, kwargs

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        super().validate(value, model_instance)
        self._require_day(value)

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        self._require_day(value)
        return super().get_db_prep_save(value, connection)

    def _require_day(self, value: Any) -> None:
        if isinstance(value, date) and (problem := day_problem(value)):
            raise ValidationError(problem, code="year")


class BytewiseField(models.CharField[str, str]):
    """A key that the database compares and sorts by its bytes: one index then serves equality, order and prefixes.

    PostgreSQL compares by the language of the database otherwise. It refuses to compare such a column with an ordinary one unless
    that one is given as `Bytewise`.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        collation = "C" if connection.vendor == "postgresql" else None
        return {**super().db_parameters(connection), "collation": collation}


class Bytewise(models.Func):
    """An ordinary column to be compared with a `BytewiseField`."""

    template = "%(expressions)s"

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template='%(expressions)s COLLATE "C"', **context)


class SkeletonField(models.CharField[str | None, str | None]):
    """What another field of the row looks like, kept with each save, for a unique constraint."""

    def __init__(self, *args: Any, of: str, **kwargs: Any) -> None:
        self.of = of
        super().__init__(*args, **{"max_length": LONGEST_SKELETON, "null": True, "editable": False, **kwargs})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "of": self.of}

    def look(self, instance: models.Model) -> str:
        return skeleton(getattr(instance, self.of))

    def others(self, instance: models.Model) -> "models.QuerySet[models.Model]":
        """The other rows that look the same."""
        rows = type(instance)._default_manager.filter(**{self.attname: self.look(instance)})
        return rows.exclude(pk=instance.pk)

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        look = self.look(model_instance)
        setattr(model_instance, self.attname, look)
        return look


def require_unlike(instance: models.Model, field_name: str, message: str) -> None:
    """ValidationError when another row looks the same; a name that stays as it was is left alone."""
    field = cast(SkeletonField, instance._meta.get_field(field_name))
    stays = {field.of: getattr(instance, field.of), "pk": instance.pk}
    if field.others(instance).exists() and not type(instance)._default_manager.filter(**stays).exists():
        raise ValidationError({field.of: message})


def web_address(text: str) -> str:
    """The text if a page may link it, else nothing: an address of the web that leads to the host with which it begins.

    >>> web_address("https://example.org/x"), web_address("https://example.org@evil.example"), web_address("javascript:x")
    ('https://example.org/x', '', '')
    """
    found = re.match(r"https?://([^/?#]+)", text)
    return text if found and not re.search(r"[@\\]", found[1]) else ""


def validate_web_link(link: str) -> None:
    if problem := web_link_problem(link):
        raise ValidationError(problem)
