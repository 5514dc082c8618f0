"""Small runs and judgments: factories, worked rankings, and hypothesis strategies for nasty collections."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from hypothesis import strategies as st

from evaluation.engine.judgments import Judgments

RUN_SCHEMA = {"topic": pl.String, "docno": pl.String, "score": pl.Float64}
JUDGMENTS_SCHEMA = {"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}


def make_run(*lines: tuple[str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(list(lines), schema=RUN_SCHEMA, orient="row")


def make_judgments(*lines: tuple[str, str, int]) -> Judgments:
    return make_subtopic_judgments(*((topic, "0", docno, grade) for topic, docno, grade in lines))


def make_subtopic_judgments(*lines: tuple[str, str, str, int]) -> Judgments:
    return Judgments.from_table(pl.DataFrame(list(lines), schema=JUDGMENTS_SCHEMA, orient="row"))


def make_ranking(grades: list[int], *, relevant_in_all: int | None = None, topic: str = "1"):
    """A run that retrieves judged documents with these grades in this order, and its judgments.

    `relevant_in_all` adds relevant documents that are not retrieved until there are so many.
    """
    run = [(topic, f"d{place:03d}", float(-place)) for place in range(len(grades))]
    judged = [(topic, f"d{place:03d}", grade) for place, grade in enumerate(grades)]
    missing = (relevant_in_all or 0) - sum(grade > 0 for grade in grades)
    judged += [(topic, f"x{place:03d}", 1) for place in range(missing)]
    return make_run(*run), make_judgments(*judged)


@dataclass(frozen=True)
class Collection:
    """A drawn test case, as plain dictionaries: the form that oracles take."""

    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, dict[str, int]]]

    @property
    def run_table(self) -> pl.DataFrame:
        return make_run(*((topic, docno, score) for topic, docs in self.run.items() for docno, score in docs.items()))

    @property
    def judgments(self) -> Judgments:
        return make_subtopic_judgments(
            *(
                (topic, subtopic, docno, grade)
                for topic, docs in self.qrels.items()
                for docno, grades in docs.items()
                for subtopic, grade in grades.items()
            )
        )

    @property
    def grades(self) -> dict[str, dict[str, int]]:
        return {
            topic: {docno: max(grades.values()) for docno, grades in docs.items()} for topic, docs in self.qrels.items()
        }

    def scoring_order(self, topic: str, as_type: type = np.float32) -> list[str]:
        """The rule in the plainest words: score descending, then docno descending by UTF-8 bytes."""
        docs = self.run[topic]
        with np.errstate(over="ignore"):
            return sorted(docs, key=lambda docno: (as_type(docs[docno]), docno.encode()), reverse=True)


TOPICS = ["1", "2", "10", "9", "é", "T-7"]
# The last two are ordered one way by UTF-8 bytes and the other way by UTF-16 units.
DOCNOS = ["a", "A", "b", "aa", "d1", "d10", "d2", "é", "zz", "ß", "日本", "\ufb03", "\U0001f600"]
# Pairs that are equal in single precision only; both zeros; values beyond single precision's range.
SCORES = [1.0, 0.5, 0.1, 0.100000000001, 16777216.0, 16777217.0, 0.0, -0.0, -1.0, -16777217.0, 1e39, 2e39, 1e-50, 3e-50]


def collections(subtopics: list[str] | None = None, grades: tuple[int, int] = (-2, 4)) -> st.SearchStrategy[Collection]:
    docnos = st.sampled_from(DOCNOS)
    judged = st.dictionaries(st.sampled_from(subtopics or ["0"]), st.integers(*grades), min_size=1)
    return st.builds(
        Collection,
        run=st.dictionaries(
            st.sampled_from(TOPICS), st.dictionaries(docnos, st.sampled_from(SCORES), min_size=1), min_size=1
        ),
        qrels=st.dictionaries(st.sampled_from(TOPICS), st.dictionaries(docnos, judged, min_size=1), min_size=1),
    )
