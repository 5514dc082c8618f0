"""What a policy is: how the next document of a topic is chosen from what is known of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pooling.core.strategies.adaptive.lists import Remaining
from pooling.core.strategies.parameters import Parameters

NO_RUN = -1


@dataclass(frozen=True, slots=True)
class Choice:
    """A document that was chosen: the step (from 1 in each topic), and the run that was followed (-1 where none was).

    `run` is an index into `Candidates.runs`, which are sorted by tag.
    """

    step: int
    docno: str
    run: int = NO_RUN


@dataclass(frozen=True, slots=True)
class Step:
    """A choice as it is logged.

    learned: what was known when it was made and was not at the step before, by docno: relevant or not, or None for what is
    no longer known. Of the first step: all that was known.
    """

    choice: Choice
    learned: Mapping[str, bool | None]


class State(Protocol):
    """What a policy holds of one topic: a fold over the choices in the order of their steps."""

    def learn(self, run: int, document: int, relevant: bool) -> None:
        """Take note of a choice that was made, by its run and document index."""

    def choose(self, number: float) -> tuple[int, int] | None:
        """Document and run of the next choice, None where no document is left; `number` in [0, 1) decides ties."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How to choose, as a strategy declares it.

    begin: the state before the first choice, from the documents that remain, the strategy's parameters, and base: whether
    each document of the base (by index) is relevant. What is chosen from then on is taken from the remaining documents
    before `learn` is called.
    """

    name: str
    begin: Callable[[Remaining, Parameters, Mapping[int, bool]], State]


def one_of(tied: list[int], number: float) -> int:
    """The element at `number` in [0, 1) of the way: each of n has the probability 1/n.

    >>> one_of([4, 7], 0.2), one_of([4, 7], 0.5)
    (4, 7)
    """
    return tied[int(number * len(tied))]


def base_of_run(row: list[int], depth: int, base: Mapping[int, bool]) -> list[bool]:
    """Relevance of the base documents among the first `depth` of a run, as if the run had been followed through them.

    >>> base_of_run([3, 1, 2], 2, {1: True, 2: False, 3: False})
    [False, True]
    """
    return [base[document] for document in row[:depth] if document in base]
