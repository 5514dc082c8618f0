"""The judgments of all topics as integer-coded arrays, made once and shared by every run that is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from campaign.formats.runs.order import Texts
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, group_counts
from evaluation.engine.memo import Memo
from evaluation.engine.run_lines import changes, coded

if TYPE_CHECKING:  # slow to load: a small file of judgments is read without it
    import polars as pl

SAMPLING = ("stratum", "probability")
"""The columns that say how judged documents were sampled."""


class JudgmentError(ValueError):
    """Judgments that cannot be scored against."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged documents of every topic, and the subtopic judgments behind them.

    `topics`: topic numbers in ascending order of their UTF-8 bytes.
    `docno`: texts (n_documents,), the judged documents, ascending by topic, then docno, both by UTF-8 bytes; a document's
    place is its code.
    `topic`, `grade`: int64 (n_documents,); the topic's index in `topics`, and the highest grade over the subtopics.
    A negative grade says pooled but unjudged.
    `pair_document`, `pair_subtopic`, `pair_grade`: int64 (n_pairs,), one element for each judged (document, subtopic),
    ascending by document, then subtopic. A code stands for one subtopic of one topic; codes ascend by topic and follow
    the numeric order of subtopics written as numbers.
    `stratum`, `probability`: int64, float64 (n_documents,), for sampled judgments: the stratum of the document, and the
    probability with which it was drawn (NaN: it was not drawn); None where the judgments are no such sample.
    """

    topics: tuple[str, ...]
    docno: Texts
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
    def from_table(cls, table: pl.DataFrame) -> Judgments:
        """Code a table of judgments with the columns topic, subtopic, docno (String) and grade (an integer type).

        The subtopic is "0" where there is none. A (topic, subtopic, docno) given twice is a JudgmentError.
        Columns stratum (an integer type) and probability (a float type, null for a document that was not drawn) are
        taken where they are; a document with two of the same topic is a JudgmentError.
        """
        import polars as pl

        _refuse_different_sampling(table)
        topics, topic = _ascending(table["topic"])
        subtopic, n_subtopics = _subtopic_codes(topic, table["subtopic"])
        kept = table.select("docno", pl.col("grade").cast(pl.Int64), *_sampling_columns(table))
        pairs = kept.with_columns(topic=topic, subtopic=subtopic).sort("topic", "docno", "subtopic")
        topic, subtopic, grade = (pairs[name].to_numpy() for name in ("topic", "subtopic", "grade"))
        judgments, begins = _of_pairs(topics, pairs["docno"], topic, subtopic, grade, n_subtopics)
        if _judged_twice(judgments):
            raise _twice(table)
        sampled = {name: pairs[name][begins].to_numpy() for name in _sampling_columns(table)}
        stratum, probability = sampled.get("stratum"), sampled.get("probability")
        return replace(
            judgments, stratum=None if stratum is None else stratum.astype(np.int64), probability=probability
        )

    @classmethod
    def from_lists(
        cls, topics: Sequence[str], subtopics: Sequence[str], docnos: Sequence[str], grades: Sequence[int]
    ) -> Judgments:
        """Code a few judgments, from a list for each column, as `from_table` codes a table of the same rows.

        >>> judgments = Judgments.from_lists(["2", "1", "2"], ["0", "0", "0"], ["b", "a", "a"], [1, 0, 2])
        >>> judgments.topics, judgments.docno.tolist(), judgments.grade.tolist()
        (('1', '2'), ['a', 'a', 'b'], [0, 2, 1])
        """
        names, topic = _ascending(topics)
        of_topics = list(zip(topic.tolist(), subtopics, strict=True))
        known = sorted(set(of_topics), key=lambda pair: (pair[0], len(pair[1].encode()), pair[1]))
        codes = {pair: code for code, pair in enumerate(known)}
        subtopic = [codes[pair] for pair in of_topics]
        keys = list(zip(topic.tolist(), docnos, subtopic, strict=True))
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        docno, code, grade = np.array(docnos, object), np.array(subtopic, np.int64), np.array(grades, np.int64)
        judgments, _ = _of_pairs(names, docno[order], topic[order], code[order], grade[order], len(known))
        if _judged_twice(judgments):
            raise JudgmentError("A document is judged more than once. Keep one judgment of each.")
        return judgments

    @property
    def documents(self) -> pl.DataFrame:
        """Give the judged documents in the order of their codes: a table with the columns `topic` and `docno` (String)."""
        import polars as pl

        def compute() -> pl.DataFrame:
            topics = pl.Series("topic", self.topics, dtype=pl.String)
            docno = pl.Series("docno", self.docno, dtype=pl.String)
            return pl.DataFrame([topics[self.topic], docno])

        return self.memo.get("documents", compute)

    def named(self, document: int) -> tuple[str, str]:
        """Give the topic and the docno of a document, by its code."""
        return self.topics[self.topic[document]], self.docno[document]

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    def topic_codes(self, topics: Sequence[str]) -> IntArray:
        """Give the index of each topic number in `self.topics`, -1 for a topic without judgments: int64 (n,)."""
        known = self.memo.get("topic codes", lambda: {topic: code for code, topic in enumerate(self.topics)})
        return np.array([known.get(topic, -1) for topic in topics], dtype=np.int64)

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


def _of_pairs(
    topics: tuple[str, ...], docno: Texts, topic: IntArray, subtopic: IntArray, grade: IntArray, n_subtopics: int
) -> tuple[Judgments, IntArray]:
    """Make judgments of sorted pairs of document and subtopic, and give the place of each document's first pair."""
    first = changes(docno) | (np.diff(topic, prepend=-1) != 0)
    begins = np.flatnonzero(first)
    judgments = Judgments(
        topics=topics,
        docno=docno[begins],
        topic=topic[begins],
        grade=np.maximum.reduceat(grade, begins) if len(begins) else grade,
        pair_document=np.cumsum(first) - 1,
        pair_subtopic=subtopic,
        pair_grade=grade,
        n_subtopics=n_subtopics,
    )
    return judgments, begins


