"""A forged archive whose files have the right checksums and hold something else: refused in words, before a row is stored."""

import json
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any

import polars as pl
import pytest
from django.urls import reverse

from campaign.models import Restoration, Run
from judging.models import Qrels
from judging.qrels.selectors.manifests import manifest_of
from pooling.core.strategies.frames import frame_file
from tests.campaign.runs.makers import signed_in
from tests.conftest import MadeOnce
from tests.factories import make_user
from tests.runpool.archive.full_world import make_full_archive, people_of
from tests.runpool.archive.makers import archive_of, files_of, made_elsewhere, receive, restore
from tests.runpool.archive.test_bad_archives import Files, sealed, the

pytestmark = pytest.mark.django_db
FRAME = pl.DataFrame({"topic": ["1"], "docno": ["y"], "stratum": [2]})


@pytest.fixture(scope="module")
def full(made_once: MadeOnce) -> Iterator[Files]:
    with made_once(lambda: made_elsewhere(make_full_archive)) as content:
        yield files_of(content)


def parquet(rows: dict[str, Any]) -> bytes:
    out = BytesIO()
    pl.DataFrame(rows).write_parquet(out, compression="zstd")
    return out.getvalue()


def with_file(files: Files, ending: str, content: bytes, **values: Any) -> bytes:
    """The archive with another file, of which its row says the checksum; `values`: what else the first row says."""
    path = the(files, ending)
    found = {**files, path: content}
    for table in [name for name in files if name.endswith(".jsonl") and path.encode() in files[name]]:
        if table == "audit.jsonl":
            continue
        rows = [json.loads(line) for line in files[table].splitlines()]
        for row in rows:
            for column in [column for column, value in row.items() if value == path]:
                named = "sha256" if column == "file" else column.replace("_file", "_sha256")
                row |= ({named: sha256(content).hexdigest()} if named in row else {}) | values
        found[table] = lines(rows)
    return sealed(found)


def with_row(files: Files, ending: str, **values: Any) -> bytes:
    path = the(files, ending)
    rows = [json.loads(line) for line in files[path].splitlines()]
    rows[0] |= values
    return sealed({**files, path: lines(rows)})


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, sort_keys=True)}\n" for row in rows).encode()


def refusal(content: bytes) -> str:
    restoration = receive(content, make_user())
    assert restoration.state == Restoration.BAD
    [problem] = restoration.problems["shown"]
    assert problem["code"] == "row"
    return str(problem["message"])


NO_QRELS = [
    b"",
    b"x",
    b"\xff\xfe",
    b"1 0 a nan\n",
    b"1 0 a 99999999999\n",
    b"1 0 a 1\n1 0 a 0\n",
    b"1 0\n",
    b"\n1 0 a 1\n",
]
HOSTILE = {
    "v1.qrels": NO_QRELS,
    "v1-subtopics.qrels": NO_QRELS,
    "v1-sample.txt": [b"", b"1 0 a 1\n", b"1 0 a x 1\n"],
    "v1-manifest.json": [
        *(b"", b"[]", b"{}", b"\xff", b"[" * 100_000),
        *(
            b'{"files": {}, "merged": {"a": 1}}',
            b'{"files": {}, "assessors": [7]}',
            b'{"files": {}, "last_judgment": "x"}',
        ),
    ],
    "preferences/v1.txt": [b"", b"x", b"1 a 0\n", b"1 a 1\n1 a 2\n", b"9 a 1\n"],
    "judged-before.parquet": [
        *(b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", parquet({"x": [1]}), parquet({"topic": [1], "docno": ["z"]})),
        *(parquet({"topic": [None], "docno": ["z"]}), parquet({"topic": ["1"] * 2, "docno": ["y", "z"]})),
    ],
}


@pytest.mark.parametrize("ending", HOSTILE)
def test_a_file_that_holds_something_else_than_its_row_says_is_refused(full: Files, ending: str) -> None:
    for content in HOSTILE[ending]:
        assert ".jsonl, line 1: " in refusal(with_file(full, ending, content)), content[:40]


def test_what_a_sample_left_out_is_read_before_it_is_stored(full: Files) -> None:
    path = the(full, "judged-before.parquet").replace("rounds/judged-before", "pools/v1-not-drawn")
    for content, is_sound in ((frame_file(FRAME), True), (parquet({"topic": ["1"]}), False), (b"x", False)):
        row = {"frame": path, "frame_sha256": sha256(content).hexdigest()}
        archive = with_row({**full, path: content}, "pools/pools.jsonl", **row)
        if is_sound:
            assert receive(archive, make_user()).state == Restoration.READY
        else:
            assert "The documents that were not drawn cannot be read." in refusal(archive)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"sampled_by": ""}, "sample"),
        ({"sample_file": None, "sample_sha256": ""}, "sample"),
        ({"topics": ["1"] * 2}, "twice"),
    ],
)
def test_a_row_of_qrels_that_its_files_contradict_is_refused(full: Files, values: dict[str, Any], said: str) -> None:
    assert said in refusal(with_row(full, "qrels/qrels.jsonl", **values))


def test_a_run_that_no_check_would_take_is_rejected_and_the_campaign_restored_all_the_same(full: Files) -> None:
    restoration = restore(with_file(full, "one.run", b"\xff\xfe\x00", size=3), make_user())
    assert restoration.state == Restoration.DONE
    run = Run.objects.get(task__campaign=restoration.campaign)
    assert run.state == Run.REJECTED
    assert "cannot be read as a run" in run.problems.order_by("-pk")[0].message
    organiser = people_of(restoration.campaign)["organiser-1"]  # type: ignore[arg-type]
    organiser.is_active = True
    organiser.save()
    assert signed_in(organiser).get(run.get_absolute_url()).status_code == 200


def test_qrels_without_a_manifest_have_pages_and_archives_without_scores_of_their_topics(full: Files) -> None:
    none: dict[str, Any] = {"manifest_file": None, "manifest_sha256": "", "topics": []}
    restoration = restore(with_row(full, "qrels/qrels.jsonl", **none), make_user())
    qrels = Qrels.objects.get(task__campaign=restoration.campaign)
    assert manifest_of(qrels) == {}
    client = signed_in(restoration.created_by)
    assert client.get(qrels.get_absolute_url()).status_code == 200
    address = reverse("qrels_judgments_download", kwargs={**qrels.task.address, "version": 1})
    assert client.get(address).status_code == 404
    assert archive_of(qrels.task.campaign, restoration.created_by).file
