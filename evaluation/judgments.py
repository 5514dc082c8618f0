"""The judgments of all topics as integer-coded arrays, made once and shared by every run that is scored."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from evaluation.arrays import BoolArray, FloatArray, IntArray, group_counts
from evaluation.memo import Memo

SAMPLING = ("stratum", "probability")
"""The columns that say how judged documents were sampled."""


class JudgmentError(ValueError):
    """Judgments that cannot be scored against."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged documents of every topic, and the subtopic judgments behind them.

    `topics`: topic numbers in ascending order of their UTF-8 bytes.
    `documents`: table of the judged documents, columns `topic` and `docno` (String), ascending by topic, then docno,
    both by UTF-8 bytes; a document's row number is its code.
    `topic`, `grade`: int64 (n_documents,); the topic's index in `topics`, and the highest grade over the subtopics.
    A negative grade says pooled but unjudged.
    `pair_document`, `pair_subtopic`, `pair_grade`: int64 (n_pairs,), one element for each judged (document, subtopic),
    ascending by document, then subtopic. A code stands for one subtopic of one topic; codes ascend by topic and follow
    the numeric order of subtopics written as numbers.
    `stratum`, `probability`: int64, float64 (n_documents,), for sampled judgments: the stratum of the document, and the
    probability with which it was drawn (NaN: it was not drawn); None where the judgments are no such sample.
    """

    topics: tuple[str, ...]
    documents: pl.DataFrame
    topic: IntArray
    grade: IntArray
    pair_document: IntArray
    pair_subtopic: IntArray
    pair_grade: IntArray
    n_subtopics: int
    stratum: IntArray | None = None
    probability: FloatArray | None = None
    memo: Memo = field(default_factory=Memo, repr=False)

    @classmethod
    def from_table(cls, table: pl.DataFrame) -> "Judgments":
        """Code a table of judgments with the columns topic, subtopic, docno (String) and grade (an integer type).

        The subtopic is "0" where there is none. A (topic, subtopic, docno) given twice is a JudgmentError.
        Columns stratum (an integer type) and probability (a float type, null for a document that was not drawn) are
        taken where they are; a document with two of the same topic is a JudgmentError.
        """
        _refuse_duplicates(table)
        pairs = table.select("topic", "docno", "subtopic", pl.col("grade").cast(pl.Int64))
        sampling = [pl.col(name).first() for name in SAMPLING if name in table.columns]
        _refuse_different_sampling(table)
        grade = pl.col("grade").cast(pl.Int64).max()
        documents = table.group_by("topic", "docno").agg(grade, *sampling).sort("topic", "docno")
        topics = documents["topic"].unique().sort()
        subtopics = (
            pairs.select("topic", "subtopic").unique().sort("topic", pl.col("subtopic").str.len_bytes(), "subtopic")
        )
        pairs = (
            pairs.join(documents.select("topic", "docno").with_row_index("document"), on=["topic", "docno"])
            .join(subtopics.with_row_index("subtopic_code"), on=["topic", "subtopic"])
            .sort("document", "subtopic_code")
        )
        return cls(
            topics=tuple(topics.to_list()),
            documents=documents.select("topic", "docno"),
            topic=_codes(topics, documents["topic"]),
            grade=documents["grade"].to_numpy(),
            pair_document=pairs["document"].to_numpy().astype(np.int64),
            pair_subtopic=pairs["subtopic_code"].to_numpy().astype(np.int64),
            pair_grade=pairs["grade"].to_numpy(),
            n_subtopics=subtopics.height,
            stratum=documents["stratum"].to_numpy().astype(np.int64) if "stratum" in documents.columns else None,
            probability=documents["probability"].to_numpy() if "probability" in documents.columns else None,
        )

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    def topic_codes(self, topics: pl.Series) -> IntArray:
        """Give the index of each topic number in `self.topics`, -1 for a topic without judgments: int64 (n,)."""
        known = self.memo.get("topic codes", lambda: {topic: code for code, topic in enumerate(self.topics)})
        return np.array([known.get(topic, -1) for topic in topics.to_list()], dtype=np.int64)

    def num_rel(self, level: int) -> IntArray:
        """Count the relevant documents, grade >= level and judged, of each topic: int64 (n_topics,)."""
        return self.memo.get(("num_rel", level), lambda: self._count((self.grade >= level) & (self.grade >= 0)))

    def num_nonrel(self, level: int) -> IntArray:
        """Count the judged non-relevant documents, 0 <= grade < level, of each topic: int64 (n_topics,)."""
        return self.memo.get(("num_nonrel", level), lambda: self._count((self.grade < level) & (self.grade >= 0)))

    @property
    def subtopic_topic(self) -> IntArray:
        """Give the topic of each subtopic code: int64 (n_subtopics,), ascending."""

        def compute() -> IntArray:
            topics = np.empty(self.n_subtopics, dtype=np.int64)
            topics[self.pair_subtopic] = self.topic[self.pair_document]
            return topics

        return self.memo.get("subtopic_topic", compute)

    def _count(self, documents: BoolArray) -> IntArray:
        return group_counts(self.topic[documents], self.n_topics)


def _codes(known: pl.Series, wanted: pl.Series) -> IntArray:
    codes = pl.DataFrame({"text": known, "code": np.arange(len(known))})
    found = wanted.to_frame("text").join(codes, on="text", how="left", maintain_order="left")
    return found["code"].fill_null(-1).to_numpy().astype(np.int64, copy=False)


def _refuse_duplicates(table: pl.DataFrame) -> None:
    key = ["topic", "subtopic", "docno"]
    twice = table.select(key).filter(pl.struct(key).is_duplicated())
    if twice.height:
        topic, subtopic, docno = twice.row(0)
        raise JudgmentError(
            f"Topic {topic}, subtopic {subtopic}: document {docno} is judged more than once. Keep one judgment of each."
        )


def _refuse_different_sampling(table: pl.DataFrame) -> None:
    """Refuse a document that two subtopics give two strata or probabilities: it was drawn once."""
    for name in SAMPLING:
        if name not in table.columns:
            continue
        differing = table.group_by("topic", "docno").agg(pl.col(name).n_unique()).filter(pl.col(name) > 1)
        if differing.height:
            topic, docno, _ = differing.sort("topic", "docno").row(0)
            raise JudgmentError(
                f"Topic {topic}: document {docno} has more than one {name}. Give it the same everywhere."
            )
