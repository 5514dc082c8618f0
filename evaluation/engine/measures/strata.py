"""The strata of a sampled pool: how many documents each holds, and of how many a sample was judged."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, group_counts, positions_within_groups
from evaluation.engine.judgments import JudgmentError, Judgments


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of all topics, ascending by topic, then by the stratum's number as text.

    `topic`, `pooled`, `sampled`: int64 (n_strata,); the stratum's topic, its documents in the qrels, and those of them
    with a grade >= 0. `place`: int64 (n_strata,), the number of the stratum within its topic, from 0.
    `of_document`: int64 (n_documents,), the stratum of each document of the judgments.
    """

    topic: IntArray
    place: IntArray
    pooled: IntArray
    sampled: IntArray
    of_document: IntArray

    @property
    def weight(self) -> FloatArray:
        """Give how many documents of the stratum a sampled one stands for: float64 (n_strata,)."""
        return self.pooled / self.sampled

    def estimate(self, documents: BoolArray) -> FloatArray:
        """Estimate how many documents of each stratum are like the sampled ones that are marked: float64 (n_strata,)."""
        return group_counts(self.of_document[documents], len(self.topic)) * self.pooled / self.sampled

    def split(self, documents: IntArray) -> list[IntArray]:
        """Give the indices of the first strata's documents, of the second strata's, and so on: each int64, ascending."""
        place = self.place[self.of_document[documents]]
        return [np.flatnonzero(place == number) for number in range(int(place.max(initial=-1)) + 1)]


def strata_of(judgments: Judgments) -> Strata:
    """Count the documents of each stratum; JudgmentError where there are no strata, or one without a sample."""
    return judgments.memo.get("strata", lambda: _strata(judgments))


def _strata(judgments: Judgments) -> Strata:
    if judgments.stratum is None:
        raise JudgmentError(
            "These judgments have no strata. Give qrels of five columns: topic, 0, docno, stratum and grade, "
            "with a line for every pooled document and the grade -1 for those that are not in the sample."
        )
    numbers, number = np.unique(judgments.stratum, return_inverse=True)
    # The field's program adds up strata in this order, and the last bit of a sum may decide how it is rounded.
    place_as_text = np.argsort(np.argsort(numbers.astype(str)))
    cells, of_document = np.unique(judgments.topic * len(numbers) + place_as_text[number], return_inverse=True)
    topic = cells // max(len(numbers), 1)
    pooled = group_counts(of_document, len(cells))
    sampled = group_counts(of_document[judgments.grade >= 0], len(cells))
    _refuse_empty_samples(judgments, judgments.stratum, of_document, pooled, sampled)
    return Strata(topic, positions_within_groups(topic, judgments.n_topics) - 1, pooled, sampled, of_document)


def _refuse_empty_samples(
    judgments: Judgments, stratum: IntArray, of_document: IntArray, pooled: IntArray, sampled: IntArray
) -> None:
    empty = np.flatnonzero(sampled == 0)
    if len(empty) == 0:
        return
    document = int(np.argmax(of_document == empty[0]))
    more = f" So it is with {len(empty) - 1} more strata." if len(empty) > 1 else ""
    raise JudgmentError(
        f"Topic {judgments.topics[judgments.topic[document]]}, stratum {stratum[document]}: the sample is empty, none of "
        f"its documents ({pooled[empty[0]]} in the qrels) has a grade of 0 or above.{more} "
        "Judge a sample of every stratum, or take the lines of such a stratum out of the qrels."
    )
