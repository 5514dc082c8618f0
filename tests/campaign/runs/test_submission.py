import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.test import TestCase
from django.utils import timezone

from campaign.events import run_accepted
from campaign.models import AuditEvent, Job, Run, Task
from campaign.queue.jobs import STALE_AFTER, Progress, requeue_lost_jobs, send
from campaign.runs.jobs import check_run
from campaign.runs.selectors.progress import CHECK_RUN, run_progress
from campaign.runs.selectors.reading import checked_run, run_table
from campaign.runs.services import decisions as run_decisions
from campaign.runs.services import submission as services
from campaign.runs.services.decisions import run_check_again, run_finish_check
from campaign.runs.services.submission import run_withdraw
from campaign.storage import StoredFile
from tests.campaign.runs.makers import RANKING, make_ready_cast, stored_bytes, submit, submit_and_check
from tests.factories import Cast, make_received_run, make_team, run_lines


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=2)


@pytest.fixture
def accepted() -> Iterator[list[Run]]:
    """The runs whose acceptance was signalled."""
    told: list[Run] = []

    def note(run: Run, **_: Any) -> None:
        told.append(run)

    run_accepted.connect(note, weak=False, dispatch_uid="test")
    yield told
    run_accepted.disconnect(dispatch_uid="test")


def test_a_clean_run_becomes_valid_with_its_facts_and_its_receipt(cast: Cast, accepted: list[Run]) -> None:
    content = run_lines(RANKING, "bm25")
    run = submit_and_check(cast, content=content)
    assert (run.state, run.lines, run.topics_answered, run.problem_count) == (Run.VALID, 3, 2, 0)
    assert run.sha256 == hashlib.sha256(content).hexdigest()
    assert stored_bytes(run) == content
    assert accepted == [run]
    assert list(AuditEvent.objects.filter(object_id=run.pk).values_list("verb", flat=True)) == ["valid", "submit"]


def test_the_table_is_read_again_when_its_cache_is_lost_and_the_rules_have_changed(cast: Cast) -> None:
    run = submit_and_check(cast)
    before = run_table(run)
    run.table.storage.delete(run.table.name)
    cast.task.max_documents_per_topic = 1
    cast.task.save()
    run = Run.objects.get(pk=run.pk)
    assert run_table(run).equals(before)


def test_a_team_can_submit_until_its_quota_is_used_up(cast: Cast) -> None:
    submit(cast, "one")
    submit(cast, "two")
    with pytest.raises(ValidationError, match="2 of 2 runs"):
        submit(cast, "three")
    submit(cast, "three", team=cast.other_team, actor=cast.other_member)


def test_a_rejected_run_does_not_count_and_its_tag_can_be_used_again_as_attempt_two(cast: Cast) -> None:
    rejected = submit_and_check(cast, content=b"1 Q0 a 1 5.0\n")
    second = submit_and_check(cast)
    assert (rejected.state, rejected.attempt) == (Run.REJECTED, 1)
    assert (second.state, second.attempt) == (Run.VALID, 2)
    submit(cast, "other")


def test_withdrawing_frees_the_quota_and_the_tag(cast: Cast) -> None:
    run = submit_and_check(cast)
    submit(cast, "two")
    run_withdraw(actor=cast.member, run=run)
    assert run.state == Run.WITHDRAWN
    assert submit(cast).attempt == 2


def test_a_run_cannot_be_withdrawn_twice(cast: Cast) -> None:
    run = submit(cast)
    run_withdraw(actor=cast.member, run=run)
    with pytest.raises(ValidationError, match="withdrawn already"):
        run_withdraw(actor=cast.member, run=run)


def test_after_the_deadline_an_organiser_can_withdraw_but_the_team_cannot(cast: Cast) -> None:
    run = submit(cast)
    _set_schedule(cast.task, closes_in=-1)
    run = Run.objects.get(pk=run.pk)
    with pytest.raises(ValidationError, match="ask an organiser"):
        run_withdraw(actor=cast.member, run=run)
    run_withdraw(actor=cast.organiser, run=run)
    assert run.state == Run.WITHDRAWN


def test_a_run_that_is_withdrawn_while_it_is_checked_stays_withdrawn(cast: Cast, accepted: list[Run]) -> None:
    run = submit(cast)
    check = checked_run(run)
    run_withdraw(actor=cast.member, run=Run.objects.get(pk=run.pk))
    assert not run_finish_check(run=run, check=check)
    assert run.state == Run.WITHDRAWN
    assert not accepted


def test_one_second_after_the_deadline_no_run_is_taken(cast: Cast) -> None:
    _set_schedule(cast.task, closes_in=-1)
    with pytest.raises(ValidationError, match="The deadline was"):
        submit(cast)
    assert not Run.objects.exists()


