"""Parquet files by others: what is small and would become large is not read."""

import random
import subprocess
import sys
from io import BytesIO
from typing import Any

import polars as pl
import pytest

from campaign.formats.parquet import read_parquet_table

SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String})


def written(topics: list[str], docnos: list[str], **how: Any) -> bytes:
    out = BytesIO()
    pl.DataFrame({"topic": topics, "docno": docnos}).write_parquet(out, **how)
    return out.getvalue()


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_what_the_site_writes_is_read(compression: str) -> None:
    topics = [str(number // 400) for number in range(40_000)]
    for docnos in (
        ["d"] * 40_000,
        [f"doc-{number}" for number in range(40_000)],
        [f"{n % 400}" for n in range(40_000)],
    ):
        content = written(topics, docnos, compression=compression)
        assert read_parquet_table(content, SCHEMA).rows() == list(zip(topics, docnos, strict=True))


def test_a_small_file_of_a_large_table_is_refused_before_it_is_unpacked() -> None:
    """In a process of its own: read, the first would take as much as its text, the second as its rows."""
    bombs = [written(["1"], ["z" * 300_000_000], compression="zstd"), written(["1"] * 5_000_000, ["z"] * 5_000_000)]
    assert all(len(bomb) < 100_000 for bomb in bombs)
    program = (
        "import sys; from campaign.formats.parquet import read_parquet_table as read; import polars as pl\n"
        "try: read(sys.stdin.buffer.read(), pl.Schema({'topic': pl.String, 'docno': pl.String}))\n"
        "except ValueError as problem: print(problem)\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    )
    for bomb in bombs:
        done = subprocess.run([sys.executable, "-c", program], input=bomb, capture_output=True, timeout=60, check=True)
        [said, kilobytes] = done.stdout.decode().splitlines()
        assert said == "The Parquet file unpacks to much more than its size."
        assert int(kilobytes) < 250_000


def test_damage_of_any_kind_is_a_refusal() -> None:
    content, draw = written(["1"] * 50, [f"d{n}" for n in range(50)], compression="lz4"), random.Random(7)
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 5)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read_parquet_table(bytes(damaged), SCHEMA)
        except ValueError:
            continue
