"""What a reader sees of a board: chosen runs and columns, in an order, with marks."""

from dataclasses import replace

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import compute_board
from evaluation.boards.snapshot import cells_of
from evaluation.boards.table import RUNS_ON_A_PAGE, BoardTable
from evaluation.boards.tests_in_words import OF_MEANS, said_of_tests
from evaluation.engine.significance.standing import TOO_MANY_GROUPS
from runpool.templatetags.runpool import p_value
from tests.evaluation.makers import as_version_7_stored_it

MEASURES = ["AP", "nDCG@10"]
CHOICE = Choice("t", "holm", baseline="run1", named_before_scores=True)


def make_board(n_runs: int = 5, n_topics: int = 20, measures: list[str] = MEASURES, choice: Choice = CHOICE) -> Board:
    random = np.random.default_rng(7)
    values = random.random((n_runs, len(measures), n_topics)) * np.linspace(0.2, 1, n_runs)[:, None, None]
    facts = [
        RunFacts(f"run{run}", f"team{run % 2}", "manual" if run == 3 else "automatic", n_topics, 0.25, {"GPU?": "yes"})
        for run in range(n_runs)
    ]
    best = values.mean(axis=2) + 0.1
    return compute_board(facts, measures, [str(topic) for topic in range(n_topics)], values, choice, best).board


def table_of(board: Board, shown: list[str] | None = None, page: int = 1, **query: str) -> BoardTable:
    return BoardTable.of(board, query, said_of_tests(board.choice), shown or [], page)


def test_the_table_follows_the_address_and_falls_back_on_the_first_measure() -> None:
    board = make_board()
    table = table_of(board, measure="nonsense", sort="drop table")
    assert (table.measure, table.sort) == ("AP", "-AP")
    assert [line.tag for line in table.rows] == ["run4", "run3", "run2", "run1", "run0"]
    assert table_of(board, sort="AP").rows[0].tag == "run0"
    by_team = table_of(board, measure="nDCG@10", sort="tag", team="team1")
    assert ([line.tag for line in by_team.rows], by_team.measure) == (["run1", "run3"], "nDCG@10")


@pytest.mark.parametrize(
    ("query", "tags"),
    [
        ({"kind": "manual"}, ["run3"]),
        ({"best": "1"}, ["run4", "run3"]),
        ({"team": "team1", "best": "1"}, ["run3"]),
        ({"answer-1": "yes"}, ["run4", "run3", "run2", "run1", "run0"]),
        ({"answer-1": "no"}, []),
        ({"team": "nobody"}, []),
    ],
)
def test_filters_keep_the_runs_that_are_asked_for_and_their_ranks_among_all(query: dict, tags: list[str]) -> None:
    table = BoardTable.of(make_board(), query, OF_MEANS)
    assert [line.tag for line in table.rows] == tags
    assert table.filters.narrow
    assert [line.rank for line in table.rows if line.tag == "run3"] in (["2"], [])


def test_a_board_says_between_which_shares_its_first_documents_are_judged_where_that_is_little() -> None:
    board = make_board()
    assert table_of(board, team="team1").little_judged == "75.0 %"
    facts = [replace(run, unjudged=share) for run, share in zip(board.runs, (0.5, 0.0, None, 0.1, 0.2), strict=True)]
    assert table_of(replace(board, runs=facts), team="team1").little_judged == "50.0 % to 100.0 %", "of all its runs"
    well = [replace(run, unjudged=0.2) for run in facts]
    assert table_of(replace(board, runs=well)).little_judged == ""
    unknown = table_of(replace(board, runs=[replace(run, unjudged=None) for run in facts]))
    assert (unknown.judged, unknown.little_judged) == (None, "")


def test_a_wide_board_shows_five_measures_or_those_that_are_named() -> None:
    measures = [f"P@{depth}" for depth in range(5, 15)]
    board = make_board(measures=measures)
    assert table_of(board).shown == measures[:5]
    chosen = table_of(board, ["P@12", "P@6", "unknown"], measure="P@14")
    assert chosen.shown == ["P@6", "P@12", "P@14"]
    assert [name for name, _ in chosen.other_measures] == ["P@6", "P@12"]


