import numpy as np
import pytest
from scipy import stats

from campaign.templatetags.runpool import p_value
from evaluation.boards.measures_in_words import parameters_in_words
from evaluation.boards.rows import Row, RunFacts, make_rows, ranks, sorted_rows
from evaluation.boards.table import BoardTable

RNG = np.random.default_rng(7)
MEASURES = ["AP", "nDCG@10"]


def make_board(n_runs: int = 5, n_topics: int = 20) -> tuple[list[Row], np.ndarray]:
    values = RNG.random((n_runs, len(MEASURES), n_topics)) * np.linspace(0.4, 1, n_runs)[:, None, None]
    facts = [RunFacts(f"run{index}", f"team{index % 2}", "automatic", n_topics) for index in range(n_runs)]
    return make_rows(facts, MEASURES, values), values


def test_a_cell_holds_the_mean_its_interval_and_the_test_against_the_best() -> None:
    rows, values = make_board()
    means = values[:, 0].mean(axis=1)
    best = int(means.argmax())
    for index, row in enumerate(rows):
        cell = row.cells["AP"]
        low, high = stats.t.interval(0.95, 19, loc=means[index], scale=stats.sem(values[index, 0]))
        assert (cell.mean, cell.low, cell.high) == pytest.approx((means[index], low, high))
        if index != best:
            assert cell.p == pytest.approx(stats.ttest_rel(values[index, 0], values[best, 0]).pvalue)


def test_with_one_topic_there_is_no_interval_and_nothing_infinite_is_stored() -> None:
    rows, _ = make_board(n_topics=1)
    assert {(row.cells["AP"].low, row.cells["AP"].high) for row in rows} == {(None, None)}


def test_a_row_survives_the_way_through_json() -> None:
    rows, _ = make_board()
    assert [Row.from_json(row.to_json()) for row in rows] == rows


def test_no_runs_make_an_empty_board() -> None:
    assert make_rows([], MEASURES, np.array([])) == []


def test_runs_of_equal_means_share_a_rank_and_stand_in_order_of_their_tags() -> None:
    values = np.array([[[0.2, 0.4]], [[0.4, 0.2]], [[0.9, 0.9]]])
    facts = [RunFacts(tag, "team", "automatic", 2) for tag in ("b", "a", "c")]
    rows = make_rows(facts, ["AP"], values)
    assert ranks(rows, "AP") == {"b": "2–3", "a": "2–3", "c": "1"}
    assert [row.tag for row in sorted_rows(rows, "AP")] == ["c", "a", "b"]


def test_means_that_differ_only_by_the_order_of_their_sum_are_equal() -> None:
    values = np.array([[[0.3, 0.2, 0.1]], [[0.1, 0.2, 0.3]], [[0.0, 0.1, 0.2]]])
    assert values[0].sum() != values[1].sum()
    rows = make_rows([RunFacts(tag, "team", "automatic", 3) for tag in ("a", "b", "c")], ["AP"], values)
    assert ranks(rows, "AP") == {"a": "1–2", "b": "1–2", "c": "3"}
    assert [row.tag for row in sorted_rows(rows, "AP")] == ["a", "b", "c"]
    assert [line.is_best for line in BoardTable.of(["AP"], rows, {}).rows] == [True, True, False]
    reference = stats.ttest_rel(values[2, 0], values[0, 0]).pvalue
    assert rows[2].cells["AP"].p == pytest.approx(reference), "the first of equals is the one to test against"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nDCG@10", ["linear gain (the grade itself)"]),
        ("nDCG(gain=exponential)@10", ["exponential gain (2^grade − 1)"]),
        (
            "nDCG(gain=1:0;2:4)@10",
            ["gains of the task's scale: grade 1 gives 0, 2 gives 4; other grades their own value"],
        ),
        ("AP(rel=2)", ["relevant from grade 2"]),
        ("alpha-nDCG@10", ["α = 0.5", "relevant from grade 1"]),
        ("RBP", ["p = 0.8", "relevant from grade 1"]),
        ("Judged@10", []),
        ("a measure of a later version", []),
    ],
)
def test_the_terms_say_what_the_name_leaves_open(name: str, words: list[str]) -> None:
    assert sorted(parameters_in_words(name)) == sorted(words)


