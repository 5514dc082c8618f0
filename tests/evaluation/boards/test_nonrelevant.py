"""Which measures change if judged non-relevant documents are taken out of the qrels."""

import numpy as np
import polars as pl
import pytest

from evaluation.boards.nonrelevant import reads_nonrelevant
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.names.registry import known_measures
from evaluation.engine.scoring import score_run

DOCUMENTS = 30
SEEDS = range(4)


def judgments(definition: Definition, grades: list[int]) -> Judgments:
    by_subtopic = definition.judgments.by_subtopic
    rows = [
        ("1", str(1 + n % 2) if by_subtopic else "0", f"d{n}", grade) for n, grade in enumerate(grades) if grade >= 0
    ]
    schema = {"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}
    return Judgments.from_table(pl.DataFrame(rows, schema=schema, orient="row"))


@pytest.mark.parametrize(
    "definition",
    [definition for definition in known_measures() if not definition.judgments.sampled],
    ids=lambda definition: definition.name,
)
def test_a_measure_reads_judged_nonrelevant_documents_if_and_only_if_it_is_said_to(definition: Definition) -> None:
    docnos = [f"d{n}" for n in range(DOCUMENTS)]
    run = pl.DataFrame({"topic": "1", "docno": docnos, "score": [float(-n) for n in range(DOCUMENTS)]})
    changes = False
    for seed in SEEDS:
        grades = np.random.default_rng(seed).integers(0, 4, DOCUMENTS).tolist()
        without = [grade or -1 for grade in grades]
        both = (score_run(run, judgments(definition, held), [definition.example]) for held in (grades, without))
        values, others = (scores.values[0].tolist() for scores in both)
        changes = changes or values != others
    assert changes == reads_nonrelevant(definition)
