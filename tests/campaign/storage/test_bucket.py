"""Stored files in a bucket: the promises of files on a disk, and that a bucket that is away is no missing file."""

import logging
import os
import time
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError
from django.conf import settings
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from campaign.collection.docno_index import docno_index
from campaign.models import Campaign, DamagedFile, Job, Membership, Run
from campaign.queue.jobs import STORAGE_AWAY, find_job
from campaign.storage import StoredFile, bucket, downloads, s3, store
from campaign.storage.bucket import Bucket
from campaign.storage.copies import Copies
from campaign.storage.interface import StorageAwayError, StorageRefusedError, files
from campaign.storage.inventory import remove_unnamed, stored_files, unnamed_files
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified, verified_bytes
from campaign.storage_places import BucketPlace, WrongPlaceError, place_of
from runpool import REFUSED, env, readers, start
from runpool.checks import check_bucket, check_deployment
from runpool.operations.cleaning import clean_up
from tests.api.makers import make_token
from tests.buckets import BUCKET, KEYS, BucketServer, bucket_server
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.factories import make_collection

CONTENT, DAY = b"1 Q0 a 1 2.0 bm25\n" * 1000, 24 * 3600.0
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BucketServer]:
    with bucket_server(tmp_path_factory.mktemp("bucket") / "log") as server:
        yield server


@pytest.fixture
def prefix() -> str:
    return uuid4().hex


@pytest.fixture(autouse=True)
def _storage(server: BucketServer, prefix: str, settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {**KEYS, "STORAGE_URL": server.url(prefix)}.items():
        setattr(settings, name, value)
    settings.DATA_DIR, settings.FILE_UPLOAD_TEMP_DIR = tmp_path, tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "campaign.storage.bucket.Bucket"}}


def another_machine(folder: Path, monkeypatch: pytest.MonkeyPatch, settings) -> None:
    """From here on this process stands for a machine with a data folder of its own."""
    settings.DATA_DIR = folder
    settings.STORAGES = dict(settings.STORAGES)


def overwrite(server: BucketServer, prefix: str, name: str, content: bytes) -> None:
    server.client.put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=content)


def stored() -> StoredFile:
    return store(BytesIO(CONTENT), folder="runs")


def test_equal_bytes_are_kept_once_and_read_on_any_machine(server, prefix, settings, monkeypatch, tmp_path) -> None:
    name = stored().name
    assert stored().name == name
    assert server.names(prefix) == [name]
    assert list(tmp_path.rglob(name.rpartition("/")[2])) == []  # no copy but for those who read
    another_machine(tmp_path / "other", monkeypatch, settings)
    assert verified_bytes(name, found_by="a test") == CONTENT
    with open_verified(name, found_by="a test") as file:
        assert file.read() == CONTENT


def test_a_file_of_several_parts_arrives_whole(server, prefix) -> None:
    content = bytes(range(256)) * (100 << 10)  # 25 MiB
    name = store(BytesIO(content), folder="runs").name
    assert verified_bytes(name, found_by="a test") == content


def test_damage_in_the_bucket_is_set_aside_and_restored_by_the_same_bytes(server, prefix) -> None:
    name = stored().name
    overwrite(server, prefix, name, b"other bytes")
    with pytest.raises(DamagedFileError, match="is damaged and was set aside"):
        verified_bytes(name, found_by="a test")
    [kept] = server.names(prefix)
    assert kept.startswith("quarantine/")
    stored()
    assert verified_bytes(name, found_by="a test") == CONTENT
    assert not DamagedFile.objects.filter(restored_at=None).exists()


def test_a_damaged_copy_on_this_machine_is_fetched_anew_and_is_no_damage(server, prefix) -> None:
    name = stored().name
    verified_bytes(name, found_by="a test")
    copy = files().local_path(name)
    copy.write_bytes(b"x" + CONTENT[1:])
    assert verified_bytes(name, found_by="a test") == CONTENT
    copy.write_bytes(b"x" + CONTENT[1:])
    with open_verified(name, found_by="a test") as file:
        assert file.read() == CONTENT
    assert copy.read_bytes() == CONTENT
    assert not DamagedFile.objects.exists()


