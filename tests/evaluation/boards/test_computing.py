"""A board from arrays: every number against scipy or by hand."""

import numpy as np
import pytest
from scipy import stats

from evaluation.boards import computing
from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.choice import BASELINE, BEST_OF_TEAMS, Choice
from evaluation.boards.computing import Computed, compute_board, pair_place
from evaluation.boards.measures_in_words import parameters_in_words
from evaluation.boards.snapshot import best_first, exported_runs
from evaluation.boards.soundness import problems_of_numbers
from evaluation.boards.stored import array_bytes, board_bytes, kept_boards, p_of, values_of
from evaluation.engine.significance import families
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.families import all_pairs, places_of

RNG = np.random.default_rng(7)
MEASURES = ["AP", "nDCG@10"]
T_HOLM = Choice("t", "holm")


def random_values(n_runs: int = 5, n_topics: int = 20) -> np.ndarray:
    return RNG.random((n_runs, len(MEASURES), n_topics)) * np.linspace(0.2, 1, n_runs)[:, None, None]


def computed(values: np.ndarray, measures: list[str] = MEASURES, choice: Choice = T_HOLM) -> Computed:
    facts = [RunFacts(f"run{run}", f"team{run % 2}", "automatic", values.shape[2]) for run in range(len(values))]
    return compute_board(facts, measures, [str(topic) for topic in range(values.shape[2])], values, choice)


def column_of(measure: str, *values: list[float], choice: Choice = T_HOLM) -> Column:
    return computed(np.array([[row] for row in values]), [measure], choice).board.column(measure)


def test_means_and_intervals_are_those_of_scipy() -> None:
    values = random_values()
    column = computed(values).board.column("AP")
    for run, of_run in enumerate(values[:, 0]):
        low, high = stats.t.interval(0.95, 19, loc=of_run.mean(), scale=stats.sem(of_run))
        assert (column.mean[run], column.low[run], column.high[run]) == pytest.approx((of_run.mean(), low, high))


@pytest.mark.parametrize("choice", [T_HOLM, Choice(), Choice("wilcoxon", "bonferroni")])
def test_p_of_all_pairs_are_those_of_the_chosen_test(choice: Choice) -> None:
    values = random_values()
    found = computed(values, choice=choice)
    pairs = all_pairs(5)
    expected = compare(values[:, 1], pairs, choice.test, choice.correction, seed=choice.seed).p_corrected
    assert found.p[1] == pytest.approx(expected)
    assert [pair_place(*pair, 5) for pair in pairs.tolist()] == list(range(10))


ALWAYS_FIRST, OFTEN_LATE = [1.0] * 30, [20.0] * 14 + [1.0] * 16
MANY_SMALL_WINS, FEW_LARGE_WINS = [0.5] * 50, [0.49] * 44 + [0.9] * 6


@pytest.mark.parametrize(
    ("measure", "test", "first", "second"),
    [
        ("RankFirstRel@100", "t", ALWAYS_FIRST, OFTEN_LATE),
        ("AP", "sign", MANY_SMALL_WINS, FEW_LARGE_WINS),
        ("AP", "wilcoxon", MANY_SMALL_WINS, FEW_LARGE_WINS),
        ("AP", "sign", [0.2] * 30 + [0.8] * 20, [0.1] * 30 + [0.95] * 20),
    ],
    ids=["equal medians", "sign", "wilcoxon", "equal means"],
)
@pytest.mark.parametrize("turned", [False, True])
def test_where_test_and_number_disagree_no_run_is_said_to_be_the_better_one(
    measure: str, test: str, first: list[float], second: list[float], turned: bool
) -> None:
    rows = [second, first] if turned else [first, second]
    column = column_of(measure, *rows, choice=Choice(test, "holm", baseline="run0"))
    if column.p_corrected[1] < 0.05:
        assert column.notes[0] == "Of 1 pair the test finds a difference that their numbers on the board do not show."
        assert column.better_than_baseline(1, 0.95) is None
    assert (column.rank_best.tolist(), column.rank_worst.tolist()) == ([0, 0], [0, 0])


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomisation", "tukey"])
@pytest.mark.parametrize(("measure", "lower"), [("AP", False), ("MeanRankFirstRel@9", True)])
def test_where_they_agree_the_run_of_the_better_number_is_better(test: str, measure: str, lower: bool) -> None:
    correction = "none" if test == "tukey" else "holm"
    values = [[0.1 + 0.01 * topic for topic in range(12)], [0.3 + 0.012 * topic for topic in range(12)]]
    column = column_of(measure, *values, choice=Choice(test, correction, baseline="run0"))
    assert column.better_than_baseline(1, 0.95) is not lower
    has_ranks = not TESTS[test].no_ranks
    assert column.rank_best.tolist() == ([0, 0] if not has_ranks else [1, 2] if lower else [2, 1])
    back = column_of(measure, *values, choice=Choice(test, correction, baseline="run1"))
    assert back.better_than_baseline(0, 0.95) is lower


