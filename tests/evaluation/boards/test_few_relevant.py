"""The warning of estimates in topics with few relevant documents: when it is said, and that its numbers are the measured ones."""

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.boards.few_relevant import FEW, MEASURED, few_relevant_cautions
from evaluation.engine.measures.names.registry import parse_measure
from judging.core.samples import relevant_by_sample
from pooling.core.preview.exactness import PoolReach
from tests.places import REPOSITORY

STRATA, DRAWN = PoolReach(10, "stratum"), PoolReach(0, "probability")


def said(names: list[str], reach: PoolReach, relevant: dict[str, float] | None = None) -> list[str]:
    return few_relevant_cautions([parse_measure(name) for name in names], reach, relevant)


def test_estimators_with_a_recall_base_are_named_for_the_samples_that_they_read() -> None:
    names = ["xinfAP", "infNDCG", "infP@10", "statAP", "statP@10", "AP", "P@10"]
    assert said(names, STRATA)[0].startswith("xinfAP, infNDCG: too high on average")
    assert said(names, DRAWN)[0].startswith("statAP: too high on average")
    assert said(names, PoolReach(10)) == []
    assert said(["P@10", "infP@10"], STRATA) == []


def test_once_judged_topics_with_few_relevant_documents_are_counted_and_without_one_nothing_is_said() -> None:
    assert "By the sample, 1 of 2 topics has fewer than 20." in said(["xinfAP"], STRATA, {"1": FEW - 1, "2": FEW})[0]
    assert said(["xinfAP"], STRATA, {"1": FEW, "2": 2 * FEW}) == []
    [short] = few_relevant_cautions([parse_measure("xinfAP")], STRATA, {"1": 0.0}, remedies=False)
    assert short.endswith("has fewer than 20.")


@pytest.mark.parametrize(("sampling", "estimator"), [("stratum", "xinfAP"), ("probability", "statAP")])
def test_the_numbers_of_the_warning_are_those_of_the_measured_pages(sampling: str, estimator: str) -> None:
    page = (REPOSITORY / "docs" / "reference" / "sampling-bias.md").read_text(encoding="utf-8")
    alone = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        row = re.search(rf"^\| 5 \| {estimator} \|[^|]*\|[^|]*\| ([+-][.\d]+) ", section, re.MULTILINE)
        alone += [float(row[1])] if row and not section.startswith("8 runs") else []
    assert len(alone) == 3
    on_cranfield = {"stratum": ["stratified", "mtf, size 60"], "probability": ["statap"]}[sampling]
    told = [float(number) for number in re.findall(r"by (?:up to )?(0\.\d\d)", MEASURED[sampling])]
    assert told == [*(round(bias_on_cranfield(name), 2) for name in on_cranfield), round(max(alone), 2)]


def test_the_numbers_of_the_guide_are_those_of_the_measured_page() -> None:
    offered, growing = ["stratified", "mtf", "hedge", "maxmean"], ["mtf, size 60", "hedge, size 60", "maxmean, size 60"]
    assert {round(bias_on_cranfield(name), 2) for name in offered} == {0.03}
    assert {round(bias_on_cranfield(name), 2) for name in growing} == {0.05}
    assert round(bias_on_cranfield("statap"), 2) == 0.03
    for name in ("mtf", "maxmean"):
        assert bias_on_cranfield(f"{name}, control 30") < bias_on_cranfield(name)


def bias_on_cranfield(name: str) -> float:
    page = (REPOSITORY / "docs" / "reference" / "collection-bias.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {name} \|[^|]*\|[^|]*\| ([+-][.\d]+) ", page, re.MULTILINE)
    assert row is not None
    return float(row[1])


@given(st.lists(st.tuples(st.sampled_from("12"), st.integers(1, 3), st.integers(-1, 3)), min_size=1), st.integers(1, 3))
def test_the_relevant_documents_of_a_topic_are_counted_by_what_drawn_ones_stand_for(
    rows: list[tuple[str, int, int]], lowest: int
) -> None:
    rows += [(topic, stratum, 0) for topic, stratum, _ in rows]
    table = pl.DataFrame(rows, schema=["topic", "stratum", "grade"], orient="row")
    numbers = relevant_by_sample(table, "stratum", lowest)
    for topic in {topic for topic, *_ in rows}:
        expected = 0.0
        for stratum in {stratum for other, stratum, _ in rows if other == topic}:
            grades = [grade for other, place, grade in rows if (other, place) == (topic, stratum)]
            drawn = [grade for grade in grades if grade >= 0]
            expected += len(grades) * sum(grade >= lowest for grade in drawn) / len(drawn)
        assert numbers[topic] == pytest.approx(expected)
