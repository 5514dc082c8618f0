"""`python -m benchmarks.reliability_report`: the report on the reliability of a board, for 100 runs, 50 topics and 8 measures."""

import argparse
import time

import numpy as np
import polars as pl

from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranking import rank_run
from evaluation.engine.reliability.collection import OtherJudgments
from evaluation.engine.reliability.report import reliability_report
from evaluation.engine.reliability.sets_of_judgments import common_judgments

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Rprec", "bpref", "R@100", "nDCG@100")
JUDGED, RETRIEVED, DOCUMENTS = 400, 1000, 4000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--topics", type=int, default=50)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    docnos = np.array([f"D{number:05}" for number in range(DOCUMENTS)])
    topics = [str(number) for number in range(1, options.topics + 1)]
    judged = [(topic, "0", docno, int(random.random() < 0.15)) for topic in topics for docno in docnos[:JUDGED]]
    judgments = Judgments.from_table(pl.DataFrame(judged, schema=["topic", "subtopic", "docno", "grade"], orient="row"))
    changed = [(*pair, int(grade != (random.random() < 0.1))) for *pair, grade in judged]
    second = pl.DataFrame(changed, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    common = common_judgments(
        {"first": judgments.documents.with_columns(grade=pl.Series(judgments.grade)), "second": second}
    )
    sets = [judgments, *(Judgments.from_table(table) for table in common.tables.values())]
    tables = [_run(random, topics, docnos) for _ in range(options.runs)]
    start = time.perf_counter()
    runs, *others = [[rank_run(table, one) for table in tables] for one in sets]
    print(f"ranking under {len(sets)} sets of judgments: {time.perf_counter() - start:.1f} s")
    names = [f"run{number}" for number in range(options.runs)]
    teams = [f"team{number // 4}" for number in range(options.runs)]
    kinds = ["manual" if number % 5 == 0 else "automatic" for number in range(options.runs)]
    start = time.perf_counter()
    measures = [parse_measure(measure) for measure in MEASURES]
    reliability_report(runs, names, teams, measures, kinds=kinds, others=OtherJudgments(common, others))
    print(
        f"{options.runs} runs x {options.topics} topics x {len(MEASURES)} measures: {time.perf_counter() - start:.1f} s"
    )


def _run(random: np.random.Generator, topics: list[str], docnos: np.ndarray) -> pl.DataFrame:
    weights = np.where(np.arange(DOCUMENTS) < JUDGED, 5.0, 1.0)
    lists = [docnos[np.argsort(random.random(DOCUMENTS) / weights)[:RETRIEVED]] for _ in topics]
    scores = np.tile(np.arange(RETRIEVED, 0, -1, dtype=np.float64), len(topics))
    return pl.DataFrame({"topic": np.repeat(topics, RETRIEVED), "docno": np.concatenate(lists), "score": scores})


if __name__ == "__main__":
    main()
