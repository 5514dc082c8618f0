"""The kinds of judgments that measures are computed from, each declared once.

A measure names its kind (`Definition.judgments`). The readers of qrels files, the scoring of released qrels, messages and
the reference of measures go by what the kind declares and never compare its name: a new kind is a new declaration.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

ReleasedTable: TypeAlias = Literal["overall", "by_subtopic", "strata", "probabilities"]
"""The tables of released qrels: a grade for each document of a topic, or for each document and subtopic; of sampled pools also
the stratum of each document, or the probability with which it was drawn."""


@dataclass(frozen=True)
class Section:
    """A section of the reference of measures: the label of its measures in listings and results, its title, its text."""

    label: str
    title: str
    about: str


@dataclass(frozen=True, kw_only=True)
class JudgmentKind:
    """One kind of judgments.

    What is read of a qrels file: with `by_subtopic` the second column names the subtopic, or the group of assessors, so
    that a document may be judged once for each; otherwise that column is ignored. With `sampled` a fifth column is
    admitted: the stratum of the document, or the probability with which it was drawn. `trec_eval_format` is the name that
    trec_eval gives to such a file (option -R). `Judgments.from_table` codes the columns of all kinds.

    What is read of released qrels: `table`, which not every version has.

    In words: `in_words` names the judgments in messages, `needs` what they hold beside grades ("" for nothing), for the
    reference of measures. `section`: where the reference lists the measures; None for measures of one grade for each
    document, which are listed by how they use the grades.
    """

    name: str
    in_words: str
    by_subtopic: bool = False
    sampled: bool = False
    trec_eval_format: Literal["qrels", "qrels_jg"] = "qrels"
    table: ReleasedTable = "overall"
    needs: str = ""
    section: Section | None = None


SUBTOPICS_SECTION = Section(
    "subtopic", "Subtopics", "Documents are judged for each subtopic, or by each group of assessors."
)

DOCUMENTS = JudgmentKind(name="documents", in_words="judgments of documents")
SUBTOPICS = JudgmentKind(
    name="subtopics",
    in_words="subtopic judgments",
    by_subtopic=True,
    table="by_subtopic",
    section=SUBTOPICS_SECTION,
)
ASSESSOR_GROUPS = JudgmentKind(
    name="groups of assessors",
    in_words="subtopic judgments",
    by_subtopic=True,
    trec_eval_format="qrels_jg",
    table="by_subtopic",
    section=SUBTOPICS_SECTION,
)
STRATA = JudgmentKind(
    name="strata", in_words="judgments of a sample by strata", sampled=True, table="strata", needs="strata"
)
PROBABILITIES = JudgmentKind(
    name="probabilities",
    in_words="judgments of a sample with probabilities",
    sampled=True,
    table="probabilities",
    needs="probabilities",
)
