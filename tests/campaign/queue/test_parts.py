"""A job in parts: whichever ends last sends the whole, whatever was killed, sent twice or done in another order."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from campaign.models import Job, Task
from campaign.queue.jobs import (
    MOST_ATTEMPTS,
    JobFailed,
    JobWaits,
    Progress,
    _wait_for_parts,
    do_job,
    enqueue,
    enqueue_first,
    job,
    requeue_lost_jobs,
    unfinished_parts,
)
from tests.factories import Cast

WHOLE, PART = "walk a mile", "walk a part"
PARTS = 4


@job(WHOLE)
def walk(progress: Progress, *, task_id: int) -> None:
    if unfinished_parts(PART, task_id).exists():
        raise JobWaits(PART, PARTS, "parts walked")
    if not Job.objects.filter(name=PART).exists():
        for number in range(PARTS):
            enqueue(PART, task_id=task_id, number=number)
        raise JobWaits(PART, PARTS, "parts walked")
    Task.objects.filter(pk=task_id).update(title="walked")


@job(PART, part_of=WHOLE)
def walk_part(progress: Progress, *, task_id: int, number: int) -> None:
    progress.report(1, 1)
    if number == 2:
        raise JobFailed("A stone lies in the way.")


class Messages(list[int]):
    """What was sent and not yet delivered, as a queue would hold it."""

    def deliver(self, place: int) -> None:
        do_job.apply(kwargs={"job_id": self.pop(place)})


@pytest.fixture
def messages(db: None, monkeypatch: pytest.MonkeyPatch) -> Messages:
    found = Messages()
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: found.append(row.pk))
    return found


@pytest.fixture
def asked(cast: Cast, messages: Messages, django_capture_on_commit_callbacks) -> Cast:
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(WHOLE, task_id=cast.task.pk)
    with django_capture_on_commit_callbacks(execute=True):
        messages.deliver(0)
    assert len(messages) == PARTS
    return cast


def whole() -> Job:
    return Job.objects.filter(name=WHOLE).latest("pk")


def test_a_whole_holds_no_process_while_its_parts_are_under_way_and_counts_them(
    asked: Cast, messages: Messages
) -> None:
    assert (whole().state, whole().attempts, whole().done, whole().total) == (Job.QUEUED, 0, 0, PARTS)
    messages.deliver(0)
    assert (whole().state, whole().done, whole().message) == (Job.QUEUED, 1, "parts walked")
    assert len(messages) == PARTS - 1


@pytest.mark.sqlite("campaign.queue.jobs.wholes_to_send")
def test_a_part_that_is_counted_twice_takes_no_whole_beyond_its_end(asked: Cast, messages: Messages) -> None:
    Job.objects.filter(name=WHOLE).update(done=PARTS)
    messages.deliver(0)
    assert (whole().state, whole().done) == (Job.QUEUED, PARTS)


@pytest.mark.sqlite
@pytest.mark.parametrize("seed", range(4))
def test_the_part_that_ends_last_sends_the_whole_in_whatever_order_and_also_if_one_failed(
    asked: Cast, messages: Messages, seed: int
) -> None:
    chance = random.Random(seed)
    messages.extend(messages)  # each is delivered twice
    while messages:
        assert whole().state == Job.QUEUED
        messages.deliver(chance.randrange(len(messages)))
        if whole().state == Job.DONE:
            break
    asked.task.refresh_from_db()
    assert (whole().state, asked.task.title) == (Job.DONE, "walked")
    assert Job.objects.filter(name=PART, state=Job.DONE).count() == PARTS - 1


def test_a_part_that_ended_before_its_whole_said_that_it_waits_is_not_waited_for(
    cast: Cast, messages: Messages
) -> None:
    row = enqueue_first(WHOLE, task_id=cast.task.pk)
    Job.objects.create(name=PART, key="all", task=cast.task, state=Job.DONE, done=1)
    Job.objects.filter(pk=row.pk).update(state=Job.WORKING, attempts=1)
    _wait_for_parts(Job.objects.get(pk=row.pk), JobWaits(PART, 1, "parts walked"))
    assert messages == [row.pk]


@pytest.mark.sqlite("campaign.queue.locks.let_wait")
def test_a_whole_that_was_asked_for_again_meanwhile_leaves_its_parts_to_the_newer_row(
    asked: Cast, messages: Messages
) -> None:
    first = whole()
    Job.objects.filter(pk=first.pk).update(state=Job.WORKING, attempts=1)
    enqueue_first(WHOLE, task_id=asked.task.pk)
    _wait_for_parts(Job.objects.get(pk=first.pk), JobWaits(PART, PARTS, "parts walked"))
    first.refresh_from_db()
    assert (first.state, whole().state) == (Job.DONE, Job.QUEUED)
    for _ in range(PARTS):
        messages.deliver(0)
    assert messages == [whole().pk]


def test_parts_whose_worker_is_killed_again_and_again_end_and_send_the_whole(asked: Cast, messages: Messages) -> None:
    long_ago = timezone.now() - timedelta(minutes=9)
    dead = {"state": Job.WORKING, "attempts": MOST_ATTEMPTS, "heartbeat_at": long_ago, "sent_at": long_ago}
    Job.objects.filter(name=PART).update(**dead)
    messages.clear()
    requeue_lost_jobs()
    assert not unfinished_parts(PART, asked.task.pk).exists()
    assert set(messages) == {whole().pk}
