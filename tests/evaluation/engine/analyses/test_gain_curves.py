"""Gain curves go through the sums that are made one document after another."""

from math import log2

import numpy as np
import pytest
from hypothesis import given

from evaluation.engine.analyses.curves import gain_curves
from evaluation.engine.ranking import rank_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import collections, make_ranking

EXACT = {"abs": 1e-9, "rel": 0}
FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}
GRADED = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
RANKS = np.arange(1, 11)


@pytest.mark.parametrize(
    ("gain", "base", "discounted", "ideal"),
    [
        (
            "exponential",
            None,
            [7, 8.8928, 12.3928, 12.3928, 12.3928, 12.7490, 13.7490, 14.6954, 16.8026, 16.8026],
            18.7711,
        ),
        ("linear", "2", [3, 5, 6.8928, 6.8928, 6.8928, 7.2796, 7.9921, 8.6587, 9.6051, 9.6051], 10.8841),
        ("linear", None, [3, 4.2619, 5.7619, 5.7619, 5.7619, 6.1181, 6.7847, 7.4157, 8.3188, 8.3188], 9.0736),
    ],
)
def test_the_discounted_curve_of_the_taught_ranking(gain, base, discounted, ideal):
    curves = gain_curves(rank_run(*make_ranking(GRADED)), RANKS, gain, base).mean()
    assert curves.discounted == pytest.approx(discounted, **FOUR_DECIMALS)
    assert curves.ideal_discounted[-1] == pytest.approx(ideal, **FOUR_DECIMALS)


def test_without_a_discount_the_order_moves_the_curve_but_not_its_end():
    curves = gain_curves(rank_run(*make_ranking(GRADED)), RANKS).mean()
    assert curves.gain.tolist() == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    assert curves.ideal.tolist() == [3, 6, 9, 11, 13, 15, 16, 16, 16, 16]


@given(collections())
@examples(50)
def test_mean_curves_equal_plain_sums_and_no_ranking_lies_above_the_ideal(collection):
    curves = gain_curves(rank_run(collection.run_table, collection.judgments), RANKS).mean()
    topics = collection.grades
    for place, depth in enumerate(RANKS.tolist()):
        plain = discounted = ideal = ideal_discounted = 0.0
        for topic, grades in topics.items():
            order = collection.scoring_order(topic) if topic in collection.run else []
            for rank, docno in enumerate(order[:depth], 1):
                plain += max(grades.get(docno, 0), 0)
                discounted += max(grades.get(docno, 0), 0) / log2(rank + 1)
            for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:depth], 1):
                ideal += max(grade, 0)
                ideal_discounted += max(grade, 0) / log2(rank + 1)
        assert curves.gain[place] == pytest.approx(plain / len(topics), **EXACT)
        assert curves.discounted[place] == pytest.approx(discounted / len(topics), **EXACT)
        assert curves.ideal[place] == pytest.approx(ideal / len(topics), **EXACT)
        assert curves.ideal_discounted[place] == pytest.approx(ideal_discounted / len(topics), **EXACT)
    assert (curves.gain <= curves.ideal + 1e-9).all()
    assert (curves.discounted <= curves.ideal_discounted + 1e-9).all()
