import os
import socketserver
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from runpool import env
from runpool.checks import check_deployment, check_settings, check_version
from tests.ports import free_port
from tests.requirements import redis_address

STRONG = "kept for the tests of settings alone 0123456789"
SAFE = {
    "SECURE": True,
    "DEBUG": False,
    "SECRET_KEY": STRONG,
    "EMAIL_URL": "smtp://mail",
    "SITE_URL": "https://runs.example.org",
    "ALLOWED_HOSTS": ["runs.example.org"],
    "MAIL_FROM": "runs@example.org",
}


def ids() -> list[str | None]:
    return [found.id for found in check_settings(None)]


def set_environment(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    for name, value in values.items():
        monkeypatch.setattr(env, name, value)
        if name == "STORAGE_URL" or name.startswith("AWS_"):
            monkeypatch.setattr(settings, name, value)


def test_settings_that_are_in_order_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids() == []
    set_environment(monkeypatch, **SAFE)
    assert ids() == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({**SAFE, "DEBUG": True}, ["runpool.E002"]),
        ({**SAFE, "EMAIL_URL": ""}, ["runpool.W001"]),
        ({**SAFE, "SITE_URL": "http://localhost:8000"}, ["runpool.W004", "runpool.W002"]),
        ({**SAFE, "SITE_URL": "http://runs.example.org"}, ["runpool.W002"]),
        ({**SAFE, "ALLOWED_HOSTS": ["www.example.org"]}, ["runpool.W004"]),
        ({**SAFE, "ALLOWED_HOSTS": [".Example.org"]}, []),
        ({"SITE_URL": "http://[::1]:8000", "ALLOWED_HOSTS": ["[::1]"]}, []),
        ({**SAFE, "MAIL_FROM": "runpool@localhost"}, ["runpool.W003"]),
        ({"STORAGE_URL": "s3://bucket"}, ["runpool.E010"]),
        ({"DATABASE_URL": "postgres://u:p@h/d?sslmod=require"}, ["runpool.E014"]),
        ({"DATABASE_URL": "postgres://u:p@h/d?sslmode=require"}, []),
        ({"DATABASE_URL": "postgres://u:p@h/d?conn_max_age=x"}, ["runpool.E014"]),
        ({"DATABASE_URL": "postgres://u:p@h/d?sslrootcert=/nowhere/first.pem"}, ["runpool.E015"]),
        ({"BROKER_URL": "rediss://h/0?ssl_ca_certs=/nowhere/first.pem"}, ["runpool.E015"]),
        ({"DATABASE_URL": "sqlite:////proc"}, ["runpool.E013"]),
        ({"DATABASE_URL": "sqlite:////nowhere/at/all/site.sqlite3"}, ["runpool.E013"]),
        ({"STORAGE_URL": "s3://bucket", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, []),
    ],
)
def test_a_setting_that_would_harm_is_named(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], expected: list[str]
) -> None:
    set_environment(monkeypatch, **values)
    assert ids() == expected


def test_a_bucket_without_the_library_for_it_is_named_by_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, STORAGE_URL="s3://bucket")
    env.require_sound()
    monkeypatch.setitem(sys.modules, "boto3", None)  # type: ignore[arg-type]
    with pytest.raises(ImproperlyConfigured, match=r"boto3, is not installed.* Install Runpool anew\.$"):
        env.require_sound()


@pytest.mark.parametrize(("is_installed", "expected"), [(True, []), (False, ["runpool.E012"])])
def test_a_collector_without_the_libraries_for_it_is_named(
    monkeypatch: pytest.MonkeyPatch, is_installed: bool, expected: list[str]
) -> None:
    set_environment(monkeypatch, TRACES=True)
    if not is_installed:
        monkeypatch.setitem(sys.modules, "campaign.log.traces.sdk", None)  # type: ignore[arg-type]
    assert ids() == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"SECRET_KEY": ""}, ["runpool.E007"]),
        ({"SECRET_KEY": "k3y!" * 10}, ["runpool.E007"]),
        ({"SECRET_KEY": "a" * 60}, ["runpool.E007"]),
        ({"ALLOWED_HOSTS": ["runs.example.org", "*"]}, ["runpool.E008"]),
    ],
)
def test_a_deployment_with_a_weak_secret_or_any_host_is_refused(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], expected: list[str]
) -> None:
    sound = {
        "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ",
        "ALLOWED_HOSTS": ["runs.example.org"],
    }
    set_environment(monkeypatch, **{**sound, **values})
    assert [found.id for found in check_deployment(None)] == expected