def _ascending(column: pl.Series | Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Give the different texts of a column in ascending order, and their places there: int64 (n,)."""
    names, places = coded(column)
    ascending = sorted(range(len(names)), key=names.__getitem__)  # code points stand in the order of their UTF-8 bytes
    place = np.empty(len(names), dtype=np.int64)
    place[ascending] = np.arange(len(names))
    return tuple(names[number] for number in ascending), place[places]


def _subtopic_codes(topic: IntArray, subtopic: pl.Series) -> tuple[IntArray, int]:
    """Code the subtopics of all topics, ascending by topic, numbers in numeric order; give the codes and their number."""
    import polars as pl

    if subtopic.n_unique() <= 1:
        return topic, int(topic.max(initial=-1)) + 1
    lines = pl.DataFrame({"topic": topic, "subtopic": subtopic})
    known = lines.unique().sort("topic", pl.col("subtopic").str.len_bytes(), "subtopic").with_row_index("code")
    codes = lines.join(known, on=["topic", "subtopic"], how="left", maintain_order="left")["code"]
    return codes.to_numpy().astype(np.int64), known.height


def _sampling_columns(table: pl.DataFrame) -> list[str]:
    return [name for name in SAMPLING if name in table.columns]


def _judged_twice(judgments: Judgments) -> bool:
    """Whether a document is judged twice for the same subtopic."""
    document, subtopic = judgments.pair_document, judgments.pair_subtopic
    return bool(((np.diff(document) == 0) & (np.diff(subtopic) == 0)).any())


def _twice(table: pl.DataFrame) -> JudgmentError:
    import polars as pl

    key = ["topic", "subtopic", "docno"]
    topic, of_subtopic, docno = table.select(key).filter(pl.struct(key).is_duplicated()).row(0)
    return JudgmentError(
        f"Topic {topic}, subtopic {of_subtopic}: document {docno} is judged more than once. Keep one judgment of each."
    )


def _refuse_different_sampling(table: pl.DataFrame) -> None:
    """Refuse a document that two subtopics give two strata or probabilities: it was drawn once."""
    import polars as pl

    for name in _sampling_columns(table):
        differing = table.group_by("topic", "docno").agg(pl.col(name).n_unique()).filter(pl.col(name) > 1)
        if differing.height:
            topic, docno, _ = differing.sort("topic", "docno").row(0)
            raise JudgmentError(
                f"Topic {topic}: document {docno} has more than one {name}. Give it the same everywhere."
            )
