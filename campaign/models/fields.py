"""What several models need of their fields: time zones with AoE, and text that must not hold white space."""

from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

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


def second_in_words(at: datetime, zone: str) -> str:
    """Like `moment_in_words`, to the second: for times that are compared."""
    return f"{at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M:%S} {zone}"


def time_zone_validator(name: str) -> None:
    if name != "AoE" and name not in available_timezones():
        raise ValidationError(f"“{name}” is no time zone. Use AoE or a name such as Europe/Zurich.")
