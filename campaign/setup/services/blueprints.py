"""A whole campaign from one file, or from another campaign: all of it or nothing, with every problem at once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import pydantic
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction

from campaign.accounts.selectors import confirmed_addresses, user_by_name
from campaign.accounts.services.lookups import person_look_up
from campaign.formats.moments import MomentError, in_zone
from campaign.models import Campaign, Role, User
from campaign.models.fields import zone_named
from campaign.models.lookalikes import folded, plain_address
from campaign.setup.blueprint_tables import CampaignTable, TaskTable, table_problems
from campaign.setup.selectors.blueprints import Outline, outline_of
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_create, campaign_open
from campaign.setup.services.people import role_grant, role_invite
from campaign.setup.services.tasks import task_create
from campaign.text.plurals import number_of

Result = TypeVar("Result")
LONGEST_PROBLEM, MOST_PROBLEMS = 500, 100
PEOPLE = {"organisers": Role.ORGANISER, "assessors": Role.ASSESSOR}
GiveRole = Callable[[User, Campaign, str, str], None]
"""Takes the actor, the campaign, the name of a person, and the role."""


def granted(actor: User, campaign: Campaign, name: str, role: str) -> None:
    """For operators, whose commands ask nobody."""
    user = user_by_name(name)
    if user is None:
        raise ValidationError(f"there is no user “{name}”.")
    role_grant(actor=actor, campaign=campaign, user=user, role=role)


def invited(actor: User, campaign: Campaign, name: str, role: str) -> None:
    """A person has the role from when they accept it. Whose an address is nobody looks up, as where one is typed."""
    is_address = "@" in name
    is_own = plain_address(name) in confirmed_addresses(actor) if is_address else folded(name) == folded(actor.username)
    if is_own and role == Role.ORGANISER:  # who creates a campaign organises it
        return
    if is_address:
        role_invite(actor=actor, campaign=campaign, email=name, role=role)
        return
    person = actor if is_own else person_look_up(actor=actor, text=name)
    role_invite(actor=actor, campaign=campaign, user=person, role=role)


def left_out(actor: User, campaign: Campaign, name: str, role: str) -> None:
    """Nobody but the actor gets a role."""


@transaction.atomic
def campaign_build(*, actor: User, blueprint: Mapping[str, Any], give_role: GiveRole = granted) -> Campaign:
    """Create the campaign, its tasks, grades and people: either all of them, or none and an error that names every problem."""
    try:
        table = CampaignTable.model_validate(blueprint)
    except pydantic.ValidationError as problem:
        raise ValidationError(_few(list(table_problems(problem)))) from problem
    problems: list[str] = []
    campaign = _create(actor, table, problems)
    for number, text in enumerate(table.agreements, start=1):
        agree = partial(agreement_create, actor=actor, campaign=campaign, title=text.title, text=text.text)
        _tried(f"agreements {number}", problems, agree)
    for task in table.tasks:
        _tried(f"task {task.slug}", problems, partial(_build_task, actor, campaign, task))
    for key, role in PEOPLE.items():
        for name in getattr(table, key):
            _tried(key, problems, partial(give_role, actor, campaign, name, role))
    if problems:
        raise ValidationError(_few(problems))
    return campaign_open(actor=actor, campaign=campaign) if table.open else campaign


def _few(problems: Sequence[str]) -> list[str]:
    """The first of them, none longer than a paragraph: a file of half a megabyte is not told back."""
    shown = [one if len(one) <= LONGEST_PROBLEM else f"{one[:LONGEST_PROBLEM]}…" for one in problems[:MOST_PROBLEMS]]
    more = len(problems) - len(shown)
    return [*shown, f"Not shown here: {number_of(more, 'further problem')}."] if more else shown


def campaign_try(*, actor: User, blueprint: Mapping[str, Any], give_role: GiveRole = granted) -> Outline:
    """What would be made of a blueprint, without a trace: ValidationError names every problem."""
    with transaction.atomic():
        outline = outline_of(campaign_build(actor=actor, blueprint=blueprint, give_role=give_role))
        transaction.set_rollback(True)
    return outline


def _create(actor: User, table: CampaignTable, problems: list[str]) -> Campaign:
    """The campaign; where it cannot be, one in its place, on which the rest is tried before all of it is undone."""
    own = table.model_dump(exclude_unset=True, exclude={"open", "agreements", "tasks", *PEOPLE})
    create = partial(campaign_create, actor=actor, **own)
    in_place = partial(campaign_create, actor=actor, slug=f"in-place-{uuid4().hex}", title="In place")
    return _tried("campaign", problems, create) or in_place()


def _build_task(actor: User, campaign: Campaign, table: TaskTable) -> None:
    fields = table.model_dump(exclude_unset=True)
    if fields.get("measures") is None:
        fields.pop("measures", None)
    for name in ("opens_at", "closes_at"):
        moment = fields.get(name)
        if moment is not None:  # a time without a zone is one of the campaign's zone
            try:
                fields[name] = in_zone(moment, zone_named(campaign.time_zone))
            except MomentError as problem:
                raise ValidationError({name: f"{problem}."}) from None
    task_create(actor=actor, campaign=campaign, **fields)


def _tried(place: str, problems: list[str], act: Callable[[], Result]) -> Result | None:
    """What it returns; None where it is refused. In a file no message stands at its field: each one names it."""
    try:
        with transaction.atomic():
            return act()
    except ValidationError as problem:
        named = problem.message_dict if hasattr(problem, "error_dict") else {NON_FIELD_ERRORS: problem.messages}
    for field, messages in named.items():
        where = place if field == NON_FIELD_ERRORS else f"{place}, {field}"
        problems += [f"{where}: {message}" for message in messages]
    return None
