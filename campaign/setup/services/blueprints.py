"""A whole campaign from one file: what a scripted campaign writes down instead of filling in forms."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from campaign.models import Campaign, Role, User
from campaign.models.fields import zone_named
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_create, campaign_open, role_grant
from campaign.setup.services.tasks import task_create

CAMPAIGN_KEYS = frozenset({"slug", "title", "summary", "call", "time_zone", "registration"})
TASK_KEYS = frozenset(
    {
        "slug",
        "title",
        "guidelines",
        "judging_mode",
        "measures",
        "max_runs_per_team",
        "max_documents_per_topic",
        "docno_policy",
        "docno_pattern",
        "rule_severities",
        "questions",
        "tag_pattern",
        "opens_at",
        "closes_at",
    }
)
AGREEMENT_KEYS = frozenset({"title", "text"})
GRADE_KEYS = frozenset({"value", "label", "key", "gain", "definition"})
PEOPLE = {"organisers": Role.ORGANISER, "assessors": Role.ASSESSOR}


@transaction.atomic
def campaign_build(*, actor: User, blueprint: Mapping[str, Any]) -> Campaign:
    """The campaign, its tasks, grades and people: all of them, or an error that names the place and none of them."""
    known = CAMPAIGN_KEYS | PEOPLE.keys() | {"open", "tasks", "agreements"}
    _check_keys("the file", blueprint, known, {"slug", "title"})
    campaign = campaign_create(actor=actor, **{key: blueprint[key] for key in CAMPAIGN_KEYS & blueprint.keys()})
    for entry in _tables(blueprint, "agreements"):
        _check_keys("an agreement", entry, AGREEMENT_KEYS, AGREEMENT_KEYS)
        agreement_create(actor=actor, campaign=campaign, title=entry["title"], text=entry["text"])
    for entry in _tables(blueprint, "tasks"):
        _build_task(actor, campaign, entry)
    for key, role in PEOPLE.items():
        _grant_role(actor, campaign, role, blueprint.get(key, []), key)
    return campaign_open(actor=actor, campaign=campaign) if _flag(blueprint, "open") else campaign


def _build_task(actor: User, campaign: Campaign, entry: Mapping[str, Any]) -> None:
    place = f"task {entry.get('slug', '?')}"
    _check_keys(place, entry, TASK_KEYS | {"grades"}, {"slug", "title"})
    _tables(entry, "questions")
    grades = list(_tables(entry, "grades")) if "grades" in entry else None
    for grade in grades or []:
        _check_keys(f"a grade of {place}", grade, GRADE_KEYS, {"value", "label"})
    fields = {key: entry[key] for key in TASK_KEYS & entry.keys()}
    for name in {"opens_at", "closes_at"} & fields.keys():
        fields[name] = _moment(fields[name], campaign, f"{name} of {place}")
    task_create(actor=actor, campaign=campaign, grades=grades, **fields)  # type: ignore[arg-type]


def _grant_role(actor: User, campaign: Campaign, role: str, names: Any, key: str) -> None:
    if not isinstance(names, list):
        raise ValidationError(f"{key}: write a list of user names.")
    users = {user.username: user for user in User.objects.filter(username__in=names)}
    for name in names:
        if name not in users:
            raise ValidationError(f"{key}: there is no user “{name}”.")
        role_grant(actor=actor, campaign=campaign, user=users[name], role=role)


def _check_keys(place: str, table: Mapping[str, Any], known: Iterable[str], needed: Iterable[str]) -> None:
    unknown = sorted(set(map(str, table)) - set(known))
    missing = sorted(set(needed) - set(table))
    if unknown:
        raise ValidationError(f"{place}: unknown {', '.join(unknown)}. Known are {', '.join(sorted(known))}.")
    if missing:
        raise ValidationError(f"{place}: {', '.join(missing)} is missing.")


def _tables(table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = table.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise ValidationError(f"{key}: write a list of tables, in TOML [[{key}]].")
    return entries


def _flag(table: Mapping[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise ValidationError(f"{key}: write true or false.")
    return value


def _moment(value: object, campaign: Campaign, place: str) -> datetime:
    """A time without a zone is one of the campaign's zone."""
    try:
        moment = value if isinstance(value, datetime) else parse_datetime(str(value))
    except ValueError:
        moment = None
    if moment is None:
        raise ValidationError(f"{place}: “{value}” is no date and time. Write it like 2026-11-30T23:59.")
    return moment if timezone.is_aware(moment) else moment.replace(tzinfo=zone_named(campaign.time_zone))
