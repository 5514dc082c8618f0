"""What people can make the site compute and keep by asking again and again."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from campaign.database import clock
from campaign.models import Archive, Restoration, Run
from campaign.queue.jobs import JobFailed
from judging.models import Assignment
from runpool.archive.services import requests
from runpool.archive.services.requests import archive_request
from tests.campaign.runs.makers import signed_in
from tests.campaign.storage.makers import damage
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import judge, make_assignment
from tests.runpool.archive.makers import archive_of, bytes_of, files_of, made_elsewhere, receive, restore

pytestmark = pytest.mark.django_db


def test_who_asks_for_what_is_being_made_already_gets_that(cast: Cast) -> None:
    first = archive_request(
        actor=cast.organiser, campaign=cast.campaign
    )  # its job waits for the end of the transaction
    assert archive_request(actor=cast.organiser, campaign=cast.campaign) == first
    assert archive_request(actor=cast.organiser, campaign=cast.campaign, documents=Archive.TEXTS) != first
    assert archive_request(actor=cast.organiser, campaign=cast.campaign, task=cast.task) != first


def test_archives_of_an_unchanged_campaign_share_one_file_and_one_of_a_changed_campaign_has_its_own(
    cast: Cast,
) -> None:
    first, second = (archive_of(cast.campaign, cast.organiser) for _ in range(2))
    assert (first.pk, first.file.name) != (second.pk, "")
    assert (first.content_sha256, first.file.name, first.sha256) == (
        second.content_sha256,
        second.file.name,
        second.sha256,
    )
    make_topics(cast.task, ["901"])
    changed = archive_of(cast.campaign, cast.organiser)
    assert changed.content_sha256 != first.content_sha256
    assert changed.file.name != first.file.name


def test_a_person_gets_so_many_archives_of_a_campaign_a_day(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_ARCHIVES_A_DAY", 2)
    for _ in range(2):
        archive_of(cast.campaign, cast.organiser)
    address = reverse("archive_list", kwargs={"campaign_slug": cast.campaign.slug})
    answer = signed_in(cast.organiser).post(address, {"documents": "docnos", "people": "pseudonyms"})
    assert answer.status_code == 422
    assert (
        "You have reached your limit of 2 archives of this campaign within a day. Go on tomorrow."
        in answer.content.decode()
    )


def test_so_many_given_archives_of_a_person_wait_to_be_restored(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_RESTORATIONS", 2)
    content, actor = bytes_of(archive_of(cast.campaign, cast.organiser)), make_user()
    given = [receive(content, actor) for _ in range(2)]
    with pytest.raises(ValidationError, match="2 archives that you gave wait here"):
        receive(content, actor)
    receive(content, make_user())
    requests.restoration_discard(actor=actor, restoration=given[0])
    assert receive(content, actor).state == Restoration.READY
    requests.restoration_discard(actor=actor, restoration=given[1])
    with pytest.raises(ValidationError, match="You have discarded 2 archives within a day"):
        receive(content, actor)


def test_no_archive_is_made_that_would_be_refused_for_what_a_clock_that_ran_ahead_dated(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = make_assignment(cast, ["D1"])
    moment = timezone.now() + timedelta(days=30)
    with monkeypatch.context() as patch:
        for module in (clock, timezone):
            patch.setattr(module, "now", lambda: moment)
        judge(assignment, "D1", 1)
    said = (
        rf"assignments\.jsonl, line 1: “finished_at” is {moment:%d %b %Y}, .*, in the future, and no site would restore"
    )
    with pytest.raises(JobFailed, match=said):
        archive_of(cast.campaign, cast.organiser)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    assert archive_of(cast.campaign, cast.organiser).file


def test_operators_make_an_archive_with_what_a_clock_that_ran_ahead_dated_and_it_says_so_everywhere(
    cast: Cast, tmp_path: Path
) -> None:
    moment, path = timezone.now() + timedelta(days=30), tmp_path / "archive.zip"

    def made() -> str:
        assignment = make_assignment(cast, ["D1"])
        judge(assignment, "D1", 1)
        Assignment.objects.filter(pk=assignment.pk).update(finished_at=moment)
        words = ("archive_campaign", cast.campaign.slug, str(path), "--as", cast.organiser.username)
        with pytest.raises(CommandError, match="was not made"):
            call_command(*words, stdout=StringIO())
        call_command(*words, "--with-moments-ahead", stdout=StringIO())
        return (
            f"{cast.task.slug}/judgments/assignments.jsonl: moments of “finished_at” lay in the future when the archive was "
            f"made, up to {moment:%d %b %Y, %H:%M} UTC, since a clock was wrong."
        )

    said = made_elsewhere(made)
    content = path.read_bytes()
    assert said in files_of(content)["README.md"].decode()
    restoration = restore(content, make_user())
    assert said in str(restoration.found["told"])
    assert Assignment.objects.get(pool__task__campaign__slug="restored").finished_at == moment


def test_a_damaged_file_is_told_in_words_where_moments_in_the_future_are_kept(cast: Cast, tmp_path: Path) -> None:
    run = make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    Run.objects.filter(pk=run.pk).update(submitted_at=timezone.now() + timedelta(days=30))
    damage(str(run.file))
    words = ("archive_campaign", cast.campaign.slug, str(tmp_path / "archive.zip"), "--as", cast.organiser.username)
    with pytest.raises(CommandError, match="is damaged and was set aside"):
        call_command(*words, "--with-moments-ahead", stdout=StringIO())
