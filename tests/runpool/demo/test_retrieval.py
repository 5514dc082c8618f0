"""Retrieval functions against three documents that can be computed by hand."""

from math import log, sqrt

import numpy as np
import pytest

from campaign.collection.search.text import character_ngrams, stem, stemmed_words, words
from runpool.demo.retrieval.index import Index, build_index
from runpool.demo.retrieval.ranking import (
    best_first,
    bm25,
    coordination,
    dirichlet,
    expanded_query,
    jelinek_mercer,
    random_among_matching,
    reciprocal_rank_fusion,
    tfidf_cosine,
)


def make_index() -> Index:
    """Three documents of 3, 1 and 2 tokens: "cat cat dog", "dog" and "bird bird"."""
    texts = {"a": ("cat", "cat dog"), "b": ("", "dog"), "c": ("bird", "bird")}
    documents = [{"docno": docno, "title": title, "text": text} for docno, (title, text) in texts.items()]
    return build_index(documents, words)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("bodies", "body"),
        ("brakes", "brake"),
        ("tyres", "tyre"),
        ("shoes", "shoes"),
        ("chains", "chain"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("focus", "focus"),
        ("gas", "gas"),
        ("lock", "lock"),
    ],
)
def test_the_stemmer_strips_plurals_and_nothing_else(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_words_are_lower_case_without_punctuation_and_possessive() -> None:
    assert words("The rider's D-lock: 40 years, e-bike & Bär.") == [
        "the", "rider", "d", "lock", "40", "years", "e", "bike", "bar",
    ]  # fmt: skip


def test_stemmed_words_leave_stop_words_out() -> None:
    assert stemmed_words("How the brakes of a bike are used") == ["brake", "bike", "used"]


def test_ngrams_overlap_and_mark_the_ends_of_words() -> None:
    assert character_ngrams(4)("Bell, a!") == ["_bel", "bell", "ell_", "_a_"]


def test_the_index_counts_lengths_documents_and_occurrences() -> None:
    index = make_index()
    cat, dog, bird = (index.vocabulary[term] for term in ("cat", "dog", "bird"))
    assert index.lengths.tolist() == [3, 1, 2]
    assert index.document_frequencies[[cat, dog, bird]].tolist() == [1, 2, 1]
    assert index.collection_frequencies[[cat, dog, bird]].tolist() == [2, 2, 2]


def test_bm25_gives_the_value_computed_by_hand() -> None:
    index = make_index()
    scores = bm25(index, {"cat": 1, "dog": 2, "unknown": 5}, k1=1.0, b=0.5)
    cat, dog = log(1 + 2.5 / 1.5), log(1 + 1.5 / 2.5)
    assert scores == pytest.approx([cat * 2 / (2 + 1.25) + 2 * dog * 1 / (1 + 1.25), 2 * dog * 1 / (1 + 0.75), 0])


def test_tfidf_cosine_gives_the_value_computed_by_hand() -> None:
    scores = tfidf_cosine(make_index(), {"cat": 1})
    cat, dog = (1 + log(2)) * log(3), log(1.5)
    assert scores == pytest.approx([cat * log(3) / sqrt(cat**2 + dog**2), 0, 0])


def test_tfidf_cosine_is_0_for_a_document_of_terms_that_occur_everywhere() -> None:
    documents = [{"docno": docno, "title": "", "text": "dog"} for docno in "ab"]
    assert tfidf_cosine(build_index(documents, words), {"dog": 1}).tolist() == [0, 0]


def test_dirichlet_gives_the_value_computed_by_hand() -> None:
    scores = dirichlet(make_index(), {"dog": 1, "cat": 1}, mu=2.0)
    a = log((1 + 2 / 3) / 5) + log((2 + 2 / 3) / 5)
    b = log((1 + 2 / 3) / 3) + log((2 / 3) / 3)
    assert scores == pytest.approx([a, b, -np.inf])


def test_jelinek_mercer_gives_the_value_computed_by_hand() -> None:
    scores = jelinek_mercer(make_index(), {"dog": 1}, smoothing=0.25)
    assert scores == pytest.approx([log(1 + 3 * (1 / 3) / (1 / 3)), log(1 + 3 * 1 / (1 / 3)), 0])


def test_coordination_counts_different_query_terms() -> None:
    assert coordination(make_index(), {"dog": 3, "cat": 1, "bird": 1}).tolist() == [2, 1, 1]


def test_fusion_adds_reciprocal_ranks_of_retrieved_documents_only() -> None:
    lists = [np.array([3.0, 2.0, 0.0]), np.array([-np.inf, -4.0, -1.0])]
    assert reciprocal_rank_fusion(lists, k=1) == pytest.approx([1 / 2, 1 / 3 + 1 / 3, 1 / 2])


def test_feedback_adds_the_terms_of_the_best_document_in_proportion() -> None:
    index = make_index()
    scores = np.array([2.0, 1.0, 0.0])
    expanded = expanded_query(index, {"cat": 2}, scores, documents=1, terms=2, share=0.4)
    cat, dog = 2 / 3 * log(3), 1 / 3 * log(1.5)
    assert expanded == pytest.approx({"cat": 0.6 + 0.4 * cat / (cat + dog), "dog": 0.4 * dog / (cat + dog)})


def test_feedback_without_any_retrieved_document_leaves_the_query_as_it_is() -> None:
    expanded = expanded_query(make_index(), {"fish": 2}, np.zeros(3), documents=5, terms=5, share=0.4)
    assert list(expanded) == ["fish"]


def test_the_lottery_draws_among_matching_documents_and_repeats_itself() -> None:
    first = random_among_matching(make_index(), {"dog": 1}, seed=[1])
    assert (first > 0).tolist() == [True, True, False]
    assert first.tolist() == random_among_matching(make_index(), {"dog": 1}, seed=[1]).tolist()
    assert first.tolist() != random_among_matching(make_index(), {"dog": 1}, seed=[2]).tolist()


def test_best_first_leaves_out_what_is_not_retrieved_and_keeps_ties_in_order() -> None:
    assert best_first(np.array([1.0, 0.0, 2.0, -np.inf, 1.0])).tolist() == [2, 0, 4]