def test_the_table_follows_the_address_and_falls_back_on_the_first_measure() -> None:
    rows, _ = make_board()
    table = BoardTable.of(MEASURES, rows, {"measure": "nonsense", "sort": "drop table"})
    assert (table.measure, table.sort) == ("AP", "-AP")
    assert [line.row.tag for line in table.rows] == [row.tag for row in sorted_rows(rows, "AP")]
    by_team = BoardTable.of(MEASURES, rows, {"measure": "nDCG@10", "sort": "tag", "team": "team1"})
    assert [line.row.tag for line in by_team.rows] == ["run1", "run3"]
    assert by_team.measure == "nDCG@10"


def test_interval_marks_stay_within_the_column() -> None:
    rows, _ = make_board()
    for line in BoardTable.of(MEASURES, rows, {}).rows:
        assert line.interval is not None
        assert 0 <= line.interval.low <= line.interval.mid <= line.interval.high <= 100


def make_column(measure: str, *values: list[float]) -> list[Row]:
    facts = [RunFacts(f"run{index}", "team", "automatic", len(row)) for index, row in enumerate(values)]
    return make_rows(facts, [measure], np.array([[row] for row in values]))


def test_counts_are_added_up_and_have_no_interval() -> None:
    first, second = (row.cells["num_rel_ret"] for row in make_column("num_rel_ret", [3, 5, 1], [4, 8, 2]))
    assert (first.mean, first.low, first.high, first.difference, first.written) == (9, None, None, -5, "9")
    assert (second.mean, second.difference, second.p) == (14, 0, 1)
    assert first.p == pytest.approx(stats.ttest_rel([3, 5, 1], [4, 8, 2]).pvalue)


def test_a_geometric_mean_is_compared_by_logarithms() -> None:
    low, high = [0.1, 0.0, 0.4], [0.3, 0.2, 0.9]
    first, second = (row.cells["GMAP"] for row in make_column("GMAP", low, high))
    logs = np.log(np.maximum(low, 1e-5))
    interval = np.exp(stats.t.interval(0.95, 2, loc=logs.mean(), scale=stats.sem(logs)))
    assert first.mean == pytest.approx(stats.gmean([0.1, 1e-5, 0.4]))
    assert (first.low, first.high) == pytest.approx(tuple(interval))
    assert first.p == pytest.approx(stats.ttest_rel(logs, np.log(high)).pvalue)
    assert first.difference == pytest.approx(first.mean - second.mean)


def test_where_less_is_better_the_smallest_mean_is_the_best() -> None:
    rows = make_column("FDR", [0.5, 0.6, 0.7], [0.2, 0.1, 0.4], [0.9, 0.9, 0.8])
    assert ranks(rows, "FDR") == {"run1": "1", "run0": "2", "run2": "3"}
    assert [row.tag for row in sorted_rows(rows, "FDR")] == ["run1", "run0", "run2"]
    best, worse = rows[1].cells["FDR"], rows[0].cells["FDR"]
    assert (best.difference, best.not_shown_to_differ) == (0, True)
    assert worse.difference == pytest.approx(worse.mean - best.mean)
    assert worse.difference > 0
    assert [line.is_best for line in BoardTable.of(["FDR"], rows, {}).rows] == [True, False, False]
    assert [Row.from_json(row.to_json()) for row in rows] == rows


def test_a_board_published_before_keeps_its_marks_and_the_words_of_its_own_tests() -> None:
    rows, _ = make_board()
    stored = [row.to_json() for row in rows]
    for cell in (cell for row in stored for cell in row["cells"].values()):
        cell["alike_best"] = cell.pop("not_shown_to_differ")
        del cell["topics"]
    tests = {
        "family": "every run against the best run of the measure",
        "mean": "over all topics of the qrels; a topic without an answer counts 0",
    }
    assert [Row.from_json(row) for row in stored] == rows
    table = BoardTable.of(MEASURES, rows, {}, tests)
    assert (table.family, table.missed) == (
        "the comparisons with the best run",
        "scores as an empty ranking does, mostly 0",
    )
    assert BoardTable.of(MEASURES, rows, {}).family == "all pairs of runs"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0502, ".0502"), (0.0498, ".0498"), (0.050004, ".050004"), (0.05, ".050"), (0.0512, ".051"), (0.9998, "1.000")],
)
def test_a_p_value_near_the_level_is_written_so_that_its_side_is_seen(p: float, shown: str) -> None:
    assert p_value(p) == shown
