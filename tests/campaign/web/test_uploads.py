"""What an upload may write to the disk, by the parser of requests that the site uses."""

import os
from collections.abc import Callable, Iterator

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse

from campaign.models import Import, User
from campaign.storage import FileTooLargeError, room, store
from tests.factories import Cast


def _signed_in(request: HttpRequest) -> HttpRequest:
    request.user = User(username="sender")
    return request


@pytest.fixture
def sent() -> Iterator[Callable[[int], TemporaryUploadedFile]]:
    files: list[TemporaryUploadedFile] = []

    def send(size: int) -> TemporaryUploadedFile:
        request = _signed_in(RequestFactory().post("/", {"file": SimpleUploadedFile("a.txt", b"x" * size)}))
        file = request.FILES["file"]
        assert isinstance(file, TemporaryUploadedFile)
        files.append(file)
        return file

    yield send
    for file in files:
        file.close()


def test_no_more_than_the_limit_and_one_byte_of_a_file_is_written_to_disk(sent, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100_000
    file = sent(1_000_000)
    assert os.path.getsize(file.temporary_file_path()) == 100_001
    assert file.size == 100_001


def test_a_file_of_the_very_size_of_the_limit_is_whole(db: None, sent, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100_000
    file = sent(100_000)
    assert os.path.getsize(file.temporary_file_path()) == file.size == 100_000
    assert store(file, folder="upload-test", limit=100_000).size == 100_000


def test_a_file_cut_at_the_limit_is_never_taken_for_a_whole_one(sent, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100_000
    with pytest.raises(FileTooLargeError):
        store(sent(1_000_000), folder="upload-test", limit=100_000)


def test_an_uploaded_file_is_moved_into_the_storage_and_not_written_again(db: None, sent) -> None:
    file = sent(70_001)
    inode = os.stat(file.temporary_file_path()).st_ino
    stored = store(file, folder="upload-test")
    assert os.stat(default_storage.path(stored.name)).st_ino == inode
    again = sent(70_001)
    assert store(again, folder="upload-test") == stored
    with default_storage.open(stored.name) as kept:
        assert kept.read() == b"x" * 70_001


def test_a_request_with_more_files_than_are_taken_is_refused_with_the_number(client: Client, cast: Cast) -> None:
    client.force_login(cast.organiser)
    files = {f"file{number}": SimpleUploadedFile("a.txt", b"1\ta\n") for number in range(21)}
    answer = client.post(cast.task.url("import_create", kind="topics"), files)
    assert answer.status_code == 400
    assert "more than 20 files in one request" in answer.content.decode()
    assert not Import.objects.exists()


def test_each_of_several_files_is_cut_at_the_limit_for_itself_and_stays_on_disk(settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100_000
    files = [SimpleUploadedFile(f"{size}.txt", b"x" * size) for size in (99_999, 500_000, 10)]
    request = _signed_in(RequestFactory().post("/", {"file": files}))
    received = request.FILES.getlist("file")
    assert [file.size for file in received] == [99_999, 100_001, 10]
    assert all(isinstance(file, TemporaryUploadedFile) for file in received)
    for file in received:
        file.close()


def test_nothing_that_a_visitor_sends_as_a_file_is_written_to_disk(db: None, client: Client, monkeypatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(TemporaryUploadedFile, "__init__", lambda file, name, *_: written.append(name))
    answer = client.post(reverse("account_login"), {"login": "a", "file": SimpleUploadedFile("a.txt", b"x" * 100_000)})
    assert answer.status_code == 200
    assert not written


def test_all_files_of_a_request_must_find_room_together(settings, monkeypatch) -> None:
    monkeypatch.setattr(room, "free_bytes", lambda: settings.FREE_SPACE_MINIMUM + 250_000)
    settings.UPLOAD_LIMIT_BYTES = 100_000
    files = [SimpleUploadedFile(f"{number}.txt", b"x" * 100_000) for number in range(3)]
    request = _signed_in(RequestFactory().post("/", {"file": files}))
    with pytest.raises(room.DiskFullError):
        request.FILES  # noqa: B018 - reads the body
