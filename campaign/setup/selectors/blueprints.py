"""A campaign's set-up as the values of a file from which it can be created again: without data, people and state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Field

from campaign.formats.moments import MomentError, in_zone
from campaign.models import Campaign, Role, RoleInvitation, Task
from campaign.models.fields import zone_named
from campaign.setup.blueprint_tables import CampaignTable, GradeTable, TaskTable
from campaign.setup.run_questions import Question
from campaign.setup.selectors.agreements import current_agreements

ALWAYS = frozenset({"slug", "title", "judging_mode", "measures", "lowest_relevant_grade"})
"""What is said even where it is usual: what is usual depends on other entries."""
NOT_OF_THE_MODEL = frozenset({"open", "organisers", "assessors", "agreements", "tasks", "grades", "questions"})


def blueprint_of(campaign: Campaign) -> dict[str, Any]:
    """Texts as they are stored, moments in the campaign's time zone; what is as usual is left out."""
    blueprint = _entries(campaign, CampaignTable, campaign)
    blueprint["agreements"] = [{"title": one.title, "text": one.text} for one in current_agreements(campaign)]
    blueprint["tasks"] = [_task(task, campaign) for task in campaign.tasks.order_by("pk")]
    return {name: value for name, value in blueprint.items() if value not in ([], {})}


def people_of(campaign: Campaign) -> dict[str, list[str]]:
    """The names under which the file has those with a role."""
    roles = campaign.roles.order_by("pk").values_list("role", "user__username")
    keys = {"organisers": Role.ORGANISER, "assessors": Role.ASSESSOR}
    return {key: [name for given, name in roles if given == role] for key, role in keys.items()}


def _task(task: Task, campaign: Campaign) -> dict[str, Any]:
    entries = _entries(task, TaskTable, campaign)
    if task.questions:
        entries["questions"] = [_question(entry) for entry in task.questions]
    grades = task.grades.values(*GradeTable.model_fields)
    entries["grades"] = [{name: value for name, value in grade.items() if value != ""} for grade in grades]
    return entries


def _entries(
    stored: Campaign | Task, table: type[CampaignTable] | type[TaskTable], campaign: Campaign
) -> dict[str, Any]:
    entries = {}
    for name in table.model_fields.keys() - NOT_OF_THE_MODEL:
        value = getattr(stored, name)
        field = stored._meta.get_field(name)
        if name in ALWAYS or value != (field.get_default() if isinstance(field, Field) else None):
            entries[name] = _local(value, campaign) if isinstance(value, datetime) else value
    return {name: entries[name] for name in table.model_fields if name in entries}


def _local(moment: datetime, campaign: Campaign) -> datetime:
    """As clocks of the campaign's zone show it; with the offset where that alone does not tell the moment."""
    zone = zone_named(campaign.time_zone)
    there = moment.astimezone(zone)
    shown = there.replace(tzinfo=None)
    try:
        in_zone(shown, zone)
    except MomentError:
        return there
    return shown


def _question(entry: Mapping[str, Any]) -> dict[str, Any]:
    usual = Question("", "").to_json()
    return {name: value for name, value in entry.items() if name in ("key", "label") or value != usual[name]}


@dataclass(frozen=True, slots=True)
class TaskOutline:
    slug: str
    title: str
    judging_mode: str
    opens_at: datetime | None
    closes_at: datetime | None
    grades: int
    questions: int
    measures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """What a campaign would be, to look at before it is made: it holds no row of the database."""

    slug: str
    title: str
    time_zone: str
    is_open: bool
    agreements: tuple[str, ...]
    roles: tuple[str, ...]
    tasks: tuple[TaskOutline, ...]


def outline_of(campaign: Campaign) -> Outline:
    given = [f"{role.user.username}: {role.role}" for role in campaign.roles.select_related("user").order_by("pk")]
    asked = [
        f"{one.user.username if one.user else one.email}: invited as {one.role}"
        for one in RoleInvitation.objects.filter(campaign=campaign).select_related("user").order_by("pk")
    ]
    return Outline(
        campaign.slug,
        campaign.title,
        campaign.time_zone,
        campaign.opened_at is not None,
        tuple(one.title for one in current_agreements(campaign)),
        tuple(given + asked),
        tuple(
            TaskOutline(
                task.slug,
                task.title,
                task.mode.label,
                task.opens_at,
                task.closes_at,
                task.grades.count(),
                len(task.questions),
                tuple(task.measures),
            )
            for task in campaign.tasks.order_by("pk")
        ),
    )
