"""Plain makers of valid things, and the fixed cast that tests play with."""

import itertools
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from campaign.accounts.services.accounts import address_vouch
from campaign.collection.counts import count_anew
from campaign.models import (
    Campaign,
    Collection,
    Document,
    Grade,
    Membership,
    Registration,
    Role,
    Run,
    Task,
    Team,
    Topic,
    User,
)
from campaign.storage import store

_count = itertools.count(1)


def make_user(username: str = "", **values: Any) -> User:
    username = username or f"user{next(_count)}"
    user = User(username=username, email=f"{username}@example.org", **values)
    user.set_password("a long password")
    user.save()
    return user


def confirm_address(user: User) -> User:
    """As if the user had opened the link in the mail."""
    address_vouch(user=user)
    return user


def make_campaign(slug: str = "", *, is_open: bool = True, **values: Any) -> Campaign:
    slug = slug or f"campaign-{next(_count)}"
    opened_at = timezone.now() if is_open else None
    campaign: Campaign = Campaign.objects.create(slug=slug, title=slug.title(), opened_at=opened_at, **values)
    return campaign


def make_task(campaign: Campaign | None = None, slug: str = "", **values: Any) -> Task:
    campaign = campaign or make_campaign()
    slug = slug or f"task-{next(_count)}"
    values = {"phase": Task.RUNS, "closes_at": timezone.now() + timedelta(days=7), **values}
    task: Task = Task.objects.create(campaign=campaign, slug=slug, title=slug.title(), **values)
    for value, label in enumerate(["not relevant", "related", "relevant", "perfect"]):
        Grade.objects.create(task=task, value=value, label=label, key=str(value), gain=value)
    return task


def make_topics(task: Task, numbers: list[str]) -> list[Topic]:
    return [
        Topic.objects.create(task=task, number=number, position=position, title=f"title of {number}")
        for position, number in enumerate(numbers, start=1)
    ]


def make_collection(task: Task, docnos: list[str]) -> Collection:
    collection = Collection.objects.create(campaign=task.campaign, slug=f"collection-{next(_count)}", title="Documents")
    Document.objects.bulk_create(
        Document(collection=collection, docno=docno, title=f"title of {docno}", text=f"text of {docno}")
        for docno in docnos
    )
    count_anew(collection.pk)
    collection.refresh_from_db()
    task.collection = collection
    task.save(update_fields=["collection"])
    return collection


def make_team(name: str = "", *, members: tuple[User, ...] = (), campaign: Campaign | None = None) -> Team:
    name = name or f"Team {next(_count)}"
    team = Team.objects.create(slug=name.lower().replace(" ", "-"), name=name)
    for index, member in enumerate(members):
        Membership.objects.create(team=team, user=member, is_owner=index == 0)
    if campaign is not None:
        Registration.objects.create(campaign=campaign, team=team, registered_by=members[0] if members else make_user())
    return team


def run_lines(ranking: dict[str, list[str]], tag: str) -> bytes:
    """A run file in which each topic's documents stand in the given order."""
    return "".join(
        f"{topic} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for topic, docnos in ranking.items()
        for rank, docno in enumerate(docnos, start=1)
    ).encode()


def make_received_run(task: Task, team: Team, tag: str, content: bytes, **values: Any) -> Run:
    """A run as it stands just after its upload, not yet checked."""
    stored = store(ContentFile(content), folder="runs")
    submitter = team.memberships.first()
    return Run.objects.create(
        task=task,
        team=team,
        tag=tag,
        file=stored.name,
        file_name=f"{tag}.txt",
        size=stored.size,
        sha256=stored.sha256,
        submitted_by=submitter.user if submitter else make_user(),
        **values,
    )


@dataclass
class Cast:
    """Everybody who ever opens a page of one campaign."""

    campaign: Campaign
    task: Task
    organiser: User
    assessor: User
    member: User
    other_member: User
    stranger: User
    team: Team
    other_team: Team


def make_cast(**task_values: Any) -> Cast:
    organiser, assessor, member, other_member, stranger = (
        make_user(f"{name}{next(_count)}") for name in ("olga", "assia", "mona", "otto", "stan")
    )
    campaign = make_campaign()
    task = make_task(campaign, **task_values)
    Role.objects.create(campaign=campaign, user=organiser, role=Role.ORGANISER)
    Role.objects.create(campaign=campaign, user=assessor, role=Role.ASSESSOR)
    return Cast(
        campaign=campaign,
        task=task,
        organiser=organiser,
        assessor=assessor,
        member=member,
        other_member=other_member,
        stranger=stranger,
        team=make_team(members=(member,), campaign=campaign),
        other_team=make_team(members=(other_member,), campaign=campaign),
    )
