from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from campaign.models import Job, SlowRequest, User, job_key
from runpool import jobs
from runpool.backup.drill import Drill, drill_note
from runpool.jobs import sweep
from runpool.operations import slow_requests, tallies
from runpool.operations.cleaning import clean_up
from runpool.operations.health import CLEAN
from runpool.operations.slow_requests import Notes, slow_request_note, slow_requests_forget
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit_and_check
from tests.factories import make_user
from tests.runpool.operations.makers import make_ended

STORAGE, SLOW = "/operations/storage/", "/operations/slow/"


@pytest.fixture
def admin(db: None) -> User:
    return make_user("root", is_superuser=True)


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Notes:
    """None was noted a moment ago by another test; what takes two seconds is slow, as on a site."""
    monkeypatch.setattr(slow_requests, "SLOW_SECONDS", 2.0)
    fresh = Notes()
    monkeypatch.setattr(slow_requests, "notes", fresh)
    return fresh


def page(user: User, address: str, **query: Any) -> str:
    answer = signed_in(user).get(address, query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def make_slow(number: int) -> None:
    SlowRequest.objects.bulk_create(
        SlowRequest(page=f"page_{n}", method="GET", status=200, milliseconds=2000 + n, request_id=f"r{n}")
        for n in range(number)
    )


@pytest.mark.sqlite("runpool.operations.health.database_bytes")
def test_storage_cleanings_and_sweeps_are_shown_with_what_they_did(admin: User) -> None:
    assert "The storage was not measured yet" in page(admin, STORAGE)
    submit_and_check(make_ready_cast())
    make_ended(CLEAN, worked=1, message=clean_up())
    Job.objects.filter(name=CLEAN).update(key=job_key({}))
    tallies.sweep_note(7)
    assert "No restoration was tried yet" in page(admin, STORAGE)
    drill_note(Drill(timezone.now(), restored=3.25, verified=1200))
    shown = page(admin, STORAGE)
    assert "restored in 3.2 s, verified in 1,200.0 s" in shown
    assert "<code>runs</code>" in shown
    assert "Removed:" in shown
    assert "the last 1" in shown


def test_what_each_folder_grew_by_is_told_since_the_oldest_measure_of_a_month(
    admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (5000, *range(2000, 2000 + tallies.MEASURES_KEPT)):
        monkeypatch.setattr(tallies, "stored_sizes", lambda size=size: {"runs": (3, size), "pools": (1, 10)})
        tallies.storage_measure()
    use = tallies.storage_use()
    assert use is not None
    assert use.folders == [("runs", 3, 2030, 30), ("pools", 1, 10, 0)]
    assert use.since <= use.at
    assert '<td class="num">+30 bytes</td>' in page(admin, STORAGE)


def test_each_step_of_the_sweep_shows_its_last_run_and_the_last_ones_that_did_something_or_failed(
    admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = iter([0, 3, 0])

    def letters_send() -> int:
        return next(results)

    def halls_sweep() -> None:
        raise ValueError("no broom")

    monkeypatch.setattr(jobs, "PERIODIC", (letters_send, halls_sweep))
    for _ in range(3):
        sweep()
    [(letters, sent), (halls, broken)] = tallies.steps_of_the_sweep()
    assert (letters.name, letters.in_words, [one.number for one in sent]) == ("letters send", "nothing to do", [3])
    assert (halls.in_words, [one.failed for one in broken]) == ("failed", [True] * 3)
    assert letters.at > sent[0].at - timedelta(seconds=1)
    assert halls.milliseconds >= 0
    shown = page(admin, STORAGE)
    assert '<th scope="row">letters send</th>' in shown
    assert ": 3 </td>" in shown
    for _ in range(tallies.WORK_KEPT):
        tallies.steps_note([halls])
    assert [(run.name, len(work)) for run, work in tallies.steps_of_the_sweep()] == [("halls sweep", tallies.WORK_KEPT)]


def test_sweeps_that_found_nothing_to_send_leave_no_trace_and_old_ones_go(db: None) -> None:
    for sent in [0, *range(1, tallies.SWEEPS_KEPT + 4)]:
        tallies.sweep_note(sent)
    found = [sent for _, sent in tallies.sweeps_that_sent()]
    assert found == list(range(tallies.SWEEPS_KEPT + 3, 3, -1))


def test_a_slow_request_is_noted_with_its_page_and_never_with_its_address(
    db: None, client: Client, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(make_user("eve"))
    client.get("/teams/join/a-secret-key/")
    assert SlowRequest.objects.count() == 0
    monkeypatch.setattr(slow_requests, "SLOW_SECONDS", 0.0)
    answer = client.get("/teams/join/a-secret-key/")
    noted = SlowRequest.objects.get()
    assert (noted.page, noted.method, noted.status, noted.request_id) == (
        "team_join", "GET", answer.status_code, answer["X-Request-ID"],
    )  # fmt: skip
    assert noted.user_id == User.objects.get(username="eve").pk


def test_notes_of_slow_requests_do_not_come_faster_than_one_a_second(db: None, notes: Notes) -> None:
    for _ in range(20):
        slow_request_note(page="home", method="GET", status=200, seconds=9)
    assert SlowRequest.objects.count() == 1


def test_a_note_that_the_database_does_not_take_disturbs_nobody(
    db: None, notes: Notes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow_request_note(page="home", method="GET", status=503, seconds=10)
    assert SlowRequest.objects.count() == 0

    def away(**values: Any) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(SlowRequest.objects, "create", away)
    slow_request_note(page="home", method="GET", status=200, seconds=9)
    assert "a slow request is not noted: gone" in caplog.text


def test_the_sweep_keeps_the_newest_slow_requests(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SlowRequest, "KEPT", 5)
    slow_requests_forget()
    make_slow(9)
    sweep()
    assert [slow.page for slow in SlowRequest.objects.all()] == [f"page_{n}" for n in range(8, 3, -1)]


def test_slow_requests_are_listed_in_pages_and_each_costs_the_same(
    admin: User, django_assert_max_num_queries: Any
) -> None:
    assert "No request was slow" in page(admin, SLOW)
    make_slow(120)
    client = signed_in(admin)
    first = client.get(SLOW)
    assert len(first.context["requests"]) == 50
    with django_assert_max_num_queries(8):
        second = client.get(SLOW, {"before": first.context["older"]})
    assert second.context["requests"][0].page == "page_69"
    assert "Newest" in second.content.decode()


@pytest.mark.parametrize("address", [STORAGE, SLOW])
def test_they_are_for_superusers_alone(db: None, address: str) -> None:
    assert signed_in(make_user("eve")).get(address).status_code == 404
    assert Client().get(address).status_code == 302
