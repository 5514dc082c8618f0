"""Names of deleted accounts in the log. Its entries are never changed; where they are shown, a number stands for the name."""

from typing import Any

from campaign.models import FormerName, User


def former_names_keep(user: User, texts: set[str]) -> None:
    """Remember which texts meant this person, without the texts themselves."""
    FormerName.objects.bulk_create(
        (FormerName(user=user, text_sha256=FormerName.sha256_of(text)) for text in sorted(texts) if text),
        ignore_conflicts=True,
    )


def former_names() -> dict[str, str]:
    """By checksum what stands in place of a name; empty where no account was ever deleted."""
    return dict(FormerName.objects.order_by("pk").values_list("text_sha256", "user__username"))


def without_former_names(value: Any, known: dict[str, str]) -> Any:
    """The data of an entry, its texts that are such a name replaced."""
    if not known:
        return value
    if isinstance(value, dict):
        return {key: without_former_names(part, known) for key, part in value.items()}
    if isinstance(value, list):
        return [without_former_names(part, known) for part in value]
    return known.get(FormerName.sha256_of(value), value) if isinstance(value, str) else value
