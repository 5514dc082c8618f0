"""What the page of pairs says of the runs that it shows is what the board's test says of all pairs."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser

from campaign.models import Task
from evaluation.analysis.compare.selectors import compared_runs
from evaluation.analysis.pairwise_tests.selectors import Pairs, is_shown_better, pairs_of
from evaluation.boards.board import RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import compute_board
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.paired_t import paired_t_of, signs_of_differences
from evaluation.engine.significance.sign import sign_direction
from evaluation.engine.significance.wilcoxon import rank_direction
from evaluation.selectors.board_views import WorkingView
from judging.models import Qrels
from tests.evaluation.engine.significance.values import make_matrix

ALPHA, RUNS, TOPICS = 0.05, 24, 30
Directions = Callable[[FloatArray, IntArray], IntArray]


def by_means(values: FloatArray, pairs: IntArray) -> IntArray:
    return np.sign(paired_t_of(values, pairs).difference).astype(np.int64)


def by_logarithms(values: FloatArray, pairs: IntArray) -> IntArray:
    return by_means(logarithms(values), pairs)


def make_pairs(measure: str, test: str, values: FloatArray) -> Pairs:
    facts = [RunFacts(f"run{run}", f"team{run % 3}", "automatic", TOPICS) for run in range(len(values))]
    topics = [str(topic) for topic in range(values.shape[1])]
    correction = "none" if test == "tukey" else "holm"
    found = compute_board(facts, [measure], topics, values[:, np.newaxis], Choice(test, correction))
    seen = WorkingView(
        task=Task(),
        reader=AnonymousUser(),
        board=found.board,
        qrels=Qrels(),
        ordering=Task().ordering,
        tests={},
        key="key",
        run_ids=[None] * len(values),
        _values=lambda: values[:, np.newaxis],
        _p_of_pairs=lambda: found.p,
    )
    return pairs_of(seen, measure)


def plain(pairs: Pairs, values: FloatArray, direction: Directions, lower: bool) -> list[tuple[set[str], set[str]]]:
    """For each run the better and the worse ones, pair by pair over all pairs."""
    p, both = pairs.seen.p_of_pairs(pairs.measure), all_pairs(len(values))
    means, tags = pairs.column.mean, [run.tag for run in pairs.seen.board.runs]
    worse: dict[str, set[str]] = {tag: set() for tag in tags}
    better: dict[str, set[str]] = {tag: set() for tag in tags}
    for place, (one, other) in enumerate(both.tolist()):
        towards = direction(values, both[place : place + 1])[0]
        up, down = (one, other) if (towards == 1) != lower else (other, one)
        larger = means[up] < means[down] if lower else means[up] > means[down]
        if p[place] < ALPHA and towards and larger:
            better[tags[up]].add(tags[down])
            worse[tags[down]].add(tags[up])
    return [(better[tag], worse[tag]) for tag in pairs.tags]


@pytest.mark.parametrize(
    ("measure", "test", "direction", "lower"),
    [
        ("AP", "t", by_means, False),
        ("AP", "sign", sign_direction, False),
        ("AP", "wilcoxon", rank_direction, False),
        ("AP", "tukey", by_means, False),
        ("GMAP", "t", by_logarithms, False),
        ("E", "t", by_means, True),
    ],
)
def test_whatever_runs_are_shown_each_has_the_runs_that_all_pairs_give(
    measure: str, test: str, direction: Directions, lower: bool
) -> None:
    values = make_matrix(RUNS, TOPICS, spread=0.6)
    values[5], values[7, :4] = values[4], 0.0
    pairs = make_pairs(measure, test, values)
    wanted = plain(pairs, values, direction, lower)
    assert sum(len(better) for better, _ in wanted) >= RUNS
    for shown in (range(RUNS), [0], [3, 11, 20], []):
        found = pairs.better_and_worse(shown)
        assert [(set(better), set(worse)) for better, worse in found] == [wanted[run] for run in shown]
        assert all(better == [tag for tag in pairs.tags if tag in better] for better, _ in found)
    tags = [run.tag for run in pairs.seen.board.runs]
    for a, b in itertools.permutations(range(0, RUNS, 3), 2):
        better, worse = wanted[pairs.tags.index(tags[a])]
        is_better = is_shown_better(pairs.seen, measure, (a, b))
        assert is_better == (True if tags[b] in better else False if tags[b] in worse else None)


def test_signs_by_means_are_those_of_the_differences_topic_by_topic() -> None:
    random = np.random.default_rng(9)
    values = make_matrix(40, 60)
    values[1] = values[0]
    values[2] = values[0][::-1]  # the same mean, added up in another order
    values[3] = values[0] + 1e-13 * random.normal(size=60)  # noise
    values[4] = values[0] + 1e-10 * random.normal(size=60)  # closer than means can tell, and no noise
    values[5, :7], values[6], values[7] = np.nan, np.nan, 0.0
    values[8:12] = np.round(values[8:12], 1)
    for matrix in (values, values[:, :1], values[:, :0], 1e6 * values, -values, np.where(values > 0.5, np.inf, values)):
        pairs = all_pairs(len(matrix))
        with np.errstate(invalid="ignore"):
            assert signs_of_differences(matrix, pairs).tolist() == by_means(matrix, pairs).tolist()
    assert signs_of_differences(values, all_pairs(1)).tolist() == []


@pytest.mark.parametrize(
    ("measure", "test", "side", "is_contradictory"),
    [("AP", "sign", "", True), ("AP", "wilcoxon", "", True), ("AP", "t", "worse", False)],
)
def test_compare_shows_a_run_to_be_better_only_where_the_board_does(
    measure: str, test: str, side: str, is_contradictory: bool
) -> None:
    """Of the first two, the one wins on most topics and the other by its mean."""
    small_wins, large_wins = [0.5] * 50, [0.49] * 42 + [0.9] * 8
    values = np.array([small_wins, large_wins])
    if test == "t":
        values[1] += np.linspace(0.1, 0.2, 50)
    compared = compared_runs(make_pairs(measure, test, values).seen, {"a": "run0", "b": "run1"})
    assert compared is not None
    assert compared.p_corrected is not None
    assert compared.p_corrected < ALPHA
    assert (compared.side, compared.is_contradictory) == (side, is_contradictory)
    turned = compared_runs(compared.seen, {"a": "run1", "b": "run0"})
    assert turned is not None
    assert turned.side == ("better" if side else "")
