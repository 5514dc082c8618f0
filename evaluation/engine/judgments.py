"""The judgments of all topics as integer-coded arrays, made once and shared by every run that is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, group_counts
from evaluation.engine.memo import Memo

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
        _refuse_different_sampling(table)
        topics = table["topic"].unique().sort()
        topic = _codes(table["topic"], {text: code for code, text in enumerate(topics.to_list())})
        subtopic, n_subtopics = _subtopic_codes(topic, table["subtopic"])
        kept = table.select("docno", pl.col("grade").cast(pl.Int64), *_sampling_columns(table))
        pairs = kept.with_columns(topic=topic, subtopic=subtopic).sort("topic", "docno", "subtopic")
        topic, subtopic, grade = (pairs[name].to_numpy() for name in ("topic", "subtopic", "grade"))
        first = _changes(pairs["docno"]) | _changes(pairs["topic"])
        begins = np.flatnonzero(first)
        documents = pairs[begins]
        judgments = cls(
            topics=tuple(topics.to_list()),
            documents=pl.DataFrame([topics.gather(topic[begins]), documents["docno"]]),
            topic=topic[begins],
            grade=np.maximum.reduceat(grade, begins) if len(begins) else grade,
            pair_document=np.cumsum(first) - 1,
            pair_subtopic=subtopic,
            pair_grade=grade,
            n_subtopics=n_subtopics,
            stratum=documents["stratum"].to_numpy().astype(np.int64) if "stratum" in documents.columns else None,
            probability=documents["probability"].to_numpy() if "probability" in documents.columns else None,
        )
        _refuse_duplicates(judgments, table)
        return judgments

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    def topic_codes(self, topics: pl.Series) -> IntArray:
        """Give the index of each topic number in `self.topics`, -1 for a topic without judgments: int64 (n,)."""
        known = self.memo.get("topic codes", lambda: {topic: code for code, topic in enumerate(self.topics)})
        return _codes(topics, known)

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


def _codes(topics: pl.Series, known: Mapping[str, int]) -> IntArray:
    """Code topic numbers, -1 for one that is not known; lines of the same topic mostly stand together."""
    begins = np.flatnonzero(_changes(topics))
    codes = np.array([known.get(topic, -1) for topic in topics.gather(begins).to_list()], dtype=np.int64)
    return np.repeat(codes, np.diff(begins, append=len(topics)))


def _changes(column: pl.Series) -> BoolArray:
    """Mark every element that differs from the one before it, and the first: bool (n,)."""
    return np.concatenate(([True], (column[1:] != column[:-1]).to_numpy()))[: len(column)]


def _subtopic_codes(topic: IntArray, subtopic: pl.Series) -> tuple[IntArray, int]:
    """Code the subtopics of all topics, ascending by topic, numbers in numeric order; give the codes and their number."""
    if subtopic.n_unique() <= 1:
        return topic, int(topic.max(initial=-1)) + 1
    lines = pl.DataFrame({"topic": topic, "subtopic": subtopic})
    known = lines.unique().sort("topic", pl.col("subtopic").str.len_bytes(), "subtopic").with_row_index("code")
    codes = lines.join(known, on=["topic", "subtopic"], how="left", maintain_order="left")["code"]
    return codes.to_numpy().astype(np.int64), known.height


def _sampling_columns(table: pl.DataFrame) -> list[str]:
    return [name for name in SAMPLING if name in table.columns]


def _refuse_duplicates(judgments: Judgments, table: pl.DataFrame) -> None:
    document, subtopic = judgments.pair_document, judgments.pair_subtopic
    if not ((np.diff(document) == 0) & (np.diff(subtopic) == 0)).any():
        return
    key = ["topic", "subtopic", "docno"]
    topic, of_subtopic, docno = table.select(key).filter(pl.struct(key).is_duplicated()).row(0)
    raise JudgmentError(
        f"Topic {topic}, subtopic {of_subtopic}: document {docno} is judged more than once. Keep one judgment of each."
    )


def _refuse_different_sampling(table: pl.DataFrame) -> None:
    """Refuse a document that two subtopics give two strata or probabilities: it was drawn once."""
    for name in _sampling_columns(table):
        differing = table.group_by("topic", "docno").agg(pl.col(name).n_unique()).filter(pl.col(name) > 1)
        if differing.height:
            topic, docno, _ = differing.sort("topic", "docno").row(0)
            raise JudgmentError(
                f"Topic {topic}: document {docno} has more than one {name}. Give it the same everywhere."
            )
