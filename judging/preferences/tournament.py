"""PURE: which two documents are compared next, and the order that follows from the answers: a merge sort that can be resumed.

Everything is a function of the documents, the seed and the answers so far, whichever way these came in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from judging.preferences.consistency import untested_chains

LEFT: Final = "left"
RIGHT: Final = "right"
EQUAL: Final = "equal"
ANSWERS: Final = (LEFT, RIGHT, EQUAL)

Answer: TypeAlias = Literal["left", "right", "equal"]
Pair: TypeAlias = tuple[str, str]
"""Two docnos as they are shown: left, right. A pair is shown again with its sides swapped, which makes it another one."""
Answers: TypeAlias = Mapping[Pair, str]
Levels: TypeAlias = tuple[tuple[str, ...], ...]
"""Documents from the best level to the worst; those of one level are tied."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a tournament stands.

    `open`: the pairs that can be compared now, in the order in which they are shown. `levels`: the order; None while it is not
    known. `ordered`: how many of the levels are in order, all but the last one of a tournament that seeks the best only.
    `asked`: pairs on which the order rests, as shown first. `left`: at most so many pairs are still to come, control pairs
    included as far as they are known.
    """

    open: tuple[Pair, ...]
    levels: Levels | None
    ordered: int
    asked: tuple[Pair, ...]
    left: int

    @property
    def is_finished(self) -> bool:
        return not self.open


@dataclass(slots=True)
class _Progress:
    open: list[Pair] = field(default_factory=list)
    asked: list[Pair] = field(default_factory=list)
    repeats: list[Pair] = field(default_factory=list)
    left: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the documents: its order if that is known, and the pairs that its own last merge compared."""

    levels: Levels | None
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class Tournament:
    """A merge sort of documents by comparisons of two: at most n log2 n of them for n documents.

    `best`: documents below the best so many are not put in order (None: all are); they share the last level. `control`: the
    share in [0, 1] of the compared pairs that is shown again with sides swapped, and, once the order is known, the number of
    pairs, relative to those compared, that test it: pairs that were not compared, whose order follows from two others.

    >>> tournament = Tournament(("a", "b"), seed=1, control=0.0)
    >>> pair = tournament.state({}).open[0]
    >>> tournament.state({pair: "left"}).levels == ((pair[0],), (pair[1],))
    True
    >>> tournament.state({pair: "equal"}).levels
    (('a', 'b'),)
    """

    documents: tuple[str, ...]
    seed: int
    best: int | None = None
    control: float = 0.1
    drawn: dict[tuple[str, ...], int] = field(default_factory=dict, compare=False, repr=False)
    tested: dict[tuple[tuple[Pair, str], ...], list[Pair]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def start(self) -> tuple[str, ...]:
        """The documents, each once, in the random order in which they are merged."""
        return tuple(sorted(set(self.documents), key=lambda docno: (self._number("start", docno), docno)))

    def sides(self, one: str, other: str) -> Pair:
        """The drawn sides of two documents: left, right."""
        first, second = sorted((one, other))
        return (second, first) if self._number("sides", first, second) % 2 else (first, second)

    def is_repeated(self, pair: Pair) -> bool:
        """Whether a compared pair is shown again with its sides swapped."""
        return self._number("repeat", *sorted(pair)) < self.control * 2**64

    @property
    def bound(self) -> int:
        """At most so many pairs decide the order, control pairs aside."""
        return self._bound(len(self.start))

    def state(self, answers: Answers) -> State:
        """What to compare next, and the order once it is known. Answers that the tournament does not ask for are ignored."""
        progress = _Progress()
        whole = self._sort(self.start, answers, progress)
        self._settle(whole, progress)
        levels = whole.levels
        tests = [] if levels is None else self._tests(progress.asked, answers)
        repeats = [pair for pair in progress.repeats if pair not in answers]
        controls = sorted([*repeats, *(pair for pair in tests if pair not in answers)], key=self._place)
        coming = [] if levels is not None else [pair for pair in progress.asked if self._repeat_waits(pair, progress)]
        return State(
            open=(*controls, *progress.open),
            levels=None if levels is None else tuple(tuple(sorted(level)) for level in levels),
            ordered=0 if levels is None else self._ordered(levels),
            asked=tuple(progress.asked),
            left=progress.left + len(controls) + len(coming),
        )

    def allows(self, pair: Pair, answers: Answers) -> bool:
        """Whether a pair can be answered: two documents on their drawn sides, or a repeat of an answered pair."""
        left, right = pair
        if left == right or not {left, right} <= set(self.documents):
            return False
        return pair == self.sides(left, right) or (self.is_repeated(pair) and (right, left) in answers)

    def ahead(self, answers: Answers, steps: int) -> dict[str, Any] | None:
        """The next pair and, for each answer to it, the pair after that, `steps` pairs deep; None where nothing is left."""
        state = self.state(answers)
        if not state.open:
            return None
        pair = state.open[0]
        known = ANSWERS if steps > 1 else ()
        after = {answer: self.ahead({**answers, pair: answer}, steps - 1) for answer in known}
        return {"left": pair[0], "right": pair[1], "about": state.left, "after": after}

    def _sort(self, documents: Sequence[str], answers: Answers, progress: _Progress) -> _Part:
        if len(documents) <= 1:
            return _Part(tuple((docno,) for docno in documents))
        middle = len(documents) // 2
        parts = [self._sort(half, answers, progress) for half in (documents[:middle], documents[middle:])]
        one, other = parts
        if one.levels is None or other.levels is None:
            progress.left += self._merge_bound(len(documents))
            return _Part(None)
        merged = self._merge(one.levels, other.levels, answers, progress)
        if merged.levels is not None:
            # Not shown again before the next merge is over, when the first answer is no longer fresh.
            for part in parts:
                self._settle(part, progress)
        return merged

    def _settle(self, part: _Part, progress: _Progress) -> None:
        if part.levels is not None:
            progress.repeats += [(right, left) for left, right in part.pairs if self.is_repeated((left, right))]

    def _merge(self, one: Levels, other: Levels, answers: Answers, progress: _Progress) -> _Part:
        levels: list[tuple[str, ...]] = []
        pairs: list[Pair] = []
        i = j = placed = 0
        while i < len(one) and j < len(other) and (self.best is None or placed < self.best):
            pair = self.sides(one[i][0], other[j][0])
            if pair not in answers:
                progress.open.append(pair)
                left = sum(map(len, one[i:])) + sum(map(len, other[j:])) - 1
                progress.left += left if self.best is None else min(left, self.best - placed)
                return _Part(None)
            pairs.append(pair)
            progress.asked.append(pair)
            better = {LEFT: pair[0], RIGHT: pair[1]}.get(answers[pair])
            takes_one, takes_other = better in (one[i][0], None), better in (other[j][0], None)
            levels.append((one[i] if takes_one else ()) + (other[j] if takes_other else ()))
            placed += len(levels[-1])
            i, j = i + takes_one, j + takes_other
        return _Part(self._cut([*levels, *one[i:], *other[j:]]), tuple(pairs))

    def _cut(self, levels: Sequence[tuple[str, ...]]) -> Levels:
        """The levels of the best, and one for all documents below them."""
        ordered = self._ordered(levels)
        rest = tuple(docno for level in levels[ordered:] for docno in level)
        return (*levels[:ordered], rest) if rest else tuple(levels)

    def _ordered(self, levels: Sequence[tuple[str, ...]]) -> int:
        placed = 0
        for count, level in enumerate(levels):
            if self.best is not None and placed >= self.best:
                return count
            placed += len(level)
        return len(levels)

    def _tests(self, asked: Sequence[Pair], answers: Answers) -> list[Pair]:
        """Pairs that test the order, drawn from those that were not compared although two answers say their order."""
        decided = {pair: answers[pair] for pair in asked}
        key = tuple(decided.items())
        if key not in self.tested:
            chains = untested_chains(self.start, decided)
            drawn = sorted((self.sides(*chain) for chain in chains), key=self._place)
            self.tested[key] = drawn[: round(self.control * len(asked))]
        return self.tested[key]

    def _repeat_waits(self, pair: Pair, progress: _Progress) -> bool:
        return self.is_repeated(pair) and (pair[1], pair[0]) not in progress.repeats

    def _place(self, pair: Pair) -> tuple[int, Pair]:
        return self._number("place", *sorted(pair)), pair

    def _number(self, *what: str) -> int:
        """A number in [0, 2^64), drawn by the seed."""
        if what not in self.drawn:
            text = "\0".join([str(self.seed), *what]).encode()
            self.drawn[what] = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
        return self.drawn[what]

    def _merge_bound(self, documents: int) -> int:
        return documents - 1 if self.best is None else min(documents - 1, self.best)

    def _bound(self, documents: int) -> int:
        if documents <= 1:
            return 0
        half = documents // 2
        return self._bound(half) + self._bound(documents - half) + self._merge_bound(documents)
