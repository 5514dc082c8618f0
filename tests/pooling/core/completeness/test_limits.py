"""Which estimates are refused, what is said then, and that the measured coverage stands beside those that are told."""

import polars as pl
import pytest

from pooling.core.completeness import control, recapture, slices
from pooling.core.completeness.control import SampleSize, by_random_sample, sample_size
from pooling.core.completeness.estimates import Sampling, estimates
from pooling.core.completeness.limits import HOLDS_FOR_SOME, SELDOM_HOLDS, WIDEST, needed
from pooling.core.completeness.outside import NoEstimate, Outside
from tests.places import REPOSITORY
from tests.pooling.core.completeness.test_control import SCHEMA, make_pool

HOLDERS = {"topic": pl.String, "docno": pl.String, "team": pl.Int64}


def told(
    relevant: int, judged: int, undrawn: int, *, sampling: Sampling = "stratum", depth: int = 10, topics: int = 1
) -> dict[str, Outside | NoEstimate]:
    """Estimates of topics with a base of 40 documents of which 20 are relevant, and a sample in which so many are."""
    entries, frame = [], []
    for topic in map(str, range(topics)):
        strata = {
            (topic, 1): ([True, False] * 20, 0),
            (topic, 2): ([place < relevant for place in range(judged)], undrawn),
        }
        held, left = make_pool(strata)
        entries.append(held)
        frame.append(left)
    table = pl.concat(entries)
    place = pl.int_range(pl.len()).over("topic", "stratum")
    table = table.with_columns(
        best_position=(place % depth + 1 if depth else place).cast(pl.UInt32),
        inclusion_probability=pl.when(pl.col("stratum") == 2).then(judged / max(1, judged + undrawn)).otherwise(1.0),
    )
    if not sampling:
        table = table.filter(pl.col("stratum") == 1).drop("inclusion_probability", "stratum")
    held = [(topic, docno, team) for topic, docno in table.select("topic", "docno").rows() for team in (0, 1)]
    holders = pl.DataFrame(held, schema=HOLDERS, orient="row")
    found = estimates(table, holders, frame=pl.concat(frame), sampling=sampling, depth=depth, horizon=100)
    return {estimate.method: estimate for estimate in found}


def reason(estimate: Outside | NoEstimate) -> str:
    assert isinstance(estimate, NoEstimate)
    return estimate.reason


def test_a_sample_that_leaves_more_than_half_open_is_refused_with_what_it_would_need() -> None:
    few = told(1, 9, 891)[control.METHOD]
    assert "9 of 900 documents that could have been drawn at random are judged, 1 relevant" in reason(few)
    assert "which tells too little; draw and judge at least " in reason(few)
    assert isinstance(told(20, 300, 600)[control.METHOD], Outside)
    assert isinstance(told(0, 300, 600)[control.METHOD], Outside), "that nothing is left is told too"


@pytest.mark.parametrize(
    ("relevant", "judged", "size", "found"), [(1, 9, 900, 40), (2, 40, 2000, 60), (1, 20, 900, 60)]
)
def test_as_many_as_are_said_to_be_needed_are_enough(relevant: int, judged: int, size: int, found: int) -> None:
    """With the same share of relevant documents among them."""
    enough = needed(SampleSize(judged, relevant, size), found)
    assert judged < enough <= size
    more = round(relevant * enough / judged)
    drawn = [place < more for place in range(enough)]
    entries, frame = make_pool({("1", 1): ([True] * (found - relevant), 0), ("1", 2): (drawn, size - enough)})
    estimate = by_random_sample(entries, frame)
    assert isinstance(estimate, Outside)
    assert estimate.share_high - estimate.share_low <= 1.1 * WIDEST


def test_the_size_of_a_sample_is_that_of_the_topics_that_are_heard() -> None:
    entries, frame = make_pool({("1", 2): ([True, False, None], 7), ("2", 2): ([None], 90), ("3", 1): ([True], 0)})
    assert sample_size(entries, frame) == SampleSize(judged=2, relevant=1, size=10)
    found = pl.DataFrame([("1", "2u0", 1002, True)], schema=SCHEMA, orient="row")
    assert sample_size(pl.concat([entries, found]), frame).size == 10, "what was found by hand stays undrawn"


def test_teams_tell_nothing_of_a_pool_that_holds_only_a_part_of_what_they_found() -> None:
    refused = "needs a pool that holds the first documents of every run and no others"
    assert refused in reason(told(20, 300, 600)[recapture.METHOD])
    assert refused in reason(told(0, 1, 1, sampling="", depth=0)[recapture.METHOD])
    whole = told(0, 1, 1, sampling="")[recapture.METHOD]
    assert isinstance(whole, Outside)
    assert whole.caution == SELDOM_HOLDS


def test_a_curve_needs_positions_relevant_documents_that_were_drawn_and_topics() -> None:
    assert reason(told(0, 1, 1, sampling="", depth=9)[slices.METHOD]) == (
        "it needs 10 positions of every run, and the pool holds 9"
    )
    assert reason(told(9, 300, 600)[slices.METHOD]) == (
        "it needs 10 relevant documents among those drawn at random, and there are 9"
    )
    enough = told(10, 300, 600)[slices.METHOD]
    assert isinstance(enough, Outside)
    assert enough.caution == HOLDS_FOR_SOME


def test_a_narrow_interval_from_few_relevant_documents_is_luck_unless_little_is_outside() -> None:
    lucky = told(3, 30, 2970)[control.METHOD]
    assert "3 relevant: between" in reason(lucky)
    by_chance = by_random_sample(
        *make_pool({("1", 1): ([True, False] * 20, 0), ("1", 2): ([True] * 3 + [False] * 27, 2970)})
    )
    assert isinstance(by_chance, Outside)
    assert by_chance.share_high - by_chance.share_low < WIDEST
    assert isinstance(told(3, 600, 400)[control.METHOD], Outside)


Row = tuple[str, str, str, float, float]


def measured(method: str) -> list[Row]:
    """The rows of a method on the measured page: collection, topics, pool, percent given and, of these, percent held."""
    page = (REPOSITORY / "docs" / "reference" / "pool-completeness.md").read_text(encoding="utf-8")
    section = page.partition(f"## {method[0].upper()}{method[1:]}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line[:2] == "| "]
    numbers = [(cells, [cell.removesuffix(" %") for cell in cells[4:6]]) for cells in rows[2:]]
    return [(*cells[:3], float(given), float(held)) for cells, (given, held) in numbers if held != "–"]


def test_what_is_said_of_coverage_is_what_the_page_measured() -> None:
    by_teams = [held for *_, held in measured(recapture.METHOD)]
    assert (min(by_teams), max(by_teams)) == (pytest.approx(0, abs=2), pytest.approx(50, abs=9))
    by_curve = [row for row in measured(slices.METHOD) if "depth-k" in row[2]]
    real = [held for collection, *_, held in by_curve if collection == "Cranfield"]
    assert min(real) >= 85
    assert min(held for collection, *_, held in by_curve if collection == "made-up") == pytest.approx(50, abs=9)
    by_sample = {row[:3]: row[3:] for row in measured(control.METHOD)}
    often = [held for given, held in by_sample.values() if given >= 20]
    assert len(often) > 15
    assert sum(often) / len(often) >= 94
    assert min(often) >= 80, "of so few pools a share is exact to some points only"
    assert not any(given > 5 for (*_, pool), (given, _) in by_sample.items() if pool.endswith("control=2"))
    assert all(
        given > 50 for (_, topics, pool), (given, _) in by_sample.items() if (topics, pool[-3:]) == ("50", "=10")
    )
