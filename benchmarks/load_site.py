"""The campaign under load: `python -m benchmarks.load_site TEAMS ASSESSORS` makes it in an empty database, prints who is there.

50 topics, 20,000 documents, a pool of depth 100, qrels and a published leaderboard, so that every run that comes in is
checked against the documents and scored. A development round: it takes runs although its qrels are known, and shows a live board.
"""

from __future__ import annotations

import json
import random
import sys
from datetime import timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any

from benchmarks.load_runs import DOCNOS, TOPICS, run_text

if TYPE_CHECKING:
    from campaign.models import Campaign, Task, User

SLUG = "load"
MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]


def main(teams: int, assessors: int) -> None:
    import django

    django.setup()
    from campaign.queue.jobs import inline
    from campaign.setup.services.tasks import task_advance

    with inline():
        organiser = _user("organiser")
        task = _task(organiser)
        members = [_member(task, number) for number in range(teams)]
        task_advance(actor=organiser, task=task, phase="runs")
        _pool(organiser, task)
        judges = [_judge(organiser, task, number) for number in range(assessors)]
        _scores(organiser, task)
    json.dump({"page": task.get_absolute_url(), "members": members, "judges": judges}, sys.stdout)


def _user(name: str) -> User:
    from campaign.models import User

    return User.objects.create_user(name, f"{name}@example.org")


def _task(organiser: User) -> Task:
    from django.utils import timezone

    from campaign.collection.counts import count_anew
    from campaign.models import Collection, Document, Topic
    from campaign.setup.services.campaigns import campaign_create, campaign_open
    from campaign.setup.services.tasks import task_create

    campaign: Campaign = campaign_create(actor=organiser, slug=SLUG, title="Load")
    collection = Collection.objects.create(campaign=campaign, slug="documents", title="Documents")
    Document.objects.bulk_create(
        (Document(collection=collection, docno=docno, title=docno, text="word " * 200) for docno in DOCNOS),
        batch_size=2000,
    )
    count_anew(collection.pk)
    closes_at = timezone.now() + timedelta(days=1)
    task = task_create(
        actor=organiser, campaign=campaign, slug=SLUG, title="Load", measures=MEASURES, collection=collection,
        max_runs_per_team=100, closes_at=closes_at, round_kind="development", scores_shown="live",
    )  # fmt: skip
    Topic.objects.bulk_create(
        Topic(task=task, number=number, position=position, title=f"topic {number}")
        for position, number in enumerate(TOPICS, 1)
    )
    campaign_open(actor=organiser, campaign=campaign)
    task.refresh_from_db()
    return task


def _member(task: Task, number: int) -> dict[str, Any]:
    from django.utils import timezone

    from campaign.accounts.services.tokens import token_create
    from campaign.models import ApiToken
    from campaign.teams.services.registrations import team_register
    from campaign.teams.services.teams import team_create

    user = _user(f"member{number:02}")
    team = team_create(actor=user, name=f"Team {number:02}")
    team_register(actor=user, team=team, campaign=task.campaign)
    expires_at = timezone.now() + timedelta(days=1)
    _, token = token_create(actor=user, name="load", scope=ApiToken.SUBMIT, expires_at=expires_at)
    return {"team": team.slug, "team_id": team.pk, "token": token, "session": _session(user)}


def _session(user: User) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def _pool(organiser: User, task: Task) -> None:
    from django.core.management import call_command

    from campaign.models import Team, User
    from campaign.runs.services.submission import run_submit

    member, team = User.objects.get(username="member00"), Team.objects.get(slug="team-00")
    file = BytesIO(run_text("baseline", random.Random(0)))
    run_submit(actor=member, task=task, team=team, tag="baseline", file=file, file_name="baseline.txt")
    call_command("freeze_pool", f"{SLUG}/{SLUG}", "--depth", "100", "--seed", "1", "--as", organiser.username)


def _judge(organiser: User, task: Task, number: int) -> dict[str, Any]:
    from campaign.models import Role
    from campaign.setup.services.people import role_grant
    from judging.assigning.services.assignments import assignments_create
    from pooling.models import Pool, PoolEntry

    assessor = _user(f"assessor{number:02}")
    role_grant(actor=organiser, campaign=task.campaign, user=assessor, role=Role.ASSESSOR)
    topic = list(task.topics.order_by("position"))[number % len(TOPICS)]
    pool = Pool.objects.get(task=task)
    [assignment] = assignments_create(actor=organiser, pool=pool, topics=[topic], assessor=assessor)
    docnos = list(PoolEntry.objects.filter(pool=pool, topic=topic).order_by("position").values_list("docno", flat=True))
    return {
        "user_id": assessor.pk, "session": _session(assessor), "topic": topic.number, "assignment": assignment.pk,
        "docnos": docnos,
    }  # fmt: skip


def _scores(organiser: User, task: Task) -> None:
    import polars as pl
    from django.core.management import call_command

    from judging.qrels.services.releases import qrels_import
    from pooling.models import PoolEntry

    chance = random.Random(1)
    rows = [
        (topic, "0", docno, chance.randrange(3))
        for topic, docno in PoolEntry.objects.filter(pool__task=task).values_list("topic__number", "docno")
    ]
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    qrels_import(actor=organiser, task=task, table=table)
    call_command("publish_leaderboard", f"{SLUG}/{SLUG}", "--note", "First.", "--as", organiser.username)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
