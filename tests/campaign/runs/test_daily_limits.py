"""What a team may send to a task within 24 hours, whatever becomes of its runs."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from campaign.models import Allowance, Run
from campaign.models.fields import moment_in_words
from campaign.runs.services.submission import run_withdraw
from campaign.teams.services.allowances import allowance_give
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import make_ready_cast, post_run, signed_in, submit, submit_and_check
from tests.factories import Cast, run_lines


@pytest.fixture
def cast(db: None, settings) -> Cast:
    settings.RUN_ATTEMPTS_PER_DAY = 2
    return make_ready_cast(max_runs_per_team=1)


def send_and_withdraw(cast: Cast, tag: str) -> Run:
    run = submit(cast, tag)
    run_withdraw(actor=cast.member, run=run)
    return run


def test_withdrawn_and_rejected_runs_count_for_the_day_and_the_message_says_until_when(cast: Cast) -> None:
    first = send_and_withdraw(cast, "one")
    submit_and_check(cast, "two", b"no run at all\n")
    with pytest.raises(ValidationError) as refused:
        submit(cast, "three")
    message = " ".join(refused.value.messages)
    assert "has sent 2 runs to this task within 24 hours, and 2 are the most" in message
    assert moment_in_words(first.submitted_at + timedelta(hours=24), cast.campaign.time_zone) in message
    Run.objects.filter(pk=first.pk).update(submitted_at=timezone.now() - timedelta(hours=24, seconds=1))
    submit(cast, "three")


def test_replacing_again_and_again_counts_too(cast: Cast) -> None:
    submit(cast, "one")
    submit(cast, "one", replace=True)
    with pytest.raises(ValidationError, match="within 24 hours"):
        submit(cast, "one", replace=True)


def test_a_whole_quota_fits_into_a_day_with_a_second_try_for_each_run(cast: Cast) -> None:
    cast.task.max_runs_per_team = 3
    cast.task.save()
    for number in range(5):
        send_and_withdraw(cast, f"run{number}")
    submit(cast, "last")


def test_bytes_of_a_day_are_limited_too(cast: Cast, settings) -> None:
    settings.RUN_ATTEMPTS_PER_DAY = 10
    first = send_and_withdraw(cast, "one")
    settings.RUN_BYTES_PER_DAY = first.size + 20
    with pytest.raises(ValidationError, match="with this file it were more than"):
        submit(cast, "two", run_lines({"1": ["a", "b"]}, "two"))
    assert Run.objects.count() == 1
    submit(cast, "three", run_lines({"1": ["a"]}, "three"))


def test_another_team_and_another_task_have_a_day_of_their_own(cast: Cast) -> None:
    send_and_withdraw(cast, "one")
    send_and_withdraw(cast, "two")
    submit(cast, "three", actor=cast.other_member, team=cast.other_team)


def test_organisers_can_allow_more_and_the_team_reads_how_many(cast: Cast, mailoutbox, settings) -> None:
    send_and_withdraw(cast, "one")
    send_and_withdraw(cast, "two")
    form = {
        "task": cast.task.slug,
        "extra_runs": "0",
        "extra_attempts": "1",
        "extra_gib": "2",
        "reason": "A bug of ours",
    }
    page = signed_in(cast.organiser)

    address = reverse("team_allowances", kwargs={"campaign_slug": cast.campaign.slug, "team_slug": cast.team.slug})
    assert "This team has sent 2 runs within 24 hours" in page.get(address).content.decode()
    assert page.post(address, form).status_code == 302
    given = Allowance.objects.get()
    assert (given.extra_attempts, given.extra_gib) == (1, 2)
    submit(cast, "three")


def test_the_mail_about_an_allowance_names_the_uploads_of_a_day(
    cast: Cast, mailoutbox, django_capture_on_commit_callbacks
) -> None:
    values = {"extra_runs": 0, "closes_at": None, "reason": "A bug of ours"}
    with django_capture_on_commit_callbacks(execute=True):
        allowance_give(actor=cast.organiser, task=cast.task, team=cast.team, extra_attempts=5, **values)
    assert "Uploads within 24 hours: at most 7" in mailoutbox[0].body


def test_page_and_api_refuse_with_the_same_words(cast: Cast) -> None:
    send_and_withdraw(cast, "one")
    send_and_withdraw(cast, "two")
    assert "within 24 hours" in signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    answer = post_run(cast, run_lines({"1": ["a"]}, "bm25"))
    assert answer.status_code == 422
    assert "within 24 hours" in answer.content.decode()
    answer = ask(
        f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/runs",
        make_token(cast.member),
        method="POST",
        data={"team": cast.team.slug, "tag": "bm25"},
        file=run_lines({"1": ["a"]}, "bm25"),
    )
    assert answer.status_code == 422
    assert "within 24 hours" in answer.json()["detail"]
