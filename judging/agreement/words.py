"""PURE: what figures of agreement mean, in sentences."""

from math import isnan

from judging.agreement.report import Agreement

RELIABLE, TENTATIVE = 0.8, 0.667
"""Limits of alpha that Krippendorff (2004) asks for before data are relied on, or used for tentative conclusions."""


def in_words(whole: Agreement) -> list[str]:
    """Say what the figures of a task mean.

    >>> figures = Agreement(40, 80, 0.9, 0.85, 0.8, 0.8, 40, 2, 0.7, 0.95)
    >>> in_words(figures)[0]
    'Of all pairs of grades of one document, 90 % are equal.'
    """
    sentences = [f"Of all pairs of grades of one document, {_percent(whole.agreed)} % are equal."]
    if isnan(whole.alpha_ordinal):
        sentences.append("All grades are the same: alpha cannot tell agreement from chance.")
        return sentences
    bounds = f", 95 % interval over topics {whole.low:.3f} to {whole.high:.3f}, too narrow where few topics have unequal sizes"
    interval = "" if isnan(whole.low) else bounds
    sentences.append(
        f"Krippendorff's alpha is {whole.alpha_ordinal:.3f}{interval}: 1 is perfect agreement, 0 what chance would give."
    )
    sentences.append(_reading(whole))
    if isnan(whole.low):
        sentences.append(
            "How far alpha would change with other topics cannot be told from the topics that were judged twice."
        )
    return sentences


def _percent(share: float) -> str:
    """All and none only where it is so: 229 of 230 are no 100 %.

    >>> _percent(0.9), _percent(1.0), _percent(229 / 230), _percent(0.001)
    ('90', '100', '99.6', '0.1')
    """
    rounded = f"{100 * share:.0f}"
    return f"{100 * share:.1f}" if rounded in ("0", "100") and 0 < share < 1 else rounded


def _reading(whole: Agreement) -> str:
    shown = round(whole.alpha_ordinal, 3)  # so that no sentence calls a number below a limit that it shows as equal
    if shown >= RELIABLE:
        return f"That is at or above {RELIABLE}, which Krippendorff asks for before data are relied on."
    if shown >= TENTATIVE:
        return (
            f"That is between {TENTATIVE} and {RELIABLE}: enough for tentative conclusions, by Krippendorff's limits."
        )
    return (
        f"That is below {TENTATIVE}, Krippendorff's limit for tentative conclusions. Assessors of relevance often stay below it, "
        "and runs may still keep their order: compare the boards under each assessor, and have disagreements decided."
    )
