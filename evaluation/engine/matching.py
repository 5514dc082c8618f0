"""Finding the judged documents among the lines of a run: by hashes first, then by the docnos themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from campaign.formats.runs.order import Texts
from evaluation.engine.arrays import BoolArray, IntArray
from evaluation.engine.judgments import Judgments

if TYPE_CHECKING:  # slow to load: a small run is matched without it
    import polars as pl

Hashes: TypeAlias = NDArray[np.uint64]

# Odd and large: the bits of a docno's hash and of a topic's code spread over the whole of the product.
DOCNO_STEP, TOPIC_STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
SLOTS_BY_DOCUMENT = 4
LINES_AT_ONCE = 1 << 18
"""So many lines stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class DocumentIndex:
    """The judged documents in slots by the first bits of a hash of topic and docno.

    `docno`, `topic`: theirs, in the order of their codes. `hashes`, `document`: uint64, int64 (n_documents,), ascending by
    slot. `first`: int32 (n_slots,), where the slot's documents begin there, -1 for an empty slot. `continues`: bool
    (n_documents,), whether the next document is in the same slot. `shift`: by how many bits a hash is shifted to give
    its slot. `ambiguous`: whether two judged documents have the same hash.
    """

    docno: Texts
    topic: IntArray
    hashes: Hashes
    document: IntArray
    first: NDArray[np.int32]
    continues: BoolArray
    shift: np.uint64
    ambiguous: bool

    @classmethod
    def of(cls, judgments: Judgments, few: bool = False) -> DocumentIndex:
        """The index for runs whose docnos are a series, or with `few` an array: the two are hashed in different ways."""
        return judgments.memo.get(("document index", few), lambda: cls._made(judgments, few))

    @classmethod
    def _made(cls, judgments: Judgments, few: bool) -> DocumentIndex:
        docno = _as_array(judgments.docno) if few else _as_series(judgments.docno)
        bits = max(SLOTS_BY_DOCUMENT * len(docno), 2).bit_length()
        shift = np.uint64(64 - bits)
        hashes = _hashes(docno, judgments.topic)
        document = np.argsort(hashes)
        hashes = hashes[document]
        slot = hashes >> shift
        first = np.full(1 << bits, -1, dtype=np.int32)  # small, so that it stays in the processor's cache
        # The first document of a slot is written last.
        first[slot[::-1]] = np.arange(len(slot))[::-1]
        continues = np.append(slot[1:] == slot[:-1], False)
        ambiguous = bool((hashes[1:] == hashes[:-1]).any())
        return cls(docno, judgments.topic, hashes, document, first, continues, shift, ambiguous)

    def find(self, docno: Texts, topic: IntArray) -> tuple[IntArray, IntArray]:
        """Find the lines whose (topic, docno) was judged: their line numbers, ascending, and document codes."""
        matches = [
            self._find(docno[start : start + LINES_AT_ONCE], topic[start : start + LINES_AT_ONCE], start)
            for start in range(0, max(len(topic), 1), LINES_AT_ONCE)
        ]
        lines, documents = zip(*matches, strict=True)
        return np.concatenate(lines), np.concatenate(documents)

    def _find(self, docno: Texts, topic: IntArray, start: int) -> tuple[IntArray, IntArray]:
        hashes = _hashes(docno, topic)
        place = self.first.take((hashes >> self.shift).view(np.int64))
        slot_of_line = np.full(len(topic), -1)
        line = np.flatnonzero(place >= 0)
        hashes, place = hashes[line], place[line]
        while len(line):
            equal = self.hashes[place] == hashes
            slot_of_line[line[equal]] = place[equal]
            further = np.flatnonzero(self.continues[place])
            line, hashes, place = line[further], hashes[further], place[further] + 1
        line = np.flatnonzero(slot_of_line >= 0)
        document = self.document[slot_of_line[line]]
        if self.ambiguous or not (docno[line] == self.docno[document]).all():
            line, document = self._joined(docno, topic)
        return line + start, document

    def _joined(self, docno: Texts, topic: IntArray) -> tuple[IntArray, IntArray]:
        """Find them by the docnos alone: two different ones have the same hash."""
        import polars as pl

        lines = pl.DataFrame({"topic": topic, "docno": _as_series(docno)}).with_row_index("line")
        judged = pl.DataFrame({"topic": self.topic, "docno": _as_series(self.docno)}).with_row_index("document")
        matches = lines.join(judged, on=["topic", "docno"], how="inner", maintain_order="left")
        return matches["line"].to_numpy().astype(np.int64), matches["document"].to_numpy().astype(np.int64)


def _hashes(docno: Texts, topic: IntArray) -> Hashes:
    if isinstance(docno, np.ndarray):
        hashes: Hashes = np.fromiter(map(hash, docno.tolist()), np.int64, len(docno)).view(np.uint64) * DOCNO_STEP
    else:
        hashes = docno.hash().to_numpy() * DOCNO_STEP
    return hashes ^ (topic.astype(np.uint64) * TOPIC_STEP)


def _as_array(docno: Texts) -> Texts:
    return docno if isinstance(docno, np.ndarray) else np.array(docno.to_list(), dtype=object)


def _as_series(docno: Texts) -> pl.Series:
    import polars as pl

    return pl.Series(docno, dtype=pl.String) if isinstance(docno, np.ndarray) else docno
