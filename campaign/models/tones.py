"""How pages mark a state: a tone is a colour with a shape, always beside a word (`{% state_mark %}`)."""

from collections.abc import Mapping
from typing import ClassVar

GOOD, WORKING, WAITING, WARNING, BAD, OFF = "good", "working", "waiting", "warning", "bad", "off"
TONES = (GOOD, WORKING, WAITING, WARNING, BAD, OFF)


class Toned:
    """Something with a `state`, whose class has a tone for each state. A state without one is an error."""

    __slots__ = ()
    TONES: ClassVar[Mapping[str, str]]

    @property
    def tone(self) -> str:
        return self.TONES[self.state]  # type: ignore[attr-defined]  # a column, a field or a property
