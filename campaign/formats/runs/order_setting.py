"""PURE: by what the documents of a run are ordered, a setting of the task. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

BY_SCORE, BY_RANK, BY_LINE = "score", "rank", "line"
RUN_ORDERS = {
    BY_SCORE: "score; equal scores by docno",
    BY_RANK: "rank column; equal ranks by score, then docno",
    BY_LINE: "lines as they stand in the file",
}
RELEASE_9, RELEASE_10 = "9", "10"
REFERENCES = {RELEASE_9: "single precision as trec_eval 9", RELEASE_10: "double precision as trec_eval 10"}
AT_THE_CUT = {
    BY_SCORE: "by score, equal scores by docno",
    BY_RANK: "by rank",
    BY_LINE: "in the order of the lines",
}


@dataclass(frozen=True)
class Ordering:
    """The order of the lines of a topic, the same for pools, for scores and where a run is cut at the maximum.

    `run_order` is one of
        score: descending, equal scores by docno, descending by UTF-8 bytes, as trec_eval orders;
        rank: the rank column ascending, lines without a rank last; equal ranks as by score;
        line: as the lines stand in the file.
    `reference` is the release of trec_eval by whose precision scores are compared: "9" single, "10" double.
    Raises ValueError for anything else.

    >>> Ordering().in_words
    'score; equal scores by docno; single precision as trec_eval 9'
    """

    run_order: str = BY_SCORE
    reference: str = RELEASE_9

    def __post_init__(self) -> None:
        if self.run_order not in RUN_ORDERS or self.reference not in REFERENCES:
            raise ValueError(f"There is no order “{self.run_order}” with the reference “{self.reference}”.")

    @property
    def in_words(self) -> str:
        if self.run_order == BY_LINE:  # no score is compared
            return f"{RUN_ORDERS[BY_LINE]}; recall levels as trec_eval {self.reference}"
        return f"{RUN_ORDERS[self.run_order]}; {REFERENCES[self.reference]}"

    def comparable(self, score: float) -> float:
        """Return the score in the precision in which scores are compared; beyond single precision it is infinite.

        >>> Ordering().comparable(16777217.0), Ordering(reference="10").comparable(16777217.0), Ordering().comparable(1e39)
        (16777216.0, 16777217.0, inf)
        """
        return array("f", (score,))[0] if self.reference == RELEASE_9 else score
