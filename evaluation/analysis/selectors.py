"""What pages compute once for each content of a board: what its values say of its tests, and how its measures agree."""

import numpy as np

from campaign.web.cache import SCORES_KEPT, kept
from evaluation.analysis.measure_correlation.figures import agreement_of_all, intervals_of_tau
from evaluation.boards.choice import BEST_OF_TEAMS
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.diagnostics import Diagnostics, diagnostics
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.standing import DIGITS
from evaluation.selectors.board_views import BoardView


def diagnostics_of(seen: BoardView, measure: str) -> Diagnostics | None:
    """None where no pairs were tested, or none are kept."""
    tested = np.isfinite(seen.p_of_pairs(measure))
    if not tested.any():
        return None

    def computed() -> Diagnostics:
        values, n_runs, choice = seen.values_by(measure), len(seen.board.runs), seen.board.choice
        is_geometric = seen.board.column(measure).summary == "geometric mean"
        together = choice.family == BEST_OF_TEAMS and TESTS[choice.test].holds_together
        return diagnostics(
            logarithms(values) if is_geometric else values,
            all_pairs(n_runs)[tested],
            choice.test,
            choice.correction,
            family=all_pairs(n_runs) if together else None,
            seed=choice.seed,
            level=choice.level,
        )

    return kept(f"evaluation:diagnostics:{seen.key}:{measure.encode().hex()}", computed, SCORES_KEPT)


def agreement_on(seen: BoardView) -> dict[str, FloatArray]:
    """The coefficients of all pairs of measures, and the bounds of tau."""

    def computed() -> dict[str, FloatArray]:
        definitions = [parse_measure(name).definition for name in seen.board.measures]
        is_mean = np.array([definition.summary == "mean" for definition in definitions])
        lower_is_better = np.array([definition.lower_is_better for definition in definitions])
        low, high = intervals_of_tau(seen.values, is_mean, lower_is_better)
        goodness = np.round([column.goodness for column in seen.board.columns], DIGITS)  # equal where ranks are
        return {**agreement_of_all(goodness), "tau_low": low, "tau_high": high}

    return kept(f"evaluation:agreement-with-intervals:{seen.key}", computed, SCORES_KEPT)
