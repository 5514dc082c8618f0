"""Stored files whose bytes have changed: found by every reader, set aside, reported, restored."""

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from campaign.models import DamagedFile, Job, Run
from campaign.queue.jobs import send
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.storage import store
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified, verified_bytes
from tests.campaign.runs.makers import signed_in, submit, submit_and_check
from tests.campaign.storage.makers import damage, place
from tests.factories import Cast, make_received_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


def verify() -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("verify", stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_file_is_read_as_it_was_stored() -> None:
    name = store(BytesIO(b"as sent"), folder="runs").name
    assert verified_bytes(name, found_by="a test") == b"as sent"
    with open_verified(name, found_by="a test") as file:
        assert file.read() == b"as sent"
    assert not DamagedFile.objects.exists()


@pytest.mark.parametrize("read", [open_verified, verified_bytes])
def test_a_changed_byte_is_found_set_aside_and_reported_by_whoever_reads(read) -> None:
    stored = store(BytesIO(b"as sent"), folder="runs")
    damage(stored.name)
    with pytest.raises(DamagedFileError, match=f"{stored.name} is damaged"):
        read(stored.name, found_by="a test")
    report = DamagedFile.objects.get()
    assert (report.name, report.found_by, report.restored_at) == (stored.name, "a test", None)
    assert place(report.moved_to).read_bytes() == b"`s sent"
    assert not place(stored.name).exists()
    with pytest.raises(DamagedFileError):
        read(stored.name, found_by="another test")
    assert DamagedFile.objects.count() == 1


@pytest.mark.sqlite("campaign.storage.quarantine._report")
def test_a_missing_file_is_reported_once() -> None:
    name = store(BytesIO(b"as sent"), folder="runs").name
    place(name).unlink()
    for _ in range(2):
        with pytest.raises(DamagedFileError, match="is missing"):
            open_verified(name, found_by="a test")
    assert DamagedFile.objects.get().moved_to == ""


def test_the_same_bytes_coming_in_again_restore_a_damaged_file() -> None:
    stored = store(BytesIO(b"as sent"), folder="runs")
    damage(stored.name)
    assert store(BytesIO(b"as sent"), folder="runs") == stored
    assert verified_bytes(stored.name, found_by="a test") == b"as sent"
    report = DamagedFile.objects.get()
    assert report.restored_at is not None
    assert place(report.moved_to).read_bytes() == b"`s sent"


def test_a_receipt_never_points_at_changed_bytes(cast: Cast) -> None:
    content = b"1 Q0 a 1 2.0 bm25\n"
    old = make_received_run(cast.task, cast.other_team, "old", content)
    damage(old.file.name, byte=5)
    new = submit(cast, content=content)
    assert new.file.name == old.file.name
    assert place(new.file.name).read_bytes() == content


def test_a_name_that_is_more_than_its_checksum_promises_nothing() -> None:
    stored = store(BytesIO(b"as sent"), folder="qrels", suffix=".txt")
    with pytest.raises(ValueError, match="is not named by its content"):
        verified_bytes(stored.name.replace(".txt", "_x7Gh2k1.txt"), found_by="a test")


def test_a_download_of_a_damaged_run_sends_none_of_its_bytes(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "bm25", b"1 Q0 a 1 2.0 bm25\n")
    damage(run.file.name)
    answer = signed_in(cast.member).get(cast.task.url("run_download", tag="bm25"), follow=True)
    assert f"The stored file {run.file.name} is damaged" in answer.content.decode()
    assert "attachment" not in answer.headers.get("Content-Disposition", "")


def test_the_page_of_a_run_says_that_its_file_is_damaged_until_it_is_restored(cast: Cast) -> None:
    run = submit_and_check(cast, content=b"1 Q0 a 1 2 one")
    client = signed_in(cast.member)
    damage(run.file.name)
    client.get(run.task.url("run_download", tag=run.tag), follow=True)
    assert "is damaged and was set aside" in client.get(run.attempt_url).content.decode()
    store(BytesIO(b"1 Q0 a 1 2 one"), folder="runs")
    assert "is damaged" not in client.get(run.attempt_url).content.decode()


def test_the_page_of_a_run_whose_file_is_lost_does_not_say_that_it_is_stored(cast: Cast) -> None:
    run = submit(cast, content=b"1 Q0 a 1 2.0 bm25\n")
    damage(run.file.name)
    send(Job.objects.get(name=CHECK_RUN))
    page = signed_in(cast.member).get(run.attempt_url).content.decode()
    assert f"The stored file {run.file.name} is damaged" in page
    assert "The file is stored" not in page
    assert "When the file is restored" in page


def test_health_and_operations_name_a_damaged_file_and_who_needs_it(cast: Cast, client: Client) -> None:
    run = make_received_run(cast.task, cast.team, "bm25-tuned", b"1 Q0 a 1 2.0 bm25\n")
    assert client.get("/health/").json()["damaged_files"] == 0
    damage(run.file.name)
    verify()
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()["damaged_files"]) == (200, 1)
    page = signed_in(make_user("root", is_superuser=True)).get("/operations/").content.decode()
    assert run.file.name in page
    assert "run bm25-tuned" in page
    assert "manage.py verify" in page


def test_verify_finds_damaged_and_missing_files_and_names_what_no_row_needs(cast: Cast) -> None:
    kept, damaged, missing = (
        make_received_run(cast.task, cast.team, tag, f"1 Q0 a 1 2.0 {tag}\n".encode())
        for tag in ("kept", "damaged", "missing")
    )
    unnamed = store(BytesIO(b"of nobody"), folder="runs").name
    assert verify()[0] == 0
    damage(damaged.file.name)
    place(missing.file.name).unlink()
    code, out, faults = verify()
    assert code == 1
    assert f"{damaged.file.name}: damaged, set aside; run damaged" in faults
    assert f"{missing.file.name}: missing; run missing" in faults
    assert kept.file.name not in out + faults
    assert f"{unnamed}: in no row" in out


def test_verify_takes_note_of_a_file_that_operators_have_restored(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "bm25", b"1 Q0 a 1 2.0 bm25\n")
    damage(run.file.name)
    assert verify()[0] == 1
    place(run.file.name).write_bytes(b"1 Q0 a 1 2.0 bm25\n")
    assert verify()[0] == 0
    assert not DamagedFile.objects.filter(restored_at=None).exists()


def test_verify_finds_a_checksum_that_was_changed_in_the_database(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "bm25", b"1 Q0 a 1 2.0 bm25\n")
    Run.objects.update(sha256="0" * 64)
    code, _, faults = verify()
    assert code == 1
    assert f"run {run.pk}: sha256 and the name of its file differ" in faults
