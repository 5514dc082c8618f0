"""Pruning removes backups of this site alone, and never the one that was just made."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from runpool.backup.making import backup_check, backup_make
from runpool.backup.manifest import name_at, read_manifest
from runpool.backup.pruning import backups_prune
from runpool.backup.targets import Folder, TargetError
from tests.factories import make_user
from tests.runpool.backup.test_damaged_parts import backup, quiet, rewrite

pytestmark = pytest.mark.django_db


def dated(target: Folder, name: str, *, later: timedelta) -> str:
    """The backup as a machine with another clock would have named it."""
    renamed = name_at(timezone.now() + later)
    (target.path / "backups" / name).rename(target.path / "backups" / renamed)
    return renamed


def of_another_site(target: Folder, name: str) -> None:
    rewrite(target.path / "backups" / name, lambda body: body.update(site="https://other.example.org/"))


def test_a_backup_that_is_dated_in_the_future_displaces_none_and_is_not_taken_for_the_newest(tmp_path: Path) -> None:
    target = Folder(tmp_path)
    future = dated(target, backup_make(target, quiet).name, later=timedelta(days=365))
    with pytest.raises(CommandError, match=f"No backup was removed. {future} is dated later than"):
        backup(tmp_path, "--keep", "1")
    made, last = target.manifests()
    assert last == future
    for command, options in (("backup", ["--check"]), ("restore", ["--dry-run"])):
        with pytest.raises(CommandError, match=f"The backup {future} is dated in the future"):
            call_command(command, str(tmp_path), *options)
    assert f"{made}: every part is whole." in backup(tmp_path, "--check", "--backup", made)[0]
    (tmp_path / "backups" / future).unlink()
    assert "Removed: 1 backup" in backup(tmp_path, "--keep", "1")[0]


def test_the_backup_that_was_just_made_stays_where_the_clock_is_behind(tmp_path: Path) -> None:
    target = Folder(tmp_path)
    first, made = backup_make(target, quiet), backup_make(target, quiet)
    ahead = dated(target, first.name, later=timedelta(minutes=5))
    with pytest.raises(TargetError, match="the clock was wrong"):
        backups_prune(target, made, 1, quiet)
    assert target.manifests() == [made.name, ahead]


def test_a_backup_that_no_restoration_would_take_is_told_also_where_none_is_to_be_removed(tmp_path: Path) -> None:
    target = Folder(tmp_path)
    ahead = dated(target, backup_make(target, quiet).name, later=timedelta(minutes=5))
    with pytest.raises(CommandError, match=f"{ahead} is dated later than .*, which was just made: the clock was wrong"):
        backup(tmp_path)
    assert len(target.manifests()) == 2


def test_a_copy_of_a_backup_is_named_and_displaces_none(tmp_path: Path) -> None:
    target, told = Folder(tmp_path), list[str]()
    first, made = backup_make(target, quiet), backup_make(target, quiet)
    copy = made.name.replace(".json", " (copy).json")
    (tmp_path / "backups" / copy).write_bytes((tmp_path / "backups" / made.name).read_bytes())
    problem = f"The backup {copy} was made as {made.name}. Give it that name; if it is a copy, remove it."
    with pytest.raises(CommandError, match=re.escape(problem[:-1])):
        call_command("restore", str(tmp_path), "--dry-run", "--backup", copy)
    assert problem in backup(tmp_path, "--list")[0]
    assert backups_prune(target, made, 2, told.append) == (0, 0)
    assert told == [problem]
    assert target.manifests() == [first.name, copy, made.name]


def test_backups_of_another_site_in_the_same_folder_stay_whole(tmp_path: Path) -> None:
    target, told = Folder(tmp_path), list[str]()
    other = backup_make(target, quiet).name
    of_another_site(target, other)
    make_user()
    backup_make(target, quiet)
    made = backup_make(target, quiet)
    assert backups_prune(target, made, 1, told.append)[0] == 1
    assert target.manifests() == [other, made.name]
    assert backup_check(target, read_manifest(target, other), quiet) == []
    assert told == ["1 backup of another site, https://other.example.org/: not counted, not removed"]


def test_a_damaged_backup_stays_where_it_may_be_of_another_site(tmp_path: Path) -> None:
    target, told = Folder(tmp_path), list[str]()
    damaged, other, made = (backup_make(target, quiet) for _ in range(3))
    of_another_site(target, other.name)
    (tmp_path / "backups" / damaged.name).write_text("{")
    assert backups_prune(target, made, 1, told.append) == (0, 0)
    assert len(target.manifests()) == 3
    assert any(f"The backup {damaged.name} is damaged" in line for line in told)


def test_a_folder_with_backups_of_two_sites_is_asked_for_one_by_its_name(tmp_path: Path) -> None:
    target = Folder(tmp_path)
    other, own = backup_make(target, quiet).name, backup_make(target, quiet)
    of_another_site(target, other)
    listed = backup(tmp_path, "--list")[0].splitlines()
    assert [line.split()[:2] for line in listed] == [
        [other, "https://other.example.org/"],
        [own.name, own.manifest.site],
    ]
    with pytest.raises(CommandError, match="holds backups of several sites: "):
        call_command("restore", str(tmp_path), "--dry-run")