def test_a_median_has_no_interval_since_that_of_the_mean_is_another() -> None:
    column = column_of("RankFirstRel@100", OFTEN_LATE)
    assert (column.mean[0], column.low[0], column.high[0]) == (
        1.0,
        pytest.approx(np.nan, nan_ok=True),
        pytest.approx(np.nan, nan_ok=True),
    )


def test_the_direction_of_a_column_is_stored_and_read() -> None:
    column = column_of("AP", [0.1, 0.2, 0.3], [0.4, 0.6, 0.7], choice=Choice("t", "holm", baseline="run0"))
    assert column.to_json()["direction"] == [0, 1]
    assert Column.from_json(column.to_json()).direction.tolist() == [0, 1]


def test_ranks_and_letters_say_the_same_as_the_p_of_all_pairs() -> None:
    found = computed(random_values(6), choice=Choice())
    column = found.board.columns[0]
    for pair, p in zip(all_pairs(6).tolist(), found.p[0], strict=True):
        assert bool(set(column.letters[pair[0]]) & set(column.letters[pair[1]])) == (p >= 0.05)
    for run in range(6):
        shown = [place for place in range(6) if place != run and found.p[0, pair_place(run, place, 6)] < 0.05]
        better = sum(column.mean[place] > column.mean[run] for place in shown)
        assert (column.rank_best[run], column.rank_worst[run]) == (1 + better, 6 - (len(shown) - better))


@pytest.mark.parametrize("choice", [Choice("t", "bh"), Choice("t", "holm", BEST_OF_TEAMS)])
def test_tests_that_do_not_hold_for_all_pairs_give_neither_true_ranks_nor_letters(choice: Choice) -> None:
    column = computed(random_values(), choice=choice).board.columns[0]
    assert (set(column.rank_best.tolist()), set(column.letters)) == ({0}, {""})


@pytest.mark.parametrize("test", TESTS)
def test_only_tests_of_means_that_keep_their_level_give_rank_ranges_and_letters(test: str) -> None:
    choice = Choice(test, "none" if TESTS[test].holds_together else "holm", resamples=200)
    column = computed(random_values(), choice=choice).board.columns[0]
    keeps = test in ("max-t", "t", "randomisation")
    assert (column.rank_best.all(), column.rank_worst.all(), all(column.letters)) == (keeps,) * 3
    assert (
        any(f"Rank intervals and letters do not follow: {TESTS[test].no_ranks}." in said for said in column.notes)
        != keeps
    )


def test_runs_that_are_ranked_by_medians_get_no_rank_ranges_from_tests_of_means() -> None:
    column = column_of("RankFirstRel@100", ALWAYS_FIRST, OFTEN_LATE)
    assert (set(column.rank_best.tolist()), set(column.letters)) == ({0}, {""})
    assert column.notes[-1].endswith("runs are ranked by medians, and this test goes by means.")


