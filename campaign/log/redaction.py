"""Names of deleted accounts in the log. Its entries are never changed; where they are shown, a number stands for the name."""

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


def without_former_names(data: Any, known: dict[str, str], *, is_of_person: bool = False) -> Any:
    """The data of an entry, with such names replaced where they say who. An address says so wherever it stands."""
    if not known:
        return data
    if isinstance(data, dict):
        return {
            key: without_former_names(part, known, is_of_person=is_of_person or key in NAMES_OF_PEOPLE)
            for key, part in data.items()
        }
    if isinstance(data, list):
        return [without_former_names(part, known, is_of_person=is_of_person) for part in data]
    if not isinstance(data, str) or not (is_of_person or "@" in data):
        return data
    return known.get(FormerName.sha256_of(data), data)
