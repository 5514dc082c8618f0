"""Made-up values of runs by topics."""

import numpy as np

from evaluation.engine.arrays import FloatArray

SYSTEM_A = [0.02, 0.39, 0.16, 0.58, 0.04, 0.09, 0.12]
SYSTEM_B = [0.76, 0.07, 0.37, 0.21, 0.02, 0.91, 0.46]
WORKED_EXAMPLE = np.array([SYSTEM_A, SYSTEM_B])


def make_matrix(n_runs: int = 6, n_topics: int = 25, seed: int = 3, spread: float = 0.25) -> FloatArray:
    """Values in [0, 1] that rise from run to run, by `spread` in all; topics differ more than runs."""
    random = np.random.default_rng(seed)
    topic, run = random.normal(0.4, 0.2, n_topics), np.linspace(0, spread, n_runs)[:, np.newaxis]
    values: FloatArray = np.clip(topic + run + random.normal(0, 0.1, (n_runs, n_topics)), 0, 1)
    return values