def test_a_file_that_the_bucket_lacks_is_missing(server, prefix) -> None:
    name = stored().name
    server.client.delete_object(Bucket=BUCKET, Key=f"{prefix}/{name}")
    with pytest.raises(DamagedFileError, match="is missing"):
        verified_bytes(name, found_by="a test")


def test_a_bucket_that_is_not_there_or_out_of_reach_is_no_missing_file(server, prefix, settings, monkeypatch) -> None:
    name = stored().name
    with server.door.closed(), pytest.raises(StorageAwayError, match="does not answer now, and nothing was stored"):
        verified_bytes(name, found_by="a test")
    settings.STORAGE_URL = server.url(prefix).replace(f"//{BUCKET}/", "//elsewhere/")
    settings.STORAGES = dict(settings.STORAGES)
    for ask in (verified_bytes, open_verified):
        with pytest.raises(StorageAwayError) as away:
            ask(name, found_by="a test")
        assert "There is no such bucket" in away.value.reason
    with pytest.raises(StorageAwayError):
        default_storage.exists(name)
    assert not DamagedFile.objects.exists()


def test_keys_that_the_bucket_refuses_are_named_and_never_shown(server, prefix, caplog) -> None:
    name = stored().name
    with server.requiring_known_keys():
        with pytest.raises(StorageAwayError) as away:
            verified_bytes(name, found_by="a test")
        found, *more = check_bucket(None)
        assert {one.id for one in (found, *more)} == {"runpool.E023"}
    assert "InvalidAccessKeyId" in away.value.reason
    assert "does not know the key of AWS_ACCESS_KEY_ID" in str(found.msg)
    assert all(key not in f"{away.value} {away.value.reason} {found} {caplog.text}" for key in KEYS.values())
    assert not DamagedFile.objects.exists()
    assert check_bucket(None) == []
    assert server.names(prefix) == [name]


RIGHTS = {"list": "s3:ListBucket", "delete": "s3:DeleteObject", "write": "s3:PutObject", "read": "s3:GetObject"}


@pytest.mark.django_db(transaction=True)
def test_no_site_starts_without_a_right_which_is_named_and_one_starts_with_all_or_without_an_answer(
    server, prefix, settings, capsys
) -> None:
    for lacking, right in RIGHTS.items():
        settings.AWS_ACCESS_KEY_ID, settings.AWS_SECRET_ACCESS_KEY = server.keys_that_may({*RIGHTS.values()} - {right})
        with server.requiring_known_keys(), pytest.raises(SystemExit) as refused:
            start.end_if_refused(lambda: start.require_checked([]))
        assert refused.value.code == REFUSED
        [said] = capsys.readouterr().err.splitlines()
        assert said.startswith(f"error: This site may not {lacking} files there ({right}): ")
        assert "refuses (AccessDenied)" in said
        assert "Give the keys this right" in said
    settings.AWS_ACCESS_KEY_ID, settings.AWS_SECRET_ACCESS_KEY = server.keys_that_may({*RIGHTS.values()})
    with server.requiring_known_keys():
        start.require_checked([])
    assert server.names(prefix) == []
    with server.door.closed():
        start.require_checked([])
        assert "runpool.E011" in [one.id for one in check_deployment(None)]
    settings.STORAGE_URL = server.url(prefix).replace(f"//{BUCKET}/", "//elsewhere/")
    assert "There is no such bucket" in check_bucket(None)[0].msg


@pytest.mark.parametrize(
    ("status", "code", "is_refusal"),
    [
        (403, "AccessDenied", True), (404, "NoSuchBucket", True), (301, "PermanentRedirect", True), (500, "InternalError", False),
        (503, "SlowDown", False), (429, "TooManyRequests", False), (403, "RequestTimeTooSkewed", False),
    ],
)  # fmt: skip
def test_what_ends_by_itself_is_no_refusal(status: int, code: str, is_refusal: bool) -> None:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    with pytest.raises(StorageAwayError) as away, s3.answering(BucketPlace("bucket", "", "", "")):
        raise ClientError(answer, "PutObject")
    assert isinstance(away.value, StorageRefusedError) == is_refusal


