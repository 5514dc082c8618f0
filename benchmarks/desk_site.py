"""A task to judge in an empty database: `python -m benchmarks.desk_site DOCUMENTS CHARACTERS...` makes a topic with that many
documents for each length of text, and prints the session of its assessor and the addresses of the desks as JSON."""

from __future__ import annotations

import json
import random
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from campaign.models import Collection, Task, Topic, User

WORDS = [
    "airship",
    "gas",
    "lift",
    "wing",
    "heated",
    "air",
    "flow",
    "the",
    "of",
    "and",
    "a",
    "in",
    "over",
    "storm",
    "harbour",
    "engine",
    "crew",
    "mast",
    "rope",
    "cloud",
]
TITLE = "lift of heated air in an airship"


def main(documents: int, lengths: list[int]) -> None:
    import django

    django.setup()
    from campaign.models import Collection, Role
    from campaign.setup.services.people import role_grant

    organiser, assessor = _user("organiser"), _user("assessor")
    task = _task(organiser, lengths)
    role_grant(actor=organiser, campaign=task.campaign, user=assessor, role=Role.ASSESSOR)
    topics = list(task.topics.order_by("position"))
    collection = Collection.objects.get(tasks=task)
    for topic, length in zip(topics, lengths, strict=True):
        _documents(collection, topic, documents, length)
    _assign(organiser, assessor, task, documents)
    desks = {length: task.url("desk", topic_number=topic.number) for topic, length in zip(topics, lengths, strict=True)}
    json.dump({"session": _session(assessor), "desks": desks}, sys.stdout)


def _user(name: str) -> User:
    from campaign.models import User

    return User.objects.create_user(name, f"{name}@example.org")


def _task(organiser: User, lengths: list[int]) -> Task:
    from django.utils import timezone

    from campaign.models import Collection, Topic
    from campaign.setup.services.campaigns import campaign_create, campaign_open
    from campaign.setup.services.tasks import task_create

    campaign = campaign_create(actor=organiser, slug="desk", title="Desk")
    collection = Collection.objects.create(campaign=campaign, slug="documents", title="Documents")
    closes_at = timezone.now() + timedelta(days=1)
    task = task_create(
        actor=organiser, campaign=campaign, slug="desk", title="Desk", collection=collection, closes_at=closes_at
    )
    Topic.objects.bulk_create(
        Topic(task=task, number=str(position), position=position, title=TITLE)
        for position, _ in enumerate(lengths, start=1)
    )
    campaign_open(actor=organiser, campaign=campaign)
    return task


def _documents(collection: Collection, topic: Topic, count: int, length: int) -> None:
    from campaign.collection.counts import count_anew
    from campaign.models import Document

    chance = random.Random(length)
    Document.objects.bulk_create(
        (
            Document(
                collection=collection, docno=f"D{topic.number}-{number:04}", title=f"{TITLE} {number}",
                text=_text(chance, length),
            )
            for number in range(count)
        ),
        batch_size=50,
    )  # fmt: skip
    count_anew(collection.pk)


def _text(chance: random.Random, length: int) -> str:
    lines, size = [], 0
    while size < length:
        lines.append(" ".join(chance.choices(WORDS, k=chance.randrange(8, 80))))
        size += len(lines[-1]) + 1
    return "\n".join(lines)[:length]


def _assign(organiser: User, assessor: User, task: Task, count: int) -> None:
    from judging.assigning.services.assignments import assignments_create
    from pooling.models import Pool, PoolEntry

    topics = list(task.topics.all())
    size = len(topics) * count
    pool = Pool.objects.create(
        task=task, version=1, strategy="depth-k", size=size, sha256="0" * 64, frozen_by=organiser
    )
    PoolEntry.objects.bulk_create(
        PoolEntry(
            pool=pool, topic=topic, docno=f"D{topic.number}-{number:04}", position=number + 1, best_position=1,
            run_count=1,
        )
        for topic in topics
        for number in range(count)
    )  # fmt: skip
    assignments_create(actor=organiser, pool=pool, topics=topics, assessor=assessor)


def _session(user: User) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client.cookies["sessionid"].value


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(length) for length in sys.argv[2:]])
