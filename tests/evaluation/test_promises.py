"""What pages call a bound or exact, and that nobody gains by leaving topics out: docs/reference/significance.md has more."""

import numpy as np
import pytest

from benchmarks.promises import PROMISES, make_world, measures_of_grades


@pytest.mark.parametrize("promise", PROMISES)
def test_it_holds_by_all_measures_of_grades(promise: str) -> None:
    random = np.random.default_rng(11)
    found = [PROMISES[promise](make_world(random), random) for _ in range(6)]
    assert sum(one.broken for one in found) == 0, max(one.most for one in found)
    assert all(one.values > 100 for one in found)


def test_the_measures_looked_at_are_of_every_kind() -> None:
    names = {measure.name for measure in measures_of_grades()}
    assert {"AP", "P@10", "DCG@10", "APret", "APret@10", "MaxF", "GAP", "MeanRankFirstRel@10", "FDR", "GMAP"} <= names
