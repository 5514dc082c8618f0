"""Each task offers its check script; it holds what its reader may know."""

import base64
import gzip
import io
import json
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings
from django.utils import timezone

from campaign.formats.check_script.command_line import main
from campaign.formats.runs.check import check_run
from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from campaign.formats.topics.read import read_topics
from campaign.formats.topics.write import FILES
from campaign.models import Document, Task
from campaign.runs.selectors.check_script import script_task
from campaign.runs.selectors.reading import run_rules
from campaign.web.links import absolute
from tests.api.makers import ask, make_token
from tests.campaign.formats.runs.bad_runs import BAD_RUNS
from tests.campaign.runs.makers import make_ready_cast, signed_in
from tests.factories import Cast


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(rule_severities={"not_q0": "error"}, docno_pattern="[a-z]+", max_documents_per_topic=4)


def download(client: Client, task: Task) -> HttpResponse:
    return client.get(task.url("check_script"))


def written(answer: HttpResponse, folder: Path) -> Path:
    path = folder / "check.py"
    path.write_bytes(answer.content)
    return path


def test_the_script_comes_as_a_file_that_is_named_after_its_task(cast: Cast) -> None:
    answer = download(Client(), cast.task)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/x-python; charset=utf-8"
    name = f"check_{cast.task.campaign.slug}_{cast.task.slug}.py"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'


def test_the_script_says_of_every_file_what_the_check_of_the_task_says(cast: Cast, tmp_path: Path) -> None:
    script = written(download(signed_in(cast.member), cast.task), tmp_path)
    paths = [tmp_path / f"{number}.txt" for number in range(len(BAD_RUNS))]
    for path, data in zip(paths, BAD_RUNS.values(), strict=True):
        path.write_bytes(data)
    answer = subprocess.run([sys.executable, "-I", "-S", script, "--json", *paths], capture_output=True, text=True)
    for path, told in zip(paths, json.loads(answer.stdout)["runs"], strict=True):
        with path.open("rb") as file:
            expected = check_run(file, run_rules(cast.task, suggested_tag(path.read_bytes()[:HEAD_BYTES], path.name)))
        assert told["problems"] == expected.problems.to_json(), path


def test_the_script_knows_the_rules_that_the_check_knows(cast: Cast) -> None:
    removed = cast.task.topics.order_by("position").first()
    cast.task.topics.filter(pk=removed.pk).update(removed_at=timezone.now())
    known = script_task(cast.member, cast.task)
    assert known.rules.unscored == {removed.number}
    assert known.rules == replace(run_rules(cast.task, "x"), docnos=None, tag=None)


def test_document_numbers_are_in_the_script_of_those_who_may_read_the_documents(cast: Cast) -> None:
    docnos = set(Document.objects.filter(collection=cast.task.collection).values_list("docno", flat=True))
    for user in (cast.member, cast.organiser, cast.assessor):
        assert set(script_task(user, cast.task).docnos) == docnos
        assert docnos_in(download(signed_in(user), cast.task)) == docnos
    outsider = script_task(cast.stranger, cast.task)
    assert (list(outsider.docnos), outsider.docno_count) == ([], len(docnos))
    assert docnos_in(download(Client(), cast.task)) == set()


def docnos_in(answer: HttpResponse) -> set[str]:
    packed = answer.content.decode().split('DOCNOS = """')[1].split('"""')[0]
    return set(zlib.decompress(base64.b64decode(packed)).decode().split("\n")) if packed else set()


def test_a_task_that_takes_any_document_has_no_list_in_its_script(cast: Cast) -> None:
    cast.task.docno_policy = Task.ANY
    known = script_task(cast.member, cast.task)
    assert (list(known.docnos), known.docno_count) == ([], 0)


def test_a_task_without_topics_takes_every_topic(cast: Cast, tmp_path: Path) -> None:
    cast.task.topics.all().delete()
    rules = replace(run_rules(cast.task, "base"), docnos=None)
    assert rules.topics is script_task(cast.member, cast.task).rules.topics is None
    assert check_run(io.BytesIO(b"77 Q0 a 1 2 base\n"), rules).ok


@override_settings(SITE_URL="https://runs.example", UPLOAD_LIMIT_BYTES=12345)
def test_the_script_knows_the_site_and_its_limits(cast: Cast) -> None:
    text = download(Client(), cast.task).content.decode()
    assert f"# (https://runs.example{cast.task.get_absolute_url()})" in text
    assert '"site": "https://runs.example"' in text
    assert '"max_bytes": 12345' in text


def test_the_page_of_the_task_and_that_of_the_upload_lead_to_the_script(cast: Cast) -> None:
    client, address = signed_in(cast.member), cast.task.url("check_script")
    for page in (cast.task.get_absolute_url(), cast.task.url("run_create")):
        assert f'href="{address}"' in client.get(page).content.decode()


def test_the_command_line_is_the_same_outside_of_the_script(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "base.txt"
    path.write_bytes(BAD_RUNS["everything"])
    text = download(Client(), cast.task).content.decode()
    task = json.loads(text.split('TASK = r"""')[1].split('"""')[0])
    assert main(task, "", ["--json", "--tag", "base", str(path)]) == 1
    with path.open("rb") as file:
        expected = check_run(file, replace(run_rules(cast.task, "base"), docnos=None))
    assert json.loads(capsys.readouterr().out)["runs"][0]["problems"] == expected.problems.to_json()


def test_where_the_list_has_to_be_fetched_the_script_finds_the_unknown_documents_that_the_site_finds(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetched(address: str, token: str) -> io.BytesIO:
        return io.BytesIO(ask(address.removeprefix(absolute("")), token).content_seen)

    monkeypatch.setattr("campaign.formats.check_script.command_line.fetched_file", fetched)
    monkeypatch.setenv("RUNPOOL_TOKEN", make_token(cast.member, "read"))
    path = tmp_path / "base.txt"
    path.write_bytes(b"1 Q0 a 1 2 base\n1 Q0 nowhere 2 1 base\n2 Q0 c 1 1 base\n")
    text = download(Client(), cast.task).content.decode()
    assert 'DOCNOS = """"""' in text
    assert main(json.loads(text.split('TASK = r"""')[1].split('"""')[0]), "", ["--json", str(path)]) == 1
    told = json.loads(capsys.readouterr().out)
    with path.open("rb") as file:
        expected = check_run(file, run_rules(cast.task, "base"))
    assert expected.problems.by_code["docno_unknown"] == 1
    assert (told["notes"], told["runs"][0]["problems"]) == ([], expected.problems.to_json())


def test_the_page_of_the_task_offers_the_topics_in_every_format_and_the_docnos_to_those_who_may_read_them(
    cast: Cast,
) -> None:
    texts = {}
    for user in (cast.member, cast.stranger):
        client, page = signed_in(user), signed_in(user).get(cast.task.get_absolute_url()).content.decode()
        for name in FILES:
            address = cast.task.url("topic_download", file_format=name)
            assert f'href="{address}"' in page
            texts[name] = client.get(address).content
        assert (cast.task.url("docno_download") in page) == (user == cast.member)
    topics = [read_topics(io.BytesIO(text)).records for text in texts.values()]
    assert {tuple(topic.number for topic in records) for records in topics} == {("1", "2")}
    packed = b"".join(signed_in(cast.member).get(cast.task.url("docno_download")).streaming_content)
    assert gzip.decompress(packed) == b"a\nb\nc\n"
    assert signed_in(cast.member).get(cast.task.url("topic_download", file_format="pdf")).status_code == 404
