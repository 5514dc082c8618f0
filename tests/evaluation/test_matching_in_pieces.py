"""Long runs are matched with the judgments piece by piece: the pieces must not show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import ranking
from tests.evaluation.collections_for_tests import collections


@settings(deadline=None)
@given(collections(), st.integers(1, 5))
def test_a_run_matched_in_small_pieces_is_ranked_as_one_matched_at_once(collection, at_once):
    whole = ranking.rank_run(collection.run_table, collection.judgments)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(ranking, "LINES_MATCHED_AT_ONCE", at_once)
        pieces = ranking.rank_run(collection.run_table, collection.judgments)
    for name in ("topic", "num_ret", "group", "rank", "grade", "document"):
        assert getattr(whole, name).tolist() == getattr(pieces, name).tolist()
