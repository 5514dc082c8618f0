"""Names of deleted accounts in the log. Its entries are never changed; where they are shown, a number stands for the name."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db.models.functions import Coalesce

from campaign.models import FormerName, User

NAMES_OF_PEOPLE = frozenset({"user", "username", "display_name", "email", "assessor", "from", "to"})
"""Keys of the data of events whose value is a user name, display name or address."""


def former_names_keep(user: User, texts: Iterable[str], *, until: datetime | None = None) -> None:
    """Remember which texts meant this person, without the texts themselves. `until`: when that ended; None: with the account."""
    FormerName.objects.bulk_create(
        (
            FormerName(user=user, text_sha256=sha256, until=until)
            for sha256 in sorted({FormerName.sha256_of(text) for text in texts if text})
        ),
        update_conflicts=True,
        unique_fields=["user", "text_sha256"],
        update_fields=["until"],
    )


class FormerNames:
    """Whom a text of the log meant, where that account is deleted. Somebody else may have the name or address since."""

    def __init__(self) -> None:
        rows = FormerName.objects.exclude(user__deleted_at=None).annotate(
            ended_at=Coalesce("until", "user__deleted_at")
        )
        self._by_text: dict[str, list[tuple[datetime, str]]] = defaultdict(list)
        for text_sha256, ended_at, number in rows.order_by("ended_at", "pk").values_list(
            "text_sha256", "ended_at", "user__username"
        ):
            self._by_text[text_sha256].append((ended_at, number))

    def now(self, text: str, happened_at: datetime) -> str:
        """The number of the account that the text meant then; else the text."""
        if not self._by_text:
            return text
        had = self._by_text.get(FormerName.sha256_of(text), [])
        return next((number for ended_at, number in had if happened_at <= ended_at), text)

    def left_out_of(self, data: Any, happened_at: datetime) -> Any:
        """The data of an event with such names replaced where they say who."""
        return with_names_of_people(data, lambda text, _is_of_person: self.now(text, happened_at))


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
