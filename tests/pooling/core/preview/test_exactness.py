from pooling.core.preview.exactness import PoolReach, exactness, reach_of
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.makers import depth_k


def test_measures_that_need_all_relevant_documents_are_called_exact_of_no_pool() -> None:
    exact, others = exactness(reach_of(depth_k(20)))
    assert "Once all are judged, P@20, RR@20, Success@20, DCG@20 and ERR@20 are exact" in exact
    assert "nDCG" not in exact
    assert others.startswith("nDCG@20, AP, R and other measures that need all relevant documents are not exact")


def test_where_no_rank_is_pooled_whole_no_measure_is_called_exact() -> None:
    assert exactness(PoolReach(0))[0].startswith("No measure is exact: the pool need not hold the first")
    assert exactness(PoolReach(0, "probability"))[1].startswith("Estimates from the sample, once every drawn")


def test_every_strategy_declares_what_the_sentences_are_made_from() -> None:
    for name in STRATEGIES:
        assert exactness(reach_of(PoolSpec.with_defaults(name)))