def test_the_command_check_deploy_refuses_a_weak_deployment(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "RUNPOOL_SECRET_KEY": "short",
        "RUNPOOL_ALLOWED_HOSTS": "*",
        "RUNPOOL_DATA_DIR": str(tmp_path),
    }
    environment["DJANGO_SETTINGS_MODULE"] = "runpool.settings"
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "check", "--deploy"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "runpool.E007" in done.stderr
    assert "runpool.E008" in done.stderr


def test_a_secure_site_with_a_mail_server_is_told_nothing_that_no_setting_of_it_changes(tmp_path: Path) -> None:
    given = {
        "RUNPOOL_SECRET_KEY": STRONG * 2,
        "RUNPOOL_ALLOWED_HOSTS": "runs.example.org",
        "RUNPOOL_SITE_URL": "https://runs.example.org",
        "RUNPOOL_MAIL_FROM": "runs@example.org",
        "RUNPOOL_EMAIL_URL": "smtp://127.0.0.1:2525",
    }
    done = run_secure(tmp_path, "manage.py", "check", "--deploy", **given)
    assert done.stdout.startswith("System check identified no issues"), done.stderr


def test_folders_that_cannot_be_written_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where the folder should be")
    set_environment(monkeypatch, DATA_DIR=tmp_path / "file" / "data", STORAGE_URL=f"file://{tmp_path}/file/files")
    assert ids() == ["runpool.E003", "runpool.E005"]


def test_a_folder_that_is_not_made_yet_is_no_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_environment(monkeypatch, DATA_DIR=tmp_path / "a" / "b")
    assert ids() == []


def test_the_command_check_fails_with_the_id_of_the_check(tmp_path: Path) -> None:
    done = run_secure(tmp_path, "manage.py", "check", RUNPOOL_SECRET_KEY=STRONG, RUNPOOL_DEBUG="1")
    assert done.returncode == 1
    assert "runpool.E002" in done.stderr


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("", "is not set"), ("x" * 31 + "y", "only 2 different characters"), ("0123456789abcdef" * 2, ""),
        ("short-but-varied", "has 16 characters"), (STRONG, ""),
    ],
)  # fmt: skip
def test_a_secure_site_has_a_strong_key_of_its_own_or_no_settings(
    monkeypatch: pytest.MonkeyPatch, key: str, problem: str
) -> None:
    set_environment(monkeypatch, SECURE=True, SECRET_KEY=key)
    if not problem:
        env.require_sound()
        assert env.secret_key() == key
        return
    with pytest.raises(ImproperlyConfigured, match=problem):
        env.require_sound()


def test_a_secure_site_does_not_start_without_a_key_and_says_why(tmp_path: Path) -> None:
    done = run_secure(tmp_path, "-m", "gunicorn", "--check-config", "runpool.wsgi", RUNPOOL_SECRET_KEY="")
    assert done.returncode != 0
    assert "RUNPOOL_SECURE is on, but RUNPOOL_SECRET_KEY is not set." in done.stderr


