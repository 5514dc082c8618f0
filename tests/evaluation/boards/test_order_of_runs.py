"""Nothing of a board depends on the order of its runs, which is that of their names: an anonymous board would tell them."""

import json

import numpy as np
import pytest

from evaluation.boards.anonymous import anonymous_board
from evaluation.boards.board import RunFacts
from evaluation.boards.choice import ALL_PAIRS, BASELINE, BEST_OF_TEAMS, Choice
from evaluation.boards.computing import compute_board
from evaluation.engine.significance.declarations import TESTS

RNG = np.random.default_rng(11)
MEASURES, TOPICS, N_RUNS = ["AP", "P@5"], [str(topic) for topic in range(13)], 9


def anonymous_bytes(values: np.ndarray, order: np.ndarray, choice: Choice) -> tuple[str, bytes]:
    """The anonymous board of runs that are named in this order: the pseudonyms are the same whatever the names are."""
    pseudonyms = [f"run-{place:02}" for place in range(len(values))]
    teams = [f"team-{place % 4}" for place in range(len(values))]
    facts = [
        RunFacts(f"tag{named:02}", f"of {teams[run]}", "automatic", 13) for named, run in enumerate(order.tolist())
    ]
    if choice.baseline:
        choice = Choice(choice.test, choice.correction, choice.family, facts[order.tolist().index(2)].tag)
    unjudged = values[..., 0] + 1
    of_runs = [pseudonyms[run] for run in order.tolist()]
    found = compute_board(facts, MEASURES, TOPICS, values[order], choice, unjudged[order], pseudonyms=of_runs)
    anonymous = anonymous_board(found.board, of_runs, {f"of {team}": team for team in teams})
    return json.dumps(anonymous.board.to_json()), anonymous.p_of_pairs(found.p).tobytes()


def drawn_values(kind: str) -> np.ndarray:
    values = RNG.random((N_RUNS, len(MEASURES), len(TOPICS)))
    if kind == "tied":
        values = np.round(values, 1)
        values[4] = values[7]
    if kind == "tied in a team":
        values[8] = values[4] = values[0] = values.max(axis=0)
        values[3, 0] = values[7, 0]
    if kind == "lacking":
        values[:3, :, 4] = np.nan
    return values


@pytest.mark.parametrize("kind", ["any", "tied", "tied in a team", "lacking"])
@pytest.mark.parametrize("family", [ALL_PAIRS, BASELINE, BEST_OF_TEAMS])
@pytest.mark.parametrize("test", list(TESTS))
def test_an_anonymous_board_has_the_same_bytes_whatever_the_runs_are_called(test: str, family: str, kind: str) -> None:
    baseline = "some" if family == BASELINE else ""
    correction = "none" if TESTS[test].holds_together else "holm"
    values, choice = drawn_values(kind), Choice(test, correction, family, baseline, resamples=500)
    expected = anonymous_bytes(values, np.arange(N_RUNS), choice)
    for _ in range(3):
        assert anonymous_bytes(values, RNG.permutation(N_RUNS), choice) == expected
