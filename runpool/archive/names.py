"""What rows, people and teams are called in an archive: by names of their own, never by keys of a database."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

from django.db.models import Model

from campaign.log.redaction import FormerNames, with_names_of_people
from campaign.models import ArchivedName, Campaign, Role, Team, User
from campaign.text.numbers import whole_number

Name = str | int | list[Any]
PERSON = re.compile(r"(organiser|assessor|member|person)-[1-9][0-9]{0,8}")
LEFT_OUT = "(left out)"


class RowNames:
    """The names of rows that were written so far, by model and primary key."""

    def __init__(self) -> None:
        self._names: dict[type[Model], dict[Any, tuple[str, Name]]] = {}

    def add(self, model: type[Model], pk: Any, task: str, name: Name) -> None:
        self._names.setdefault(model, {})[pk] = (task, name)

    def of(self, model: type[Model], pk: Any) -> Name | None:
        found = self._names.get(model, {}).get(pk)
        return None if found is None else found[1]

    def of_object(self, object_type: str, object_id: str) -> dict[str, Any] | None:
        """What an event of the audit is about; None where that is not in the archive."""
        key = whole_number(object_id)
        for model, names in self._names.items():
            if model._meta.model_name == object_type and key in names:
                task, name = names[key]
                return {"type": object_type, "task": task, "name": name}
        return None


class People:
    """The pseudonyms of a campaign's people: those of its earlier archives, then new ones by their roles."""

    def __init__(self, campaign: Campaign, *, with_names: bool) -> None:
        self.with_names = with_names
        self._campaign = campaign
        rows = ArchivedName.objects.filter(campaign=campaign, user__isnull=False)
        self._kept = {row.user_id: row for row in rows}
        self._numbers = Counter(
            {role: max((int(n) for r, n in self._parts() if r == role), default=0) for role, _ in self._parts()}
        )
        roles = Role.objects.filter(campaign=campaign).order_by("role")  # of two roles that of the organiser is said
        self._roles = dict(roles.values_list("user", "role"))
        self._members = set(User.objects.filter(memberships__isnull=False).values_list("pk", flat=True))
        self._former = FormerNames()
        self._used: dict[int, str] = {}
        self._asked: set[int] = set()
        self._said: dict[str, str] = {}
        self.new: list[ArchivedName] = []

    def _parts(self) -> list[list[str]]:
        return [row.name.split("-") for row in self._kept.values()]

    def name(self, user_id: int) -> str:
        if user_id not in self._used:
            kept = self._kept.get(user_id)
            self._used[user_id] = kept.name if kept else self._new(user_id)
        return self._used[user_id]

    def _new(self, user_id: int) -> str:
        role = self._roles.get(user_id) or ("member" if user_id in self._members else "person")
        self._numbers[role] += 1
        name = f"{role}-{self._numbers[role]}"
        self.new.append(ArchivedName(campaign=self._campaign, user_id=user_id, name=name))
        return name

    def records(self) -> list[dict[str, Any]]:
        """One record for each person that the archive names, with what the organiser chose to tell of them."""
        users = User.objects.in_bulk(self._used)
        told = sorted(self._used.items(), key=lambda pair: (len(pair[1]), pair[1]))
        return [{"name": name, **(self._facts(users[pk]) if self.with_names else {})} for pk, name in told]

    def _facts(self, user: User) -> dict[str, str]:
        kept = self._kept.get(user.pk)
        if kept is not None and kept.facts is not None:
            return dict(kept.facts)
        return {"user_name": user.username, "shown_as": user.display_name, "email": user.email}

    def without_people(self, data: Any, happened_at: datetime) -> Any:
        """The data of an event with pseudonyms in place of user names and addresses, as they were meant then."""
        if self.with_names:
            return self._former.left_out_of(data, happened_at)
        if len(self._asked) != len(self._used):
            self._asked = set(self._used)
            people = User.objects.filter(pk__in=self._asked).values_list("pk", "username", "email")
            self._said = {text: self._used[pk] for pk, *texts in people for text in texts if text}

        def pseudonym(text: str, is_of_person: bool) -> str:
            name = self._former.now(text, happened_at)
            if name in self._said:
                return self._said[name]
            return text if not is_of_person or PERSON.fullmatch(text) else LEFT_OUT

        return with_names_of_people(data, pseudonym)


class Teams:
    """Teams keep the names that they had in the archive from which they came, where this site had to give them others."""

    def __init__(self, campaign: Campaign) -> None:
        rows = ArchivedName.objects.filter(campaign=campaign, team__isnull=False)
        self._kept = {row.team_id: row for row in rows}

    def slug(self, team: Team) -> str:
        kept = self._kept.get(team.pk)
        return kept.name if kept else team.slug

    def title(self, team: Team) -> str:
        kept = self._kept.get(team.pk)
        return str(kept.facts["name"]) if kept and kept.facts else team.name
