"""Names of deleted accounts in the log. Its entries are never changed; where they are shown, a number stands for the name."""

from collections.abc import Callable
from typing import Any

from campaign.models import FormerName, User

NAMES_OF_PEOPLE = frozenset({"user", "username", "display_name", "email", "assessor", "from", "to"})
"""Keys of the data of events whose value is a user name, display name or address."""


def former_names_keep(user: User, texts: set[str]) -> None:
    """Remember which texts meant this person, without the texts themselves."""
    FormerName.objects.bulk_create(
        (FormerName(user=user, text_sha256=FormerName.sha256_of(text)) for text in sorted(texts) if text),
        ignore_conflicts=True,
    )


def former_names() -> dict[str, str]:
    """By checksum what stands in place of a name; empty where no account was ever deleted."""
    return dict(FormerName.objects.order_by("pk").values_list("text_sha256", "user__username"))


def without_former_names(data: Any, known: dict[str, str]) -> Any:
    """The data of an event with such names replaced where they say who."""

    def now(text: str, _is_of_person: bool) -> str:
        return known.get(FormerName.sha256_of(text), text)

    return with_names_of_people(data, now) if known else data


def with_names_of_people(data: Any, change: Callable[[str, bool], str], *, is_of_person: bool = False) -> Any:
    """The data of an event with each text changed that says who. An address says so wherever it stands.

    `change` is told whether the text stands in place of a person.
    """
    if isinstance(data, dict):
        return {
            key: with_names_of_people(part, change, is_of_person=is_of_person or key in NAMES_OF_PEOPLE)
            for key, part in data.items()
        }
    if isinstance(data, list):
        return [with_names_of_people(part, change, is_of_person=is_of_person) for part in data]
    return change(data, is_of_person) if isinstance(data, str) and (is_of_person or "@" in data) else data
