"""What is odd about a grade scale and its lowest relevant grade."""

from collections.abc import Iterable

from campaign.modes import GradeStep


def scale_cautions(scale: Iterable[GradeStep], lowest_relevant: int) -> list[str]:
    """What to say of grades whose gain and relevance say different things: what follows, and the remedy.

    >>> scale_cautions([{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}], lowest_relevant=1)
    []
    """
    gains = {step["value"]: step.get("gain", float(step["value"])) for step in scale}
    without_gain = [value for value, gain in gains.items() if value >= lowest_relevant and not gain]
    with_gain = [value for value, gain in gains.items() if 0 < value < lowest_relevant and gain > 0]
    cautions = []
    if without_gain:
        cautions.append(
            f"Grade {_listed(without_gain)} counts as relevant for AP, P, R, RR and bpref, but has gain 0: nDCG does not count "
            f"it. Give it a gain, or set the lowest relevant grade above it."
        )
    if with_gain:
        cautions.append(
            f"Grade {_listed(with_gain)} has a gain, so nDCG counts it, but is not relevant for AP, P, R, RR and bpref."
        )
    return cautions


def _listed(values: list[int]) -> str:
    return " and ".join(map(str, sorted(values)))
