"""Values of which a few lie far from all others, for simulations of intervals."""

import numpy as np

from evaluation.engine.arrays import FloatArray


def values_with_a_tail(random: np.random.Generator, quality: FloatArray, topics: int, tail: float) -> FloatArray:
    """Values of runs, (n_runs, topics); what is left of them is lognormal, of deviation .1."""
    noise = np.exp(tail * random.normal(size=(len(quality), topics))) - np.exp(tail**2 / 2)
    spread = np.sqrt(np.exp(tail**2) * (np.exp(tail**2) - 1))
    values: FloatArray = quality[:, np.newaxis] + random.normal(0, 0.1, topics) + 0.1 * noise / spread
    return values
