"""A memory for values that are derived from an immutable owner and shared by many measures."""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")


class Memo:
    """Keeps each derived value under its key, so that it is computed once for all measures."""

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._values:
            self._values[key] = make()
        return cast(T, self._values[key])
