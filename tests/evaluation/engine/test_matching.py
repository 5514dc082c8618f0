"""Lines are matched with judgments by hashes, in pieces: neither may show in what is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import matching
from evaluation.engine.matching import DocumentIndex
from evaluation.engine.ranking import rank_run
from tests.evaluation.engine.random_collections import collections


def ranked_arrays(collection) -> dict[str, list[int]]:
    ranked = rank_run(collection.run_table, collection.judgments)
    return {name: getattr(ranked, name).tolist() for name in ("topic", "num_ret", "group", "rank", "grade", "document")}


@given(collections(), st.integers(1, 5))
def test_a_run_matched_in_small_pieces_is_ranked_as_one_matched_at_once(collection, at_once):
    whole = ranked_arrays(collection)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(matching, "LINES_AT_ONCE", at_once)
        assert ranked_arrays(collection) == whole


@given(collections(), st.sampled_from([1, 2, 7]))
def test_documents_of_the_same_hash_are_told_apart_by_their_docnos(collection, n_hashes):
    whole, hashes = ranked_arrays(collection), matching._hashes
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(matching, "_hashes", lambda docno, topic: hashes(docno, topic) % np.uint64(n_hashes))
        assert ranked_arrays(collection) == whole


@given(collections(), st.sampled_from([3, 20]))
def test_documents_that_share_a_slot_are_all_found(collection, n_slots):
    whole, hashes = ranked_arrays(collection), matching._hashes
    low_bits = np.uint64((1 << 40) - 1)

    def crowded(docno, topic):
        full = hashes(docno, topic)
        return (full & low_bits) | ((full >> np.uint64(58)) % np.uint64(n_slots) << np.uint64(60))

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(matching, "_hashes", crowded)
        assert not DocumentIndex.of(collection.judgments).ambiguous
        assert ranked_arrays(collection) == whole
