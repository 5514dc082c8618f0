"""Boards that were published before there were columns stay readable, with the files that they had."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile

from campaign.models import Task
from campaign.storage import store
from evaluation.boards.snapshot import Values, digest, with_values
from evaluation.models import Leaderboard
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.closer.makers import make_scored_task, page, status
from tests.factories import Cast

VALUES: Values = {"good": {"AP": [1.0, 1.0, 0.5]}, "poor": {"AP": [0.5, 0.5, 1.0]}}
TESTS = {
    "test": "paired t-test, two-sided",
    "correction": "Holm",
    "family": "all pairs of runs by one measure",
    "level": 0.95,
    "interval": "t interval of the expected mean over topics",
    "mean": "over all topics of the qrels; a topic without an answer gets the measure's worst value",
    "topics": 3,
}
FILES = [
    *("leaderboard_compare_file", "leaderboard_topics_file", "leaderboard_pairs_file", "leaderboard_heat_file"),
    *("leaderboard_measures_file",),
]


def earlier_row(tag: str, team: str, mean: float, *, same: bool) -> dict[str, Any]:
    cell = {"mean": mean, "low": mean - 0.2, "high": mean + 0.2, "difference": mean - 5 / 6, "p": 0.4, "p_holm": 0.4}
    return {
        "tag": tag,
        "team": team,
        "kind": "automatic",
        "topics_answered": 3,
        "cells": {
            "AP": {**cell, "not_shown_to_differ": same, "lower_is_better": False, "summary": "mean", "topics": None}
        },
    }


@pytest.fixture
def earlier(cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    rows = [earlier_row("good", "North", 5 / 6, same=True), earlier_row("poor", "South", 2 / 3, same=False)]
    qrels = cast.task.qrels.get()
    data: dict[str, Any] = {
        "leaderboard": 1,
        "measures": ["AP"],
        "note": "",
        "qrels": qrels.checksums,
        "runs": with_values(rows, VALUES),
        "tests": TESTS,
        "topics": qrels.topics,
    }
    stored = store(ContentFile(json.dumps(VALUES).encode()), folder="leaderboards", suffix=".json")
    facts = {
        "rows": rows,
        "tests": TESTS,
        "values": stored.name,
        "sha256": digest(data),
        "published_by": cast.organiser,
    }
    Leaderboard.objects.create(task=cast.task, number=1, qrels=qrels, measures=["AP"], **facts)
    qrels.__class__.objects.filter(pk=qrels.pk).update(published_at="2026-01-01T00:00:00Z")
    return cast


@pytest.mark.django_db
def test_its_page_and_its_files_are_as_they_were(earlier: Cast) -> None:
    shown = page(None, earlier.task.url("leaderboard_detail", number=1))
    assert "paired t-test against the best run, Holm-corrected" in shown
    assert "True rank" not in shown.split("<table")[1]
    data = json.loads(page(None, earlier.task.url("leaderboard_json", number=1)))
    assert digest(data) == data["sha256"]
    assert data["runs"][0]["cells"]["AP"]["p_holm"] == 0.4
    url = earlier.task.url("leaderboard_csv", number=1)
    from django.test import Client

    [first, second] = csv.DictReader(io.StringIO(Client().get(url).content.decode()))
    assert (first["run"], first["AP:p_holm"], second["run"]) == ("good", "0.4", "poor")
    part = json.loads(page(None, earlier.task.url("leaderboard_json", number=1), measure="AP", values="0"))
    assert [run["cells"]["AP"]["rank_best"] for run in part["runs"]] == [None, None]
    assert page(None, earlier.task.url("leaderboard_picture", number=1, measure="AP")).startswith("<svg")


@pytest.mark.django_db
def test_every_page_that_looks_closer_can_be_opened(earlier: Cast) -> None:
    at = {"number": 1}
    for name in ("compare", "topics", "pairs", "heat", "measures", "efficiency", "changes", "tables"):
        assert status(None, earlier.task.url(f"leaderboard_{name}", **at)) == 200, name
    assert status(None, earlier.task.url("leaderboard_run", tag="good", **at)) == 200
    assert status(None, earlier.task.url("leaderboard_topic", topic="1", **at)) == 200
    assert status(None, earlier.task.url("leaderboard_compare_topic", topic="1", **at)) == 200
    for name in FILES:
        for file_format in ("csv", "json", "svg"):
            assert status(None, earlier.task.url(name, file_format=file_format, **at)) == 200, (name, file_format)
    shown = page(None, earlier.task.url("leaderboard_compare", **at))
    assert "On the board" not in shown, "no p of this pair was kept"


@pytest.mark.django_db
def test_it_says_that_it_holds_no_curves(earlier: Cast) -> None:
    shown = page(None, earlier.task.url("leaderboard_curves", number=1))
    assert "It was published before curves were kept with the scores." in shown
    assert "Score the runs again" not in shown
    assert "holds no curves of recall and precision" in page(
        None, earlier.task.url("leaderboard_run", tag="good", number=1)
    )
    for name, at in (("curves_file", {}), ("run_curve_file", {"tag": "good"})):
        assert status(None, earlier.task.url(f"leaderboard_{name}", number=1, file_format="csv", **at)) == 404, name


@pytest.mark.django_db
def test_the_next_board_tells_what_changed_from_it(earlier: Cast) -> None:
    leaderboard_publish(actor=earlier.organiser, task=Task.objects.get(pk=earlier.task.pk))
    shown = page(None, earlier.task.url("leaderboard_changes", number=2))
    assert "1 run is new: lame." in shown
    assert "1 measure is new: RR." in shown
    assert "Test changed from paired t-test to randomised Tukey HSD." in shown
