"""What the values of a board say of its tests."""

import numpy as np
from django.core.cache import caches

from evaluation.boards.choice import BEST_OF_TEAMS
from evaluation.engine.averaging import logarithms
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.diagnostics import Diagnostics, diagnostics
from evaluation.engine.significance.families import all_pairs
from evaluation.selectors.board_views import BoardView


def diagnostics_of(seen: BoardView, measure: str) -> Diagnostics | None:
    """Computed once for each content of a board; None where no pairs were tested, or none are kept."""
    tested = np.isfinite(seen.p_of_pairs(measure))
    if not tested.any():
        return None
    key = f"evaluation:diagnostics:{seen.key}:{measure.encode().hex()}"
    kept: Diagnostics | None = caches["bulk"].get(key)
    if kept is None:
        values, n_runs, choice = seen.values_by(measure), len(seen.board.runs), seen.board.choice
        is_geometric = seen.board.column(measure).summary == "geometric mean"
        together = choice.family == BEST_OF_TEAMS and TESTS[choice.test].holds_together
        kept = diagnostics(
            logarithms(values) if is_geometric else values,
            all_pairs(n_runs)[tested],
            choice.test,
            choice.correction,
            family=all_pairs(n_runs) if together else None,
            seed=choice.seed,
            level=choice.level,
        )
        caches["bulk"].set(key, kept)
    return kept
