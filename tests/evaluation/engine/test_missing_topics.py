"""No run gains by leaving topics out."""

import numpy as np
import pytest
from hypothesis import given

from evaluation.boards.board import RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import compute_board
from evaluation.engine.measures import drawn_by_probability, sampled
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.missing_topics import compared_values, summary_of_compared
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_run

SAMPLED = {definition.name for definition in (*sampled.MEASURES, *drawn_by_probability.MEASURES)}
NOT_WORSE = {
    *("Judged", "unj", "rbp_resid", "RBP_residual"),  # left out: they say how much is judged
    "utility",  # to retrieve nothing is an answer that it weighs
}
TOPICS = [str(number) for number in range(8)]
LESS_IS_BETTER = ["Fallout(N=1000)", "FDR", "num_nonrel_judged_ret", "E"]


def make_ranking(topic: str, relevant: int, others: int) -> list[tuple[str, str, float]]:
    docnos = [f"r{number}" for number in range(relevant)] + [f"n{number}" for number in range(others)]
    return [(topic, docno, float(-place)) for place, docno in enumerate(docnos)]


def test_a_run_that_answers_two_of_eight_topics_is_not_first_where_less_is_better():
    judgments = make_judgments(
        *((topic, f"{kind}{number}", int(kind == "r")) for topic in TOPICS for kind in "rn" for number in range(10))
    )
    whole = make_run(*(line for place, topic in enumerate(TOPICS) for line in make_ranking(topic, 5, 1 + place % 4)))
    skipping = make_run(*(line for topic in TOPICS[:2] for line in make_ranking(topic, 5, 2)))
    scores = [score_run(run, judgments, LESS_IS_BETTER) for run in (whole, skipping)]
    values = np.array([compared_values(of_run, judgments) for of_run in scores])
    facts = [RunFacts(tag, "t", "automatic", 8) for tag in ("whole", "skips")]
    board = compute_board(facts, scores[0].measures, TOPICS, values, Choice("t", "holm")).board
    assert {int(column.rank_first[0]) for column in board.columns} == {1}
    assert board.column("FDR").mean[1] == pytest.approx((2 * 2 / 7 + 6) / 8)


@given(collections(subtopics=["1", "2"]))
@examples(10)
def test_no_value_of_a_ranking_is_worse_than_that_of_a_missed_topic(collection: Collection):
    definitions = [of for of in known_measures() if of.name not in SAMPLED | NOT_WORSE]
    judgments = collection.judgments
    names = [definition.example for definition in definitions]
    found = score_run(collection.run_table, judgments, names).values
    nothing = score_run(collection.run_table.clear(), judgments, names)
    missed = compared_values(nothing, judgments)
    sign = np.array([-1.0 if definition.lower_is_better else 1.0 for definition in definitions])[:, np.newaxis]
    worse = (sign * found < sign * missed - 1e-9).any(axis=1)
    assert [name for name, is_worse in zip(names, worse, strict=True) if is_worse] == []
    assert np.isfinite(missed).all()


def test_how_much_is_judged_is_averaged_over_the_topics_that_a_run_answers():
    judgments = make_judgments(("1", "a", 1), ("2", "b", 1), ("3", "c", 1))
    scores = score_run(make_run(("1", "a", 2.0), ("1", "x", 1.0), ("2", "b", 1.0)), judgments, ["Judged@2", "unj@2"])
    values = compared_values(scores, judgments)
    assert np.isnan(values).tolist() == [[False, False, True], [False, False, True]]
    means = [
        summary_of_compared(row, parse_measure(name).definition)
        for row, name in zip(values, scores.measures, strict=True)
    ]
    assert means == pytest.approx([0.75, 0.25])
    facts = [RunFacts("one", "t", "automatic", 2)]
    board = compute_board(facts, scores.measures, scores.topics, values[np.newaxis], Choice()).board
    assert [(column.mean[0], column.topics[0]) for column in board.columns] == [(0.75, 2), (0.25, 2)]
