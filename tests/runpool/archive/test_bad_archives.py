"""An archive that was changed, cut, made by a newer version, or made to do harm: a clear answer each, nothing half-done."""

import json
import re
import stat
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from campaign.models import Archive, Campaign, Restoration, Team, User
from campaign.storage.inventory import stored_files
from runpool.archive.manifest import content_sha256
from runpool.archive.services import restoring
from runpool.archive.services.requests import restoration_confirm, restoration_receive
from runpool.archive.zip_io import Entry
from runpool.jobs import restore_archive
from tests.conftest import MadeOnce
from tests.factories import make_campaign, make_cast, make_collection, make_received_run, make_topics, make_user
from tests.runpool.archive.makers import Silent, archive_of, bytes_of, files_of, made_elsewhere, packed, receive

pytestmark = pytest.mark.django_db
Files = dict[str, bytes]


def make_small() -> bytes:
    cast = make_cast()
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b"])
    make_received_run(cast.task, cast.team, "one", b"1 Q0 a 1 1 one\n")
    return bytes_of(archive_of(cast.campaign, cast.organiser, documents=Archive.TEXTS))


@pytest.fixture(scope="module")
def small(made_once: MadeOnce) -> Iterator[bytes]:
    with made_once(lambda: made_elsewhere(make_small)) as content:
        yield content


def sealed(files: Files) -> bytes:
    """The files with a manifest that fits them: what somebody can make who knows how."""
    said = json.loads(files["manifest.json"])
    entries = [Entry(p, len(c), sha256(c).hexdigest()) for p, c in files.items() if p != "manifest.json"]
    said["files"] = [{"path": e.path, "size": e.size, "sha256": e.sha256} for e in entries]
    said["content_sha256"] = content_sha256(entries)
    said["counts"] = {path: files[path].count(b"\n") for path in said["counts"]}
    return packed({**files, "manifest.json": json.dumps(said).encode()})


def the(files: Files, ending: str) -> str:
    return next(path for path in files if path.endswith(ending))


def edited(files: Files, ending: str, old: bytes, new: bytes) -> Files:
    path = the(files, ending)
    assert old in files[path]
    return {**files, path: files[path].replace(old, new)}


def special(path: str, kind: int, content: bytes = b"/etc/passwd") -> Callable[[Files], bytes]:
    def made(files: Files) -> bytes:
        out = BytesIO(packed(files))
        with ZipFile(out, "a") as archive:
            info = ZipInfo(path)
            info.external_attr = (kind | 0o777) << 16
            archive.writestr(info, content)
        return out.getvalue()

    return made


def newer(files: Files) -> bytes:
    return packed({**files, "manifest.json": files["manifest.json"].replace(b'"format": 1', b'"format": 9')})


def in_folder(folder: str, files: Files) -> Files:
    return {folder + path: content for path, content in files.items()}


def with_entry(name: str) -> Callable[[Files], bytes]:
    def made(files: Files) -> bytes:
        return packed({**files, name: b"x"})

    return made


def twice(files: Files) -> bytes:
    out = BytesIO(packed(files))
    with ZipFile(out, "a") as archive:
        archive.writestr("README.MD", b"x")
    return out.getvalue()


def bomb(files: Files) -> bytes:
    out = BytesIO(packed(files))
    with ZipFile(out, "a", ZIP_DEFLATED) as archive:
        archive.writestr("bomb.jsonl", b"0" * (40 << 20))
    return out.getvalue()


def lying_size(files: Files) -> bytes:
    """The directory says less than what unpacks."""
    content = bytearray(packed(files))
    at = content.find(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 1)
    return bytes(content)


def many_entries(files: Files) -> bytes:
    content = bytearray(packed(files))
    at = content.rfind(b"PK\x05\x06")
    content[at + 12 : at + 16] = struct.pack("<I", 0x7FFFFFFF)
    return bytes(content)


def directory_of(content: bytes, path: str) -> int:
    """Where the list of entries tells of this file."""
    return next(
        at.start() for at in re.finditer(b"PK\x01\x02", content) if content[at.start() + 46 :].startswith(path.encode())
    )