def test_only_the_best_runs_of_teams_are_compared_if_that_is_chosen() -> None:
    values = random_values(6)
    means = values[:, 0].mean(axis=1)
    best = [max(runs, key=means.__getitem__) for runs in ((0, 2, 4), (1, 3, 5))]
    found = computed(values, choice=Choice("t", "holm", BEST_OF_TEAMS))
    assert np.flatnonzero(np.isfinite(found.p[0])).tolist() == [pair_place(*sorted(best), 6)]


@pytest.mark.parametrize(("test", "correction"), [("t", "holm"), ("sign", "bh"), ("max-t", "none")])
def test_a_board_says_where_its_test_does_not_allow_for_the_choice_of_the_best_runs(test: str, correction: str) -> None:
    column = computed(random_values(6), choice=Choice(test, correction, BEST_OF_TEAMS)).board.columns[0]
    assert (computing.CHOSEN_BY_SCORES in column.notes) == (test != "max-t")


def test_the_best_of_20_equal_runs_seems_to_differ_on_a_tenth_of_boards_unless_the_test_is_max_t() -> None:
    random, teams = np.random.default_rng(1), np.array([*[0] * 20, 1, 2, 3, 4])
    wrong = {"t": 0, "max-t": 0}
    for _ in range(300):
        values = random.normal(0.4, 0.15, 50) + random.normal(0, 0.1, (24, 50))
        best = [int(np.flatnonzero(teams == team)[values[teams == team].mean(axis=1).argmax()]) for team in range(5)]
        wrong["t"] += bool((compare(values[best], all_pairs(5), "t", "holm").p_corrected < 0.05).any())
        chosen = places_of(np.array(best)[all_pairs(5)], 24)
        wrong["max-t"] += bool((compare(values, all_pairs(24), resamples=200).p[chosen] < 0.05).any())
    assert 0.07 < wrong["t"] / 300 < 0.14
    assert wrong["max-t"] / 300 < 0.05


@pytest.mark.parametrize("family", [BASELINE, "all pairs"])
def test_every_run_is_marked_against_the_baseline(family: str) -> None:
    values = random_values()
    column = computed(
        values, choice=Choice("t", "none" if family == BASELINE else "holm", family, "run1")
    ).board.columns[0]
    assert column.difference[3] == pytest.approx((values[3, 0] - values[1, 0]).mean())
    assert column.p[3] == pytest.approx(stats.ttest_rel(values[3, 0], values[1, 0]).pvalue)
    assert np.isnan(column.p[1])
    assert column.p_corrected[3] >= column.p[3]


def test_a_baseline_that_is_not_on_the_board_marks_nothing() -> None:
    column = computed(random_values(), choice=Choice("t", "holm", BASELINE, "gone")).board.columns[0]
    assert np.isnan(column.difference).all()


def test_the_same_input_gives_the_same_bytes_and_comes_back_from_them() -> None:
    values = random_values()
    first, second = (computed(values, choice=Choice()) for _ in range(2))
    content = board_bytes(first.board)
    assert content == board_bytes(second.board)
    board = kept_boards(lambda name: content)("a name")
    assert isinstance(board, Board)
    assert board_bytes(board) == content
    assert np.array_equal(values_of(array_bytes(values), board), values)
    assert np.array_equal(p_of(array_bytes(first.p), board), first.p)
    assert np.isnan(p_of(b"", board)).all()


def test_nobody_can_change_a_number_of_a_column_or_a_pair_of_a_kept_board() -> None:
    values = random_values()
    plain = computed(values, choice=Choice()).board
    best = np.minimum(values[:, 0] + 0.1, 1)
    made = compute_board(plain.runs, MEASURES, plain.topics, values, Choice(), values_if_best=best)
    content = board_bytes(made.board)
    board = kept_boards(lambda name: content)("a name")
    assert board.unjudged is not None
    column = board.columns[0]
    for array in (column.mean, column.rank_best, column.p, board.unjudged.p, board.unjudged.decisions):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


