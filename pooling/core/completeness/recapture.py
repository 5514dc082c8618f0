"""What is still outside, by how often several teams found the same relevant document."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from pooling.core.completeness.outside import LEVEL, PAIR, NoEstimate, Outside, outside

METHOD: Final = "capture-recapture between teams"
ASSUMPTION: Final = (
    "Teams find relevant documents independently of each other, each document as easily as any other; since teams resemble "
    "each other and some documents are harder to find, it is a lower bound, and more is likely to be outside."
)
DEVIATES: Final = 1.959963984540054
"""Standard deviations on each side of an interval at `LEVEL`."""


def by_recapture(entries: pl.DataFrame, holders: pl.DataFrame) -> Outside | NoEstimate:
    """Relevant documents that no team found, from those that one team and that two teams found.

    entries: as the package describes. holders: topic, docno, team (any type), a row for each team that holds the document.
    Chao's (1987) lower bound in its bias-corrected form for m teams: A q1 (q1 - 1) / (2 (q2 + 1)), A = (m - 1) / m, with q1 and
    q2 the judged relevant documents that exactly one and exactly two teams hold; with two teams it is about Lincoln's and
    Petersen's estimate. Interval: log-normal, variance as Colwell (EstimateS 9, appendix B) gives it for this form. Where
    nothing is expected, the high end is the same formula at the upper Poisson limit of q1.

    >>> entries = pl.DataFrame({"topic": ["1"] * 4, "docno": list("abcd"), "relevant": [True] * 4})
    >>> rows = [("1", "a", 0), ("1", "b", 0), ("1", "c", 1), ("1", "d", 0), ("1", "d", 1)]
    >>> by_recapture(entries, pl.DataFrame(rows, schema=["topic", "docno", "team"], orient="row")).expected
    0.75
    """
    teams = holders["team"].n_unique()
    if teams < 2:
        return NoEstimate(METHOD, "it needs documents of at least two teams")
    relevant = entries.filter(pl.col("relevant")).select(pl.col("topic").cast(pl.String), "docno")
    named = holders.select(pl.col("topic").cast(pl.String), "docno", "team").unique()
    held = named.join(relevant, on=PAIR, how="semi").group_by(PAIR).agg(teams=pl.len())
    if not held.height:
        return NoEstimate(METHOD, "no document that a team holds is judged relevant yet")
    once, twice = (int((held["teams"] == times).sum()) for times in (1, 2))
    ends = _ends(once, twice, (teams - 1) / teams)
    return outside(METHOD, relevant.height, ends, ASSUMPTION, relevant["topic"].n_unique())


def _ends(once: int, twice: int, part: float) -> tuple[float, float, float]:
    from scipy.special import gammaincinv  # slow to load, and 27 MB

    expected = _unseen(once, twice, part)
    if not expected:
        return 0.0, 0.0, _unseen(float(gammaincinv(once + 1, (1 + LEVEL) / 2)), twice, part)
    spread = float(np.exp(DEVIATES * np.sqrt(np.log1p(_variance(once, twice, part) / expected**2))))
    return expected, expected / spread, expected * spread


def _unseen(once: float, twice: float, part: float) -> float:
    return part * once * (once - 1) / (2 * (twice + 1))


def _variance(once: int, twice: int, part: float) -> float:
    first = _unseen(once, twice, part)
    second = part**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    third = part**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    return first + second + third