def test_an_upload_while_the_bucket_is_away_is_answered_by_503_and_leaves_nothing(server, prefix) -> None:
    cast = make_ready_cast()
    client = signed_in(cast.member)
    client.raise_request_exception = False
    with server.door.closed():
        form = {"team": cast.team.pk, "tag": "bm25", "kind": "automatic", "file": BytesIO(CONTENT), "priority": 1}
        page = client.post(cast.task.url("run_create"), form)
        ready = client.get("/readyz", {"part": "storage"})
    assert (page.status_code, page["Retry-After"]) == (503, "60")
    assert "Nothing of what you sent was stored" in page.content.decode()
    assert (ready.status_code, ready.json()["parts"][0]["status"]) == (503, "failing")
    assert str(server.door.port) not in ready.content.decode()
    assert not Run.objects.exists()
    assert not server.names(prefix)
    assert client.get("/readyz", {"part": "storage"}).status_code == 200


def test_a_check_while_the_bucket_is_away_waits_and_costs_no_attempt(
    server, prefix, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        run = submit(make_ready_cast())
    with server.door.closed():
        for callback in callbacks:
            callback()
    job = Job.objects.get(run=run)
    run.refresh_from_db()
    assert (job.state, job.attempts, job.message, run.state) == (Job.QUEUED, 0, STORAGE_AWAY, Run.RECEIVED)
    assert not DamagedFile.objects.exists()


def test_a_large_file_is_loaded_from_the_bucket_by_who_may_have_it_once_its_bytes_there_were_compared(
    server, prefix, settings, monkeypatch
) -> None:
    cast = make_ready_cast()
    run = submit(cast, content=CONTENT, file_name='bm25 "ü".txt')
    member, page = signed_in(cast.member), reverse("run_download", args=[cast.campaign.slug, cast.task.slug, run.tag])
    at = f"{prefix}/{run.file.name}"
    assert b"".join(member.get(page)) == CONTENT  # streamed, unless somebody sets it otherwise
    settings.STORAGE_DOWNLOADS = downloads.SIGNED
    settings.STORAGE_PUBLIC_ENDPOINT = f"http://localhost:{server.door.port}"  # the site itself asks at 127.0.0.1
    assert b"".join(member.get(page)) == CONTENT  # small
    monkeypatch.setattr(downloads, "LARGE_BYTES", 1)
    assert signed_in(cast.other_member).get(page).status_code == 404
    only_asked = member.head(page)
    assert "Location" not in only_asked
    for close in only_asked._resource_closers:  # its own close() would end the connection of the test
        close()
    api = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/runs/{run.tag}/file"
    by_program = Client().get(api, HTTP_AUTHORIZATION=f"Bearer {make_token(cast.member)}")
    assert b"".join(by_program) == CONTENT

    answer = member.get(page)
    assert (answer.status_code, answer["Cache-Control"]) == (302, "private, no-store")
    address = urlsplit(answer["Location"])
    assert (address.netloc, address.path) == (f"localhost:{server.door.port}", f"/{BUCKET}/{at}")
    asked = dict(parse_qsl(address.query))
    assert (asked["X-Amz-Algorithm"], asked["X-Amz-Expires"]) == ("AWS4-HMAC-SHA256", "60")
    with urllib.request.urlopen(answer["Location"]) as sent:
        assert sent.read() == CONTENT
        assert sent.headers["Content-Disposition"] == "attachment; filename*=utf-8''bm25%20%22%C3%BC%22.txt"
        assert sent.headers["Content-Type"] == "application/octet-stream"

    with monkeypatch.context() as once:
        once.setattr(downloads, "is_intact", None)  # the same bytes are not read again
        assert member.get(page).status_code == 302
    with server.door.closed():
        assert b"".join(member.get(page)) == CONTENT  # by the copy of this machine
    overwrite(server, prefix, run.file.name, b"other bytes")
    assert b"".join(member.get(page)) == CONTENT
    files().drop_copy(run.file.name)
    refused = member.get(page)
    assert refused["Location"] == run.attempt_url
    assert DamagedFile.objects.filter(name=run.file.name, restored_at=None).exists()


@pytest.fixture
def whole_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    find_job("no job has this name")  # what loads all jobs sets the logging up, without the handlers of pytest
    caplog.set_level("DEBUG")
    return caplog


def test_a_signed_address_stands_in_no_log_and_nobody_gets_another_who_may_not_read_any_more(
    server, prefix, settings, monkeypatch, whole_log
) -> None:
    cast = make_ready_cast()
    run = submit(cast, content=CONTENT)
    settings.STORAGE_DOWNLOADS = downloads.SIGNED
    monkeypatch.setattr(downloads, "LARGE_BYTES", 1)
    logging.getLogger("campaign").debug("as detailed as it can be")
    member, page = signed_in(cast.member), reverse("run_download", args=[cast.campaign.slug, cast.task.slug, run.tag])
    answer = member.get(page)
    signature = dict(parse_qsl(urlsplit(answer["Location"]).query))["X-Amz-Signature"]
    assert "as detailed as it can be" in whole_log.text
    assert signature not in whole_log.text
    assert answer["Referrer-Policy"] == "same-origin"
    Membership.objects.filter(user=cast.member).delete()
    assert member.get(page).status_code == 404
    organiser = signed_in(cast.organiser)
    assert organiser.get(page).status_code == 302
    Campaign.objects.filter(pk=cast.campaign.pk).update(deleted_at=now())
    assert organiser.get(page).status_code == 404


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/c/velo/bikes/runs/bm25/file/?attempt=2", "/c/velo/bikes/runs/bm25/?attempt=2"),
        ("/c/velo/edit/archive/7/", "/c/velo/edit/archive/"),
        ("/account/data/7/download/", "/account/data/"),
    ],
)
def test_signing_in_leads_to_the_page_of_a_download_as_no_form_may_lead_to_the_bucket(address: str, page: str) -> None:
    assert settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"] == ["'self'"]
    asked = urlsplit(Client().get(address)["Location"])
    assert (asked.path, dict(parse_qsl(asked.query))) == ("/account/login/", {"next": page})


