"""A forged archive whose numbers its own runs, qrels and judgments contradict: refused in words, or not believed."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from campaign.models import Job, Restoration, Run
from evaluation.models import Evaluation, PreferenceScores
from evaluation.selectors.scores import SCORE_TASK, scoring
from evaluation.services.scoring import task_score
from tests.conftest import MadeOnce
from tests.factories import make_user
from tests.runpool.archive.full_world import make_full_archive
from tests.runpool.archive.makers import files_of, made_elsewhere, restore
from tests.runpool.archive.test_bad_archives import Files, sealed, the
from tests.runpool.archive.test_forged_files import lines

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture(scope="module")
def full(made_once: MadeOnce) -> Iterator[Files]:
    with made_once(lambda: made_elsewhere(make_full_archive)) as content:
        yield files_of(content)


def rows_of(files: Files, ending: str) -> list[Row]:
    return [json.loads(line) for line in files[the(files, ending)].splitlines()]


def changed(files: Files, ending: str, change: Callable[[Row], Any], *, row: int | None = None) -> bytes:
    """The archive with one row of a table changed, or all of them."""
    rows = rows_of(files, ending)
    for place, one in enumerate(rows):
        if row is None or place == row % len(rows):
            change(one)
    return sealed({**files, the(files, ending): lines(rows)})


def all_best(row: Row) -> None:
    """Every value is nearly 1, with the means and whatever else follows from it."""
    size = len(b64decode(row["values"])) // 8
    row["values"] = b64encode(np.full(size, 0.9999).tobytes()).decode()
    if "mean" in row:
        row["mean"] = 0.9999
    else:
        row["means"] = dict.fromkeys(row["means"], 0.9999)


def one_number(name: str, value: Any) -> Callable[[Row], None]:
    return lambda row: row.update({name: value})


def another_engine(row: Row) -> None:
    all_best(row)
    row["engine"] = str(int(Evaluation.ENGINE) + 1)


FORGED_SCORES = {
    "all values": all_best,
    "values by an engine to come": another_engine,
    "a mean alone": lambda row: row["means"].update(dict.fromkeys(row["means"], 0.9999)),
    "a share of unjudged documents": one_number("unjudged_at_10", 0.123),
    "topics that were answered": one_number("topics_answered", 99),
    "numbers if unjudged were best": one_number("unjudged_best", {"AP": 0.9999}),
    "curves": lambda row: row["curves"].update(macro=[0.9999] * 11),
    "missed topics": one_number("missed", ["1"]),
    "other qrels": one_number("qrels_sha256", "0" * 64),
    "another run": one_number("run_sha256", "0" * 64),
}


@pytest.mark.parametrize("forgery", FORGED_SCORES)
def test_scores_that_runs_and_qrels_contradict_are_not_restored_and_computed_anew(full: Files, forgery: str) -> None:
    true_rows = rows_of(full, "scores/evaluations.jsonl")
    restoration = restore(changed(full, "scores/evaluations.jsonl", FORGED_SCORES[forgery]), make_user())
    assert restoration.state == Restoration.DONE
    assert restoration.campaign is not None
    [task] = restoration.campaign.tasks.all()
    assert not Evaluation.objects.filter(run__task=task).exists()
    assert Job.objects.filter(name=SCORE_TASK, task=task).exists()
    task_score(task=task, report=lambda done, total: None)
    assert [b64encode(bytes(e.values)).decode() for e in Evaluation.objects.filter(run__task=task)] == [
        row["values"] for row in true_rows
    ]


def test_scores_by_preferences_that_the_order_contradicts_are_not_restored(full: Files) -> None:
    restoration = restore(changed(full, "scores/preferences.jsonl", all_best), make_user())
    assert restoration.state == Restoration.DONE
    assert not PreferenceScores.objects.filter(run__task__campaign=restoration.campaign).exists()
    assert Job.objects.filter(name="score by preferences").exists()


def test_scores_that_are_those_of_runs_and_qrels_are_restored_with_their_moments(full: Files) -> None:
    restoration = restore(sealed(full), make_user())
    kept = Evaluation.objects.filter(run__task__campaign=restoration.campaign).order_by("pk")
    assert [one.scored_at.isoformat() for one in kept] == [
        row["scored_at"] for row in rows_of(full, "scores/evaluations.jsonl")
    ]
    assert restoration.campaign is not None
    found = scoring(restoration.campaign.tasks.get())
    assert found.scored == found.runs == Run.objects.valid().filter(task__campaign=restoration.campaign).count()
