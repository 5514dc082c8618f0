"""Values as whole numbers: their sums over topics are exact, so that no order of summing, block or thread changes a bit.

Rounding to the grid moves a value by up to half a step, so that sums which are equal, as those of precisions of ten documents
often are, come to lie a few steps apart: what is compared with what was observed takes `equal_within` for equal.
"""

import numpy as np

from evaluation.engine.arrays import FloatArray

BITS = 40
"""The largest value has so many: steps of 1e-12 of it, the noise of floating point."""
MANTISSA = 52


def on_grid(matrix: FloatArray, most_weight: int) -> tuple[FloatArray, float]:
    """Give values as whole numbers in float64, and the width of a step: value = number * width, rounded to the nearest.

    Sums of values with weights that add up to `most_weight` or less, in absolute terms, are exact. NaN stays NaN.

    >>> numbers, width = on_grid(np.array([0.25, 0.1 + 0.2, 0.3]), 3)
    >>> numbers[1] == numbers[2], (numbers * width).round(9).tolist()
    (np.True_, [0.25, 0.3, 0.3])
    """
    largest = float(np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix)))
    if largest == 0.0:
        return matrix.copy(), 1.0
    bits = min(BITS, MANTISSA - int(np.ceil(np.log2(2 * most_weight))))
    width = float(2.0 ** (int(np.ceil(np.log2(largest))) - bits))
    return np.rint(matrix / width), width


def equal_within(n_topics: int) -> float:
    """By how many steps two differences of weighted sums of two runs may lie apart though they are equal.

    Each of the four sums has weights that add up to at most `n_topics` in absolute terms, and each value is off by up to half
    a step. Where the sums are moved by observed ones, as the bootstrap does, two more come in.

    >>> equal_within(50)
    150.0
    """
    return 3.0 * n_topics
