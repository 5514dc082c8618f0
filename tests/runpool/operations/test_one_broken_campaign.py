"""One campaign holds what nobody can read: what looks at all campaigns names it, and is done for the others all the same."""

import itertools
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.utils.timezone import now

from campaign.accounts.services.tokens import token_create
from campaign.database.readable import Unreadable, readable_rows
from campaign.integrity import Extent, Finding
from campaign.mail.services import SEND_DIGEST
from campaign.models import ApiToken, DigestEntry, Job, LastSeen, Notice, SiteFigures, Task, User
from campaign.models.mail import REMINDER
from campaign.queue.jobs import JobFailed
from campaign.queue.periodic import by_itself, each_by_itself
from campaign.storage import store
from campaign.storage.inventory import named_files
from evaluation.models import Evaluation, Leaderboard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import AssigningRules
from pooling.selectors.growth import CHOOSE_DOCUMENTS
from runpool import jobs
from runpool.jobs import sweep
from runpool.operations import cleaning, integrity
from runpool.operations.cleaning import clean_up
from runpool.operations.health import CLEAN
from runpool.operations.integrity import Check
from runpool.operations.tallies import storage_measure, storage_use, tally
from tests.campaign.storage.makers import place
from tests.evaluation.makers import make_qrels, make_valid_run, rewrite_evaluation
from tests.factories import (
    Cast,
    make_campaign,
    make_cast,
    make_collection,
    make_received_run,
    make_task,
    make_topics,
    make_user,
)
from tests.requirements import require_postgresql
from tests.tampering import tamper

pytestmark = pytest.mark.django_db
BEFORE_TIME = "0001-12-31 10:00:00+00 BC"


@pytest.fixture
def broken(cast: Cast) -> Task:
    """The older of two tasks, as an archive of an earlier version could restore it."""
    require_postgresql(connection.vendor)
    tamper(cast.task, opens_at=BEFORE_TIME)
    return cast.task