@pytest.mark.parametrize(
    ("url", "public", "secure", "problem"),
    [
        ("file:///srv/runpool/data/files", "https://files.example.org", False, "names a folder"),
        ("s3://runs?endpoint=http://store:3900", "", True, "do not follow a page of HTTPS to the endpoint"),
        ("s3://runs?endpoint=http://store:3900", "", False, ""),
        ("s3://runs?endpoint=http://store:3900", "https://files.example.org", True, ""),
        ("s3://runs?endpoint=https://s3.example.org", "http://files.example.org", True, "STORAGE_PUBLIC_"),
        ("s3://runs?endpoint=https://s3.example.org", "", True, ""),
        ("s3://runs", "", True, ""),
    ],
)
def test_signed_addresses_are_refused_where_no_browser_could_follow_them(
    url: str, public: str, secure: bool, problem: str
) -> None:
    said = env.unsigned(place_of(url), public, secure=secure)
    assert problem in said
    assert bool(said) == bool(problem)
    assert not said or "Give streamed, or a bucket" in said


def test_cleaning_lists_in_pages_and_removes_what_is_old_and_unnamed(server, prefix) -> None:
    named = submit(make_ready_cast()).file.name
    others = {store(BytesIO(b"%d" % number), folder="runs").name for number in range(9)}
    with files().written_whole("docnos/1-1-x") as out:
        out.write(b"an index")
    assert set(stored_files()) >= others | {named}
    assert "docnos/1-1-x" not in set(stored_files())
    assert set(unnamed_files(-1)) >= others
    assert named not in set(unnamed_files(-1))
    assert list(unnamed_files(DAY)) == []
    [one, *rest] = sorted(others)
    assert (remove_unnamed(one, -1), remove_unnamed(rest[0], DAY), remove_unnamed(named, -1)) == (1, None, None)
    assert one not in server.names(prefix)
    assert {rest[0], named} <= set(server.names(prefix))
    assert "files that no row names: 0" in clean_up()


