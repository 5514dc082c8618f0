"""The programs that are timed: each contestant reads a campaign's files and computes its measures, as a process of its own.

`python -m benchmarks.contestants NAME FOLDER [warm]` prints as JSON the seconds from the first import to the last value;
warm: those of a second computation, as in a worker that has been running for a while.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.checks import CHECKS

if TYPE_CHECKING:
    from evaluation.engine.ranked_run import RankedRun


def runpool_from_text(folder: Path) -> None:
    from campaign.command.reading_ahead import map_ahead
    from evaluation.command.files import read_judgments, read_run
    from evaluation.engine.ranking import rank_lines

    judgments = read_judgments(str(folder / "qrels.txt"))
    consume_all_trec(map_ahead(lambda run: rank_lines(read_run(str(run)).lines, judgments), runs_of(folder)))


def runpool_from_tables(folder: Path) -> None:
    _score_tables(folder, Path.read_bytes)


def runpool_from_verified_tables(folder: Path) -> None:
    """As the platform reads what it has stored: nothing is computed from bytes with another checksum."""

    def verified(table: Path) -> bytes:
        content = table.read_bytes()
        assert len(hashlib.sha256(content).hexdigest()) == 64
        return content

    _score_tables(folder, verified)


def _score_tables(folder: Path, read: Callable[[Path], bytes]) -> None:
    from campaign.command.reading_ahead import map_ahead
    from campaign.formats.runs.table import SCORED_COLUMNS, run_table_from_parquet
    from evaluation.command.files import read_judgments
    from evaluation.engine.ranking import rank_run

    judgments = read_judgments(str(folder / "qrels.txt"))
    tables = sorted(folder.glob("run*.parquet"))

    def ranked(table: Path) -> RankedRun:
        return rank_run(run_table_from_parquet(read(table), SCORED_COLUMNS), judgments)

    consume_all_trec(map_ahead(ranked, tables))


def consume_all_trec(ranked: Iterable[RankedRun]) -> None:
    from evaluation.engine.measures.names.trec_eval import read_trec_eval_names
    from evaluation.engine.scoring import score_ranked

    names = read_trec_eval_names(["all_trec"], {"rel": 1}, reference="9", judgment_groups=False)
    for scores in score_ranked(ranked, [name.measure for name in names if name.measure]):
        assert scores.values.size


def pytrec_eval_from_text(folder: Path) -> None:
    import pytrec_eval

    with (folder / "qrels.txt").open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), pytrec_eval.supported_measures)
    for run in runs_of(folder):
        with run.open() as file:
            assert evaluator.evaluate(pytrec_eval.parse_run(file))


SUBTOPIC_FAMILIES = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")
SUBTOPIC_SET = [f"{family}@{k}" for family in SUBTOPIC_FAMILIES for k in (5, 10, 20)] + ["NRBP", "nNRBP", "MAP-IA"]


def runpool_subtopics(folder: Path) -> None:
    from campaign.command.reading_ahead import map_ahead
    from evaluation.command.files import read_judgments, read_run
    from evaluation.engine.ranking import rank_lines
    from evaluation.engine.scoring import score_ranked

    judgments = read_judgments(str(folder / "qrels.txt"), subtopics=True)
    ranked = map_ahead(lambda run: rank_lines(read_run(str(run)).lines, judgments), runs_of(folder))
    for scores in score_ranked(ranked, SUBTOPIC_SET):
        assert scores.values.size


def pyndeval_subtopics(folder: Path) -> None:
    import pyndeval

    with (folder / "qrels.txt").open() as file:
        lines = [line.split() for line in file]
    judgments = [(topic, subtopic, docno, int(grade)) for topic, subtopic, docno, grade in lines]
    evaluator = pyndeval.RelevanceEvaluator(judgments, SUBTOPIC_SET)
    for run in runs_of(folder):
        with run.open() as file:
            fields = (line.split() for line in file)
            assert evaluator.evaluate([(topic, docno, float(score)) for topic, _, docno, _, score, _ in fields])


def polars_read_only(folder: Path) -> None:
    import polars as pl

    names = ("topic", "q0", "docno", "rank", "score", "tag")
    schema = {name: pl.Float64 if name == "score" else pl.String for name in names}
    for run in runs_of(folder):
        assert pl.read_csv(
            run, separator=" ", has_header=False, quote_char=None, schema=schema, columns=[0, 2, 4]
        ).height


def runs_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("run*.txt"))


def write_tables(folder: Path) -> None:
    """Store each run as the platform does after its check."""
    from campaign.formats.runs.check import check_run
    from campaign.formats.runs.rules import RunRules
    from campaign.formats.runs.table import run_table_to_parquet

    for run in runs_of(folder):
        if not run.with_suffix(".parquet").exists():
            with run.open("rb") as file:
                table = check_run(file, RunRules()).table
            assert table is not None
            run.with_suffix(".parquet").write_bytes(run_table_to_parquet(table))


CONTESTANTS: dict[str, Callable[[Path], None]] = CHECKS | {
    contestant.__name__: contestant
    for contestant in (
        runpool_from_text,
        runpool_from_tables,
        runpool_from_verified_tables,
        pytrec_eval_from_text,
        runpool_subtopics,
        pyndeval_subtopics,
        polars_read_only,
        write_tables,
    )
}

if __name__ == "__main__":
    name, folder, *warm = sys.argv[1:]
    if warm:
        CONTESTANTS[name](Path(folder))
    start = time.perf_counter()
    CONTESTANTS[name](Path(folder))
    print(json.dumps({"seconds": time.perf_counter() - start}))
