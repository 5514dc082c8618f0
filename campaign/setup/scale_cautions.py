"""What is odd about a grade scale and its lowest relevant grade."""

from collections.abc import Iterable

from campaign.modes import GradeStep


def scale_cautions(scale: Iterable[GradeStep], lowest_relevant: int) -> list[str]:
    """What to warn of: grades that are relevant, but gain nothing.

    >>> scale_cautions([{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}], lowest_relevant=1)
    []
    """
    without_gain = [value for value, gain in _gains(scale).items() if value >= lowest_relevant and not gain]
    if not without_gain:
        return []
    counted = f"Grade {_listed(without_gain)} counts as relevant for AP, P, R, RR and bpref, but has gain 0"
    return [f"{counted}: nDCG does not count it. Give it a gain, or set the lowest relevant grade above it."]


def scale_remarks(scale: Iterable[GradeStep], lowest_relevant: int) -> list[str]:
    """What is worth saying, but usual: grades that gain something, but are not relevant."""
    with_gain = [value for value, gain in _gains(scale).items() if 0 < value < lowest_relevant and gain > 0]
    if not with_gain:
        return []
    return [
        f"Grade {_listed(with_gain)} has a gain, so nDCG counts it, but is not relevant for AP, P, R, RR and bpref."
    ]


def _gains(scale: Iterable[GradeStep]) -> dict[int, float]:
    return {step["value"]: step.get("gain", float(step["value"])) for step in scale}


def _listed(values: list[int]) -> str:
    return " and ".join(map(str, sorted(values)))