def test_long_boards_come_in_pages() -> None:
    board = make_board(RUNS_ON_A_PAGE + 3)
    assert [len(table_of(board, page=page).rows) for page in (1, 2)] == [RUNS_ON_A_PAGE, 3]
    assert len(table_of(board, page=2).runs) == RUNS_ON_A_PAGE + 3
    for beyond in (0, 3, 10**30):
        assert [line.tag for line in table_of(board, page=beyond).rows] == [
            line.tag for line in table_of(board, page=2).rows
        ]


def test_interval_marks_stay_within_the_column() -> None:
    for line in table_of(make_board()).rows:
        assert line.interval is not None
        assert 0 <= line.interval.low <= line.interval.mid <= line.interval.high <= 100


def test_the_best_of_a_column_is_marked_also_where_less_is_better() -> None:
    table = table_of(make_board(measures=["FDR"]))
    assert [line.tag for line in table.rows if line.main.is_best] == ["run0"]
    assert table.rows[0].tag == "run0"


def test_runs_are_better_worse_or_not_shown_to_differ_from_the_baseline() -> None:
    found = {line.tag: line.to_baseline for line in table_of(make_board(n_topics=60)).rows}
    assert found["run1"] == "baseline"
    assert (found["run4"], found["run0"]) == ("better", "worse")
    worse_is_more = {line.tag: line.to_baseline for line in table_of(make_board(n_topics=60, measures=["FDR"])).rows}
    assert (worse_is_more["run4"], worse_is_more["run0"]) == ("worse", "better")


def test_a_value_that_unjudged_documents_could_change_is_shown_beside_it() -> None:
    [line] = [line for line in table_of(make_board()).rows if line.tag == "run4"]
    assert float(line.unjudged) == pytest.approx(float(line.main.written) + 0.1, abs=1e-4)
    assert line.judged == "75.0 %"


def test_tests_that_do_not_hold_for_all_pairs_together_show_no_true_ranks_and_no_letters() -> None:
    table = table_of(make_board(choice=Choice("t", "bh")))
    assert (table.has_true_ranks, table.tells_better_than) == (False, False)
    assert {(line.true_rank, line.better_than) for line in table.rows} == {("", "")}
    assert table_of(make_board()).tells_better_than


def test_rows_say_by_rank_which_runs_they_are_shown_to_be_better_than_whatever_is_filtered() -> None:
    table = table_of(make_board(n_topics=60))
    assert table.rows[0].better_than == "ranks 3–5"
    assert table.rows[-1].better_than == "none"
    assert [line.is_beaten for line in table.rows] == [False, False, True, True, True]
    assert [line.better_than for line in table_of(make_board(n_topics=60), kind="manual").rows] == ["ranks 3–5"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0502, ".0502"), (0.0498, ".0498"), (0.050004, ".050004"), (0.05, ".050"), (0.0512, ".051"), (0.9998, "1.000")],
)
def test_a_p_value_near_the_level_is_written_so_that_its_side_is_seen(p: float, shown: str) -> None:
    assert p_value(p) == shown


def test_a_measure_that_does_not_tell_how_good_a_run_is_shows_no_rank_no_letter_and_no_best_number() -> None:
    board = make_board(measures=["AP", "Judged@10"], choice=Choice("t", "holm", baseline="run1"))
    table = table_of(board, measure="Judged@10")
    assert [line.tag for line in table.rows] == [f"run{place}" for place in np.argsort(-board.column("Judged@10").mean)]
    assert {
        (line.rank, line.true_rank, line.better_than, line.to_baseline, line.main.is_best) for line in table.rows
    } == {("", "", "", "", False)}
    shown = (table.has_true_ranks, table.tells_better_than, table.has_baseline, table.is_of_quality, table.leader)
    assert shown == (False, False, False, False, "")
    by_ap = table_of(board)
    assert [line.others[0].is_best for line in by_ap.rows] == [False] * 5
    assert [line.main.is_best for line in by_ap.rows] == [True, False, False, False, False]
    assert by_ap.tells_better_than


