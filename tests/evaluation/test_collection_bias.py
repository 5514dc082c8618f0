"""What is measured on a judged collection: that nothing is biased where all is judged, and that the page has every setting."""

import numpy as np
import pytest

from benchmarks import collection_bias
from benchmarks.collection_bias import OFFERED, found_on, relevant_of
from benchmarks.made_up_collections import EIGHT_RUNS, make_collection
from tests.places import REPOSITORY


def test_what_judges_all_has_no_error_and_a_sample_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_collection(EIGHT_RUNS, 5, 1)
    whole = ("stratified", {"rates": [(collection_bias.DEPTH, 1.0)]})
    monkeypatch.setattr(collection_bias, "OFFERED", (whole, ("statap", {"size": 20}), ("mtf", {"size": 100})))
    all_judged, drawn, grown = found_on(made.runs, made.topics, made.grades, 2)
    assert np.abs(all_judged.errors).max() < 0.0001, "the estimator smooths by 0.00001"
    assert all_judged.judged > drawn.judged
    assert (np.abs(drawn.errors).max(), np.abs(grown.errors).max()) > (0.001, 0.001)
    assert relevant_of(made.runs, made.topics, made.grades).max() <= 5


def test_the_page_has_a_row_for_each_setting() -> None:
    page = (REPOSITORY / "docs" / "reference" / "collection-bias.md").read_text(encoding="utf-8")
    for strategy, changed in OFFERED:
        assert f"\n| {strategy}{''.join(f', {name} {value}' for name, value in changed.items())} | " in page
