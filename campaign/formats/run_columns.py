"""The fast reader of runs: whole columns at a time, for clean files only; anything unusual is left to the tolerant reader."""

from __future__ import annotations

import re

import polars as pl

from campaign.formats.problems import KEY_LENGTH_LIMIT
from campaign.formats.run_rules import RunRules
from campaign.formats.source import UTF8_MARK

FILE_SCHEMA = {
    "topic": pl.String,
    "q0": pl.String,
    "docno": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "tag": pl.String,
}
UNUSUAL = (b"\r", b"\0", b"\x0b", b"\x0c")
HASH_STEP = 0x9E3779B97F4A7C15  # odd and large, so that the same docno in two topics gives two values


def read_clean_run(data: bytes, rules: RunRules) -> pl.DataFrame | None:
    """The columns of a file in which every line obeys every rule; `None` for all others. Missing topics are not looked at."""
    separator = _single_separator(data)
    if separator is None:
        return None
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=FILE_SCHEMA,
            extra_columns="raise",
        )
    except pl.exceptions.PolarsError:
        return None
    return frame if _lines_are_clean(frame, rules) and _topics_are_clean(frame, rules) else None


def _single_separator(data: bytes) -> str | None:
    # Doubled, leading and trailing separators need no search here: they come back as nulls or as extra columns.
    first_line = data[: data.find(b"\n") + 1] or data
    separator, other = ("\t", b" ") if b"\t" in first_line else (" ", b"\t")
    if data.startswith(UTF8_MARK) or any(byte in data for byte in (other, *UNUSUAL)):
        return None
    return separator


def _lines_are_clean(frame: pl.DataFrame, rules: RunRules) -> bool:
    if not frame.height or any(frame.null_count().row(0)) or not frame["score"].is_finite().all():
        return False
    if not (frame["q0"] == "Q0").all():
        return False
    tag = frame["tag"][0]
    if not (frame["tag"] == tag).all() or rules.tag not in (None, tag) or not rules.tag_is_well_formed(tag):
        return False
    return _docnos_are_clean(frame, rules)


def _docnos_are_clean(frame: pl.DataFrame, rules: RunRules) -> bool:
    longest = frame["docno"].str.len_bytes().max()
    if not isinstance(longest, int) or longest > KEY_LENGTH_LIMIT:
        return False
    if rules.docnos is None and rules.docno_pattern is None:
        return True
    docnos = frame["docno"].unique().to_list()
    if rules.docnos is not None and not rules.docnos.issuperset(docnos):
        return False
    return rules.docno_pattern is None or all(map(re.compile(rules.docno_pattern).fullmatch, docnos))


def _topics_are_clean(frame: pl.DataFrame, rules: RunRules) -> bool:
    blocks = frame["topic"].rle().struct.unnest()
    topics = blocks["value"]
    if topics.n_unique() != topics.len():
        return False
    if rules.topics is not None and not rules.topics.issuperset(topics.to_list()):
        return False
    deepest = blocks["len"].max()
    if not isinstance(deepest, int) or deepest > rules.max_documents_per_topic:
        return False
    block = frame["topic"].rle_id()
    # Equal hashes of unequal pairs only send a clean file to the tolerant reader.
    pairs = frame["docno"].hash() + block.cast(pl.UInt64) * HASH_STEP
    return pairs.n_unique() == frame.height and not _scores_rise(frame, block)


def _scores_rise(frame: pl.DataFrame, block: pl.Series) -> bool:
    # Enough for clean files: lines in rank order with falling scores. Others are sorted by the tolerant reader.
    same_topic = block.diff() == 0
    unordered = (frame["rank"].diff() < 0) | (frame["score"].diff() > 0)
    return bool((same_topic & unordered).any())
