"""A whole campaign from one TOML or YAML file, for scripted campaigns."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import pydantic
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from pydantic import BaseModel, BeforeValidator, ConfigDict, StrictBool
from pydantic_core import PydanticCustomError

from campaign.models import Campaign, Role, User
from campaign.models.fields import zone_named
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_create, campaign_open
from campaign.setup.services.people import role_grant
from campaign.setup.services.tasks import task_create

PEOPLE = {"organisers": Role.ORGANISER, "assessors": Role.ASSESSOR}


def _moment(value: Any) -> Any:
    if value is None:
        return None
    try:
        moment = parse_datetime(str(value))
    except ValueError:  # well formed, but no date, as 30 February
        moment = None
    if moment is None:
        raise PydanticCustomError(
            "moment", "“{text}” is no date and time. Write it like 2026-11-30T23:59", {"text": str(value)}
        )
    return moment


Moment = Annotated[datetime, BeforeValidator(_moment)]


class Table(BaseModel):
    """Base of all tables: only declared entries; missing ones stay unset, so that services use defaults. Numbers may be texts."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class AgreementTable(Table):
    title: str
    text: str


class GradeTable(Table):
    value: int
    label: str
    key: str = ""
    gain: float = 0
    definition: str = ""


class TaskTable(Table):
    slug: str
    title: str
    guidelines: str = ""
    judging_mode: str = ""
    measures: list[str] | None = None
    lowest_relevant_grade: int | None = None
    max_runs_per_team: int = 0
    max_documents_per_topic: int = 0
    run_order: str = ""
    reference: str = ""
    docno_policy: str = ""
    docno_pattern: str = ""
    documents_shown_as: str = ""
    document_link: str = ""
    assessors_add_documents: StrictBool = True
    contradictions: str = ""
    subtopics_after_grade: StrictBool = False
    passage_first: StrictBool = False
    cannot_judge_reasons: str = ""
    rule_severities: dict[str, Any] = {}
    questions: list[dict[str, Any]] = []
    tag_pattern: str = ""
    opens_at: Moment | None = None
    closes_at: Moment | None = None
    grades: list[GradeTable] | None = None


class CampaignTable(Table):
    slug: str
    title: str
    summary: str = ""
    call: str = ""
    time_zone: str = ""
    registration: str = ""
    open: StrictBool = False
    organisers: list[str] = []
    assessors: list[str] = []
    agreements: list[AgreementTable] = []
    tasks: list[TaskTable] = []


TABLES: dict[str, type[Table]] = {"agreements": AgreementTable, "tasks": TaskTable, "grades": GradeTable}


@transaction.atomic
def campaign_build(*, actor: User, blueprint: Mapping[str, Any]) -> Campaign:
    """Create the campaign, its tasks, grades and people: either all of them, or none and an error that names every problem."""
    try:
        table = CampaignTable.model_validate(blueprint)
    except pydantic.ValidationError as problem:
        raise ValidationError(list(_problems(problem))) from problem
    own = table.model_dump(exclude_unset=True, exclude={"open", "agreements", "tasks", *PEOPLE})
    with _named("campaign"):
        campaign = campaign_create(actor=actor, **own)
    for agreement in table.agreements:
        agreement_create(actor=actor, campaign=campaign, title=agreement.title, text=agreement.text)
    for task in table.tasks:
        _build_task(actor, campaign, task)
    for key, role in PEOPLE.items():
        _grant_role(actor, campaign, role, getattr(table, key), key)
    return campaign_open(actor=actor, campaign=campaign) if table.open else campaign


def _build_task(actor: User, campaign: Campaign, table: TaskTable) -> None:
    fields = table.model_dump(exclude_unset=True)
    if fields.get("measures") is None:
        fields.pop("measures", None)
    for name in ("opens_at", "closes_at"):
        moment = fields.get(name)
        if moment is not None and timezone.is_naive(moment):  # a time without a zone is one of the campaign's zone
            fields[name] = moment.replace(tzinfo=zone_named(campaign.time_zone))
    with _named(f"task {table.slug}"):
        task_create(actor=actor, campaign=campaign, **fields)


@contextmanager
def _named(place: str) -> Iterator[None]:
    """In a file no message stands at its field: each one names it."""
    try:
        yield
    except ValidationError as problem:
        if not hasattr(problem, "error_dict"):
            raise
        named = [
            message if field == NON_FIELD_ERRORS else f"{place}, {field}: {message}"
            for field, messages in problem.message_dict.items()
            for message in messages
        ]
        raise ValidationError(named) from problem


def _grant_role(actor: User, campaign: Campaign, role: str, names: list[str], key: str) -> None:
    users = {user.username: user for user in User.objects.filter(username__in=names)}
    for name in names:
        if name not in users:
            raise ValidationError(f"{key}: there is no user “{name}”.")
        role_grant(actor=actor, campaign=campaign, user=users[name], role=role)


def _problems(problem: pydantic.ValidationError) -> Iterator[str]:
    """Yield one sentence for each wrong entry, with its place: tasks 1 grades 2 label is missing."""
    for error in problem.errors():
        names = [part for part in error["loc"] if isinstance(part, str)]
        place = ", ".join(f"{part + 1}" if isinstance(part, int) else part for part in error["loc"]).replace(", ", " ")
        table: type[Table] = next((TABLES[name] for name in reversed(names[:-1]) if name in TABLES), CampaignTable)
        yield {
            "missing": f"{place} is missing.",
            "extra_forbidden": f"{place} is unknown. Use one of: {', '.join(sorted(table.model_fields))}.",
        }.get(error["type"], f"{place}: {error['msg']}.")
