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
    user = _user(username or f"user{next(_count)}", **values)
    user.save()
    return user


def _user(username: str, **values: Any) -> User:
    user = User(username=username, email=f"{username}@example.org", **values)
    user.set_password("a long password")
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
    Grade.objects.bulk_create(
        Grade(task=task, value=value, label=label, key=str(value), gain=value)
        for value, label in enumerate(["not relevant", "related", "relevant", "perfect"])
    )
    return task


def make_topics(task: Task, numbers: list[str]) -> list[Topic]:
    topics: list[Topic] = Topic.objects.bulk_create(
        Topic(task=task, number=number, position=position, title=f"title of {number}")
        for position, number in enumerate(numbers, start=1)
    )
    return topics


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
    team = _team(name or f"Team {next(_count)}")
    team.save()
    for index, member in enumerate(members):
        Membership.objects.create(team=team, user=member, is_owner=index == 0)
    if campaign is not None:
        Registration.objects.create(campaign=campaign, team=team, registered_by=members[0] if members else make_user())
    return team


def _team(name: str) -> Team:
    return Team(slug=name.lower().replace(" ", "-"), name=name)


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
    """Rows of a kind are made by one statement: thousands of tests begin here."""
    names = ("olga", "assia", "mona", "otto", "stan")
    organiser, assessor, member, other_member, stranger = User.objects.bulk_create(
        _user(f"{name}{next(_count)}") for name in names
    )
    campaign = make_campaign()
    task = make_task(campaign, **task_values)
    Role.objects.bulk_create(
        Role(campaign=campaign, user=user, role=role)
        for user, role in ((organiser, Role.ORGANISER), (assessor, Role.ASSESSOR))
    )
    team, other_team = Team.objects.bulk_create(_team(f"Team {next(_count)}") for _ in range(2))
    owners = ((team, member), (other_team, other_member))
    Membership.objects.bulk_create(Membership(team=one, user=owner, is_owner=True) for one, owner in owners)
    Registration.objects.bulk_create(
        Registration(campaign=campaign, team=one, registered_by=owner) for one, owner in owners
    )
    return Cast(
        campaign=campaign,
        task=task,
        organiser=organiser,
        assessor=assessor,
        member=member,
        other_member=other_member,
        stranger=stranger,
        team=team,
        other_team=other_team,
    )