def another_field(path: str, at: int, value: bytes) -> Callable[[Files], bytes]:
    def made(files: Files) -> bytes:
        content = bytearray(packed(files))
        start = directory_of(bytes(content), path) + at
        content[start : start + len(value)] = value
        return bytes(content)

    return made


def name_without_encoding(files: Files) -> bytes:
    """Both say that names are UTF-8, the list of files and what stands before the file; there it is none."""
    content = bytearray(packed(files))
    at = directory_of(bytes(content), "teams.jsonl")
    content[at + 9] |= 8
    [start] = struct.unpack("<I", content[at + 42 : at + 46])
    content[start + 7] |= 8
    content[start + 30] = 0xFF
    return bytes(content)


def overlapping(files: Files) -> bytes:
    """Two entries of one place."""
    content = packed(files)
    first, second = directory_of(content, "teams.jsonl"), directory_of(content, "roles.jsonl")
    return content[: second + 42] + content[first + 42 : first + 46] + content[second + 46 :]


def manifest_with(old: bytes, new: bytes) -> Callable[[Files], bytes]:
    return lambda files: packed(edited(files, "manifest.json", old, new))


def without(ending: str) -> Callable[[Files], bytes]:
    return lambda files: packed({path: content for path, content in files.items() if not path.endswith(ending)})


def changed(ending: str, old: bytes, new: bytes) -> Callable[[Files], bytes]:
    return lambda files: packed(edited(files, ending, old, new))


def forged(ending: str, old: bytes, new: bytes) -> Callable[[Files], bytes]:
    return lambda files: sealed(edited(files, ending, old, new))