MOMENTS = ["infinity", "-infinity", BEFORE_TIME, "0001-01-01 00:00:00+14:00"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_sweep_does_not_depend_on_the_moment_of_the_last_one(client: Client, moment: str) -> None:
    require_postgresql(connection.vendor)
    sweep()
    for row in (*LastSeen.objects.all(), SiteFigures.objects.get(name=SiteFigures.FAILED_STEPS)):
        tamper(row, at=moment)
    sweep()
    assert [now() - row.at < timedelta(minutes=1) for row in LastSeen.objects.all()] == [True, True]
    assert client.get("/readyz", {"part": "sweep"}).json()["parts"][0]["status"] == "ok"


@pytest.mark.parametrize("moment", MOMENTS)
def test_no_job_or_account_of_an_unreadable_moment_keeps_others_waiting_in_a_sweep(moment: str) -> None:
    require_postgresql(connection.vendor)
    sweep()
    SiteFigures.objects.filter(name=SiteFigures.JOBS).update(at=now() - timedelta(days=1))
    before, jobs, users = now() - timedelta(hours=1), [], []
    for number in range(2):
        for state, name in ((Job.QUEUED, "later"), (Job.DONE, "sooner"), (Job.FAILED, CHOOSE_DOCUMENTS)):
            ended = None if state == Job.QUEUED else before
            jobs.append(Job.objects.create(name=name, key=str(number), state=state, finished_at=ended))
        users.append(make_user(f"reader-{number}"))
        DigestEntry.objects.create(user=users[-1], text="one")
    Job.objects.filter(name="later").update(sent_at=before, created_at=before)
    Job.objects.filter(name=CHOOSE_DOCUMENTS).update(arguments={"pool_id": 1, "topic_id": 1})
    DigestEntry.objects.update(created_at=now() - timedelta(days=2))
    for job in jobs[:3]:
        tamper(job, created_at=moment)
    tamper(users[0], date_joined=moment)
    sweep()
    assert tally(SiteFigures.FAILED_STEPS) == {"names": ["lost_jobs_send", "digests_request"]}
    assert Job.objects.get(pk=jobs[3].pk).sent_at > before
    assert tally(SiteFigures.JOBS)["sooner"][Job.DONE] == 1
    assert Job.objects.filter(name=CHOOSE_DOCUMENTS, state=Job.QUEUED).count() == 1
    assert [job.arguments for job in Job.objects.filter(name=SEND_DIGEST)] == [{"user_id": users[1].pk}]


@pytest.mark.parametrize(
    ("state", "column"), [*itertools.product(Job.STATES, ["created_at"]), (Job.DONE, "finished_at")]
)
def test_a_job_of_an_unreadable_moment_hides_no_other_on_the_page_of_jobs(
    client: Client, state: str, column: str
) -> None:
    require_postgresql(connection.vendor)
    sweep()
    Job.objects.filter(name=CLEAN).delete()
    jobs = [Job.objects.create(name=CLEAN, key=key, state=state, finished_at=now()) for key in ("{}", "other")]
    tamper(jobs[0], **{column: BEFORE_TIME})
    client.force_login(make_user(is_superuser=True))
    shown = client.get("/operations/", {"state": state}).content.decode()
    assert [f'class="numeric">{job.pk}</th>' in shown for job in jobs] == [True, True]
    for address in ("/operations/storage/", "/metrics", "/health/"):
        assert client.get(address).status_code == 200


def make_due() -> Task:
    return make_task(make_campaign(), closes_at=now() + timedelta(days=6.5), phase=Task.RUNS)


def test_a_row_that_cannot_be_read_is_named_with_its_campaign_and_the_others_are_read(broken: Task) -> None:
    later = [make_task(make_campaign()).pk for _ in range(3)]
    [unreadable, *read] = readable_rows(Task.objects.all(), 2)
    assert isinstance(unreadable, Unreadable)
    assert unreadable.name == f"task {broken.pk} of campaign {broken.campaign.slug}"
    assert [task.pk for task in read if isinstance(task, Task)] == later
    keys = [row if isinstance(row, Unreadable) else row[0] for row in readable_rows(Task.objects.values_list("pk"), 2)]
    assert keys == [broken.pk, *later]


def test_a_sweep_reminds_of_the_deadlines_of_others_and_says_what_failed(
    broken: Task, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    tamper(broken, closes_at=now() + timedelta(days=6.5))
    due = make_due()
    with caplog.at_level(logging.ERROR):
        sweep()
    assert [notice.task for notice in Notice.objects.filter(kind=REMINDER)] == [due]
    assert f"task {broken.pk} of campaign {broken.campaign.slug} cannot be read" in caplog.text
    assert Job.objects.filter(name=CLEAN).exists()
    assert LastSeen.objects.filter(name=LastSeen.SWEEP).exists()
    [part] = client.get("/readyz", {"part": "sweep"}).json()["parts"]
    assert (part["status"], part["sentence"]) == ("degraded", "In the last sweep failed: deadlines_remind.")
    assert "manage.py verify" in part["remedy"]
    tamper(broken, opens_at=None)
    sweep()
    assert client.get("/readyz", {"part": "sweep"}).json()["parts"][0]["status"] == "ok"


@pytest.mark.sqlite("runpool.operations.services.sweep_record")
@pytest.mark.parametrize("step", ["runs_check_forgotten", "digests_request", "ended_jobs_tally", "lost_jobs_send"])
def test_no_step_of_a_sweep_ends_the_others(db: None, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fails() -> None:
        raise RuntimeError("of one campaign")

    fails.__name__ = step
    due = make_due()
    steps = [fails if one.__name__ == step else one for one in jobs.PERIODIC]
    assert fails in steps
    monkeypatch.setattr(jobs, "PERIODIC", steps)
    sweep()
    assert [notice.task for notice in Notice.objects.filter(kind=REMINDER)] == [due]
    assert Job.objects.filter(name=CLEAN).exists()


def test_a_part_of_the_cleaning_that_fails_is_named_and_the_rest_is_cleaned(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    def removal() -> str:
        raise RuntimeError("of one campaign")

    settings.MEDIA_ROOT = tmp_path  # that of the process holds the files of all earlier tests, which nobody names
    stored = store(ContentFile(b"of nobody"), folder="runs")
    monkeypatch.setattr(cleaning, "OLD_SECONDS", -1.0)
    monkeypatch.setattr(cleaning, "CLEANINGS", [removal])
    with pytest.raises(JobFailed, match=r"files that no row names: [1-9].*Failed: removal"):
        clean_up()
    assert not place(str(stored.name)).exists()


STEPS_OF_THE_CLEANING = (
    *("forget_files", "remove_left_over", "other_sites", "unnamed_files", "remove_unnamed", "storage_measure"),
    *("_old_jobs_removed", "_sessions_removed", "_cache_rows_removed"),
)


@pytest.mark.parametrize("step", STEPS_OF_THE_CLEANING)
def test_no_step_of_the_cleaning_ends_what_comes_after_it(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path, step: str
) -> None:
    def fails(*about: object) -> str:
        raise RuntimeError("of one campaign")

    settings.MEDIA_ROOT = tmp_path
    for content in (b"of nobody", b"of nobody either"):
        store(ContentFile(content), folder="runs")
    monkeypatch.setattr(cleaning, "OLD_SECONDS", -1.0)
    fails.__name__ = step
    monkeypatch.setattr(cleaning, step, fails)
    last = "expired sessions" if step == "_cache_rows_removed" else "expired cache rows"
    with pytest.raises(JobFailed, match=rf"{last}: .*Failed: {step};"):
        clean_up()


def test_a_file_that_cannot_be_removed_is_named_in_the_log_and_the_others_go(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.MEDIA_ROOT = tmp_path
    names = [str(store(ContentFile(content), folder="runs").name) for content in (b"1", b"2", b"3")]
    remove = cleaning.remove_unnamed

    def remove_unnamed(name: str, older_than: float) -> int | None:
        if name == names[1]:
            raise PermissionError("of this file")
        return remove(name, older_than)

    monkeypatch.setattr(cleaning, "OLD_SECONDS", -1.0)
    monkeypatch.setattr(cleaning, "remove_unnamed", remove_unnamed)
    with pytest.raises(JobFailed, match=r"files that no row names: 2 .*Failed: remove_unnamed; "):
        clean_up()
    assert [name for name in names if place(name).exists()] == [names[1]]
    assert f"1 file not removed: {names[1]}\n" in caplog.text


@pytest.mark.parametrize("problem", [PermissionError("of the folder"), OperationalError("of the database")])
def test_the_log_tells_once_why_many_files_cannot_be_removed_and_names_the_first(
    db: None,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    problem: Exception,
) -> None:
    def fails(name: str, older_than: float) -> None:
        raise problem

    settings.MEDIA_ROOT = tmp_path
    names = sorted(str(store(ContentFile(b"%d" % number), folder="runs").name) for number in range(30))
    monkeypatch.setattr(cleaning, "OLD_SECONDS", -1.0)
    monkeypatch.setattr(cleaning, "remove_unnamed", fails)
    with pytest.raises(JobFailed, match=r"files that no row names: 0 .*Failed: fails; "):
        clean_up()
    assert caplog.text.count(str(problem)) == caplog.text.count("fails failed") == 1
    [line] = [record.getMessage() for record in caplog.records if "not removed" in record.getMessage()]
    assert line.startswith("30 files not removed: ")
    assert line.endswith(", and 10 more")
    assert sum(name in line for name in names) == 20


def test_no_file_goes_while_nobody_can_tell_whether_other_sites_keep_files_there(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    def other_sites(address: str) -> list[str]:
        raise PermissionError("of this folder")

    settings.MEDIA_ROOT = tmp_path
    stored = store(ContentFile(b"of nobody"), folder="runs")
    monkeypatch.setattr(cleaning, "OLD_SECONDS", -1.0)
    monkeypatch.setattr(cleaning, "other_sites", other_sites)
    with pytest.raises(JobFailed, match=r"files that no row names: 0 .*Failed: other_sites; "):
        clean_up()
    assert place(str(stored.name)).exists()


@pytest.mark.django_db(transaction=True)
def test_two_cleanings_that_measure_the_storage_for_the_first_time_both_succeed() -> None:
    """The row of the first is not seen when the second looks for it, and there when the second writes."""

    def measure() -> None:
        try:
            storage_measure()
        finally:
            connection.close()

    SiteFigures.objects.filter(name=SiteFigures.STORAGE).delete()
    with ThreadPoolExecutor(1) as second:
        with transaction.atomic():
            storage_measure()
            measured = second.submit(measure)
            wait([measured], timeout=1)
            assert not measured.done()
        measured.result(30)
    assert SiteFigures.objects.filter(name=SiteFigures.STORAGE).count() == 1


def test_the_storage_is_measured_whatever_the_moment_of_the_measure_before() -> None:
    require_postgresql(connection.vendor)
    storage_measure()
    tamper(SiteFigures.objects.get(name=SiteFigures.STORAGE), at=BEFORE_TIME)
    storage_measure()
    assert len(SiteFigures.objects.get(name=SiteFigures.STORAGE).values["measures"]) == 2
    tamper(SiteFigures.objects.get(name=SiteFigures.STORAGE), at=BEFORE_TIME)
    use = storage_use()
    assert use is not None
    assert now() - use.at < timedelta(minutes=1)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_job_or_session_of_an_unreadable_moment_keeps_no_other_from_being_removed(moment: str, settings: Any) -> None:
    require_postgresql(connection.vendor)
    long_ago = now() - timedelta(days=settings.KEEP_JOBS_DAYS + 1)
    jobs = [Job.objects.create(name="x", key=key, state=Job.DONE, finished_at=long_ago) for key in "abc"]
    tamper(jobs[0], created_at=moment)
    tamper(jobs[1], finished_at=moment)
    Session.objects.create(session_key="old", session_data="", expire_date=long_ago)
    tamper(Session.objects.create(session_key="bad", session_data="", expire_date=long_ago), expire_date=moment)
    clean_up()
    assert not Job.objects.filter(pk__in=[jobs[0].pk, jobs[2].pk]).exists()
    assert not Session.objects.filter(session_key="old").exists()


def verify(*sections: str) -> tuple[int, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("verify", *sections, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), err.getvalue()
    return 0, err.getvalue()


def test_a_verification_names_the_row_that_it_cannot_read_and_the_date(broken: Task) -> None:
    code, said = verify("judgments", "dates")
    assert code == 1
    named = f"task {broken.pk} of campaign {broken.campaign.slug}"
    assert f"judgments: {named}: It cannot be read: DataError" in said
    assert f"dates: {named}: Its opens_at is no date from year 2 to 9998: pages show the nearest one" in said
    assert "Set the column opens_at of the table campaign_task" in said


def make_published(**task_values: object) -> Leaderboard:
    cast = make_cast(**task_values)
    make_topics(cast.task, ["1"])
    make_collection(cast.task, ["a", "b"])
    make_valid_run(cast.task, cast.team, "good", {"1": ["a", "b"]})
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    return leaderboard_publish(actor=cast.organiser, task=cast.task)


@pytest.mark.parametrize("content", [b"[]", b"{}", b"7", b'{"runs": [7]}', b"\xff", b'{"runs": 1e999}'])
def test_a_stored_board_that_is_no_board_is_a_finding_and_the_next_is_compared(db: None, content: bytes) -> None:
    broken, whole = make_published(), make_published()
    tamper(whole, sha256="0" * 64)
    tamper(broken, board=store(ContentFile(content), folder="leaderboards", suffix=".json").name)
    code, said = verify("boards")
    assert code == 1
    assert f"boards: {broken}, of campaign {broken.task.campaign.slug}: The stored board is no board." in said
    assert f"boards: {whole}, of campaign {whole.task.campaign.slug}: The SHA-256 by which it is cited" in said
    assert "Traceback" not in said


def test_a_served_file_that_is_no_leaderboard_is_a_finding(db: None) -> None:
    board = make_published()
    tamper(board, as_json=store(ContentFile(b"[1]"), folder="leaderboards", suffix=".json").name)
    assert (
        f"boards: {board}, of campaign {board.task.campaign.slug}: The file that it serves is no leaderboard."
        in verify("boards")[1]
    )


def test_a_backup_holds_every_row_and_names_the_one_that_cannot_be_read(broken: Task, tmp_path: Path) -> None:
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match=r"1 row named above cannot be read.*verify dates"):
        call_command("backup", str(tmp_path / "backups"), stdout=out, stderr=err)
    assert f"task {broken.pk} of campaign {broken.campaign.slug}: holds a date that cannot be read" in err.getvalue()
    out = StringIO()
    call_command("backup", str(tmp_path / "backups"), "--check", stdout=out)
    assert "every part is whole" in out.getvalue()


def test_the_files_that_rows_name_are_told_whatever_date_a_row_has(broken: Task) -> None:
    tamper(broken.campaign, created_at=BEFORE_TIME, logo="logos/x.png")
    assert "logos/x.png" in named_files()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("closes_at", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))),
        ("opens_at", datetime(9999, 12, 31, tzinfo=UTC)),
        ("measures", "AP"),
        ("questions", [7]),
        ("rule_severities", {"column_count": "fatal"}),
    ],
)
def test_a_rule_of_the_form_is_a_rule_of_the_row_whichever_way_it_is_written(
    cast: Cast, column: str, value: object
) -> None:
    with pytest.raises(ValidationError, match=r"Choose a year|This must be"):
        Task.objects.filter(pk=cast.task.pk).update(**{column: value})
    setattr(cast.task, column, value)
    with pytest.raises(ValidationError, match=r"Choose a year|This must be"):
        cast.task.save()


def test_a_section_that_breaks_off_is_a_finding_and_the_next_one_is_compared(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks_off(extent: Extent) -> Iterator[Finding]:
        raise TypeError("of one campaign")

    def finds(extent: Extent) -> Iterator[Finding]:
        yield Finding("audit", "the log", "It lacks an entry.", "Restore it.")

    monkeypatch.setattr(integrity, "CHECKS", [Check("pools", breaks_off), Check("audit", finds)])
    code, said = verify("pools", "audit")
    assert code == 1
    assert "pools: the section pools: It broke off" in said
    assert "audit: the log: It lacks an entry." in said


def test_while_the_database_is_away_a_step_that_fails_is_one_line(db: None, caplog: pytest.LogCaptureFixture) -> None:
    def away() -> int:
        raise OperationalError("connection refused\nIs the server running?")

    assert each_by_itself([away, lambda: 3]) == ([3], ["away"])
    [line] = caplog.records
    assert (line.levelname, line.exc_info) == ("ERROR", None)
    assert line.getMessage() == "away failed: connection refused; what comes after it goes on"


def test_while_the_database_takes_no_writes_neither_a_step_nor_a_row_has_a_traceback(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    require_postgresql(connection.vendor)
    make_user("ada")
    make_user("bea")

    def write(_user: User) -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("CREATE TABLE x ()")
        return 1

    def write_all() -> int:
        return by_itself(User.objects.all(), write)

    assert each_by_itself([write_all, lambda: 3]) == ([3], ["write_all"])
    [line] = caplog.records
    assert line.exc_info is None
    assert "read-only transaction" in line.getMessage()


def test_a_finding_about_scores_names_the_campaign(db: None) -> None:
    board = make_published()
    [evaluation] = Evaluation.objects.filter(run__task=board.task)
    rewrite_evaluation(
        evaluation, means={"AP": 0.9999}, values=bytes(len(bytes(evaluation.values))), qrels_sha256="0" * 64
    )
    code, said = verify("scores")
    assert code == 1
    slug = board.task.campaign.slug
    assert f"scores of campaign {slug}: Evaluations" in said
    assert said.count(f", of campaign {slug}: ") >= 2


@pytest.mark.parametrize("name", ["runs/x.txt", "../x", "runs/" + "a" * 64])
def test_a_row_with_a_name_that_no_file_has_keeps_no_other_file_from_the_backup_and_the_verification(
    cast: Cast, tmp_path: Path, name: str
) -> None:
    whole, broken = (make_received_run(cast.task, cast.team, tag, tag.encode()) for tag in ("whole", "broken"))
    tamper(broken, file=name)
    place(whole.file.name).write_bytes(b"other bytes")
    said = verify("files")[1]
    assert f"files: {name}: no name that the site gives to a file; run broken" in said
    assert f"files: {whole.file.name}: damaged, set aside; run whole" in said
    err = StringIO()
    with pytest.raises(CommandError, match="Incomplete: 2 stored files missing or damaged, named above"):
        call_command("backup", str(tmp_path / "backups"), stdout=StringIO(), stderr=err)
    assert f"{name}: missing or damaged" in err.getvalue()


def test_a_token_that_cannot_be_read_keeps_no_other_from_being_shortened() -> None:
    require_postgresql(connection.vendor)
    ahead, tokens = now() + timedelta(days=400), []
    for number in range(2):
        token_create(actor=make_user(f"reader-{number}"), name="t", scope="read", expires_at=now() + timedelta(days=9))
        tokens.append(ApiToken.objects.latest("pk"))
        tamper(tokens[-1], created_at=ahead, expires_at=ahead + timedelta(days=9))
    tamper(tokens[0], created_at="infinity")
    with pytest.raises(CommandError, match=rf"All others are shortened, but not: .*{tokens[0].pk}\. .*verify dates"):
        call_command("shorten_lifetimes", stdout=StringIO())
    assert ApiToken.objects.get(pk=tokens[1].pk).expires_at < now() + timedelta(days=10)


def test_a_day_that_cannot_be_read_is_named(cast: Cast) -> None:
    require_postgresql(connection.vendor)
    rules, _ = AssigningRules.objects.get_or_create(task=cast.task)
    tamper(rules, due_on="infinity")
    assert "Its due_on is no date from year 2 to 9998" in verify("dates")[1]
