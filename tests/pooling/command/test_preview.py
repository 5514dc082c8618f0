"""`python -m pooling preview` prints the figures that the site shows, in three forms."""

import csv
import io
import json
from pathlib import Path

import pytest

from pooling.core.preview.pool_figures import pool_figures
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.command.makers import NORTH, SOUTH, run_here, write_runs
from tests.pooling.makers import make_pooled_run


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_runs(tmp_path)
    (tmp_path / "earlier").write_text("10 a\n2 x 1 0.5\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def preview(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    done = run_here(capfd, "preview", "--set", "depth=2", "--seconds", "36", *words, "north.txt", "south.txt")
    assert (done.status, done.err) == (0, "")
    return done.out


def test_the_figures_are_those_of_the_pure_function(capfd: pytest.CaptureFixture[str]) -> None:
    runs = [
        make_pooled_run(
            {topic: {docno: -float(place) for place, docno in enumerate(docnos)} for topic, docnos in held.items()},
            tag,
            tag,
        )
        for tag, held in (("north", NORTH), ("south", SOUTH))
    ]
    spec = PoolSpec.with_defaults("depth-k", {"depth": 2}, reference="9")
    expected = pool_figures(runs, ["10", "2"], spec, seconds=36)
    assert json.loads(preview(capfd, "--format", "json")) == json.loads(json.dumps(expected.to_json()))


def test_what_an_earlier_pool_holds_costs_nothing_more(capfd: pytest.CaptureFixture[str]) -> None:
    figures = json.loads(preview(capfd, "--format", "json", "--known", "earlier"))
    assert (figures["total"], figures["new"], figures["hours"]) == (7, 5, 0.05)
    assert "documents to judge      5\n" in preview(capfd, "--known", "earlier")


def test_of_what_an_earlier_pool_holds_only_what_the_qrels_judge_costs_nothing_more(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "qrels").write_text("10 0 a 1\n")
    asked = ("--known", "earlier", "--judged", "qrels")
    figures = json.loads(preview(capfd, "--format", "json", *asked))
    assert (figures["new"], figures["judged"], figures["unjudged"], figures["unjudged_before"]) == (5, 1, 6, 1)
    assert "\npool,,unjudged_before,1\n" in preview(capfd, "--format", "csv", *asked)
    text = preview(capfd, *asked)
    assert "documents to judge      6\n" in text
    assert "not judged yet        1 of the 2 in an earlier pool\n" in text


def test_the_table_has_a_line_for_each_figure(capfd: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(preview(capfd, "--format", "csv"))))
    values = {(row["part"], row["name"], row["figure"]): row["value"] for row in rows}
    assert values["pool", "", "total"] == "7"
    assert values["topic", "10", "documents"] == "4"
    assert values["run", "north", "contributed"] == "4"
    assert values["overlap", "north", "south"] == "0.25"


def test_strata_that_are_given_out_of_order_are_shown_as_they_were_read(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("--strategy", "stratified", "--set", "rates=3:1 1:.5", "north.txt", "south.txt")
    shown = run_here(capfd, "preview", *words).out
    assert shown.startswith("stratified sample, rates = 1:0.5 3:1\n")
    assert "50 % of those from 1 to 1, all of those from 2 to 3." in shown


def test_a_file_that_is_no_pool_is_refused(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (files / "wrong").write_text("10 a\n10\n")
    done = run_here(capfd, "preview", "--known", "wrong", "north.txt")
    assert (done.status, done.err) == (1, "wrong:2: This is no line of a pool. Write topic and docno.\n")


def test_a_team_that_is_a_formula_is_a_text_in_the_table(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (files / "teams.csv").write_text("run,team,priority\nnorth,=1+1,2\nsouth,two,1\n")
    table = preview(capfd, "--format", "csv", "--teams", "teams.csv")
    assert "'=1+1" in table
    assert ",=1+1" not in table