BAD = {
    "a place before the zip": (another_field("teams.jsonl", 42, b"\xff\xff\xff\xff"), "changed"),
    "another checksum of the zip": (another_field("teams.jsonl", 16, b"\0\0\0\0"), "changed"),
    "a packed size without end": (another_field("teams.jsonl", 20, b"\xff\xff\xff\x7f"), "changed"),
    "a name that is no UTF-8 before the file": (name_without_encoding, "changed"),
    "files that overlap": (overlapping, "changed"),
    "another size than the file has": (manifest_with(b'"size": ', b'"size": 1'), "changed"),
    "a size below zero": (manifest_with(b'"size": ', b'"size": -'), "changed"),
    "a number of 5,000 digits": (manifest_with(b'"format": 1', b'"format": ' + b"1" * 5000), "manifest"),
    "a number that is none": (manifest_with(b'"format": 1', b'"format": NaN'), "manifest"),
    "a deep nesting in the manifest": (manifest_with(b'"format": 1', b'"format": ' + b"[" * 100_000), "manifest"),
    "a second list of files": (manifest_with(b'"files": [', b'"files": [], "files": [], "more": ['), "changed"),
    "an empty file is no zip": (lambda files: b"", "cut"),
    "a text": (lambda files: b"PK and so on", "cut"),
    "cut in the middle": (lambda files: packed(files)[:-400], "cut"),
    "some other zip": (lambda files: packed({"a.txt": b"a"}), "no_manifest"),
    "a manifest that is no JSON": (lambda files: packed({**files, "manifest.json": b"[1"}), "manifest"),
    "a manifest without files": (lambda files: packed({**files, "manifest.json": b'{"format": 1}'}), "manifest"),
    "a later format": (newer, "newer"),
    "a changed run": (changed("one.run", b"Q0 a", b"Q0 b"), "changed"),
    "a changed topic": (changed("topics.jsonl", b"title of 1", b"title of X"), "changed"),
    "a missing file": (without("one.run"), "missing_file"),
    "a file that nobody listed": (with_entry("tasks/more.txt"), "unknown_file"),
    "a path that leads up": (with_entry("../../etc/passwd"), "unsafe_path"),
    "an absolute path": (with_entry("/etc/passwd"), "unsafe_path"),
    "a path of Windows": (with_entry("c:\\boot.ini"), "unsafe_path"),
    "a hidden file": (with_entry("tasks/.htaccess"), "unsafe_path"),
    "a path of Windows that leads up": (with_entry("..\\..\\boot.ini"), "unsafe_path"),
    "a leftover that leads up": (with_entry("__MACOSX/../../etc/.DS_Store"), "unsafe_path"),
    "a step within a path": (with_entry("a/./b"), "unsafe_path"),
    "a step up behind the step to itself": (with_entry("./../b"), "unsafe_path"),
    "an absolute path behind the step to itself": (with_entry(".//etc/b"), "unsafe_path"),
    "an absolute leftover": (with_entry("/tmp/.DS_Store"), "unsafe_path"),
    "a folder that leads up": (
        lambda files: packed({f"../{path}": content for path, content in files.items()}),
        "unsafe_path",
    ),
    "a link": (special("tasks/link", stat.S_IFLNK), "unsafe_path"),
    "a link under the name of a leftover": (special(".DS_Store", stat.S_IFLNK), "unsafe_path"),
    "a device": (special("tasks/device", stat.S_IFCHR, b""), "unsafe_path"),
    "a folder with content": (special("tasks/more/", stat.S_IFDIR), "unsafe_path"),
    "a name that differs by its Unicode form": (with_entry("manifest\u0301.json"), "unsafe_path"),
    "two folders side by side": (
        lambda files: packed(
            {f"{'ab'[place % 2]}/{path}": content for place, (path, content) in enumerate(files.items())}
        ),
        "no_manifest",
    ),
    "an archive twice, in a folder and without": (
        lambda files: packed({**files, **in_folder("again/", files)}),
        "unknown_file",
    ),
    "a file twice in folders that differ by case": (
        lambda files: packed({**in_folder("a/", files), "a/README.MD": b"x"}),
        "changed",
    ),
    "a changed run, packed again": (
        lambda files: packed(in_folder("velo/", edited(files, "one.run", b"Q0 a", b"Q0 b"))),
        "changed",
    ),
    "a file twice": (twice, "changed"),
    "a zip bomb": (bomb, "ratio"),
    "more than it says": (lying_size, "changed"),
    "an endless list of files": (many_entries, "too_many_files"),
    "an unknown table": (
        lambda files: sealed(
            {
                **files,
                "omens.jsonl": b"{}\n",
                "manifest.json": files["manifest.json"].replace(b'"tasks.jsonl":', b'"omens.jsonl": 1, "tasks.jsonl":'),
            }
        ),
        "newer",
    ),
    "a forged column": (forged("topics.jsonl", b'"is_feedback"', b'"is_superuser"'), "row"),
    "a forged type": (forged("topics.jsonl", b'"position":1', b'"position":"first"'), "row"),
    "a number without end": (forged("topics.jsonl", b'"position":1', b'"position":99999999999999999999'), "row"),
    "a forged state": (forged("runs.jsonl", b'"state":"received"', b'"state":"winner"'), "row"),
    "a null character": (forged("topics.jsonl", b"title of 1", b"title\\u0000"), "row"),
    "half a character": (forged("topics.jsonl", b"title of 1", b"title\\ud800"), "row"),
    "another address of a topic": (forged("topics.jsonl", b'"number":"1"', b'"number":"a b"'), "row"),
    "no JSON": (forged("topics.jsonl", b'{"', b'{{"'), "row"),
    "no campaign": (lambda files: sealed({**files, "campaign.jsonl": b""}), "changed"),
    "two campaigns": (lambda files: sealed({**files, "campaign.jsonl": files["campaign.jsonl"] * 2}), "changed"),
    "no number": (forged("grades.jsonl", b'"gain":0.0', b'"gain":NaN'), "row"),
    "half a nesting": (forged("tasks.jsonl", b'"measures":[]', b'"measures":' + b"[" * 500 + b"]" * 500), "row"),
    "a null character in the manifest": (
        lambda files: packed(
            {**files, "manifest.json": files["manifest.json"].replace(b'"title": "', b'"title": "\\u0000', 1)}
        ),
        "manifest",
    ),
    "a deep nesting": (forged("topics.jsonl", b'{"', b"[" * 100_000 + b'{"'), "row"),
    "a run with the bytes of another": (forged("one.run", b"Q0 a", b"Q0 b"), "row"),
    "a run with another file": (forged("runs.jsonl", b"one.run", b"two.run"), "row"),
    "a line break in a title": (forged("tasks.jsonl", b'"title":"', b'"title":"\\n'), "row"),
    "a pattern that is none": (forged("tasks.jsonl", b'"tag_pattern":"', b'"tag_pattern":"(('), "row"),
    "questions that are none": (forged("tasks.jsonl", b'"questions":[]', b'"questions":[7]'), "row"),
    "people under other names": (forged("people.jsonl", b'"organiser-1"', b'"root"'), "row"),
    "a document twice": (forged("documents.jsonl", b'"docno":"b"', b'"docno":"a"'), "row"),
    "a document without a number": (forged("documents.jsonl", b'"docno":"a"', b'"docno":""'), "row"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_archive_is_refused_with_what_is_wrong_and_what_to_do(small: bytes, what: str) -> None:
    make, code = BAD[what]
    restoration = receive(make(files_of(small)), make_user())
    assert restoration.state == Restoration.BAD
    [problem] = restoration.problems["shown"]
    assert problem["code"] == code, problem
    assert problem["message"]
    assert problem["remedy"]
    assert not Campaign.objects.exists()


LEFT = {
    ".DS_Store": b"x",
    "__MACOSX/._README.md": b"x",
    "tasks/Thumbs.db": b"x",
    "tasks/desktop.ini": b"x",
    "tasks/._a": b"x",
}


def with_folders(files: Files) -> Files:
    folders = {f"{path.rpartition('/')[0]}/" for path in files if "/" in path}
    return {**dict.fromkeys(sorted(folders), b""), **files}


PACKED_AGAIN: dict[str, Callable[[Files], Files]] = {
    "with entries of folders": with_folders,
    "in a folder": lambda files: in_folder("velo/", files),
    "in a folder with a name of its own": lambda files: with_folders(in_folder("Übung 2 (copy)/", files)),
    "in two folders": lambda files: in_folder("velo/velo/", files),
    "with what a Mac or Windows leaves": lambda files: {**LEFT, **files},
    "by a Mac": lambda files: {**in_folder("velo/", files), "velo/.DS_Store": b"x", "__MACOSX/velo/._README.md": b"x"},
    "from an external or shared drive, with Office and LibreOffice open": lambda files: {
        ".Spotlight-V100/Store-V2/a": b"x",
        "System Volume Information/b": b"x",
        "$RECYCLE.BIN/c": b"x",
        "tasks/@eaDir/d": b"x",
        "tasks/.~lock.teams.csv#": b"x",
        "Icon\r": b"x",
        "tasks/ehthumbs_vista.db": b"x",
        "tasks/~$teams.xlsx": b"x",
        "#recycle/e": b"x",
        ".nfs0001": b"x",
        **files,
    },
    "by bsdtar": lambda files: {"./": b"", **in_folder("./", files)},
    "by Windows PowerShell 5": lambda files: {path.replace("/", "\\"): content for path, content in files.items()},
}


@pytest.mark.parametrize("how", PACKED_AGAIN)
def test_an_archive_that_was_packed_again_is_the_same_archive(small: bytes, how: str) -> None:
    restoration = receive(packed(PACKED_AGAIN[how](files_of(small))), make_user())
    assert restoration.state == Restoration.READY, restoration.problems


def test_each_cause_of_a_refused_name_has_words_of_its_own(small: bytes) -> None:
    files, importer = files_of(small), make_user()
    for make, told in (
        (with_entry("../up"), "leads elsewhere"),
        (with_entry("tasks/.htaccess"), "holds a hidden file, 'tasks/.htaccess'"),
        (with_entry("notes of olga.txt"), "characters that no file of an archive has"),
        (special("tasks/link", stat.S_IFLNK), "a link or a device instead of a file"),
        (with_entry("notes.txt"), "The file notes.txt is not in the manifest. Take it out"),
    ):
        [problem] = receive(make(files), importer).problems["shown"]
        assert told in f"{problem['message']} {problem['remedy']}", problem


FORGED_REFERENCES = {
    "a run of a team that is not there": ("runs.jsonl", b'"team":"', b'"team":"no-'),
    "a topic twice": ("topics.jsonl", b'"number":"2"', b'"number":"1"'),
    "a person that is not there": ("roles.jsonl", b'"user":"organiser-1"', b'"user":"organiser-9"'),
}


@pytest.mark.parametrize("what", FORGED_REFERENCES)
def test_rows_that_contradict_each_other_are_refused_by_the_check_which_leaves_nothing_behind(
    small: bytes, what: str
) -> None:
    importer = make_user()
    users = User.objects.count()
    restoration = receive(sealed(edited(files_of(small), *FORGED_REFERENCES[what])), importer)
    assert restoration.state == Restoration.BAD
    assert restoration.problems["shown"]
    assert (Campaign.everything.count(), User.objects.count()) == (0, users)


def test_the_check_of_a_sound_archive_leaves_no_row_and_no_file_behind(small: bytes) -> None:
    importer = make_user()
    users, names = User.objects.count(), set(stored_files())
    restoration = receive(small, importer)
    assert restoration.state == Restoration.READY
    assert (Campaign.everything.count(), Team.objects.count(), User.objects.count()) == (0, 0, users)
    assert set(stored_files()) - names <= {str(restoration.file)}


def test_what_came_to_the_site_after_the_check_only_shows_while_restoring_and_leaves_nothing_behind(
    small: bytes,
) -> None:
    """The page of the check says so."""
    importer = make_user()
    restoration = receive(small, importer)
    restoration_confirm(actor=importer, restoration=restoration, slug="restored")
    taken = make_campaign(slug="restored")
    users = User.objects.count()
    restore_archive.body(Silent(), restoration_id=str(restoration.pk))
    restoration.refresh_from_db()
    assert restoration.state == Restoration.BAD
    assert restoration.problems["shown"][0]["code"] == "slug_taken"
    assert (list(Campaign.everything.all()), User.objects.count()) == ([taken], users)


def test_a_job_that_was_killed_is_run_again_and_nothing_is_there_twice(
    small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    importer = make_user()
    restoration = receive(small, importer)
    restoration_confirm(actor=importer, restoration=restoration, slug="restored")
    with monkeypatch.context() as patched:
        patched.setattr(restoring, "_files", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            restore_archive.body(Silent(), restoration_id=str(restoration.pk))
    [draft] = Campaign.objects.all()
    assert not Campaign.objects.visible_to(importer).exists()
    for _ in range(2):
        restore_archive.body(Silent(), restoration_id=str(restoration.pk))
    [restored] = Campaign.objects.all()
    assert restored.pk != draft.pk
    assert restored.slug == "restored"
    assert restored.collections.get().documents.count() == 2


def test_the_address_must_be_free_and_an_address(small: bytes) -> None:
    importer = make_user()
    restoration = receive(small, importer)
    for slug in ("new", "Not An Address"):
        with pytest.raises(ValidationError):
            restoration_confirm(actor=importer, restoration=restoration, slug=slug)
    make_cast()
    with pytest.raises(ValidationError, match="not free"):
        restoration_confirm(actor=importer, restoration=restoration, slug=Campaign.objects.get().slug)


def test_only_who_may_found_campaigns_restores(settings: Any) -> None:
    settings.CAMPAIGN_CREATION = "staff"
    with pytest.raises(PermissionDenied):
        restoration_receive(actor=make_user(), file=BytesIO(b"x"), file_name="a.zip")


def test_an_encrypted_entry_or_another_packing_is_refused(small: bytes) -> None:
    content = bytearray(packed(files_of(small)))
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1
    assert receive(bytes(content), make_user()).problems["shown"][0]["code"] == "encrypted"
    content[at + 8] &= 0xFE
    content[at + 10 : at + 12] = struct.pack("<H", 12)
    assert receive(bytes(content), make_user()).problems["shown"][0]["code"] == "packed_otherwise"
