"""Data folder, stored files, database and keys are for the site's own user only."""

import os
import stat
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import default_storage

from campaign.storage import store
from runpool import env
from runpool.checks import check_settings
from runpool.file_modes import keep_private, require_open
from tests.places import REPOSITORY


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_site_makes_everything_for_its_own_user_and_mends_what_was_open(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "secret-key").write_text("x" * 60)
    (data / "secret-key").chmod(0o644)
    environment = {**os.environ, "RUNPOOL_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "runpool.settings"}
    for name in ("RUNPOOL_DATABASE_URL", "RUNPOOL_BROKER_URL", "RUNPOOL_STORAGE_URL", "RUNPOOL_SECRET_KEY"):
        environment.pop(name, None)
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "campaign", "0001"]
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, timeout=120)
    paths = [data, *data.rglob("*")]
    assert {path.name for path in paths} >= {"secret-key", "runpool.sqlite3", "files", "incoming", "mail"}
    assert [f"{path} {mode(path):o}" for path in paths if mode(path) & 0o077] == []


def test_stored_files_and_their_folders_are_private(db: None, settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "deep" / "files"
    path = Path(default_storage.path(store(BytesIO(b"a run"), folder="runs").name))
    assert mode(path) == 0o600
    assert {mode(folder) for folder in path.parents if folder.is_relative_to(tmp_path / "deep")} == {0o700}


def test_a_folder_that_all_share_is_left_alone_and_named_by_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o1777)
    keep_private(tmp_path)
    assert mode(tmp_path) == 0o1777
    monkeypatch.setattr(env, "DATA_DIR", tmp_path)
    assert [found.id for found in check_settings(None)] == ["runpool.W010"]


def test_a_folder_that_cannot_be_opened_is_refused_in_words_and_one_that_is_not_there_is_not(tmp_path: Path) -> None:
    closed = tmp_path / "files"
    closed.mkdir(mode=0o000)
    require_open("folder of stored files", tmp_path / "none")
    of_tests = os.geteuid()
    if of_tests == 0:  # who may open everything
        os.seteuid(65534)
    try:
        with pytest.raises(ImproperlyConfigured, match=f"folder of stored files {closed} cannot be opened by the user"):
            require_open("folder of stored files", closed)
    finally:
        os.seteuid(of_tests)
