"""A person's copy of what the site holds of them."""

import errno
import json
import os
import zipfile
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import IO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.services.tokens import token_create
from campaign.models import AuditEvent, DataExport, Role, Run, User
from judging.assigning.services.assignments import Extent, assignment_add, assignments_create
from judging.models import Assignment
from runpool.account_data.parts import HIDDEN_FROM_ASSESSORS
from runpool.account_data.services.exports import MOST_A_DAY, export_make, export_request, exports_forget
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_received_run, make_topics, make_user
from tests.judging.makers import judge, make_assignment, make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


def export_of(user: User, capture: Callable) -> zipfile.ZipFile:
    with capture(execute=True):
        export = export_request(actor=user)
    answer = signed_in(user).get(reverse("data_export_download", kwargs={"export_id": export.pk}))
    return zipfile.ZipFile(BytesIO(b"".join(answer)))


def test_an_assessor_gets_every_act_with_its_note(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    assignment = make_assignment(cast, ["D1"])
    judge(assignment, "D1", 0, note="at first")
    judge(assignment, "D1", 2, note="after all")
    found = export_of(cast.assessor, django_capture_on_commit_callbacks)
    acts = json.loads(found.read("judgments.json"))
    assert [(one["grade"], one["note"], one["is_current"]) for one in acts] == [
        (0, "at first", False),
        (2, "after all", True),
    ]
    assert found.read("judgments.csv").decode().count("\n") == 3
    assert "judgments.json, judgments.csv: Every act" in found.read("README.txt").decode()


def test_a_participant_gets_the_receipts_of_runs(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    run = make_received_run(cast.task, cast.team, "bm25", b"1 Q0 a 1 2.0 bm25\n")
    said = {"share": "half", "extent": "all topics"}
    Run.objects.filter(pk=run.pk).update(metadata=said)
    [row] = json.loads(export_of(cast.member, django_capture_on_commit_callbacks).read("runs.json"))
    assert (row["tag"], row["sha256"], row["team.slug"]) == ("bm25", run.sha256, cast.team.slug)
    assert row["metadata"] == said


def test_no_secret_is_in_any_file(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    user = cast.stranger
    user.set_password("of old 7")
    user.save()
    token, text = token_create(actor=user, name="laptop", scope="read", expires_at=timezone.now() + timedelta(days=3))
    found = export_of(user, django_capture_on_commit_callbacks)
    everything = b"\n".join(found.read(name) for name in found.namelist()).decode()
    assert "laptop" in everything
    assert text not in everything
    assert token.token_sha256 not in everything
    assert user.password not in everything


def test_a_name_that_is_a_formula_is_harmless_in_the_csv(django_capture_on_commit_callbacks: Callable) -> None:
    user = make_user(display_name="=HYPERLINK(1)")
    found = export_of(user, django_capture_on_commit_callbacks)
    assert "'=HYPERLINK(1)" in found.read("profile.csv").decode()


def test_nothing_of_others_is_in_the_copy(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    assignment = make_assignment(cast, ["D1"])
    judge(assignment, "D1", 2, note="of the assessor")
    found = export_of(cast.stranger, django_capture_on_commit_callbacks)
    assert json.loads(found.read("judgments.json")) == []


def test_nobody_else_downloads_it_not_even_a_superuser(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        export = export_request(actor=cast.member)
    address = reverse("data_export_download", kwargs={"export_id": export.pk})
    for other in (cast.other_member, make_user("root", is_superuser=True)):
        assert signed_in(other).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_copies_are_limited_a_day(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    for _ in range(MOST_A_DAY):
        with django_capture_on_commit_callbacks(execute=True):
            export_request(actor=cast.member)
    with pytest.raises(ValidationError, match="Ask again tomorrow"):
        export_request(actor=cast.member)


def test_one_copy_is_made_at_a_time(cast: Cast) -> None:
    export_request(actor=cast.member)
    with pytest.raises(ValidationError, match="being made already"):
        export_request(actor=cast.member)


def test_a_copy_expires(cast: Cast, settings, django_capture_on_commit_callbacks: Callable) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        export = export_request(actor=cast.member)
    DataExport.objects.update(made_at=timezone.now() - timedelta(days=settings.KEEP_EXPORTS_DAYS + 1))
    exports_forget()
    address = reverse("data_export_download", kwargs={"export_id": export.pk})
    assert signed_in(cast.member).get(address).status_code == 404


def test_a_job_that_runs_twice_keeps_the_first_file(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        export = export_request(actor=cast.member)
    first = DataExport.objects.get().file.name
    export_make(export=DataExport.objects.get(pk=export.pk), report=lambda *_: None)
    assert DataExport.objects.get().file.name == first


def test_the_page_asks_shows_and_links_the_copy(cast: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    client = signed_in(cast.member)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("data_exports"))
    page = client.get(reverse("data_exports")).content.decode()
    assert reverse("data_export_download", kwargs={"export_id": DataExport.objects.get().pk}) in page


def test_the_command_writes_a_file_for_its_owner_alone_and_replaces_none(cast: Cast, tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    call_command("export_user", cast.member.username, str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert "profile.json" in zipfile.ZipFile(path).namelist()
    with pytest.raises(CommandError, match="is there already"):
        call_command("export_user", cast.member.username, str(path))


def test_a_file_that_comes_while_the_command_reads_stays(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.zip"

    def write(_user: User, out: IO[bytes]) -> None:
        path.write_bytes(b"somebody else's")
        out.write(b"PK")

    monkeypatch.setattr("runpool.management.commands.export_user.export_write", write)
    with pytest.raises(CommandError, match="is there already"):
        call_command("export_user", cast.member.username, str(path))
    assert [one.read_bytes() for one in tmp_path.glob("*.zip")] == [b"somebody else's"]
    assert not AuditEvent.objects.filter(verb="hand out data").exists()


def test_a_copy_that_a_full_disk_cuts_off_leaves_no_part_under_its_name(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "data.zip"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(CommandError, match="cannot be written: No space left on device"):
            call_command("export_user", cast.member.username, str(path))
    assert list(tmp_path.glob("*.zip")) == []
    call_command("export_user", cast.member.username, str(path))
    with pytest.raises(CommandError, match="cannot be written: there is no folder"):
        call_command("export_user", cast.member.username, str(tmp_path / "no" / "data.zip"))
    assert not (tmp_path / "no").exists()


def test_an_assessor_does_not_learn_of_second_opinions_and_of_repeats_that_are_to_come(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    """As at the desk: nobody who judges knows whether somebody else judges as well, or what comes back to them."""
    first, second = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {first: ["a", "b"], second: ["a"]}, cast.organiser)
    told = []
    for number, assessor in ((1, cast.assessor), (2, make_user())):
        Role.objects.get_or_create(campaign=cast.campaign, user=assessor, role=Role.ASSESSOR)
        own = assignments_create(
            actor=cast.organiser, pool=pool, assessor=assessor, topics=[first], pass_number=number
        )[0]
        judge(own, "a", 1)
        Assignment.objects.filter(pk=own.pk).update(finished_at=timezone.now())
        drawn = {"extent": Extent(share=0.5, share_seed=7), "pass_number": 3, "is_repeat": True}
        assignment_add(actor=assessor, pool=pool, topic=first, assessor=assessor, **drawn)
        found = export_of(assessor, django_capture_on_commit_callbacks)
        files = {name: found.read(name).decode() for name in found.namelist()}
        assert len(json.loads(files["assignments.json"])) == 1
        hidden = [f'"{name}"' for name in HIDDEN_FROM_ASSESSORS]
        for content in files.values():
            assert not [text for text in (*hidden, "hidden repeat", "drawn") if text in content]
        told.append([sorted(row) for name in ("assignments", "judgments") for row in json.loads(files[f"{name}.json"])])
    assert told[0] == told[1]
