"""How far apart the runs of many pairs are under flips of whole topics: what the step-down max-T test counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.adjusted_t import adjusted_t, of_sums

PAIRS_AT_ONCE: Final = 256
FIRST_PAIRS: Final = 32
"""Of the first part, nothing can be left out. Each part is as large as all before it, up to PAIRS_AT_ONCE."""
SAME: Final = 1e-9
"""Extents so close are equal: the noise of floating point is far below, and machines differ in it."""
STEPS: Final = 512
"""Of the tables of sums that are too small to matter; more steps would leave out a few more."""
CUBES: Final = np.linspace(0.0, 1.0, 17)[1:]
"""Classes of pairs by the sum of the absolute cubes of their unit, which is at most 1."""
CELLS_AT_ONCE: Final = 2**20
"""Places times topics that are read at once: 16 MB."""
UNIT_ROUNDOFF: Final = 2.0**-24
"""Of single precision."""
FEW: Final = 1 / 8
"""Of a block: where fewer may matter, each is computed by itself."""


@dataclass(frozen=True)
class Part:
    """Some pairs: `unit`, the differences by topic over the root of their sum of squares, which no flip changes; `cubes`,
    their cubes; float64 (n_pairs, n_topics). `cube_class`: int64 (n_pairs,), the place in CUBES. `rough`: `unit` in single
    precision, whose products take half the time; it only decides which extents are computed.
    """

    unit: FloatArray
    cubes: FloatArray
    cube_class: IntArray
    rough: NDArray[np.float32]

    def extents(self, flips: FloatArray, above: FloatArray | None = None) -> FloatArray:
        """Give |g| sqrt(n / (n - 1 + g^2)) of each pair under each flip, g its adjusted t: float64 (n_pairs, n_flips).

        `flips`: +-1, float64 (n_topics, n_flips). `above`: by flip, 0 to sqrt(n): extents up to it may be given as 0, which is
        far less work. An extent rises with |g|, and is at most sqrt(n), also where a pair differs by the same on all topics.
        """
        n = max(len(flips), 1)
        if above is None or n < 2:
            return _extents(self.unit @ flips, self.cubes @ flips, n)
        least = _least_sums(n)[:, (above * (STEPS / np.sqrt(n))).astype(np.int64)].take(self.cube_class, axis=0)
        rough = self.rough @ flips.astype(np.float32)
        at = np.flatnonzero(np.abs(rough, out=rough) > least)
        extents = np.zeros(rough.shape)
        flat = extents.reshape(-1)
        if len(at) > FEW * extents.size:
            flat[at] = _extents((self.unit @ flips).take(at), (self.cubes @ flips).take(at), n)
            return extents
        for some in np.array_split(at, len(at) * n // CELLS_AT_ONCE + 1):
            pair, flip = np.divmod(some, flips.shape[1])
            signs = flips.T.take(flip, axis=0)
            sums = np.einsum("ij,ij->i", self.unit.take(pair, axis=0), signs)
            flat[some] = _extents(sums, np.einsum("ij,ij->i", self.cubes.take(pair, axis=0), signs), n)
        return extents


def parts(numbers: FloatArray, pairs: IntArray) -> Iterator[Part]:
    """Give these pairs of rows of `numbers`, float64 (n_runs, n_topics), some at a time: one part at least, be it empty."""
    edges = [0]
    while edges[-1] < len(pairs) or len(edges) == 1:
        edges.append(min(len(pairs), edges[-1] + min(max(edges[-1], FIRST_PAIRS), PAIRS_AT_ONCE)))
    for start, end in pairwise(edges):
        part = pairs[start:end]
        differences = numbers[part[:, 0]] - numbers[part[:, 1]]
        length = np.sqrt(np.square(differences).sum(axis=1, keepdims=True))
        unit = np.divide(differences, length, out=np.zeros_like(differences), where=length > 0)
        cubes = unit * unit * unit
        cube_class = np.searchsorted(CUBES[:-1], np.abs(cubes).sum(axis=1) + SAME)
        yield Part(unit, cubes, cube_class, unit.astype(np.float32))


def _extents(sums: FloatArray, cubes: FloatArray, n: int) -> FloatArray:
    g = adjusted_t(*of_sums(sums, cubes, n))
    extents: FloatArray = np.abs(g) * np.sqrt(n / (max(n - 1, 1) + np.square(g)))
    return extents


@lru_cache(maxsize=8)
def _least_sums(n: int) -> NDArray[np.float32]:
    """Below which |sum| no extent of a pair exceeds a given one, by class and extent: float32 (len(CUBES), STEPS + 1).

    |cubes| <= k and |sum| <= s give |asymmetry| <= (k + 3 s / n) / (1 - s^2 / n)^1.5, and with it a largest |g|, which rises
    with s. The limit is lowered by more than single precision can move a sum: the absolute values of a unit add up to at most
    sqrt(n), so that sum and limit are off by less than 2 (n + 4) u sqrt(n), u = 2^-24, of up to 2^22 topics.
    """
    sums = np.linspace(0.0, np.sqrt(n), 4 * STEPS, endpoint=False)
    spread = 1.0 - np.square(sums) / n
    asymmetry = (CUBES[:, np.newaxis] + 3.0 * sums / n) / spread**1.5
    g = adjusted_t(sums * np.sqrt((n - 1.0) / n / spread), asymmetry)
    largest = g * np.sqrt(n / (n - 1.0 + np.square(g)))
    above = np.linspace(0.0, np.sqrt(n), STEPS + 1) - SAME
    places = np.stack([np.searchsorted(row, above, side="right") for row in largest])
    least = np.where(places > 0, sums[np.maximum(places - 1, 0)], -1.0)
    lowered: NDArray[np.float32] = (least - 2.0 * (n + 4) * UNIT_ROUNDOFF * np.sqrt(n)).astype(np.float32)
    return lowered
