from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from campaign import tasking
from campaign.models import Job, User
from campaign.tasking import JobFailed, Progress, job, job_within
from tests.factories import make_user


@job
def rename(progress: Progress, *, user_id: int, to: str) -> None:
    progress.report(0, 1)
    User.objects.filter(pk=user_id).update(display_name=to)
    progress.report(1, 1, "renamed")


@job
def refuse(progress: Progress, *, reason: str) -> None:
    raise JobFailed(reason)


def test_a_job_runs_when_the_transaction_that_asked_for_it_commits(db, django_capture_on_commit_callbacks) -> None:
    user = make_user()
    with django_capture_on_commit_callbacks(execute=True):
        rename.enqueue(user_id=user.pk, to="Ada")
        assert Job.objects.get().state == Job.QUEUED
    user.refresh_from_db()
    job_row = Job.objects.get()
    assert (user.display_name, job_row.state, job_row.done, job_row.total) == ("Ada", Job.DONE, 1, 1)


def test_asking_twice_for_the_same_waiting_work_makes_one_job(db) -> None:
    assert rename.enqueue(user_id=1, to="Ada").pk == rename.enqueue(user_id=1, to="Ada").pk
    assert rename.enqueue(user_id=2, to="Ada").pk != rename.enqueue(user_id=1, to="Ada").pk


def test_a_job_refuses_arguments_that_it_does_not_take(db) -> None:
    with pytest.raises(TypeError, match="takes"):
        rename.enqueue(user=1)


def test_a_message_delivered_twice_runs_the_job_once(db, django_capture_on_commit_callbacks) -> None:
    user = make_user()
    with django_capture_on_commit_callbacks(execute=True):
        row = rename.enqueue(user_id=user.pk, to="Ada")
    User.objects.update(display_name="changed by hand")
    tasking.send(row)
    user.refresh_from_db()
    assert user.display_name == "changed by hand"


def test_a_job_that_cannot_succeed_says_why(db, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        refuse.enqueue(reason="The file is gone.")
    row = Job.objects.get()
    assert (row.state, row.message) == (Job.FAILED, "The file is gone.")


@job_within(60)
def hang(progress: Progress, *, number: int) -> None:
    raise SoftTimeLimitExceeded  # what the worker raises in a body whose time is up


def test_a_job_that_hangs_is_stopped_at_its_limit_and_says_so(db, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        hang.enqueue(number=1)
    row = Job.objects.get()
    assert (row.state, row.message) == (Job.FAILED, "This took longer than 60 seconds and was stopped.")
    assert (hang.celery_task.soft_time_limit, rename.celery_task.soft_time_limit) == (60, tasking.SOFT_LIMIT_SECONDS)
    assert hang.celery_task.time_limit > hang.celery_task.soft_time_limit


@pytest.mark.parametrize("state", [Job.QUEUED, Job.WORKING])
def test_the_sweep_sends_again_what_a_lost_message_or_a_dead_worker_left_behind(db, state: str) -> None:
    user = make_user()
    row = rename.enqueue(user_id=user.pk, to="Ada")
    long_ago = timezone.now() - timedelta(minutes=2)
    Job.objects.update(state=state, sent_at=long_ago, heartbeat_at=long_ago, attempts=1)
    assert tasking.send_what_was_lost() == 1
    user.refresh_from_db()
    row.refresh_from_db()
    assert (user.display_name, row.state) == ("Ada", Job.DONE)


def test_the_sweep_leaves_alone_what_is_being_worked_on(db) -> None:
    rename.enqueue(user_id=1, to="Ada")
    Job.objects.update(state=Job.WORKING, heartbeat_at=timezone.now())
    assert tasking.send_what_was_lost() == 0


def test_the_sweep_gives_up_on_work_that_killed_its_worker_again_and_again(db) -> None:
    rename.enqueue(user_id=1, to="Ada")
    long_ago = timezone.now() - timedelta(minutes=2)
    Job.objects.update(state=Job.WORKING, heartbeat_at=long_ago, attempts=tasking.MOST_ATTEMPTS)
    tasking.send_what_was_lost()
    assert Job.objects.get().state == Job.FAILED
