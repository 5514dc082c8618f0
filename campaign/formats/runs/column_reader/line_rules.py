"""The rules of runs that look at single lines, over the columns of one batch at a time."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.problems import KEY_LENGTH_LIMIT, MORE_PLACES
from campaign.formats.runs.column_reader.batches import Numbers, RunBatch
from campaign.formats.runs.order import comparable_scores
from campaign.formats.runs.rules import STEPS, KnownDocnos, RunRules

# Patterns of these pieces alone mean the same to the engine of polars as to Python's.
PIECE = r"[A-Za-z0-9_,:;/@ -]|\\[.\-+*/]|\(\?:|\(|\)|\||\."
CLASS = r"\[\^?(?:[A-Za-z0-9_](?:-[A-Za-z0-9_])?|[.,:;/@]|\\[.\-])+-?\]"
COMMON_PATTERN = re.compile(rf"(?:(?:{PIECE}|{CLASS})(?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})?(?![*+?{{]))*")


@runtime_checkable
class KnownColumns(Protocol):
    """A list of docnos that can look up a column of them."""

    def known(self, docnos: pl.Series) -> pl.Series: ...


class BrokenLines:
    """The first lines that break each rule, and how many there are; batches come in the order of the file."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.first: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, code: str, numbers: Numbers) -> None:
        if len(numbers):
            self.counts[code] += len(numbers)
            room = 1 + MORE_PLACES - len(self.first[code])
            self.first[code] += numbers[:room].tolist()

    def add_where(self, code: str, is_broken: pl.Series, numbers: Numbers) -> None:
        if is_broken.any():
            self.add(code, numbers[is_broken.to_numpy()])


class LineRules:
    """Checks batch after batch; `tag` is that of the first line of six columns."""

    def __init__(self, rules: RunRules) -> None:
        self.broken = BrokenLines()
        self.lines = 0
        self.tag: str | None = None
        self._rules = rules

    def check(self, batch: RunBatch, comments: Numbers, wrong_columns: Numbers) -> None:
        """`wrong_columns`: the lines of other than six columns that are told."""
        self.lines += batch.lines
        self.broken.add("comment_line", comments)
        self.broken.add("not_utf8", batch.not_utf8)
        self.broken.add("column_count", wrong_columns)
        if batch.frame.height:
            self._check_columns(batch.frame, batch.numbers)

    def _check_columns(self, frame: pl.DataFrame, numbers: Numbers) -> None:
        self.broken.add_where("not_q0", frame["q0"] != "Q0", numbers)
        self._check_tags(frame["tag"], numbers)
        ranks, scores = frame["rank"], frame["score"]
        if ranks.null_count():
            self.broken.add_where("rank_not_integer", ranks.is_null(), numbers)
        if _lowest(ranks) < 0:
            self.broken.add_where("rank_negative", (ranks < 0).fill_null(value=False), numbers)
        if scores.null_count():
            self.broken.add_where("score_not_finite", scores.is_null(), numbers)
        self._check_range(scores, numbers)
        self._check_docnos(frame["docno"], numbers)

    def _check_range(self, scores: pl.Series, numbers: Numbers) -> None:
        found, given = comparable_scores(scores.to_numpy(), self._rules.ordering), scores.to_numpy()
        is_out = np.isinf(found) | ((found == 0) & (given != 0))
        self.broken.add("score_out_of_range", numbers[is_out])

    def _check_tags(self, tags: pl.Series, numbers: Numbers) -> None:
        if self.tag is None:
            self.tag = str(tags[0])
        varies = tags != self.tag
        if varies.any():
            self.broken.add_where("tag_varies", varies, numbers)
            unique = tags.unique()
            unexpected = pl.Series([self._is_unexpected(tag) for tag in unique], dtype=pl.Boolean)
            malformed = pl.Series([not self._rules.tag_is_well_formed(tag) for tag in unique], dtype=pl.Boolean)
            self.broken.add_where("tag_unexpected", tags.is_in(unique.filter(unexpected).implode()), numbers)
            self.broken.add_where("tag_pattern", tags.is_in(unique.filter(malformed).implode()), numbers)
            return
        if self._is_unexpected(self.tag):
            self.broken.add("tag_unexpected", numbers)
        if not self._rules.tag_is_well_formed(self.tag):
            self.broken.add("tag_pattern", numbers)

    def _is_unexpected(self, tag: str) -> bool:
        return self._rules.tag not in (None, tag)

    def _check_docnos(self, docnos: pl.Series, numbers: Numbers) -> None:
        is_long = too_long(docnos)
        if is_long is not None:
            self.broken.add("docno_long", numbers[is_long])
        if self._rules.docno_pattern is not None:
            malformed = ~_matches(docnos, self._rules)
            if is_long is not None:  # as `docno_is_well_formed`: docno_long reports these
                malformed &= pl.Series(~is_long)
            self.broken.add_where("docno_pattern", malformed, numbers)
        self.broken.add_where("docno_dots", docnos.str.contains(STEPS), numbers)
        if self._rules.docnos is not None:
            self.broken.add_where("docno_unknown", ~_known(docnos, self._rules.docnos), numbers)


def too_long(docnos: pl.Series) -> NDArray[np.bool_] | None:
    """Return a mask of the docnos that have too many characters; None if no docno has."""
    longest = docnos.str.len_bytes().max()
    if not isinstance(longest, int) or longest <= KEY_LENGTH_LIMIT:
        return None
    return (docnos.str.len_chars() > KEY_LENGTH_LIMIT).to_numpy()


def _lowest(ranks: pl.Series) -> int:
    lowest = ranks.min()
    return lowest if isinstance(lowest, int) else 0


def _matches(docnos: pl.Series, rules: RunRules) -> pl.Series:
    pattern = _common(rules.docno_pattern or "")
    if pattern:
        return docnos.str.contains(pattern)
    unique = docnos.unique()
    good = pl.Series([rules.docno_is_well_formed(docno) for docno in unique], dtype=pl.Boolean)
    return docnos.is_in(unique.filter(good).implode())


@lru_cache(maxsize=64)
def _common(pattern: str) -> str:
    """Return the pattern for polars' engine; empty if it might mean something else there."""
    if not COMMON_PATTERN.fullmatch(pattern):
        return ""
    whole = f"^(?:{pattern})$"
    try:
        pl.Series([""]).str.contains(whole)
    except pl.exceptions.PolarsError:
        return ""
    return whole


def _known(docnos: pl.Series, known: KnownDocnos) -> pl.Series:
    if isinstance(known, KnownColumns):
        return known.known(docnos)
    missing = known.missing(docnos.unique().to_list())
    return (
        ~docnos.is_in(pl.Series([sorted(missing)], dtype=pl.List(pl.String)))
        if missing
        else pl.repeat(True, len(docnos), dtype=pl.Boolean, eager=True)
    )
