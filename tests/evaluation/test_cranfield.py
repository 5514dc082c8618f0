"""A real collection with 15 real runs: trec_eval's published numbers, run by run and topic by topic."""

import gzip

import numpy as np
import polars as pl
import pytest

from evaluation.engine.averaging import summarise
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_run
from tests.places import CRANFIELD

OVER_ALL = [
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "bpref",
    "recip_rank",
    "P_5",
    "P_10",
    "recall_100",
    "ndcg_cut_10",
    "ndcg",
]
PER_TOPIC = ["map", "P_10", "bpref", "recip_rank", "ndcg", "ndcg_cut_10", "num_rel_ret"]
FOUR_DECIMALS = 0.5e-4 + 1e-9

pytestmark = [
    pytest.mark.cranfield,
    pytest.mark.skipif(not CRANFIELD.is_dir(), reason="needs the Cranfield collection in ../shared/data/cranfield"),
]


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    columns = ["topic", "subtopic", "docno", "grade"]
    table = pl.read_csv(
        CRANFIELD / "qrels.graded.txt", separator=" ", has_header=False, new_columns=columns, infer_schema=False
    )
    return Judgments.from_table(table.with_columns(pl.col("grade").cast(pl.Int32)))


@pytest.fixture(scope="module")
def expected_per_topic() -> pl.DataFrame:
    with gzip.open(CRANFIELD / "reference" / "trec_eval.per-topic.csv.gz") as file:
        return pl.read_csv(file.read(), schema_overrides={"topic": pl.String})


def read_run(tag: str) -> pl.DataFrame:
    with gzip.open(CRANFIELD / "runs" / f"{tag}.txt.gz") as file:
        lines = [line.split() for line in file.read().decode().splitlines()]
    return pl.DataFrame(
        {
            "topic": [line[0] for line in lines],
            "docno": [line[2] for line in lines],
            "score": [float(line[4]) for line in lines],
        }
    )


def tags() -> list[str]:
    return sorted(file.name.removesuffix(".txt.gz") for file in (CRANFIELD / "runs").glob("*.txt.gz")) or ["absent"]


@pytest.mark.parametrize("tag", tags())
def test_a_run_obtains_the_published_numbers(tag, judgments, expected_per_topic):
    run = read_run(tag)
    expected = pl.read_csv(CRANFIELD / "reference" / "table.csv").row(by_predicate=pl.col("run") == tag, named=True)
    means = dict(zip(OVER_ALL, summarise(score_run(run, judgments, OVER_ALL)), strict=True))
    for name in OVER_ALL:
        assert means[name] == pytest.approx(expected[name], abs=FOUR_DECIMALS, rel=0), name

    scores = score_run(run, judgments, PER_TOPIC)
    for name in PER_TOPIC:
        rows = expected_per_topic.filter((pl.col("run") == tag) & (pl.col("measure") == name)).sort("topic")
        assert rows["topic"].to_list() == [
            topic for topic, answered in zip(scores.topics, scores.answered, strict=True) if answered
        ]
        np.testing.assert_allclose(scores.of(name)[scores.answered], rows["value"], atol=FOUR_DECIMALS, rtol=0)
