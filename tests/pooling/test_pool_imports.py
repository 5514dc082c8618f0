"""A pool that was made elsewhere, from its file to the desk; docnos and texts of what is pooled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client

from campaign.collection.docno_index import documents_changed
from campaign.models import Document, Import, Task
from pooling.core.preview.exactness import PoolReach
from pooling.core.strategies.frames import read_frame
from pooling.models import Pool
from pooling.selectors.pools import pool_text
from tests.factories import Cast, make_collection, make_topics
from tests.pooling.makers import make_valid_run

pytestmark = pytest.mark.django_db
Commit = Callable[..., Any]
SAMPLE = "2 c 1 1.0\n2 d 2 0.25\n1 b 1 1.0\n2 e 2 NA\n"


@pytest.fixture
def task(cast: Cast) -> Task:
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, list("abcde"))
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b"], "2": ["c"]})
    make_valid_run(cast.task, cast.other_team, "beta", {"1": ["b"], "2": ["e", "d", "c"]})
    return cast.task


@pytest.fixture
def organiser(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


def send(task: Task, client: Client, content: str, commit: Commit, **values: Any) -> Import:
    file = SimpleUploadedFile("pool <b>.txt", content.encode())
    with commit(execute=True):
        answer = client.post(task.url("pool_import"), {"file": file, **values})
    assert answer.status_code == 302
    return Import.objects.get(kind=Import.POOL, state__in=[Import.READY, Import.BAD])


def confirm(import_: Import, client: Client, commit: Commit) -> None:
    for _ in range(2):
        with commit(execute=True):
            client.post(import_.task.url("pool_import_confirm", import_id=import_.pk))


def words(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split())


def test_a_sample_from_elsewhere_is_checked_shown_and_frozen(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    import_ = send(task, organiser, SAMPLE, django_capture_on_commit_callbacks)
    shown = words(organiser.get(task.url("pool_import_detail", import_id=import_.pk)))
    assert "4 lines found" in shown
    assert "They become pool 1 of this task, to be judged in the order of the file." in shown
    assert "The task moves on from Runs to Judging" in shown
    assert not Pool.objects.exists()
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    pool = Pool.objects.get()
    rows = pool.entries.order_by("topic__position", "position").values_list(
        "topic__number", "docno", "best_position", "run_count", "stratum", "inclusion_probability"
    )
    assert list(rows) == [("1", "b", 1, 2, 1, 1.0), ("2", "c", 1, 2, 1, 1.0), ("2", "d", 2, 1, 2, 0.25)]
    with pool.frame.open() as file:
        assert read_frame(file.read()).rows() == [("2", "e", 2)]
    task.refresh_from_db()
    assert task.phase == Task.JUDGING
    assert pool_text(pool) == b"1 b 1 1.0\n2 c 1 1.0\n2 d 2 0.25\n"


def test_before_a_pool_replaces_another_the_page_says_what_leaves_it_and_where_assignments_stay(
    task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    confirm(
        send(task, organiser, "1 a\n1 b\n2 c\n", django_capture_on_commit_callbacks),
        organiser,
        django_capture_on_commit_callbacks,
    )
    import_ = send(task, organiser, "1 a\n", django_capture_on_commit_callbacks)
    shown = words(organiser.get(task.url("pool_import_detail", import_id=import_.pk)))
    assert "1 line found" in shown
    assert "It becomes pool 2 of this task" in shown
    assert "2 pairs of pool 1 are not in this file." in shown
    assert "Assignments of pool 1 stay with that version" in shown


def test_pages_of_an_imported_pool_claim_nothing_of_runs_or_seeds(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    import_ = send(task, organiser, "1 a\n2 c\n", django_capture_on_commit_callbacks)
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    pool = Pool.objects.get()
    shown = words(organiser.get(pool.get_absolute_url()))
    assert "imported from pool &lt;b&gt;.txt" in shown
    assert "<dt>Runs</dt><dd>not recorded</dd>" in shown
    assert "Seed" not in shown
    assert "contributing run" not in shown
    assert "always give the same file" not in shown
    listed = words(organiser.get(task.url("pool_list")))
    assert "not recorded" in listed
    assert "0 runs" not in words(organiser.get(task.url("pool_card")))


@pytest.mark.parametrize(
    ("content", "whole", "told"),
    [
        ("1 a\n1 b\n2 c\n2 e\n2 d\n", 3, "P@3, RR@3"),
        ("1 a\n1 b\n2 c\n2 e\n", 1, "P@1, RR@1"),
        ("2 c\n2 e\n2 d\n", 3, "P@3, RR@3"),
        ("1 a\n1 b\n2 c\n2 d\n", 0, "No measure is exact"),
    ],
)
def test_what_an_imported_pool_makes_exact_follows_from_the_runs_that_are_there(
    cast: Cast,
    task: Task,
    organiser: Client,
    django_capture_on_commit_callbacks: Commit,
    content: str,
    whole: int,
    told: str,
) -> None:
    import_ = send(task, organiser, content, django_capture_on_commit_callbacks)
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    pool = Pool.objects.get()
    assert pool.reach == PoolReach(whole)
    shown = words(organiser.get(pool.get_absolute_url()))
    assert "Measures of the runs valid when it was frozen" in shown
    assert told in shown
    assert "Engine version" not in shown


def test_of_an_imported_pool_without_runs_nothing_is_called_exact(
    cast: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    make_topics(cast.task, ["1"])
    confirm(
        send(cast.task, organiser, "1 a\n", django_capture_on_commit_callbacks),
        organiser,
        django_capture_on_commit_callbacks,
    )
    pool = Pool.objects.get()
    assert pool.reach is None
    assert "Measures of" not in words(organiser.get(pool.get_absolute_url()))


def test_random_order_is_the_importers_choice(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    content = "".join(f"1 {docno}\n" for docno in "abcde")
    import_ = send(task, organiser, content, django_capture_on_commit_callbacks, shuffle="on")
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    pool = Pool.objects.get()
    order = list(pool.entries.order_by("position").values_list("docno", flat=True))
    assert pool.order == "random"
    assert sorted(order) == list("abcde")
    assert order != list("abcde")


def test_a_file_with_problems_freezes_nothing_and_names_line_and_remedy(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    import_ = send(task, organiser, "1 a\n9 a\n1 zzz\n", django_capture_on_commit_callbacks)
    shown = words(organiser.get(task.url("pool_import_detail", import_id=import_.pk)))
    assert "The task has no topic 9." in shown
    assert "line 2" in shown
    assert "The collection has no document zzz." in shown
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    assert not Pool.objects.exists()


def test_the_same_file_twice_makes_one_version(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    for _ in range(2):
        import_ = send(task, organiser, "1 a\n", django_capture_on_commit_callbacks)
        confirm(import_, organiser, django_capture_on_commit_callbacks)
    assert Pool.objects.count() == 1
    import_.refresh_from_db()
    assert import_.state == Import.BAD
    assert "This is the pool 1 of the task already" in str(import_.problems)


def test_the_same_sample_with_the_documents_that_were_not_drawn_is_a_new_version(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    drawn_alone = SAMPLE.replace("2 e 2 NA\n", "")
    for content in (drawn_alone, SAMPLE, SAMPLE):
        import_ = send(task, organiser, content, django_capture_on_commit_callbacks)
        confirm(import_, organiser, django_capture_on_commit_callbacks)
    first, second = Pool.objects.order_by("version")
    assert first.sha256 == second.sha256
    assert (bool(first.frame), bool(second.frame)) == (False, True)
    import_.refresh_from_db()
    assert "This is the pool 2 of the task already" in str(import_.problems)


@pytest.mark.django_db(transaction=True)
def test_the_command_freezes_a_file_or_says_what_is_wrong(cast: Cast, task: Task, tmp_path: Any, capsys: Any) -> None:
    file = tmp_path / "pool.txt"
    file.write_text("1 a\n2 zzz\n")
    address = f"{task.campaign.slug}/{task.slug}"
    user = ["--as", cast.organiser.username]
    with pytest.raises(CommandError, match="nothing was imported"):
        call_command("import_pool", address, str(file), *user)
    assert "The collection has no document zzz." in capsys.readouterr().err
    file.write_text("1 a\n2 d\n")
    call_command("import_pool", address, str(file), *user)
    assert "pool 1: 2 pairs" in capsys.readouterr().out


def test_a_pool_of_a_spreadsheet_is_read_and_one_for_a_task_without_topics_is_one_problem(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    read = send(task, organiser, "query_id,doc_id\n1,a\n2,c\n", django_capture_on_commit_callbacks)
    assert [problem["code"] for problem in read.problems["shown"]] == ["columns_separated", "headings"]
    assert (read.state, read.records) == (Import.READY, 2)
    read.delete()
    task.topics.all().delete()
    refused = send(task, organiser, "1 a\n2 c\n", django_capture_on_commit_callbacks)
    assert [problem["message"] for problem in refused.problems["shown"]] == ["The task has no topics yet."]


def test_the_docnos_of_a_pool_are_listed_once_and_those_without_text_apart(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    Document.objects.filter(docno__in="ae").update(has_text=False)
    import_ = send(task, organiser, "1 c\n2 c\n1 a\n2 e\n", django_capture_on_commit_callbacks)
    confirm(import_, organiser, django_capture_on_commit_callbacks)
    pool = Pool.objects.get()
    version = {"version": pool.version}
    assert b"".join(organiser.get(task.url("pool_docnos", **version))) == b"a\nc\ne\n"
    assert b"".join(organiser.get(task.url("pool_docnos_without_text", **version))) == b"a\ne\n"
    assert "2 documents of this pool have no text in Runpool." in words(organiser.get(pool.get_absolute_url()))
    Document.objects.update(has_text=True)
    documents_changed(pool.task.collection_id)
    assert "no text in Runpool" not in words(organiser.get(pool.get_absolute_url()))


def test_topic_numbers_under_another_spelling_are_offered_a_match_and_read_by_it_when_asked(
    cast: Cast, task: Task, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    offered = send(task, organiser, "T01 a\nT02 c\n", django_capture_on_commit_callbacks)
    page = words(organiser.get(task.url("pool_import_detail", import_id=offered.pk)))
    assert "2 topic numbers could be matched by numerals: T01 as 1, T02 as 2." in page
    organiser.post(task.url("pool_import_discard", import_id=offered.pk))
    asked = send(task, organiser, "T01 a\nT02 c\n", django_capture_on_commit_callbacks, match_topics="on")
    confirm(asked, organiser, django_capture_on_commit_callbacks)
    assert pool_text(Pool.objects.get()) == b"1 a\n2 c\n"


@pytest.mark.django_db(transaction=True)
def test_the_command_matches_topic_numbers_when_asked(cast: Cast, task: Task, tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text("T01 a\nT02 c\n")
    asked = [f"{task.campaign.slug}/{task.slug}", str(path), "--as", cast.organiser.username]
    with pytest.raises(CommandError, match="nothing was imported"):
        call_command("import_pool", *asked)
    call_command("import_pool", *asked, "--match-topics")
    assert pool_text(Pool.objects.get()) == b"1 a\n2 c\n"
