"""The collection in the forms of other tools, read as these tools read them."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from campaign.collection.services.texts_checksum import HASH_TEXTS
from campaign.models import Collection, Job, Task
from judging.models import Judgment, Qrels
from judging.test_collections.exports import module_file_name, module_source
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_cast
from tests.judging.makers import make_assignment
from tests.judging.test_collections.makers import HOSTILE, make_collected_cast

USE = """
import json, sys
import {module}
import ir_datasets, ir_measures
from ir_measures import AP, nDCG
dataset = ir_datasets.load({dataset!r})
docs = list(dataset.docs_iter())
qrels = list(dataset.qrels_iter())
run = [ir_measures.ScoredDoc("401", "d1", 2.0), ir_measures.ScoredDoc("401", "d3", 3.0)]
print(json.dumps({{
    "docs": [tuple(doc) for doc in docs],
    "queries": [tuple(query) for query in dataset.queries_iter()],
    "qrels": [(one.query_id, one.doc_id, one.relevance) for one in qrels],
    "found": dataset.docs_store().get("d1").text,
    "counts": [dataset.docs_count(), dataset.queries_count(), dataset.qrels_count()],
    "labels": dataset.qrels_defs(),
    "AP": ir_measures.calc_aggregate([AP(rel=1)], dataset.qrels_iter(), run)[AP(rel=1)],
}}))
"""


@pytest.fixture
def made(db: None) -> tuple[Cast, Qrels]:
    return make_collected_cast()


def in_python(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "IR_DATASETS_HOME": str(folder / "home"), "HOME": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_ir_datasets_reads_the_collection_by_its_name_and_ir_measures_scores_with_it(
    made: tuple[Cast, Qrels], tmp_path: Path
) -> None:
    cast, qrels = made
    client = signed_in(cast.organiser)
    name = module_file_name(qrels)
    (tmp_path / name).write_bytes(client.get(cast.task.url("irds_download", version=1)).content)
    for page, kwargs in (
        ("document_download", {"file_format": "jsonl"}),
        ("topic_download", {"file_format": "jsonl"}),
        ("qrels_download", {"version": 1}),
    ):
        answer = client.get(cast.task.url(page, **kwargs))
        file_name = answer["Content-Disposition"].partition("filename=")[2].strip('"')
        (tmp_path / file_name).write_bytes(answer.getvalue())
    dataset = f"runpool/{cast.campaign.slug}/{cast.task.slug}"
    used = in_python(tmp_path, USE.format(module=name.removesuffix(".py"), dataset=dataset))
    assert used.returncode == 0, used.stderr
    seen = json.loads(used.stdout)
    assert [tuple(one) for one in seen["docs"]] == [
        ("d1", "title of d1", HOSTILE),
        ('"d2', 'title of "d2', 'text of "d2'),
        ("d3", "title of d3", "text of d3"),
    ]
    topic = cast.task.topics.get(number="401")
    assert seen["queries"][0] == ["401", topic.title, "", topic.narrative, [["1", "aspect 1"], ["2", "aspect 2"]]]
    assert sorted(map(tuple, seen["qrels"])) == [('"402', "d3", 1), ("401", '"d2', 0), ("401", "d1", 2)]
    assert (seen["found"], seen["counts"], seen["labels"]["1"]) == (HOSTILE, [3, 2, 3], '"related"')
    assert seen["AP"] == pytest.approx(0.25)  # d1 at rank 2 of the one topic, and the other topic counts 0

    (tmp_path / f"{cast.campaign.slug}-{cast.task.slug}-topics.jsonl").write_text("{}\n")
    changed = in_python(
        tmp_path,
        f"import {name.removesuffix('.py')} as m, ir_datasets\nlist(ir_datasets.load(m.DATASET).queries_iter())",
    )
    assert "is not the file of which this module knows the SHA-256" in changed.stderr


@pytest.mark.django_db(transaction=True)
def test_the_module_fetches_what_is_missing_and_needs_the_right_to_the_texts(
    live_server: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SITE_URL = live_server.url
    _, qrels = make_collected_cast()
    Qrels.objects.update(published_at=qrels.released_at)
    (tmp_path / "collected.py").write_text(module_source(Qrels.objects.get()))
    use = "import collected, ir_datasets\nd = ir_datasets.load(collected.DATASET)\n"
    used = in_python(tmp_path, f"{use}print(len(list(d.queries_iter())), len(list(d.qrels_iter())))")
    assert used.stdout.split() == ["2", "3"], used.stderr
    refused = in_python(tmp_path, f"{use}list(d.docs_iter())")
    assert "Set RUNPOOL_TOKEN to a token" in refused.stderr
    Task.objects.update(texts_for=Task.EVERYBODY)
    used = in_python(tmp_path, f"{use}print(len(list(d.docs_iter())))")
    assert used.stdout.split() == ["3"], used.stderr


def test_the_module_waits_for_the_checksum_of_the_texts(made: tuple[Cast, Qrels]) -> None:
    cast, _ = made
    Collection.objects.update(documents_version=7)
    answer = signed_in(cast.organiser).get(cast.task.url("irds_download", version=1), follow=True)
    assert answer.redirect_chain == [(cast.task.url("file_list"), 302)]
    assert "is being computed" in answer.content.decode()


def test_a_checksum_that_failed_says_so_and_readers_ask_for_another_after_an_hour_only(
    made: tuple[Cast, Qrels],
) -> None:
    cast, _ = made
    Collection.objects.update(documents_version=7)
    address = cast.task.url("irds_download", version=1)
    organiser = signed_in(cast.organiser)
    organiser.get(address)
    asked = Job.objects.filter(name=HASH_TEXTS)
    asked.update(state=Job.FAILED, finished_at=timezone.now())
    for _ in range(3):
        assert "could not be computed" in organiser.get(address, follow=True).content.decode()
    of_api = f"/api/v1/campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/qrels/1/ir-datasets"
    by_program = ask(of_api, make_token(cast.organiser))
    assert (by_program.status_code, by_program["Retry-After"]) == (503, "3600")
    assert asked.count() == 1
    asked.update(finished_at=timezone.now() - timedelta(hours=2))
    assert "is being computed" in organiser.get(address, follow=True).content.decode()
    assert asked.count() == 2


def test_the_layout_of_beir_is_read_by_the_csv_and_json_modules(made: tuple[Cast, Qrels]) -> None:
    cast, _ = made
    answer = signed_in(cast.organiser).get(cast.task.url("beir_download", version=1))
    opened = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    assert opened.testzip() is None
    folder = f"{cast.campaign.slug}-{cast.task.slug}-beir-v1"
    read = {name.removeprefix(f"{folder}/"): opened.read(name).decode() for name in opened.namelist()}
    corpus = [json.loads(line) for line in read["corpus.jsonl"].splitlines()]
    assert [(one["_id"], one["text"]) for one in corpus] == [
        ("d1", HOSTILE),
        ('"d2', 'text of "d2'),
        ("d3", "text of d3"),
    ]
    queries = [json.loads(line) for line in read["queries.jsonl"].splitlines()]
    assert [one["_id"] for one in queries] == ["401", '"402']
    assert queries[0]["metadata"]["narrative"] == "Relevant:\n\n=1+1"
    rows = list(csv.reader(io.StringIO(read["qrels/test.tsv"]), delimiter="\t", quoting=csv.QUOTE_MINIMAL))
    assert rows[0] == ["query-id", "corpus-id", "score"]
    assert sorted(rows[1:]) == [['"402', "d3", "1"], ["401", '"d2', "0"], ["401", "d1", "2"]]
    assert {"README.txt", "SHA256SUMS"} < set(read)


def test_published_qrels_give_no_texts_to_whom_the_task_does_not(made: tuple[Cast, Qrels]) -> None:
    cast, qrels = made
    Qrels.objects.update(published_at=qrels.released_at)
    address = cast.task.url("beir_download", version=1)
    assert "login" in Client().get(address)["Location"]
    assert signed_in(cast.member).get(address).status_code == 403
    page = Client().get(cast.task.url("file_list")).content.decode()
    assert address not in page
    assert cast.task.url("irds_download", version=1) in page
    assert Client().get(cast.task.url("irds_download", version=1)).status_code == 200


def test_organisers_take_every_act_along_with_notes_times_and_what_was_replaced(db: None) -> None:
    cast = make_cast()
    assignment = make_assignment(cast, ["d1"])
    values = {"assignment": assignment, "topic": assignment.topic, "assessor": cast.assessor, "docno": "d1"}
    moment = assignment.assigned_at
    earlier = Judgment.objects.create(
        **values,
        uuid="00000000-0000-4000-8000-000000000001",
        verdict="graded",
        grade=1,
        note="=1+1",
        judged_at=moment,
        is_current=False,
    )
    Judgment.objects.create(
        **values,
        uuid="00000000-0000-4000-8000-000000000002",
        verdict="graded",
        grade=2,
        judged_at=moment,
        previous=earlier.uuid,
    )
    client = signed_in(cast.organiser)
    lines = client.get(cast.task.url("judgments_jsonl")).getvalue().decode().splitlines()
    acts = [json.loads(line) for line in lines]
    assert [(act["grade"], act["note"], act["counts"], act["pool"]) for act in acts] == [
        (1, "=1+1", False, 1),
        (2, "", True, 1),
    ]
    assert acts[1]["previous"] == str(earlier.uuid)
    rows = list(csv.DictReader(io.StringIO(client.get(cast.task.url("judgments_csv")).getvalue().decode())))
    assert [(row["grade"], row["note"], row["counts"]) for row in rows] == [("1", "'=1+1", "no"), ("2", "", "yes")]


def test_the_module_names_the_topics_that_enter_no_published_mean(made: tuple[Cast, Qrels]) -> None:
    _, qrels = made
    first = "401"
    assert '"topics_not_counted": []' in module_source(qrels)
    qrels.task.topics.filter(number=first).update(removed_at=timezone.now())
    assert f'"topics_not_counted": ["{first}"]' in module_source(Qrels.objects.get())
