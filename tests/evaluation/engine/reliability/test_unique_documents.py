"""The board without what only one team found: against scoring with qrels from which the lines are taken out."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.engine.arrays import NO_CUTOFF
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranking import rank_run
from evaluation.engine.reliability.collection import judged_depth
from evaluation.engine.reliability.unique_documents import found_by, groups_left_out
from evaluation.engine.scoring import score_run
from tests.draws import examples

TOPICS, DOCNOS = ["1", "2", "3"], [f"d{number}" for number in range(12)]


def collection(seed: int, n_runs: int) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    random = np.random.default_rng(seed)
    judged = [(topic, "0", docno, int(random.integers(0, 3))) for topic in TOPICS for docno in DOCNOS[:9]]
    qrels = pl.DataFrame(judged, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    runs = []
    for _ in range(n_runs):
        lines = [
            (topic, docno, float(score))
            for topic in TOPICS
            for docno, score in zip(random.permutation(DOCNOS)[:6], random.permutation(6), strict=True)
        ]
        runs.append(pl.DataFrame(lines, schema=["topic", "docno", "score"], orient="row"))
    return qrels, runs


@given(st.integers(0, 10_000), st.lists(st.integers(0, 2), min_size=2, max_size=6), st.integers(1, 4))
@examples(25)
def test_leaving_documents_out_equals_scoring_by_qrels_without_them(seed: int, drawn: list[int], depth: int) -> None:
    groups = np.unique(drawn, return_inverse=True)[1]
    qrels, tables = collection(seed, len(groups))
    judgments = Judgments.from_table(qrels)
    runs = [rank_run(table, judgments) for table in tables]
    heads = [
        {
            (topic, docno)
            for topic in TOPICS
            for docno in table.filter(topic=topic).sort("score")["docno"].to_list()[-depth:]
        }
        for table in tables
    ]
    relevant = {(topic, docno) for topic, _, docno, grade in qrels.rows() if grade >= 1}
    assert found_by(runs, depth).sum() == sum(len(head & relevant) for head in heads)
    before = [score_run(table, judgments, ["AP"]).values[0].mean() for table in tables]
    for group, found in enumerate(groups_left_out(runs, groups, parse_measure("AP"), depth)):
        own = set().union(*(head for head, of in zip(heads, groups, strict=True) if of == group))
        others = set().union(*(head for head, of in zip(heads, groups, strict=True) if of != group))
        unique = (own - others) & relevant
        assert found.unique == len(unique)
        kept = qrels.filter(~pl.struct("topic", "docno").is_in([{"topic": t, "docno": d} for t, d in unique]))
        left = [score_run(table, Judgments.from_table(kept), ["AP"]) for table in tables]
        after = [one.values[0].sum() / len(TOPICS) for one in left]
        expected = stats.kendalltau(np.round(before, 12), np.round(after, 12)).statistic
        assert found.tau == pytest.approx(expected, nan_ok=True)
        best = max((place for place, of in enumerate(groups) if of == group), key=lambda place: before[place])
        assert found.change == pytest.approx(after[best] - before[best])


def heads_of(tables: list[pl.DataFrame], depth: int) -> list[set[tuple[str, str]]]:
    return [
        {
            (topic, docno)
            for topic in TOPICS
            for docno in table.filter(topic=topic).sort("score")["docno"].to_list()[-depth:]
        }
        for table in tables
    ]


def judged_in(qrels: pl.DataFrame, pool: set[tuple[str, str]]) -> pl.DataFrame:
    return qrels.filter(pl.struct("topic", "docno").is_in([{"topic": topic, "docno": docno} for topic, docno in pool]))


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 4))
@examples(25)
def test_at_the_depth_of_the_pool_it_is_the_board_by_a_pool_that_is_drawn_without_the_group(
    seed: int, n_runs: int, depth: int
) -> None:
    """Of relevant documents: what is not relevant and leaves the pool counts as not relevant before and after."""
    _, tables = collection(seed, n_runs)
    random = np.random.default_rng(seed)
    lines = [(topic, "0", docno, int(random.integers(0, 3))) for topic in TOPICS for docno in DOCNOS]
    everything = pl.DataFrame(lines, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    heads = heads_of(tables, depth)
    judgments = Judgments.from_table(judged_in(everything, set().union(*heads)))
    runs = [rank_run(table, judgments) for table in tables]
    assert judged_depth(runs) >= depth
    for group, found in enumerate(groups_left_out(runs, np.arange(n_runs), parse_measure("AP"), depth)):
        drawn_again = judged_in(everything, set().union(*heads[:group], *heads[group + 1 :]))
        after = score_run(tables[group], Judgments.from_table(drawn_again), ["AP"]).values[0].sum() / len(TOPICS)
        before = score_run(tables[group], judgments, ["AP"]).values[0].sum() / len(TOPICS)
        assert found.change == pytest.approx(after - before)


def test_the_depth_to_which_all_is_judged_is_found_by_plain_loops_too() -> None:
    for seed in range(40):
        qrels, tables = collection(seed, 3)
        pool = set().union(*heads_of(tables, seed % 4))
        judgments = Judgments.from_table(judged_in(qrels, pool) if pool else qrels)
        judged = set(zip(judgments.documents["topic"], judgments.documents["docno"], strict=True))
        wholes = []
        for table in tables:
            for topic in TOPICS:
                ranking = table.filter(topic=topic).sort("score", descending=True)["docno"].to_list()
                gaps = [place for place, docno in enumerate(ranking) if (topic, docno) not in judged]
                wholes += gaps[:1]
        topics = set(judgments.topics)
        runs = [rank_run(table.filter(pl.col("topic").is_in(topics)), judgments) for table in tables]
        if topics == set(TOPICS):
            assert judged_depth(runs) == min(wholes, default=NO_CUTOFF)