@pytest.mark.parametrize(("n_runs", "n_topics"), [(1, 20), (5, 1), (1, 1), (2, 2)])
def test_few_runs_or_topics_give_a_board_without_infinite_numbers(n_runs: int, n_topics: int) -> None:
    found = computed(random_values(n_runs, n_topics), choice=Choice())
    runs = exported_runs(found.board)
    assert len(runs) == n_runs
    cells = [cell for run in runs for cell in run["cells"].values()]
    assert all(np.isfinite(number) for cell in cells for number in cell.values() if isinstance(number, float))
    assert all(cell["low"] is None for cell in cells) == (n_topics == 1)


def test_runs_of_equal_means_share_a_rank_and_stand_in_order_of_their_tags() -> None:
    values = np.array([[[0.2, 0.4]], [[0.4, 0.2]], [[0.9, 0.9]]])
    facts = [RunFacts(tag, "team", "automatic", 2) for tag in ("b", "a", "c")]
    board = compute_board(facts, ["AP"], ["1", "2"], values, T_HOLM).board
    column = board.column("AP")
    assert (column.rank_first.tolist(), column.rank_last.tolist()) == ([2, 2, 1], [3, 3, 1])
    assert [board.runs[run].tag for run in best_first(board, "AP")] == ["c", "a", "b"]


def test_means_that_differ_only_by_the_order_of_their_sum_are_equal() -> None:
    values = np.array([[[0.3, 0.2, 0.1]], [[0.1, 0.2, 0.3]], [[0.0, 0.1, 0.2]]])
    assert values[0].sum() != values[1].sum()
    column = computed(values, ["AP"]).board.column("AP")
    assert column.rank_first.tolist() == [1, 1, 3]


def test_counts_are_added_up_and_have_no_interval() -> None:
    column = column_of("num_rel_ret", [3, 5, 1], [4, 8, 2])
    assert (column.mean.tolist(), np.isnan(column.low).all()) == ([9, 14], True)


def test_a_geometric_mean_is_compared_by_logarithms() -> None:
    low, high = [0.1, 0.0, 0.4], [0.3, 0.2, 0.9]
    column = column_of("GMAP", low, high, choice=Choice("t", "holm", baseline="run1"))
    logs = np.log(np.maximum(low, 1e-5))
    interval = np.exp(stats.t.interval(0.95, 2, loc=logs.mean(), scale=stats.sem(logs)))
    assert column.mean[0] == pytest.approx(stats.gmean([0.1, 1e-5, 0.4]))
    assert interval[1] > 1
    assert (column.low[0], column.high[0]) == pytest.approx((interval[0], 1.0))
    assert column.p[0] == pytest.approx(stats.ttest_rel(logs, np.log(high)).pvalue)
    assert column.difference[0] == pytest.approx(column.mean[0] - column.mean[1])


def test_where_less_is_better_the_smallest_mean_has_the_first_rank() -> None:
    column = column_of("FDR", [0.5, 0.6, 0.7], [0.2, 0.1, 0.4], [0.9, 0.9, 0.8])
    assert column.rank_first.tolist() == [2, 1, 3]


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


@pytest.mark.parametrize(("family", "then"), [(BASELINE, "all pairs"), (BEST_OF_TEAMS, BEST_OF_TEAMS)])
def test_a_board_whose_baseline_is_gone_names_the_comparisons_that_it_makes(family: str, then: str) -> None:
    found = computed(random_values(), choice=Choice("t", "holm", family, "withdrawn", True)).board
    assert (found.choice.family, found.choice.baseline) == (then, "")
    assert np.isnan(found.columns[0].p).all()
    assert all(found.columns[0].letters) == (then == "all pairs")


