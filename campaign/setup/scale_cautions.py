"""What is odd about a grade scale and its lowest relevant grade."""

from collections.abc import Iterable

from campaign.modes import GradeStep
from campaign.text.plurals import listed


def scale_cautions(scale: Iterable[GradeStep], lowest_relevant: int) -> list[str]:
    """What to warn of: grades that are relevant, but gain nothing.

    >>> scale_cautions([{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}], lowest_relevant=1)
    []
    >>> scale_cautions([{"value": value, "label": "", "gain": 0} for value in (1, 2, 3)], lowest_relevant=1)[0][:31]
    'Grades 1, 2 and 3 count as rele'
    """
    without_gain = [value for value, gain in _gains(scale).items() if value >= lowest_relevant and not gain]
    if not without_gain:
        return []
    if len(without_gain) == 1:
        counted = f"Grade {without_gain[0]} counts as relevant for AP, P, R, RR and bpref, but has gain 0"
        return [f"{counted}: nDCG does not count it. Give it a gain, or set the lowest relevant grade above it."]
    counted = f"Grades {_listed(without_gain)} count as relevant for AP, P, R, RR and bpref, but have gain 0"
    return [f"{counted}: nDCG does not count them. Give them gains, or set the lowest relevant grade above them."]


def scale_remarks(scale: Iterable[GradeStep], lowest_relevant: int) -> list[str]:
    """What is worth saying, but usual: grades that gain something, but are not relevant."""
    with_gain = [value for value, gain in _gains(scale).items() if 0 < value < lowest_relevant and gain > 0]
    if not with_gain:
        return []
    one = len(with_gain) == 1
    gains = "has a gain, so nDCG counts it, but is" if one else "have gains, so nDCG counts them, but are"
    return [f"Grade{'' if one else 's'} {_listed(with_gain)} {gains} not relevant for AP, P, R, RR and bpref."]


def _gains(scale: Iterable[GradeStep]) -> dict[int, float]:
    return {step["value"]: step.get("gain", float(step["value"])) for step in scale}


def _listed(values: list[int]) -> str:
    return listed([str(value) for value in sorted(values)])
