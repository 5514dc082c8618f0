"""PURE: judging modes, as far as setting up a task needs them.

The modules of `judging/core/modes/` declare the modes; `judging/apps.py` registers them here when Django starts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NotRequired, TypedDict

DEFAULT_MODE: Final = "graded"
LONGEST_NAME: Final = 20
HIGHEST_GRADE: Final = 100
MOST_GRADES: Final = 20
"""Of one scale."""
CANNOT_JUDGE_KEY, UNDO_KEY = "x", "u"
"""Of the desk: no grade may have them. `judging.core.keyboard_shortcuts` has the keys of all commands."""


class GradeStep(TypedDict):
    """One step of a grade scale. Without a key it is the value's digit, without a gain it is the value."""

    value: int
    label: str
    key: NotRequired[str]
    gain: NotRequired[float]
    definition: NotRequired[str]


def grade_0_and_another(values: Sequence[int]) -> str:
    """What is wrong with the values of a scale that needs grade 0 and one more; empty when nothing is.

    >>> grade_0_and_another([0, 1, 2])
    ''
    """
    return "" if 0 in values and len(values) > 1 else "The scale needs grade 0 and at least one more."


@dataclass(frozen=True, slots=True)
class Mode:
    """How the documents of a task are judged.

    `name` is stored with the task, `label` is what people read. A new task starts with `scale` and `measures`.
    `lowest_relevant_grade` is the first grade of `scale` that counts as relevant.
    `scale_problem` takes the values of a scale and returns what is wrong with them, or an empty string.
    """

    name: str
    label: str
    scale: tuple[GradeStep, ...]
    measures: tuple[str, ...]
    needs_subtopics: bool = False
    lowest_relevant_grade: int = 1
    scale_problem: Callable[[Sequence[int]], str] = grade_0_and_another


class UnknownModeError(LookupError):
    """No mode has this name; the message names those that there are."""

    def __init__(self, name: object) -> None:
        super().__init__(f"There is no judging mode “{name}”. Use one of: {', '.join(MODES)}.")


MODES: Final[dict[str, Mode]] = {}
"""The registered modes by name, in the order in which forms offer them."""


def register(mode: Mode) -> None:
    """Offer a mode to tasks; registering the same mode again changes nothing."""
    if len(mode.name) > LONGEST_NAME:
        raise ValueError(f"The name of judging mode “{mode.name}” is longer than {LONGEST_NAME} characters.")
    if MODES.setdefault(mode.name, mode) is not mode:
        raise ValueError(f"Two judging modes are called “{mode.name}”.")


def mode_named(name: object) -> Mode:
    mode = MODES.get(name) if isinstance(name, str) else None
    if mode is None:
        raise UnknownModeError(name)
    return mode


def mode_choices() -> list[tuple[str, str]]:
    """Names and labels, for model and form fields: read anew each time, so that a new mode needs no migration."""
    return [(mode.name, mode.label) for mode in MODES.values()]
