"""PURE: a grade scale with grades that it lacked."""

from collections.abc import Iterable, Sequence
from typing import Final

from campaign.modes import GradeStep

KEYS: Final = "0123456789abcdefghijklmnopqrstvwyz"
"""Without those of the desk's own commands, u and x."""


def with_grades(scale: Sequence[GradeStep], values: Iterable[int]) -> list[GradeStep]:
    """The scale with the grades that it lacks, in their order; their labels are their numbers.

    A grade has its digit as the key, or else the first free letter, and the gain 2^grade - 1 where that is the gain of every
    other grade, else its number.

    >>> scale: list[GradeStep] = [{"value": 0, "label": "no", "key": "n"}, {"value": 1, "label": "yes"}]
    >>> [(step["value"], step["label"], step.get("key")) for step in with_grades(scale, [12, 4])]
    [(0, 'no', 'n'), (1, 'yes', None), (4, 'grade 4', '4'), (12, 'grade 12', 'a')]
    >>> graded: list[GradeStep] = [{"value": value, "label": "", "gain": 2.0**value - 1} for value in range(3)]
    >>> with_grades(graded, [3])[-1]["gain"]
    7.0
    """
    steps = {step["value"]: step for step in scale}
    gains = {value: step.get("gain", float(value)) for value, step in steps.items()}
    is_exponential = max(gains, default=0) > 1 and all(gain == 2.0**value - 1 for value, gain in gains.items())
    taken = {step.get("key") or str(value) for value, step in steps.items()}
    for value in sorted(set(values) - steps.keys()):
        own = str(value)
        key = next(key for key in (own, *KEYS[10:], *KEYS[:10]) if len(key) == 1 and key not in taken)
        taken.add(key)
        gain = 2.0**value - 1 if is_exponential else float(value)
        steps[value] = {"value": value, "label": f"grade {value}", "key": key, "gain": gain}
    return [steps[value] for value in sorted(steps)]