def test_what_is_stored_again_is_young_again(server, prefix, monkeypatch) -> None:
    name = stored().name
    monkeypatch.setattr(bucket, "YOUNG_ENOUGH_SECONDS", -2.0)
    time.sleep(1.1)  # times in a bucket are whole seconds
    before = server.client.head_object(Bucket=BUCKET, Key=f"{prefix}/{name}")["LastModified"]
    stored()
    assert server.client.head_object(Bucket=BUCKET, Key=f"{prefix}/{name}")["LastModified"] > before


def test_uploads_that_broke_off_are_ended_after_a_day(server, prefix, tmp_path) -> None:
    assert files().remove_unfinished(DAY) == 0
    server.client.create_multipart_upload(
        Bucket=BUCKET, Key=f"{prefix}/runs/ab/half"
    )  # begun in 2010, says this server
    assert files().remove_unfinished(DAY) == 1
    assert "Uploads" not in server.client.list_multipart_uploads(Bucket=BUCKET)


def test_each_machine_removes_what_nobody_uses_there_any_more(server, prefix, tmp_path) -> None:
    name = stored().name
    copy = files().local_path(name)
    left = tmp_path / "incoming" / "left.upload"
    for path in (copy, left):
        path.write_bytes(CONTENT)
        os.utime(path, (time.time() - 8 * DAY,) * 2)
    with open_verified(store(BytesIO(b"another"), folder="runs").name, found_by="a test"):
        assert (copy.exists(), left.exists()) == (True, True)  # looked at today
    os.utime(copy.parents[2] / ".looked-at", (time.time() - 2 * DAY,) * 2)
    store(BytesIO(b"a third"), folder="runs")
    assert (copy.exists(), left.exists()) == (False, False)
    assert verified_bytes(name, found_by="a test") == CONTENT


def test_copies_stay_within_their_bytes_and_those_used_last_stay(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("campaign.storage.copies.JUST_USED_SECONDS", -1.0)
    copies = Copies(tmp_path, limit=100_000, reserve=0)
    for number in range(30):
        with copies.written(f"runs/{number}", 8192) as out:
            out.write(b"x" * 8192)
        copies.found("runs/0")
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in kept) <= 100_000
    assert copies.found("runs/0")
    assert copies.found("runs/29")
    assert copies.opened("runs/5") is None


def test_an_index_of_docnos_made_on_one_machine_is_used_on_the_other(
    server, prefix, settings, monkeypatch, tmp_path, django_assert_num_queries
) -> None:
    collection = make_collection(make_ready_cast().task, ["d1", "d2"])
    docno_index(collection.pk)
    another_machine(tmp_path / "other", monkeypatch, settings)
    with django_assert_num_queries(1):  # of the version
        assert docno_index(collection.pk).missing(["d1", "d3"]) == {"d3"}
    files().local_path(next(name for name in server.names(prefix) if name.startswith("docnos/"))).write_bytes(b"bad")
    assert docno_index(collection.pk).missing(["d1", "d3"]) == {"d3"}


@pytest.mark.parametrize(
    "url",
    [
        "s3://AKIDEXAMPLE:geheim@bucket/x", "s3://bucket/x?secret=geheim", "s3://bucket?endpoint=https://me:geheim@host",
        "s3://bucket/../x", "s3:///x", "s3://bucket?endpoint=host:9000", "s3://bucket?zone=geheim", "ftp://me:geheim@host/x",
        "s3://bucket?region=a&region=geheim", "s3://bucket?endpoint=http://[geheim",
    ],
)  # fmt: skip
def test_an_address_that_names_no_place_is_refused_without_showing_a_key(url: str) -> None:
    with pytest.raises(WrongPlaceError) as refused:
        place_of(url)
    assert "geheim" not in str(refused.value)
    assert "geheim" not in readers.storage.shown(url)


def test_an_address_says_bucket_prefix_endpoint_and_region() -> None:
    place = place_of("s3://bucket/a/b/?endpoint=https://s3.example.org:9000/&region=eu-1")
    assert place == BucketPlace("bucket", "a/b", "https://s3.example.org:9000", "eu-1")
    assert isinstance(Bucket(place).copies, Copies)
