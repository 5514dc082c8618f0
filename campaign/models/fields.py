"""What several models need of their fields: time zones with AoE, text without white space, and names that look unlike."""

from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models

from campaign.models.lookalikes import skeleton

AOE = timezone(timedelta(hours=-12), "AoE")

no_white_space = RegexValidator(r"^\S+$", "White space cannot stand here: run and qrels files are split at it.")

address_part = RegexValidator(
    r"^[^\s/]+$", "White space and slashes cannot stand here: it is part of files and addresses."
)


def zone_named(name: str) -> tzinfo:
    return AOE if name == "AoE" else ZoneInfo(name)


def moment_in_words(at: datetime, zone: str) -> str:
    """A date and time as the clocks of the zone show it, with the zone's name."""
    return f"{at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M} {zone}"


def time_zone_validator(name: str) -> None:
    if name != "AoE" and name not in available_timezones():
        raise ValidationError(f"“{name}” is no time zone. Use AoE or a name such as Europe/Zurich.")


class SkeletonField(models.CharField[str | None, str | None]):
    """What another field of the row looks like, kept with each save, for a unique constraint.

    Null in rows that were there before the constraint and clash with an earlier one: they stay as they are.
    """

    def __init__(self, *args: Any, of: str, **kwargs: Any) -> None:
        self.of = of
        super().__init__(*args, **{"max_length": 255, "null": True, "editable": False, **kwargs})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "of": self.of}

    def look(self, instance: models.Model) -> str:
        return skeleton(getattr(instance, self.of))[: self.max_length]

    def others(self, instance: models.Model) -> "models.QuerySet[models.Model]":
        """The other rows that look the same."""
        rows = type(instance)._default_manager.filter(**{self.attname: self.look(instance)})
        return rows.exclude(pk=instance.pk)

    def pre_save(self, model_instance: models.Model, add: bool) -> str | None:
        look: str | None = self.look(model_instance)
        if not add and getattr(model_instance, self.attname) is None and self.others(model_instance).exists():
            look = None
        setattr(model_instance, self.attname, look)
        return look


def require_unlike(instance: models.Model, field_name: str, message: str) -> None:
    """ValidationError when another row looks the same; a name that stays as it was is left alone."""
    field = cast(SkeletonField, instance._meta.get_field(field_name))
    stays = {field.of: getattr(instance, field.of), "pk": instance.pk}
    if field.others(instance).exists() and not type(instance)._default_manager.filter(**stays).exists():
        raise ValidationError({field.of: message})
