"""How documents beside the sample are counted, and that the counts are right over many draws."""

import numpy as np
import polars as pl
import pytest

from pooling.core.strategies.strata import CHOSEN, ELSEWHERE, FOUND, sampled_by, with_strata

NUMBERS, SAMPLED, DRAWS = 60, 12, 400
RELEVANT = set(range(0, 60, 4))
TAKEN = {*sorted(RELEVANT)[:10], 1, 2, 3}
"""What a policy chooses or a person finds: mostly relevant documents."""


def pairs(numbers: list[int]) -> pl.DataFrame:
    docnos = [f"d{number:02}" for number in numbers]
    return pl.DataFrame(
        {"topic": ["1"] * len(docnos), "docno": docnos}, schema={"topic": pl.String, "docno": pl.String}
    )


def estimated_relevant(composed: pl.DataFrame) -> float:
    """The sum of N_c r_c / n_c over strata."""
    total = 0.0
    for _, stratum in composed.group_by("stratum"):
        drawn = stratum.filter(pl.col("inclusion_probability").is_not_null())["docno"].to_list()
        relevant = sum(int(docno[1:]) in RELEVANT for docno in drawn)
        total += stratum.height * relevant / len(drawn)
    return total


def draws(seed: int) -> tuple[pl.DataFrame, pl.DataFrame, list[int]]:
    order = np.random.default_rng(seed).permutation(NUMBERS).tolist()
    drawn = pairs(order[:SAMPLED]).with_columns(
        stratum=pl.lit(1, pl.Int32), inclusion_probability=pl.lit(SAMPLED / NUMBERS)
    )
    return drawn, pairs(order[SAMPLED:]).with_columns(stratum=pl.lit(1, pl.Int32)), order[SAMPLED:]


def test_the_estimate_is_unbiased_beside_choices_and_finds_and_would_not_be_if_finds_left_the_frame() -> None:
    chosen, found, left = [], [], []
    nothing = pairs([])
    for seed in range(DRAWS):
        drawn, frame, undrawn = draws(seed)
        chosen.append(estimated_relevant(with_strata(drawn, frame, pairs(sorted(TAKEN)), {})))
        hand = pairs([number for number in undrawn if number in TAKEN])
        found.append(estimated_relevant(with_strata(drawn, frame, nothing, {FOUND: hand})))
        left.append(
            estimated_relevant(with_strata(drawn, frame.join(hand, on="docno", how="anti"), nothing, {FOUND: hand}))
        )
    for estimates in (chosen, found):
        assert abs(np.mean(estimates) - len(RELEVANT)) < 4.5 * np.std(estimates) / DRAWS**0.5
    assert np.std(chosen) < 0.8 * np.std(found), "what was chosen is known: only the rest is estimated"
    assert np.mean(left) > len(RELEVANT) + 3


def test_each_document_stands_once_and_the_draw_comes_before_what_was_found() -> None:
    drawn = pairs([1, 2]).with_columns(stratum=pl.Series([1, 2]), inclusion_probability=pl.Series([1.0, 0.5]))
    frame = pairs([3, 4]).with_columns(stratum=pl.Series([2, 2]))
    composed = with_strata(drawn, frame, pairs([2, 4, 7]), {ELSEWHERE: pairs([1, 3, 7, 8, 9]), FOUND: pairs([3, 4, 8])})
    assert composed.drop("topic").rows() == [
        ("d01", 1, 1.0),
        ("d02", CHOSEN, 1.0),
        ("d03", 2, None),
        ("d04", CHOSEN, 1.0),
        ("d07", CHOSEN, 1.0),
        ("d08", FOUND, 1.0),
        ("d09", ELSEWHERE, 1.0),
    ]


@pytest.mark.parametrize(
    ("probabilities", "undrawn", "kind"),
    [
        ([0.5, 0.5], 2, "stratum"),
        ([1.0, 1.0], 0, "stratum"),
        ([0.5, 0.25], 2, "probability"),
        ([0.5, 0.5], 3, "probability"),
    ],
)
def test_a_sample_of_n_of_each_n_documents_is_one_by_strata(
    probabilities: list[float], undrawn: int, kind: str
) -> None:
    drawn = pairs([1, 2]).with_columns(stratum=pl.lit(1), inclusion_probability=pl.Series(probabilities))
    assert sampled_by(drawn, pairs(list(range(10, 10 + undrawn))).with_columns(stratum=pl.lit(1))) == kind


def test_a_stratum_without_anything_drawn_is_no_sample_by_strata() -> None:
    drawn = pairs([1]).with_columns(stratum=pl.lit(1), inclusion_probability=pl.lit(1.0))
    assert sampled_by(drawn, pairs([2]).with_columns(stratum=pl.lit(2))) == "probability"
