"""What is measured on a judged collection: that nothing is biased where all is judged, and that the page has every setting."""

import re

import numpy as np
import pytest

from benchmarks import collection_bias
from benchmarks.collection_bias import OFFERED, found_on, relevant_of
from benchmarks.made_up_collections import EIGHT_RUNS, make_collection
from evaluation.boards.few_relevant import MEASURED
from tests.places import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "collection-bias.md").read_text(encoding="utf-8")


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
    for strategy, changed in OFFERED:
        assert f"\n| {strategy}{''.join(f', {name} {value}' for name, value in changed.items())} | " in PAGE


def measured() -> dict[str, float]:
    """The bias by strategy and setting, as the page has it."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if " ± " in line]
    return {row[0]: float(row[3].split(" ± ")[0]) for row in rows}


def test_the_guide_and_boards_tell_the_figures_of_the_page() -> None:
    guide = " ".join((REPOSITORY / "docs" / "guide" / "organiser.md").read_text(encoding="utf-8").split())
    bias = measured()
    drawn, statap = (f"{bias[name]:.2f}" for name in ("stratified", "statap"))
    [grown] = {f"{bias[f'{name}, size 60']:.2f}" for name in ("mtf", "hedge", "maxmean")}
    runs, relevant = re.search(r"(\d+) real runs, .* \(on average ([\d.]+)\)", PAGE.replace("\n", " ")).groups()  # type: ignore[union-attr]
    assert (
        f"({runs} runs, on average {relevant} relevant documents of a topic, the settings that the site offers)"
        in guide
    )
    assert (
        f"xinfAP is too high by {drawn}, in pools that grow to 60 judgments of a topic by {grown}; statAP is" in guide
    )
    assert f"statAP is too high by {statap}." in guide
    assert f"by {drawn} with {runs} runs on Cranfield, by {grown} where a pool there grows to 60" in MEASURED["stratum"]
    assert f"by {statap} with {runs} runs on Cranfield" in MEASURED["probability"]
    assert all(bias[f"{name}, control 30"] < bias[name] for name in ("mtf", "maxmean"))
