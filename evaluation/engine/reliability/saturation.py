"""How many of the relevant documents fewer runs would have found."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray


def saturation(finders: IntArray, runs: int) -> FloatArray:
    """Expected share of the relevant documents that m of the runs find, for each m, over all choices of m runs.

    finders: int64 (n_relevant,), by how many runs each relevant document was found, from 0 to `runs`; documents that no run
    found count among all. Returns float64 (runs,), the share for m = 1, ..., runs; all NaN without relevant documents.
    Found by h of R runs, a document is missed by m of them with probability C(R - h, m) / C(R, m); the share is the mean of
    1 - C(R - h, m) / C(R, m). This is exact, no sample. Teams may stand for runs.
    Raises ValueError: no runs, or a document found by fewer than 0 or by more than all runs.
    Source: the expected accumulation curve of ecology (rarefaction; Hurlbert, 1971), runs for samples.

    >>> saturation(np.array([1, 2, 3]), 3).round(3).tolist()
    [0.667, 0.889, 1.0]
    """
    if runs < 1:
        raise ValueError("There is no run: give one at least.")
    if finders.size and not 0 <= finders.min() <= finders.max() <= runs:
        raise ValueError("A document is found by fewer than 0 or by more than all runs: count each run once.")
    if not finders.size:
        return np.full(runs, np.nan)
    documents = np.bincount(finders, minlength=runs + 1)
    missed_by = (runs - np.arange(runs + 1)).astype(np.float64)
    drawn = np.arange(runs, dtype=np.float64)
    factors = np.maximum(missed_by[:, None] - drawn, 0) / (runs - drawn)
    missed = np.cumprod(factors, axis=1)
    share: FloatArray = 1 - documents @ missed / finders.size
    return share


def last_gain(shares: FloatArray, relevant: int) -> float:
    """Relevant documents that the last of the runs is expected to add: the slope at the end of the curve.

    shares: float64 (runs,), as `saturation` returns them. relevant: the relevant documents. It equals the documents that one
    run alone found, divided by the runs.

    >>> round(last_gain(saturation(np.array([1, 2, 3]), 3), 3), 3)
    0.333
    """
    before = shares[-2] if len(shares) > 1 else 0.0
    return float((shares[-1] - before) * relevant)