@pytest.mark.parametrize(("notes", "why"), [((TOO_MANY_GROUPS,), "200 groups of runs"), ((), "400 runs")])
def test_a_board_with_rank_ranges_and_without_letters_says_why_rows_only_count(
    notes: tuple[str, ...], why: str
) -> None:
    board = make_board(measures=["AP"])
    assert not table_of(board).why_only_numbers, "it has letters"
    bare = replace(board, columns=(replace(board.columns[0], letters=("",) * 5, notes=notes),))
    table = table_of(bare)
    assert table.leader
    assert f"Rows say how many, not which: there are more than {why}." in render_to_string(
        "evaluation/_board.html", {"table": table}, RequestFactory().get("/")
    )
    without = replace(bare.columns[0], rank_best=np.zeros(5, int), rank_worst=np.zeros(5, int))
    assert not table_of(replace(bare, columns=(without,))).why_only_numbers, "the tests give neither"


def legend_of(table: BoardTable) -> str:
    return " ".join(render_to_string("evaluation/_board_columns.html", {"table": table}).split())


def test_a_board_that_was_published_with_ranks_by_what_is_judged_shows_none_of_them_but_keeps_them() -> None:
    board, said = as_version_7_stored_it(
        make_board(measures=["AP", "Judged@10"], choice=Choice("t", "holm", baseline="run1"))
    )
    table = BoardTable.of(board, {"measure": "Judged@10"}, said)
    assert {(row.rank, row.true_rank, row.better_than, row.to_baseline, row.p) for row in table.rows} == {
        ("", "", "", "", None)
    }
    assert (table.has_true_ranks, table.tells_better_than, table.has_baseline) == (False, False, False)
    legend = legend_of(table)
    assert "none: Judged@10 does not tell how good a run is" in legend
    for part in ("about-rank-interval", "about-better-than", "about-baseline"):
        assert part not in legend
    assert all(row.true_rank and row.better_than for row in BoardTable.of(board, {}, said).rows)
    assert "Tested at 95 %" not in legend
    ranked = BoardTable.of(board, {}, said)
    assert ranked.leader
    assert "Tested at 95 % for all pairs at once: see <em>Significance tests</em>" in legend_of(ranked), (
        "phones show it here"
    )
    assert {cell["rank_first"] for cell in cells_of(board.column("Judged@10"))} == {1, 2, 3, 4, 5}, (
        "files keep what is stored"
    )
    assert not board.shown_column("Judged@10").may_be_best.any()


def test_the_legend_says_that_intervals_end_where_the_measure_does_only_of_boards_that_cut_them() -> None:
    said = "It ends where the measure does, and loses no coverage by that."
    board, before = as_version_7_stored_it(make_board())
    assert said not in legend_of(BoardTable.of(board, {}, before)), "published by the version before"
    assert said not in legend_of(table_of(board)), "a working board that is not computed anew yet"
    assert said in legend_of(table_of(make_board()))


@pytest.mark.parametrize(
    ("measure", "value", "scale"),
    [("R@100", 1.0, (0.5, 1.0)), ("R@100", 0.0, (0.0, 0.5)), ("AP", 0.75, (0.25, 1.0)), ("DCG@10", 3.0, (2.5, 3.5))],
)
def test_the_scale_of_equal_values_ends_where_the_measure_does(
    measure: str, value: float, scale: tuple[float, float]
) -> None:
    facts = [RunFacts(f"run{run}", "team", "automatic", 3) for run in range(2)]
    board = compute_board(facts, [measure], ["1", "2", "3"], np.full((2, 1, 3), value), CHOICE).board
    assert table_of(board).scale == scale


def test_what_stands_below_a_score_on_a_phone_is_named_and_nothing_else() -> None:
    """By a sum there are rank intervals but no intervals, by a baseline intervals alone."""
    sums, baseline = (
        make_board(measures=["num_rel_ret"]),
        make_board(choice=Choice("t", "holm", "baseline", baseline="run0")),
    )
    for board, said in ((sums, (False, True)), (baseline, (True, False))):
        table = table_of(board)
        assert (table.has_intervals, table.has_true_ranks) == said
        assert table.below_score == ("95 % interval" if said[0] else "95 % tests")
        assert ("An open dot: some run is shown to be better." in legend_of(table)) == all(said)
    assert table_of(make_board()).below_score == "95 % interval, tests"
    assert "An open dot: some run is shown to be better." in legend_of(table_of(make_board()))
