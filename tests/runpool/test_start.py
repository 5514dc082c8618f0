"""Commands that cannot go on say so in one line, with what to do."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands, load_command_class

from campaign.models import DamagedFile
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.version import OF_VERSION
from runpool import env, start
from runpool.charsets import REFUSAL
from runpool.start import REFUSED
from tests.places import REPOSITORY
from tests.sites import CopiedSite


def command(folder: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith(env.PREFIX)}
    environment |= {"RUNPOOL_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "runpool.settings", **variables}
    words = (sys.executable, "manage.py", *words)
    return subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120)


SECRET = "a-secret-of-this-test-0123456789-abcdefghijklmnop-QRSTUVW"
MIGRATE = "Its tables are not those of this version. Run “manage.py migrate”."
START = "See that it runs and has room on its disk, and check RUNPOOL_DATABASE_URL."


@pytest.mark.parametrize(
    ("address", "words", "told"),
    [
        ("sqlite:////{folder}/site.sqlite3", ("verify",), MIGRATE),
        ("postgres://u:p@127.0.0.1:1/d", ("verify",), START),
        ("postgres://u:p@127.0.0.1:1/d?sslmod=x", ("create_user", "olga", "--password-stdin"), START),
    ],
)
def test_a_command_whose_database_cannot_be_used_says_so_and_what_to_do(
    tmp_path: Path, address: str, words: tuple[str, ...], told: str
) -> None:
    done = command(tmp_path, *words, RUNPOOL_DATABASE_URL=address.format(folder=str(tmp_path).lstrip("/")))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("error: The database cannot be used: ")
    assert line.endswith(told)


@pytest.mark.parametrize("below", ["", "data"])
def test_a_data_folder_that_cannot_be_made_is_named_with_what_to_set(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / below
    done = command(folder, "check")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: The key of the site, {folder}/secret-key, can neither be read nor be made: ")
    assert "RUNPOOL_DATA_DIR must name a folder" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full. Make room, and start this again"),
        (OSError(errno.EACCES, "Permission denied", "/srv/x"), "/srv/x must not be read or written by this user."),
        (OSError(errno.ENOTDIR, "Not a directory", "/srv/x/y"), "/srv/x/y lies below something that is no folder."),
        (DamagedFileError(DamagedFile(name="runs/x")), "The stored file runs/x is missing or damaged"),
        (StorageAwayError("The bucket refuses."), "The storage of files does not answer now"),
    ],
)
def test_a_command_that_meets_a_full_disk_or_what_it_cannot_read_says_so_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problem: Exception, told: str
) -> None:
    def act(_words: list[str]) -> None:
        raise problem

    monkeypatch.setattr(start, "execute_from_command_line", act)
    assert start.run_command(["manage.py", "workers"]) == 1
    assert capsys.readouterr().err.startswith(f"error: {told}")


def test_a_command_that_is_interrupted_says_so_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(_words: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "execute_from_command_line", act)
    assert start.run_command(["manage.py", "verify"]) == 130
    assert capsys.readouterr().err == "error: Interrupted.\n"


@pytest.mark.parametrize(
    ("content", "problem"), [(b"", "has 0 characters"), (b"abc\n", "has 3"), (b"\xff" * 60, "no text")]
)
def test_a_damaged_key_of_the_site_is_named_and_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, problem: str
) -> None:
    monkeypatch.setattr(env, "DATA_DIR", tmp_path)
    monkeypatch.setattr(env, "SECRET_KEY", "")
    (tmp_path / "secret-key").write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=problem):
        env.secret_key()


def test_a_full_disk_leaves_no_half_of_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(env, "DATA_DIR", tmp_path)
    monkeypatch.setattr(env, "SECRET_KEY", "")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ImproperlyConfigured, match="No space left"):
        env.secret_key()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setattr(env, "DATA_DIR", tmp_path)
    monkeypatch.setattr(env, "SECRET_KEY", "")
    assert env.secret_key() == env.secret_key() == (tmp_path / "secret-key").read_text()


SHOW_A_PAGE = """
import sys
from wsgiref.util import setup_testing_defaults
from runpool.wsgi import application
prepared = "runpool.api" in sys.modules
spared = "cryptography" not in sys.modules  # 8 MB that only backups need
request, said = {"HTTP_HOST": "127.0.0.1", "PATH_INFO": "/account/login/"}, []
setup_testing_defaults(request)
page = b"".join(application(request, lambda status, headers: said.append(status))).decode()
print(said, "/static/css/" in page, prepared, spared)
request |= {"CONTENT_TYPE": "text/html; charset=rot13", "QUERY_STRING": "a=1"}
print(b"".join(application(request, lambda status, headers: print(status))).decode())
"""


SHOWN = f"['200 OK'] True True True\n415 Unsupported Media Type\n{REFUSAL.decode()}\n"


def test_web_servers_that_start_together_on_a_new_data_folder_show_pages_and_styles(
    tmp_path: Path, first_site: Path
) -> None:
    CopiedSite(tmp_path / "prepared", first_site).prepare()
    (tmp_path / "prepared" / "runpool.sqlite3").rename(tmp_path / "runpool.sqlite3")
    assert not (tmp_path / "static").exists()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(env.PREFIX)}
    environment |= {"RUNPOOL_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "runpool.settings"}
    words = [sys.executable, "-c", SHOW_A_PAGE]
    servers = [
        subprocess.Popen(words, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [server.communicate(timeout=120)[0] for server in servers] == [SHOWN] * 3
    collected = (tmp_path / "static").stat().st_mtime_ns
    again = subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120)
    assert again.stdout == SHOWN, again.stderr
    assert (tmp_path / "static").stat().st_mtime_ns == collected


BEGIN_BEAT = """
import sys, django
from celery.signals import beat_init
import runpool.celery
django.setup()
beat_init.send(sender=None)
print("runpool.urls" in sys.modules)
"""


def test_beat_and_workers_refuse_wrong_settings_and_load_no_page(tmp_path: Path) -> None:
    words = [sys.executable, "-c", BEGIN_BEAT]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(env.PREFIX)}
    kept |= {"RUNPOOL_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "runpool.settings"}
    for variables, status, said in (
        ({}, 0, "False\n"),
        ({"RUNPOOL_SECURE": "yes", "RUNPOOL_DEBUG": "yes", "RUNPOOL_SECRET_KEY": SECRET}, REFUSED, ""),
    ):
        done = subprocess.run(words, cwd=REPOSITORY, env=kept | variables, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (status, said), done.stderr
    assert "RUNPOOL_SECURE and RUNPOOL_DEBUG are on together." in done.stderr


def test_a_command_ends_well_where_the_output_lacks_a_letter(tmp_path: Path, first_site: Path) -> None:
    variables = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "RUNPOOL_DEBUG": "true"}
    CopiedSite(tmp_path, first_site).prepare()
    done = command(tmp_path, "create_user", "pawe\u0142", **variables)
    assert (done.returncode, done.stdout) == (0, "created pawe\\u0142\n")
    assert "\\u017b" in command(tmp_path, "delete_user", "\u017b", **variables).stderr


def test_a_command_whose_output_nobody_reads_ends_without_a_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "manage.py", "create_user", "--help"]
    variables = {**os.environ, "RUNPOOL_DATA_DIR": str(tmp_path), "RUNPOOL_DEBUG": "true"}
    done = subprocess.run(words, cwd=REPOSITORY, env=variables, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_no_command_of_a_scripted_campaign_loads_all_pages_to_check_the_settings() -> None:
    script = (REPOSITORY / "docs" / "guide" / "cranfield.sh").read_text(encoding="utf-8")
    commands = set(re.findall(r"\$manage (\w+)", script)) - {"migrate"}
    assert len(commands) > 10
    asked = {load_command_class(get_commands()[name], name).requires_system_checks for name in commands}
    assert asked == {(OF_VERSION,)}
