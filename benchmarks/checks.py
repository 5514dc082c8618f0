"""The check of runs: what is timed, and the files that it is timed on.

`python -m benchmarks.checks NAME FOLDER` writes one of the files.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from benchmarks.collections import BIG_RUN

if TYPE_CHECKING:
    from campaign.formats.runs.rules import KnownDocnos

DOCUMENTS = 10_000_000


@dataclass(frozen=True)
class BadRun:
    """The big run, damaged in one way."""

    name: str
    spoil: Callable[[bytes], bytes]
    lines: int = BIG_RUN.lines
    module: ClassVar[str] = "benchmarks.checks"

    def write(self, folder: Path) -> Path:
        place = folder / self.name
        mark = place / "complete.json"
        if not mark.exists():
            place.mkdir(parents=True, exist_ok=True)
            good = BIG_RUN.write(folder) / "run000.txt"
            (place / "run000.txt").write_bytes(self.spoil(good.read_bytes()))
            mark.write_text(json.dumps(self.name))
        return place


def one_bad_line(text: bytes) -> bytes:
    middle = text.index(b"\n", len(text) // 2) + 1
    return text[:middle] + b"301 Q0 NEWS-0000-0001 nothing\n" + text[middle:]


def repeated_documents(text: bytes) -> bytes:
    """Every tenth line once more."""
    lines = text.splitlines(keepends=True)
    return b"".join(line * (1 + (index % 10 == 0)) for index, line in enumerate(lines))


def rising_scores(text: bytes) -> bytes:
    """Negated scores, as if they were distances."""
    return re.sub(rb" (\d+ )(\d+\.\d+) ", rb" \1-\2 ", text)


def deep_topics(text: bytes) -> bytes:
    """100,000 lines for a topic: a hundred topics become one."""
    lines = text.splitlines()
    fields = (line.split(b" ", 2) for line in lines)
    return b"".join(b"%d %s D%d%s\n" % (301 + i // 100_000, q0, i, rest) for i, (_, q0, rest) in enumerate(fields))


BAD_RUNS = {
    bad.name: bad
    for bad in (
        BadRun("one_bad_line", one_bad_line),
        BadRun("zero_for_q0", lambda text: text.replace(b" Q0 ", b" 0 ")),
        BadRun("uneven_layout", lambda text: text.replace(b" ", b"  ").replace(b"\n", b"\r\n")),
        BadRun("repeated_documents", repeated_documents),
        BadRun("unknown_documents", lambda text: text.replace(b" NEWS-", b" PAPER-")),
        BadRun("rising_scores", rising_scores),
        BadRun("deep_topics", deep_topics),
    )
}


def polars_six_columns(folder: Path) -> None:
    import polars as pl

    schema = dict.fromkeys(("topic", "q0", "docno", "rank", "score", "tag"), pl.String)
    for run in sorted(folder.glob("run*.txt")):
        typed = {**schema, "rank": pl.Int64, "score": pl.Float64}
        assert pl.read_csv(run.read_bytes(), separator=" ", has_header=False, quote_char=None, schema=typed).height


def runpool_check(folder: Path) -> None:
    """Parse, all rules, the table for storage."""
    for run in sorted(folder.glob("run*.txt")):
        _check(run)


def runpool_check_of_verified_files(folder: Path) -> None:
    """The same after one pass over each file for its checksum, as the platform reads what it has stored."""
    for run in sorted(folder.glob("run*.txt")):
        with run.open("rb") as file:
            hashlib.file_digest(file, "sha256").hexdigest()
        _check(run)


def runpool_check_by_line(folder: Path) -> None:
    """The same by line, for files of any size."""
    from campaign.formats.problems import ProblemLog
    from campaign.formats.runs.check import RUN_LIMITS, read_lines
    from campaign.formats.runs.column_reader.text import RunText
    from campaign.formats.runs.rules import RunRules
    from campaign.formats.runs.table import run_table_to_parquet
    from campaign.formats.source import text_chunks

    for run in sorted(folder.glob("run*.txt")):
        with run.open("rb") as file:
            chunks = list(text_chunks(file, RUN_LIMITS, ProblemLog()))
        table = read_lines(RunText(b"".join(chunks), [len(chunk) for chunk in chunks]), RunRules()).table
        assert table is not None
        assert run_table_to_parquet(table)


def runpool_check_of_the_good_run(folder: Path) -> None:
    _check(folder.parent / BIG_RUN.name / "run000.txt")


def runpool_check_with_docnos(folder: Path) -> None:
    from campaign.formats.docno_hashes import DocnoHashes

    known = DocnoHashes.mapped(folder.parent / "docnos" / "index")
    for run in sorted(folder.glob("run*.txt")):
        _check(run, known)


def runpool_check_of_the_good_run_with_docnos(folder: Path) -> None:
    runpool_check_with_docnos(folder.parent / BIG_RUN.name)


def _check(run: Path, docnos: KnownDocnos | None = None) -> None:
    from campaign.formats.runs.check import check_run
    from campaign.formats.runs.rules import RunRules
    from campaign.formats.runs.table import run_table_to_parquet

    with run.open("rb") as file:
        table = check_run(file, RunRules(docnos=docnos)).table
    assert table is not None
    assert run_table_to_parquet(table)


def write_docnos(folder: Path) -> None:
    """The index of as many documents as a large collection has, among them all of the made-up campaigns."""
    import polars as pl

    from campaign.formats.docno_hashes import DocnoHashes, hashing_key

    mark, index = folder / "docnos" / hashing_key(), folder / "docnos" / "index"
    if mark.exists():
        return
    mark.parent.mkdir(parents=True, exist_ok=True)
    number = pl.int_range(DOCUMENTS, eager=True).alias("number")
    halves = [(pl.col("number") // 10_000), (pl.col("number") % 10_000)]
    named = [pl.lit("NEWS"), *(half.cast(pl.String).str.zfill(4) for half in halves)]
    docnos = pl.DataFrame(number).select(pl.concat_str(named, separator="-")).to_series()
    with index.open("wb") as out:
        DocnoHashes.of([docnos]).write(out)
    mark.touch()


CHECKS: dict[str, Callable[[Path], None]] = {
    contestant.__name__: contestant
    for contestant in (
        polars_six_columns,
        runpool_check,
        runpool_check_by_line,
        runpool_check_of_verified_files,
        runpool_check_of_the_good_run,
        runpool_check_with_docnos,
        runpool_check_of_the_good_run_with_docnos,
    )
}

if __name__ == "__main__":
    name, place = sys.argv[1:]
    if name == "docnos":
        write_docnos(Path(place))
    else:
        BAD_RUNS[name].write(Path(place))
