"""Holm's correction as statsmodels computes it."""

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from statsmodels.stats.multitest import multipletests


def holm_of_statsmodels(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """At each call it collects the garbage of the whole process, which takes a thousand times as long as its arithmetic."""
    with patch("gc.collect"):
        corrected: np.ndarray = multipletests(p, method="holm")[1]
    return corrected