def run_secure(folder: Path, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "RUNPOOL_SECURE": "1", "RUNPOOL_DATA_DIR": str(folder), **variables}
    environment["DJANGO_SETTINGS_MODULE"] = "runpool.settings"
    environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # set by the browser tests
    return subprocess.run(
        [sys.executable, *command],
        env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_fresh_process_finds_every_job_by_its_name_and_does_not_wait_for_what_few_pages_use() -> None:
    names = ["check run", "send mail", "check import", "freeze pool", "check qrels", "score task"]
    late = {"runpool.api", "matplotlib", "redis", "scipy.interpolate", "scipy.optimize", "scipy.special", "scipy.stats"}
    code = (
        "import sys, django; django.setup(); from campaign.queue.jobs import find_job; "
        "from django.urls import reverse; reverse('api_docs'); "
        f"print(all(find_job(name) for name in {names}), {late}.intersection(sys.modules))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "True set()", done.stderr


def test_a_redis_that_refuses_its_address_keeps_the_site_from_starting_and_one_that_is_away_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_environment(monkeypatch, CACHE_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert ids() == []
    set_environment(monkeypatch, CACHE_URL=f"{redis_address().rpartition('/')[0]}/99")
    [found] = check_settings(None)
    assert (found.id, found.msg) == (
        "runpool.E017",
        "The Redis of the cache refuses this site: DB index is out of range.",
    )
    assert "Correct RUNPOOL_CACHE_URL" in str(found.hint)


def test_a_redis_that_refuses_the_address_of_the_queue_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    away = f"redis://127.0.0.1:{free_port()}/0"
    set_environment(monkeypatch, CACHE_URL=away, BROKER_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert ids() == []
    set_environment(monkeypatch, BROKER_URL=f"{redis_address().rpartition('/')[0]}/99")
    [found] = check_settings(None)
    assert (found.id, found.msg) == (
        "runpool.E019",
        "The Redis of the queue refuses this site: DB index is out of range.",
    )


def test_a_file_of_something_else_is_no_database_and_an_empty_one_becomes_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "site.sqlite3"
    for content, expected in ((b"root:x:0:0", ["runpool.E020"]), (b"", []), (b"SQLite format 3\0 and so on", [])):
        file.write_bytes(content)
        set_environment(monkeypatch, DATABASE_URL=f"sqlite:///{file}")
        assert ids() == expected


def test_a_program_does_not_start_over_the_data_of_a_later_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, db: None
) -> None:
    """Migrations of other packages come and go with these."""
    file = tmp_path / "site.sqlite3"
    set_environment(monkeypatch, DATABASE_URL=f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as own, own:
        own.execute("CREATE TABLE django_migrations (app, name)")
        rows = [("judging", "0001_initial"), ("account", "9999_of_another")]
        own.executemany("INSERT INTO django_migrations VALUES (?, ?)", rows)
        own.commit()
        assert check_version(None) == []
        own.execute("INSERT INTO django_migrations VALUES ('judging', '9999_later')")
    [found] = check_version(None)
    assert found.id == "runpool.E021"
    assert "lacks its migration judging.9999_later" in found.msg


@pytest.mark.django_db(transaction=True)
def test_a_later_version_is_known_on_postgresql_as_well_and_no_command_works_over_its_data(tmp_path: Path) -> None:
    assert check_version(None) == []
    recorder = MigrationRecorder(connection)
    recorder.record_applied("judging", "9999_later")
    try:
        assert [found.id for found in check_version(None)] == ["runpool.E021"]
        for command in (
            ["create_user", "ola"],
            ["backup", str(tmp_path / "backups")],
            ["open_task", "a/b", "--as", "ola"],
        ):
            with pytest.raises(SystemCheckError, match="of a later version"):
                call_command(*command, skip_checks=False)
    finally:
        recorder.record_unapplied("judging", "9999_later")


def test_nobody_is_told_to_close_a_file_of_the_system_that_is_named_as_the_folder_of_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "passwd"
    file.touch(mode=0o644)
    set_environment(monkeypatch, STORAGE_URL=f"file://{file}")
    [found] = check_settings(None)
    assert (found.id, found.msg) == ("runpool.E005", f"The storage folder {file} cannot be written.")


@pytest.mark.parametrize(
    "said", ["MISCONF Redis is configured to save snapshots", "BUSY Redis is busy running a script"]
)
def test_a_redis_in_trouble_does_not_keep_the_site_from_starting(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    class Refusing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while self.request.recv(4096):
                self.request.sendall(f"-{said}\r\n".encode() * 3)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        set_environment(monkeypatch, CACHE_URL=f"redis://127.0.0.1:{server.server_address[1]}/0")
        assert ids() == []
        server.shutdown()
