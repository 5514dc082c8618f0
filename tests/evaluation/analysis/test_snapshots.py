"""What is taken from a board into papers, and what changed since the board before."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from campaign.models import Campaign, User
from campaign.runs.services.submission import run_withdraw
from evaluation.analysis.snapshots.exports import history_csv
from evaluation.analysis.snapshots.history import rank_history
from evaluation.analysis.snapshots.picture import history_picture
from evaluation.boards.board import RunFacts
from evaluation.boards.changes import board_changes, changed_runs
from evaluation.boards.choice import Choice
from evaluation.boards.citation import Cited, bibtex
from evaluation.boards.computing import compute_board
from evaluation.boards.latex import participants_table, results_table
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.makers import make_qrels
from tests.factories import Cast

EVIL = r"\input{/etc/passwd} & } % $x_1^2$ #1 ~"
TABLE = re.compile(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", re.DOTALL)


def board_of(values: dict[str, list[float]], choice: Choice | None = None):
    facts = [RunFacts(tag, f"team of {tag}", "automatic", 3) for tag in values]
    matrix = np.array([[row] for row in values.values()])
    return compute_board(facts, ["AP"], ["1", "2", "3"], matrix, choice or Choice("t", "holm")).board


def test_new_gone_and_moved_runs_are_told_with_their_ranks() -> None:
    before = board_of({"a": [0.1, 0.2, 0.3], "b": [0.5, 0.5, 0.6], "c": [0.0, 0.0, 0.1]})
    after = board_of({"a": [0.8, 0.9, 0.7], "b": [0.5, 0.5, 0.6], "d": [0.0, 0.0, 0.0]}, Choice())
    found = {
        row.tag: (row.state, row.rank_before, row.rank) for row in changed_runs(before, after, "AP", same_qrels=True)
    }
    assert found == {"a": ("moved", "2", "1"), "b": ("moved", "1", "2"), "d": ("new", "", "3"), "c": ("gone", "3", "")}
    said = board_changes(before, after, same_qrels=False)
    assert said[0].startswith("The qrels are others")
    assert said[1:3] == ["1 run is new: d.", "1 run is gone: c."]
    assert said[3] == "Test changed from paired t-test to step-down max-T test."
    assert board_changes(after, after, same_qrels=True) == []


def test_means_over_other_topics_are_not_compared() -> None:
    facts = [RunFacts(tag, "team", "automatic", 3) for tag in ("a", "b")]
    boards = [
        compute_board(facts, ["AP"], list(topics), np.array([[[0.5] * 3], [[0.1, 0.2, last]]]), Choice()).board
        for topics, last in (("123", 0.3), ("124", 0.3))
    ]
    rows = changed_runs(*boards, "AP", same_qrels=True)
    assert {(row.state, row.value_before) for row in rows} == {("on both", None)}
    [said] = board_changes(*boards, same_qrels=True)
    assert said.startswith(
        "Topics: 3, 1 of them new, before 3. The means of a run on both boards are over different topics"
    )


def test_no_text_of_users_can_be_a_command_of_tex_or_end_a_field() -> None:
    entry = bibtex(Cited("key-1", EVIL, EVIL, date(2026, 1, 2), "https://example.org/", "ab"))
    assert "\\input" not in entry
    depths = np.cumsum([(character == "{") - (character == "}") for character in entry])
    assert depths.min() >= 0, "BibTeX counts braces, also those behind a backslash"
    assert depths[-1] == 0
    fields = [line for line in entry.splitlines() if " = " in line]
    assert len(fields) == 6
    board = board_of({EVIL: [0.1, 0.2, 0.3], "b": [0.5, 0.5, 0.6]})
    for text in (results_table(board), participants_table(board)):
        assert "\\input" not in text
        assert_tables(text)


def assert_tables(text: str) -> None:
    """Every table is complete, and each of its rows has as many cells as it has columns."""
    tables = TABLE.findall(text)
    assert tables
    for columns, body in tables:
        rows = [row for row in body.split("\\\\\n") if "&" in row.replace("\\&", "")]
        assert rows
        assert {row.replace("\\&", "").count("&") + 1 for row in rows} == {len(columns)}


def test_the_tables_compile(tmp_path: Path) -> None:
    """With a TeX; without one the structure above is what is held."""
    board = board_of({EVIL: [0.1, 0.2, 0.3], "b": [0.5, 0.5, 0.6]}, Choice("t", "holm", "baseline", "b"))
    text = results_table(board) + participants_table(board)
    assert_tables(text)
    if shutil.which("pdflatex") is None:
        return
    head = "\\documentclass{article}\\usepackage{booktabs,amssymb}\\begin{document}\n"
    (tmp_path / "draft.tex").write_text(f"{head}{text}\\end{{document}}\n")
    done = subprocess.run(["pdflatex", "-halt-on-error", "draft.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.django_db
def test_a_published_board_tells_what_changed_how_to_cite_it_and_its_tables(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    Campaign.objects.filter(pk=cast.campaign.pk).update(title="50 % & more")
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    assert "There is no leaderboard before this one" in page(None, cast.task.url("leaderboard_changes", number=1))
    with django_capture_on_commit_callbacks(execute=True):
        run_withdraw(actor=cast.organiser, run=cast.task.runs.get(tag="lame"))
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    shown = page(None, cast.task.url("leaderboard_changes", number=2))
    assert "1 run is gone: lame." in shown
    assert "2 runs have the same rank and AP." in shown
    data = json.loads(page(None, cast.task.url("leaderboard_changes_file", number=2, file_format="json")))
    assert (data["before"], data["after"], data["same_qrels"]) == (1, 2, True)
    assert {run["run"]: run["state"] for run in data["runs"]} == {"good": "same", "poor": "same", "lame": "gone"}
    assert r"50 \% \& more" in page(None, cast.task.url("leaderboard_citation", number=2, file_format="bib"))
    assert status(None, cast.task.url("leaderboard_citation", number=2, file_format="exe")) == 404
    assert "Judgments & 7" in page(None, cast.task.url("leaderboard_tables", number=2))
    assert status(cast.member, cast.task.url("scores_tables")) == 403


@pytest.mark.django_db
def test_scores_under_other_qrels_are_never_shown_as_a_gain(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    from evaluation.services.scoring import scores_request

    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    make_qrels(cast.task, {"1": {"b": 1, "a": 0}, "2": {"x": 1}}, cast.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    shown = page(None, cast.task.url("leaderboard_changes", number=2))
    assert "The qrels are others" in shown
    assert "AP before" not in shown
    data = json.loads(page(None, cast.task.url("leaderboard_changes_file", number=2, file_format="json")))
    assert {run["value_before"] for run in data["runs"]} == {None}
    assert {run["state"] for run in data["runs"]} == {"on both"}
    assert "the same rank" not in shown


def test_ranks_are_told_board_by_board_the_newest_and_best_first() -> None:
    first = board_of({"a": [0.1, 0.2, 0.3], "b": [0.5, 0.5, 0.6], "c": [0.0, 0.0, 0.1]})
    second = board_of({"b": [0.5, 0.5, 0.6], "d": [0.5, 0.5, 0.6], "a": [0.8, 0.9, 0.7]})
    found = rank_history([(1, first), (3, second)], "AP")
    assert found.numbers == (1, 3)
    assert list(found.ranks.items()) == [("a", (2, 1)), ("b", (1, 2)), ("d", (None, 2)), ("c", (3, None))]
    assert history_csv(found).splitlines() == ["run,leaderboard_1,leaderboard_3", "a,2,1", "b,1,2", "d,,2", "c,3,"]


@pytest.mark.parametrize("runs", [0, 1, 3, 300])
def test_the_picture_of_ranks_holds_hostile_names_and_any_number_of_runs(runs: int) -> None:
    values = {f"<b>{number}$x_1^2$&": [number / 400] * 3 for number in range(runs)}
    boards = [(1, board_of(values)), (2, board_of(dict(reversed(values.items()))))] if runs else []
    for theme in ("light", "dark"):
        shown = history_picture(rank_history(boards, "AP"), theme=theme).decode()
        assert "<b>" not in shown
        assert ("20 of 300 runs: first those of the newest leaderboard" in shown) == (runs == 300)
    assert shown.count("&lt;b&gt;") >= min(runs, 20)


def ranks_told(user: User | None, cast: Cast, number: int) -> str:
    return page(user, cast.task.url("leaderboard_history_file", number=number, file_format="csv"))


@pytest.mark.django_db
def test_ranks_are_joined_only_over_boards_of_one_audience_that_the_reader_may_see_as_a_whole(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    for place, audience in enumerate(("participants", "anonymous", "anonymous", "public", "public")):
        leaderboard_publish(actor=cast.organiser, task=cast.task, audience=audience, terms=Terms(f"Board {place}."))
    assert status(cast.member, cast.task.url("leaderboard_history_file", number=1, file_format="svg")) == 404
    for reader, number, told in (
        (None, 3, "run,leaderboard_2,leaderboard_3"),
        (cast.organiser, 3, "run,leaderboard_2,leaderboard_3"),
        (None, 4, "run,leaderboard_4"),
        (cast.member, 5, "run,leaderboard_4,leaderboard_5"),
        (cast.organiser, 5, "run,leaderboard_1,leaderboard_4,leaderboard_5"),
    ):
        assert ranks_told(reader, cast, number).split(" ")[0] == told
    for name in ("good", "poor", "lame"):
        assert name not in ranks_told(cast.organiser, cast, 3)
    svg = "leaderboard_history_file"
    for reader in (cast.organiser, None):
        shown = page(reader, cast.task.url("leaderboard_changes", number=5))
        assert "changes/history.svg?measure=AP" in shown
        picture = page(reader, cast.task.url(svg, number=5, file_format="svg"))
        assert ("good: 1, 1, 1" in picture) == (reader is not None), "what one reader sees is not kept for another"
    assert "history.svg" not in page(None, cast.task.url("leaderboard_changes", number=4))
    assert status(None, cast.task.url(svg, number=5, file_format="exe")) == 404


@pytest.mark.django_db
def test_a_picture_of_ranks_that_was_drawn_reads_no_further_board(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    for note in ("One.", "Two."):
        leaderboard_publish(actor=cast.organiser, task=cast.task, audience="public", terms=Terms(note))
    url = cast.task.url("leaderboard_history_file", number=2, file_format="svg")
    drawn = page(None, url)
    monkeypatch.setattr("evaluation.analysis.snapshots.views.board_of_leaderboard", None)
    assert page(None, url) == drawn


@pytest.mark.django_db
def test_no_ranks_over_boards_are_told_by_a_measure_that_has_none_and_the_answer_says_why(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks, ("AP", "Judged@10"))
    for note in ("One.", "Two."):
        leaderboard_publish(actor=cast.organiser, task=cast.task, audience="public", terms=Terms(note))
    why = "There are no ranks by Judged@10: it does not tell how good a run is."
    for file_format in ("csv", "svg", "pdf"):
        url = cast.task.url("leaderboard_history_file", number=2, file_format=file_format)
        answer = Client().get(url, {"measure": "Judged@10"})
        assert (answer.status_code, answer.content.decode()) == (404, f"{why}\n")
        assert status(None, url, measure="AP") == 200
    by_judged = page(None, cast.task.url("leaderboard_changes", number=2), measure="Judged@10")
    assert why in by_judged
    assert "history.svg" not in by_judged
    assert "3 runs have the same Judged@10." in by_judged
    by_ap = page(None, cast.task.url("leaderboard_changes", number=2))
    assert "history.svg" in by_ap
    assert "no ranks" not in by_ap
