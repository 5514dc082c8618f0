"""People and teams that come out of an archive: nobody can sign in as them, and no name of this site is taken over."""

import secrets
from itertools import chain, count
from typing import Any

from campaign.models import Team, User
from campaign.models.campaign import slug_validator
from campaign.models.lookalikes import holds_web_address, name_problem, skeleton

LONGEST_SHOWN = 80


def person_make(name: str, facts: dict[str, str], campaign_slug: str) -> User:
    """An account without a password, a mail address and a way in."""
    shown = facts.get("shown_as") or facts.get("user_name") or name
    user = User(username=_free_user_name(f"{name}.{campaign_slug}"), is_active=False)
    is_bad = len(shown) > LONGEST_SHOWN or name_problem(shown) or holds_web_address(shown)
    user.display_name = name if is_bad else shown
    user.set_unusable_password()
    user.full_clean(exclude=["password"])
    user.save()
    return user


def _free_user_name(wanted: str) -> str:
    for name in chain([wanted], (f"{wanted}.{secrets.token_hex(3)}" for _ in count())):
        if not User.objects.filter(username_skeleton=skeleton(name)).exists():
            return name
    raise AssertionError


def team_values(slug: str, name: str) -> dict[str, Any]:
    """The address and the name that a team has here: its own where they are free, else the next that are."""
    slug_validator(slug)
    for number in count(1):
        end = "" if number == 1 else f" {number}"
        free_name, free_slug = f"{name[: 80 - len(end)]}{end}", f"{slug[: 50 - len(end)]}{end.replace(' ', '-')}"
        alike = Team.objects.filter(name_skeleton=skeleton(free_name)).exists()
        if not (alike or Team.objects.filter(slug=free_slug).exists()):
            return {"slug": free_slug, "name": free_name}
    raise AssertionError
