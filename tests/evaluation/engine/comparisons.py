"""Which test compares which measures with which oracle: found out by moving the values of the measures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from itertools import product
from typing import Any, TypeVar

import numpy as np

from evaluation.engine.measures.declaration import Definition, Oracle
from evaluation.engine.measures.names.registry import known_measures
from tests.evaluation.engine.random_collections import Collection

Test = TypeVar("Test", bound=Callable[..., None])
MOVE = 0.01
"""Far more than any comparison lets pass."""

EXAMPLE = Collection(
    run={
        "1": {"a": 9.0, "b": 8.0, "x": 7.0, "d": 6.0, "c": 6.0, "e": 5.0},
        "2": {"b": 4.0, "y": 3.0, "a": 2.0, "c": 1.0},
    },
    qrels={
        "1": {"a": {"0": 2}, "b": {"0": 0}, "c": {"0": 1}, "d": {"0": 4}, "e": {"0": 1}, "f": {"0": 3}},
        "2": {"a": {"0": 1}, "b": {"0": 3}, "c": {"0": 0}, "g": {"0": 2}},
    },
)
"""Every oracle has an answer for it: topics that are judged and answered, without grades below 0."""

EXAMPLE_WITH_SUBTOPICS = Collection(
    run=EXAMPLE.run,
    qrels={
        "1": {"a": {"1": 1, "2": 1}, "b": {"1": 2}, "c": {"3": 1, "10": 0}, "d": {"2": 1}, "f": {"10": 1}},
        "2": {"a": {"1": 1}, "b": {"1": 0, "2": 0}, "c": {"2": 1}},
    },
)


@dataclass(frozen=True)
class Comparison:
    oracle: Oracle
    test: Callable[..., None]
    example: tuple[Any, ...]

    @property
    def cases(self) -> Iterator[Callable[[], None]]:
        """The test with its example, or with everything that it is parametrised with."""
        if self.example:
            yield partial(self.test, *self.example)
            return
        marks = [mark for mark in getattr(self.test, "pytestmark", ()) if mark.name == "parametrize"]
        for values in product(*(mark.args[1] for mark in marks)):
            given: dict[str, Any] = {}
            for mark, value in zip(marks, values, strict=True):
                names = mark.args[0]
                given |= {names: value} if isinstance(names, str) else dict(zip(names, value, strict=True))
            yield partial(self.test, **given)

    @property
    def compared(self) -> set[str]:
        """The measures by whose values the test stands and falls."""
        return set().union(*map(compared_by, self.cases))


COMPARISONS: list[Comparison] = []


def compares_with(oracle: Oracle, *example: Any) -> Callable[[Test], Test]:
    """Say of a test that it compares measures with an oracle; which ones, is found out by `compared`.

    `example` are arguments for a test that draws its own: such for which every measure has a value that is not 0. Stands
    next to the function, below `given` and `parametrize`.
    """

    def register(test: Test) -> Test:
        COMPARISONS.append(Comparison(oracle, test, example))
        return test

    return register


def compared_by(comparison: Callable[[], None]) -> set[str]:
    """Run a comparison, and again with every measure moved that it computes: those whose move it notices."""
    asked: set[str] = set()
    with _each_measure_as(lambda definition: _noted(definition, asked)):
        comparison()
    return {
        definition.name
        for definition in known_measures()
        if definition.name in asked and _notices(comparison, definition)
    }


def _notices(comparison: Callable[[], None], definition: Definition) -> bool:
    with _computed_by(definition, _moved(definition)):
        try:
            comparison()
        except AssertionError:
            return True
    return False


Compute = Callable[..., Any]


def _noted(definition: Definition, asked: set[str]) -> Compute:
    compute = definition.compute

    @wraps(compute)
    def noted(*given: Any, **parameters: Any) -> Any:
        asked.add(definition.name)
        return compute(*given, **parameters)

    return noted


def _moved(definition: Definition) -> Compute:
    """Values of 0 stay: where nothing is relevant or retrieved they are decided, and no oracle is asked."""
    compute = definition.compute

    @wraps(compute)
    def moved(*given: Any, **parameters: Any) -> Any:
        values = compute(*given, **parameters)
        return np.where(values == 0.0, 0.0, values + MOVE)

    return moved


@contextmanager
def _each_measure_as(replacement: Callable[[Definition], Compute]) -> Iterator[None]:
    before = {definition.name: definition.compute for definition in known_measures()}
    try:
        for definition in known_measures():
            object.__setattr__(definition, "compute", replacement(definition))
        yield
    finally:
        for definition in known_measures():
            object.__setattr__(definition, "compute", before[definition.name])


@contextmanager
def _computed_by(definition: Definition, compute: Compute) -> Iterator[None]:
    with _each_measure_as(lambda other: compute if other is definition else other.compute):
        yield
