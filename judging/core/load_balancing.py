"""PURE: who gets which topics, so that all have about the same work."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Work(Generic[K]):
    """A topic or a part of one: its documents, and who may not judge it."""

    documents: int
    barred: frozenset[K] = frozenset()


@dataclass(frozen=True, slots=True)
class Judge(Generic[K]):
    """An assessor with the documents that they have already, and the seconds that a document takes them.

    The same number of seconds for all balances documents; their own pace balances hours.
    """

    key: K
    documents: int = 0
    seconds: float = 1.0


def balanced(work: Sequence[Work[K]], judges: Sequence[Judge[K]]) -> list[K | None]:
    """Who judges each piece of work; None where everybody is barred.

    The largest first, each to whoever is then done first: at most 4/3 of the best possible for equal paces (Graham 1969,
    Bounds on multiprocessing timing anomalies). Ties go to the first in the given order, so that the same input gives the
    same result.

    >>> balanced([Work(40), Work(10), Work(10), Work(20)], [Judge("ann"), Judge("bob")])
    ['ann', 'bob', 'bob', 'bob']
    >>> balanced([Work(10), Work(10), Work(10)], [Judge("ann", seconds=10), Judge("bob", seconds=30)])
    ['ann', 'ann', 'ann']
    """
    loads = [judge.documents * judge.seconds for judge in judges]
    chosen: list[K | None] = [None] * len(work)
    for place in sorted(range(len(work)), key=lambda one: -work[one].documents):
        allowed = [number for number, judge in enumerate(judges) if judge.key not in work[place].barred]
        if not allowed:
            continue
        ends = {number: loads[number] + work[place].documents * judges[number].seconds for number in allowed}
        first = min(allowed, key=lambda number: ends[number])
        loads[first] = ends[first]
        chosen[place] = judges[first].key
    return chosen
