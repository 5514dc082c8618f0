from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from campaign.models import AuditEvent, Job, Run, User, Verification, VerificationFinding
from campaign.runs.selectors.progress import CHECK_RUN
from runpool.operations import services
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.factories import Cast, make_user

ADDRESS = "/operations/"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast()


@pytest.fixture
def admin(db: None) -> User:
    return make_user("root", is_superuser=True)


def check_job() -> Job:
    return Job.objects.get(name=CHECK_RUN)


def send_address(job: Job) -> str:
    return reverse("operation_send", kwargs={"job_id": job.pk})


def test_operations_are_for_superusers_alone(cast: Cast, admin: User) -> None:
    submit(cast)
    job = check_job()
    others = [cast.organiser, cast.assessor, cast.member, cast.other_member, cast.stranger, None]
    assert [signed_in(person).get(ADDRESS).status_code for person in others] == [404] * 5 + [302]
    assert [signed_in(person).post(send_address(job)).status_code for person in others] == [404] * 5 + [302]
    assert signed_in(admin).get(ADDRESS).status_code == 200


def test_jobs_are_listed_by_state_with_age_and_message(cast: Cast, admin: User) -> None:
    submit(cast)
    client = signed_in(admin)
    Job.objects.update(created_at=timezone.now() - timedelta(hours=3))
    waiting = client.get(ADDRESS).content.decode()
    assert "check run" in waiting
    assert "3\xa0hours" in waiting
    Job.objects.update(state=Job.FAILED, message="Given up after 5 attempts.")
    assert "Given up after 5 attempts." in client.get(ADDRESS).content.decode()
    assert "No job is in this state" in client.get(ADDRESS, {"state": "done"}).content.decode()
    assert client.get(ADDRESS, {"state": "magic"}).status_code == 404


def test_a_failed_job_is_sent_again_and_that_is_audited(
    cast: Cast, admin: User, django_capture_on_commit_callbacks: Any
) -> None:
    run = submit(cast)
    job = check_job()
    Job.objects.update(state=Job.FAILED)
    with django_capture_on_commit_callbacks(execute=True):
        answer = signed_in(admin).post(send_address(job))
    run.refresh_from_db()
    assert answer.status_code == 302
    assert run.state == Run.VALID
    assert AuditEvent.objects.get(verb="send again").actor == admin
    page = signed_in(admin).get(ADDRESS, {"state": "failed"}).content.decode()
    assert "Requested again since then." in page
    assert send_address(job) not in page


def test_all_failed_jobs_are_sent_again_at_once_but_for_those_requested_since(
    cast: Cast, admin: User, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_SENT", 2)
    Job.objects.create(name="gone", key="1", state=Job.FAILED)  # the oldest: it takes no other's place
    runs = [submit(cast), submit(cast, "dense")]
    Job.objects.update(state=Job.FAILED)
    Job.objects.create(name="again", key="2", state=Job.FAILED)
    Job.objects.create(name="again", key="2", state=Job.DONE)
    client = signed_in(admin)
    assertContains(client.get(ADDRESS, {"state": "failed"}), "Send all failed jobs again")
    assertNotContains(client.get(ADDRESS, {"state": "done"}), "Send all failed jobs again")
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("operation_send_failed"), follow=True)
    assertContains(answer, "2 failed jobs sent again.")
    assertContains(answer, "with these arguments: gone.")
    assert [Run.objects.get(pk=run.pk).state for run in runs] == [Run.VALID] * 2
    assert AuditEvent.objects.filter(verb="send again").count() == 2


def test_a_waiting_job_is_sent_again_without_a_second_row(
    cast: Cast, admin: User, django_capture_on_commit_callbacks: Any
) -> None:
    submit(cast)
    job = check_job()
    with django_capture_on_commit_callbacks(execute=True):
        signed_in(admin).post(send_address(job))
    assert Job.objects.filter(name=job.name).count() == 1
    job.refresh_from_db()
    assert job.state == Job.DONE


@pytest.mark.parametrize("state", [Job.DONE, Job.WORKING])
def test_a_job_that_is_done_or_at_work_is_not_sent(cast: Cast, admin: User, state: str) -> None:
    submit(cast)
    Job.objects.update(state=state)
    answer = signed_in(admin).post(send_address(check_job()), follow=True)
    assert "nothing to send" in answer.content.decode()
    assert not AuditEvent.objects.filter(verb="send again").exists()


def test_a_job_of_another_version_is_refused_in_words(admin: User) -> None:
    for name, arguments in (("campaign.gone.job", {}), ("check run", {"wrong": 1})):
        job = Job.objects.create(name=name, key=name, arguments=arguments, state=Job.FAILED)
        answer = signed_in(admin).post(send_address(job), follow=True)
        assert "has no job" in answer.content.decode()


def test_a_superuser_has_the_site_verified_and_reads_what_was_found(
    admin: User, django_capture_on_commit_callbacks: Callable
) -> None:
    operator = signed_in(admin)
    page = operator.get(reverse("operations")).content.decode()
    assert "Verify now" in page
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(reverse("operation_verify"))
    verification = Verification.objects.get()
    VerificationFinding.objects.create(
        verification=verification, section="qrels", subject="<b>qrels</b>", text="They differ.", remedy="Release anew."
    )
    Verification.objects.update(found=1)
    page = operator.get(reverse("operations")).content.decode()
    assert "They differ." in page
    assert "&lt;b&gt;qrels" in page
