"""Which measures depend on judged documents that a run does not retrieve, and say so."""

import numpy as np
import polars as pl
import pytest

from evaluation.engine.judgment_kinds import SUBTOPICS
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.names.registry import known_measures
from evaluation.engine.scoring import score_run

NOT_RETRIEVED = [("1", subtopic, f"x{n}", grade) for subtopic in "12" for n, grade in enumerate((3, 2, 1, 0, 0))]
SEEDS = range(4)
OTHER_SUBTOPIC = [("1", "3", "y", 2)]
SHOWN_ELSEWHERE = {"RelP", "SetRelP", "IPrec"}
"""Their recall base shows only in a few judgments: fewer relevant documents than the cut-off, a level of recall."""


def values_with_and_without(definition: Definition, seed: int) -> tuple[list[float], list[float]]:
    """The values of one run by judgments of its own documents, and by these and others."""
    generator = np.random.default_rng(seed)
    own = [("1", str(1 + n % 2), f"d{n}", int(generator.integers(0, 4))) for n in range(20)]
    run = pl.DataFrame(
        {"topic": "1", "docno": [f"d{n}" for n in range(20)], "score": [float(20 - n) for n in range(20)]}
    )
    others = NOT_RETRIEVED + OTHER_SUBTOPIC * (definition.judgments is SUBTOPICS)
    both = (score_run(run, _judgments(definition, rows), [definition.example]) for rows in (own, own + others))
    alone, together = (scores.values[0].tolist() for scores in both)
    return alone, together


def _judgments(definition: Definition, rows: list[tuple[str, str, str, int]]) -> Judgments:
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    if not definition.judgments.by_subtopic:
        table = table.unique(["topic", "docno"], maintain_order=True).with_columns(subtopic=pl.lit("0"))
    return Judgments.from_table(table.with_columns(pl.col("grade").cast(pl.Int32)))


@pytest.mark.parametrize(
    "definition",
    [definition for definition in known_measures() if not definition.judgments.sampled],
    ids=lambda definition: definition.name,
)
def test_a_measure_depends_on_documents_that_are_not_retrieved_if_and_only_if_it_declares_so(
    definition: Definition,
) -> None:
    pairs = [values_with_and_without(definition, seed) for seed in SEEDS]
    depends = any(alone != together for alone, together in pairs)
    assert depends == definition.recall_base or (definition.recall_base and definition.name in SHOWN_ELSEWHERE)
