"""Makers of what scoring needs: qrels of a task, runs that passed their check."""

import json
import re
from dataclasses import replace
from html import unescape
from io import BytesIO
from typing import Any

import polars as pl
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.test import Client

from campaign.formats.qrels.table import QRELS_SCHEMA, write_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import run_table_to_parquet
from campaign.models import Run, Task, Team, User
from campaign.storage import store
from evaluation.boards.board import Board
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.models import Evaluation
from evaluation.selectors.board_views import working_view
from evaluation.services.working_boards import working_board_compute
from judging.models import Qrels
from judging.qrels.selectors.manifests import make_manifest
from pooling.core.duplicates.standing import twins_file
from pooling.models import Pool
from tests.factories import make_received_run, run_lines

Grades = dict[str, dict[str, int]]
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


def make_qrels(
    task: Task,
    grades: Grades,
    releaser: User,
    *,
    subtopic_grades: dict[str, Grades] | None = None,
    strata: Grades | None = None,
    twins: list[tuple[str, str, str]] | None = None,
    set_name: str = "",
    source: str = Qrels.JUDGED,
    pool: Pool | None = None,
) -> Qrels:
    """Qrels as `{topic: {docno: grade}}`; subtopics as `{topic: {subtopic: {docno: grade}}}`.

    `strata`: `{topic: {docno: stratum}}` of all documents of a sample; those without a grade were not drawn.
    `twins`: topic, docno and the near-identical docno whose grade it takes.
    """
    rows = [(topic, "0", docno, grade) for topic, judged in grades.items() for docno, grade in judged.items()]
    stored = store(ContentFile(write_qrels(_table(rows))), folder="qrels")
    subtopic_rows = [
        (topic, subtopic, docno, grade)
        for topic, subtopics in (subtopic_grades or {}).items()
        for subtopic, judged in subtopics.items()
        for docno, grade in judged.items()
    ]
    subtopic_file = store(ContentFile(write_qrels(_table(subtopic_rows))), folder="qrels").name if subtopic_rows else ""
    sample: dict[str, str] = {}
    if strata:
        held = [
            (t, "0", docno, grades[t].get(docno, -1), number)
            for t, of in strata.items()
            for docno, number in of.items()
        ]
        by_strata = pl.DataFrame(held, schema={**QRELS_SCHEMA, "stratum": pl.Int32}, orient="row")
        file = store(ContentFile(write_qrels(by_strata)), folder="qrels")
        sample = {"sampled_by": Qrels.STRATUM, "sample_file": file.name, "sample_sha256": file.sha256}
    named: dict[str, str] = {}
    if twins:
        table = pl.DataFrame(twins, schema=["topic", "docno", "representative"], orient="row")
        classes = store(ContentFile(twins_file(table)), folder="qrels")
        named = {"twins_file": classes.name, "twins_sha256": classes.sha256}
    qrels = Qrels(
        set_name=set_name,
        **sample,
        **named,
        task=task,
        pool=pool,
        version=task.qrels.count() + 1,
        source=source,
        file=stored.name,
        subtopic_file=subtopic_file,
        sha256=stored.sha256,
        topics=sorted(grades, key=str.encode),
        judgment_count=len(rows),
        relevant_count=sum(grade > 0 for *_, grade in rows),
        released_by=releaser,
    )
    last = {"number": 10**6, "uuid": "made for a test"}
    manifest = store(ContentFile(make_manifest(qrels, _table(rows), {"last_judgment": last})), folder="qrels")
    qrels.manifest_file, qrels.manifest_sha256 = manifest.name, manifest.sha256
    qrels.save()
    return qrels


def make_valid_run(task: Task, team: Team, tag: str, ranking: dict[str, list[str]]) -> Run:
    content = run_lines(ranking, tag)
    table = check_run(BytesIO(content), RunRules()).table
    assert table is not None
    stored = store(ContentFile(run_table_to_parquet(table)), folder="tables")
    return make_received_run(task, team, tag, content, state=Run.VALID, table=stored.name)


def column(task: Task, measure: str) -> dict[str, float]:
    """The working board as it is when all that waits is done: run tag to mean."""
    working_board_compute(task=task)
    seen = working_view(AnonymousUser(), task)
    means = seen.board.column(measure).mean.tolist() if seen else []
    return dict(zip([run.tag for run in seen.board.runs], means, strict=True)) if seen else {}


def rewrite_evaluation(evaluation: Evaluation, **values: Any) -> None:
    """Put another evaluation with these values in the place of one; its moment is that of now."""
    Evaluation.objects.filter(pk=evaluation.pk).delete()
    kept = {field.attname: getattr(evaluation, field.attname) for field in Evaluation._meta.concrete_fields}
    Evaluation.objects.create(**{**kept, **values})


def _table(rows: list[tuple[str, str, str, int]]) -> pl.DataFrame:
    schema = {"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def confirm_publication(client: Client, url: str, sent: dict[str, Any], **more: str) -> Any:
    """Press the two buttons of publishing: the choices `sent`, then the confirmation with `more`; the answer to the second."""
    asked = client.post(url, sent)
    return client.post(url, confirmation_of(asked, sent, **more))


def confirmation_of(asked: Any, sent: dict[str, Any], **more: str) -> dict[str, Any]:
    """What the confirmation that was answered sends when its button is pressed."""
    page = asked.content.decode()
    hidden = {name: unescape(value) for name, value in HIDDEN.findall(page) if name != "csrfmiddlewaretoken"}
    assert hidden.keys() >= sent.keys() - {"confirmed"}, "what was chosen is sent again"
    return {**hidden, "confirmed": "1", **more}


def as_version_7_stored_it(board: Board) -> tuple[Board, dict[str, Any]]:
    """It ranked, tested and compared by every measure alike, and cut no interval."""
    of_ap = board.column("AP")
    ranks = {name: getattr(of_ap, name) for name in ("rank_first", "rank_last", "rank_best", "rank_worst", "letters")}
    tests = {name: getattr(of_ap, name) for name in ("difference", "p", "p_corrected", "direction")}
    columns = tuple(replace(column, **ranks, **tests) for column in board.columns)
    stored = json.loads(json.dumps(replace(board, columns=columns, version=7).to_json()))
    said = said_of_tests(board.choice) | {"interval": "t interval of the expected mean over topics"}
    return Board.from_json(stored), said