def test_too_many_runs_are_ranked_and_not_tested_pair_by_pair_and_the_board_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computing, "MOST_COMPARED", 4)
    values = random_values()
    column = computed(values, choice=Choice()).board.column("AP")
    assert column.notes == ("More than 4 runs would be compared: they are not tested pair by pair.",)
    assert np.array_equal(column.rank_first, stats.rankdata(-column.mean, "min"))
    assert (column.rank_best.tolist(), column.rank_worst.tolist(), column.letters) == ([0] * 5, [0] * 5, ("",) * 5)
    of_teams = computed(values, choice=Choice("t", "holm", BEST_OF_TEAMS))
    assert np.isfinite(of_teams.p).sum(axis=1).tolist() == [1, 1]
    to_baseline = computed(values, choice=Choice("t", "holm", BASELINE, "run1")).board.column("AP")
    assert np.isfinite(to_baseline.p).sum() == 4


def test_p_of_pairs_are_left_out_of_boards_with_many_runs_and_nothing_else_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = random_values()
    few = computed(values, choice=Choice())
    monkeypatch.setattr(computing, "MOST_PAIRED", 4)
    many = computed(values, choice=Choice())
    assert board_bytes(many.board) == board_bytes(few.board)
    assert (many.p.shape, p_of(b"", many.board).shape) == ((2, 0), (2, 0))


@pytest.mark.parametrize(
    "test", ["max-t", "t", "wilcoxon", "sign", "tukey", "randomised-tukey", "randomisation", "bootstrap"]
)
def test_pairs_are_compared_alike_in_parts_of_any_size(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = random_values(7)
    values[2, 0, 5] = np.nan
    whole = compare(values[:, 0], all_pairs(7), test, seed=1, resamples=200)
    monkeypatch.setattr(families, "PAIRS_OF_A_PART", 4)
    parts = compare(values[:, 0], all_pairs(7), test, seed=1, resamples=200)
    for name in ("difference", "low", "high", "effect_size", "p", "p_corrected", "direction"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name), equal_nan=True), name


@pytest.mark.parametrize("choice", [T_HOLM, Choice(baseline="run1"), Choice("t", "holm", BASELINE, "run1")])
@pytest.mark.parametrize(("measure", "what"), [("Judged@10", "judged"), ("unj@10", "judged"), ("num_ret", "retrieved")])
def test_a_measure_that_does_not_tell_how_good_a_run_is_ranks_and_tells_apart_none(
    measure: str, what: str, choice: Choice
) -> None:
    values = np.array([[[0.1] * 20, [0.5] * 20], [[0.9] * 10 + [1.0] * 10, [0.9] * 20], [[0.5] * 20, [0.9] * 20]])
    board = computed(values, ["AP", measure], choice).board
    column = board.column(measure)
    for name in ("rank_first", "rank_last", "rank_best", "rank_worst", "direction"):
        assert not getattr(column, name).any(), name
    assert not any(column.letters)
    assert np.isnan([column.difference, column.p, column.p_corrected]).all()
    if choice.family != BASELINE:
        reason = (
            f"Rank intervals and letters do not follow: this measure tells how much is {what}, not how good a run is."
        )
        assert reason in column.notes
    assert board.column("AP").rank_first.tolist() == [3, 1, 2]
    assert best_first(board, "AP").tolist() == [1, 2, 0]
    assert best_first(board, measure).tolist() == ([0, 1, 2] if column.lower_is_better else [1, 2, 0])
    cells = exported_runs(board)[0]["cells"][measure]
    assert {cells[name] for name in ("rank_first", "rank_last", "rank_best", "rank_worst")} == {None}
    assert list(problems_of_numbers(board, values)) == []


def test_an_interval_ends_where_the_measure_does() -> None:
    column = column_of("R@100", [1.0, 1.0, 0.9, 0.2, 1.0], [0.0, 0.0, 0.1, 0.5, 0.0])
    assert (column.high[0], column.low[1]) == (1.0, 0.0)