def test_the_deadline_itself_is_too_late_and_the_moment_before_is_not(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadline = cast.task.closes_at
    assert deadline is not None
    monkeypatch.setattr(timezone, "now", lambda: deadline - timedelta(microseconds=1))
    submit(cast)
    monkeypatch.setattr(timezone, "now", lambda: deadline)
    with pytest.raises(ValidationError, match="The deadline was"):
        submit(cast, "two")


def test_one_second_before_the_opening_no_run_is_taken(cast: Cast) -> None:
    _set_schedule(cast.task, opens_in=1)
    with pytest.raises(ValidationError, match="takes runs from"):
        submit(cast)
    _set_schedule(cast.task, opens_in=-1)
    submit(cast)


def test_without_a_deadline_runs_are_taken_in_the_phase_runs_only(cast: Cast) -> None:
    Task.objects.update(closes_at=None)
    cast.task.refresh_from_db()
    submit(cast)
    Task.objects.update(phase=Task.POOL)
    cast.task.refresh_from_db()
    with pytest.raises(ValidationError, match="no more runs"):
        submit(cast, "two")


@pytest.mark.parametrize("tag", ["new", ".", "..", "a/b", "a b", "ü", "-a", "x" * 31])
def test_a_tag_that_breaks_the_pattern_or_leads_elsewhere_is_refused(cast: Cast, tag: str) -> None:
    with pytest.raises(ValidationError, match="no run tag"):
        submit(cast, tag, b"1 Q0 a 1 5.0 x\n")


def test_a_run_without_a_tag_gets_the_one_that_its_file_suggests(cast: Cast) -> None:
    assert submit(cast, "", run_lines(RANKING, "bm25"), file_name="mine.txt").tag == "bm25"
    assert submit(cast, "", b"no run\n", file_name="mine.res.gz").tag == "mine"


def test_a_loose_pattern_still_keeps_path_steps_out_of_tags(cast: Cast) -> None:
    Task.objects.update(tag_pattern=".*")
    cast.task.refresh_from_db()
    for tag in ("..", "a/../b", "a b", "a\t", "a\u00a0b", "a\n"):
        with pytest.raises(ValidationError, match="no run tag"):
            submit(cast, tag)


@pytest.mark.parametrize(
    ("tag", "why"),
    [("a/b", "holds a slash"), ("..", "leads to another place"), ("new", "choose another"), ("a b", "no white space")],
)
def test_a_tag_that_follows_the_pattern_and_is_refused_all_the_same_hears_why(cast: Cast, tag: str, why: str) -> None:
    Task.objects.update(tag_pattern=".{1,60}")
    cast.task.refresh_from_db()
    with pytest.raises(ValidationError, match=why):
        submit(cast, tag)


def test_a_stranger_and_an_unregistered_team_cannot_submit(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="member"):
        submit(cast, actor=cast.stranger)
    unregistered = make_team(members=(cast.member,))
    with pytest.raises(ValidationError, match="does not take part"):
        submit(cast, team=unregistered)


def test_all_reasons_to_refuse_a_submission_are_reported_at_once(cast: Cast) -> None:
    submit(cast, "one")
    submit(cast, "two")
    _set_schedule(cast.task, closes_in=-1)
    with pytest.raises(ValidationError) as refusal:
        submit(cast, "one")
    told = refusal.value.message_dict
    assert list(told) == [NON_FIELD_ERRORS, "tag"]
    assert "quota" in told[NON_FIELD_ERRORS][0]
    assert "The deadline was" in told[NON_FIELD_ERRORS][1]
    assert "not free" in told["tag"][0]


@pytest.mark.parametrize("found", [b"1 Q0 ", b"1 Q0 a 1 9.0 bm25\n", None], ids=["cut", "changed", "gone"])
def test_a_fault_of_the_storage_rejects_no_run_and_the_check_can_be_done_later(cast: Cast, found: bytes | None) -> None:
    run = submit(cast)
    content = stored_bytes(run)
    path = Path(default_storage.path(run.file.name))
    path.unlink() if found is None else path.write_bytes(found)
    send(_check_job(run))
    run.refresh_from_db()
    assert (run.state, _check_job(run).state) == (Run.RECEIVED, Job.FAILED)
    assert f"{run.file.name} is {'missing' if found is None else 'damaged'}" in _check_job(run).message
    default_storage.save(run.file.name, ContentFile(content))
    with TestCase.captureOnCommitCallbacks(execute=True):
        run_check_again(actor=cast.organiser, run=run)
    run.refresh_from_db()
    assert run.state == Run.VALID


def test_the_path_in_a_file_name_is_not_kept(cast: Cast) -> None:
    run = submit(cast, file_name="../../etc/passwd")
    assert run.file_name == "passwd"
    assert run.file.name == f"runs/{run.sha256[:2]}/{run.sha256}"


@pytest.mark.sqlite("campaign.runs.services.submission._insert")
def test_two_uploads_of_one_tag_at_the_same_moment_give_a_clear_answer_and_nothing_half_stored(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_store = services.store

    def store_and_be_overtaken(*args: Any, **values: Any) -> StoredFile:
        make_received_run(cast.task, cast.other_team, "bm25", b"the other upload")
        return real_store(*args, **values)

    monkeypatch.setattr(services, "store", store_and_be_overtaken)
    with pytest.raises(ValidationError) as refusal:
        submit(cast)
    assert list(refusal.value.message_dict) == ["tag"]
    assert isinstance(refusal.value.__cause__, IntegrityError)
    assert not Job.objects.exists()
    assert not AuditEvent.objects.exists()


def test_a_job_that_runs_twice_changes_the_state_once_and_tells_it_once(cast: Cast, accepted: list[Run]) -> None:
    run = submit_and_check(cast)
    changed_at = run.state_changed_at
    check_run.body(Progress(0, 0), run_id=run.pk)
    assert not run_finish_check(run=run, check=checked_run(run))
    run.refresh_from_db()
    assert run.state_changed_at == changed_at
    assert len(accepted) == 1
    assert AuditEvent.objects.filter(verb="valid").count() == 1


def test_a_job_killed_between_reading_and_the_change_of_state_is_done_by_the_sweep(
    cast: Cast, accepted: list[Run], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def die(*args: Any, **values: Any) -> bool:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(run_decisions, "move", die)
        with pytest.raises(SystemExit), django_capture_on_commit_callbacks(execute=True):
            run = submit(cast)
    run = Run.objects.get()
    job = _check_job(run)
    assert (run.state, job.state, accepted) == (Run.RECEIVED, Job.WORKING, [])
    silent_for = timezone.now() - 2 * STALE_AFTER
    Job.objects.filter(pk=job.pk).update(sent_at=silent_for, heartbeat_at=silent_for)
    assert requeue_lost_jobs() == 1
    run.refresh_from_db()
    job.refresh_from_db()
    assert (run.state, job.state, accepted) == (Run.VALID, Job.DONE, [run])


def test_checking_again_applies_the_rules_of_now(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    run = submit_and_check(cast)
    cast.task.max_documents_per_topic = 1
    cast.task.rule_severities = {"topic_too_deep": "error"}
    cast.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        run_check_again(actor=cast.organiser, run=run)
    run = Run.objects.get(pk=run.pk)
    assert run.state == Run.REJECTED
    assert run.problems.exists()
    with django_capture_on_commit_callbacks(execute=True):
        cast.task.max_documents_per_topic = 10
        cast.task.save()
        run_check_again(actor=cast.organiser, run=Run.objects.get(pk=run.pk))
    run.refresh_from_db()
    assert (run.state, run.problem_count, run.problems.count()) == (Run.VALID, 0, 0)


def test_a_rejected_run_is_not_revived_beside_its_successor(cast: Cast) -> None:
    rejected = submit_and_check(cast, content=b"nothing\n")
    submit_and_check(cast)
    with pytest.raises(ValidationError, match="of one tag only one run can"):
        run_check_again(actor=cast.organiser, run=rejected)
    rejected.refresh_from_db()
    assert rejected.state == Run.REJECTED


def test_the_progress_tells_the_place_in_the_queue_and_a_job_that_failed(cast: Cast) -> None:
    submit(cast, "one")
    run = submit(cast, "two")
    progress = run_progress(run)
    assert (progress.place, progress.is_unfinished, progress.is_stuck) == (2, True, False)
    Job.objects.update(state=Job.FAILED)
    assert run_progress(run).is_stuck


def test_equal_bytes_of_two_runs_are_stored_once_and_both_keep_them(cast: Cast) -> None:
    content = run_lines(RANKING, "same")
    first, second = submit(cast, "one", content), submit(cast, "two", content)
    assert first.file.name == second.file.name


def _check_job(run: Run) -> Job:
    return Job.objects.get(name=CHECK_RUN, run=run)


def _set_schedule(task: Task, *, opens_in: int | None = None, closes_in: int | None = None) -> None:
    now = timezone.now()
    if opens_in is not None:
        task.opens_at = now + timedelta(seconds=opens_in)
    if closes_in is not None:
        task.closes_at = now + timedelta(seconds=closes_in)
    task.save()


def test_a_check_that_ends_while_its_page_is_made_is_not_called_stuck(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "one", b"1 Q0 a 1 1 one\n")
    Job.objects.create(name=CHECK_RUN, run=run, state=Job.DONE)
    Run.objects.update(state=Run.VALID)
    progress = run_progress(run)
    assert (progress.is_unfinished, progress.is_stuck, run.state) == (False, False, Run.VALID)


def test_a_run_whose_check_ends_while_its_page_is_made_is_shown_as_it_is_then(cast: Cast) -> None:
    """Of the run of a residual round, the page once said nothing of the lines that are left out."""
    run = make_received_run(cast.task, cast.team, "bm25", b"401 Q0 d 1 1.0 bm25\n")
    found = {"state": Run.VALID, "lines": 3, "judged_before": 2, "depth": 7, "table": "tables/ab/ab.parquet"}
    Run.objects.filter(pk=run.pk).update(**found)
    run_progress(run)
    assert {name: getattr(run, name) for name in found} == found
