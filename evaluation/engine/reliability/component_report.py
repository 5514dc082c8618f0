"""Variance components of several measures, and what they mean for other numbers of topics, as plain data and in sentences."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import numpy as np

from campaign.text.plurals import number_of
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.declaration import Summary
from evaluation.engine.reliability.needed_interval import Bounds
from evaluation.engine.reliability.topics_needed import MOST_TOPICS
from evaluation.engine.reliability.variance_components import Generalizability, SignalToNoise, generalizability

Row = dict[str, Any]
NEXT_TOPICS: Final = (25, 50, 100, 200)
WANTED: Final = (0.9, 0.95)
"""Coefficients for which the topics are told."""
LEFT_OUT: Final = ("topics_left_out", "topic")
COLUMNS: Final = ("measure", "quantity", "topics", "value", "low", "high")
NOTHING_LEFT: Final = "All runs differ by the same on every topic, or not at all: nothing follows for other topics."
VARIANCES: Final = ("variance_of_runs", "variance_of_topics", "variance_left")
COEFFICIENTS: Final = ("relative", "absolute", "standard_error")


def component_row(measure: str, values: FloatArray, summary: Summary, next_topics: Sequence[int] = NEXT_TOPICS) -> Row:
    """Give the components of one measure as plain data without NaN; `reason` says why there are none.

    values: float64 (n_runs, n_topics), logarithms where the summary is a geometric mean, NaN for a topic that is left out.
    `now`: the coefficients with as many topics as there are.
    Topics needed are None above 100,000; intervals are None where none is known.

    >>> component_row("AP", np.array([[0.5, 0.25]]), "mean")
    {'measure': 'AP', 'runs': 1, 'topics': 2, 'topics_left_out': 0, 'reason': 'There is one run: nothing varies between runs.'}
    """
    used = int((~np.isnan(values).any(axis=0)).sum())
    about: Row = {
        "measure": measure,
        "runs": len(values),
        "topics": used,
        "topics_left_out": int((~np.isnan(values).all(axis=0)).sum()) - used,
    }
    if reason := _reason(measure, values, used, summary):
        return {**about, "reason": reason}
    found = generalizability(values)
    if not found.components.left:
        return {**about, "reason": NOTHING_LEFT}
    parts = (found.components.runs, found.components.topics, found.components.left)
    total = sum(parts)
    intervals = (found.runs_interval, found.topics_interval, found.left_interval)
    return {
        **about,
        "reason": None,
        "of": "logarithms" if summary == "geometric mean" else "values",
        **dict(zip(VARIANCES, parts, strict=True)),
        **{f"{name}_interval": _listed(bounds) for name, bounds in zip(VARIANCES, intervals, strict=True)},
        **{name.replace("variance", "share"): part / total for name, part in zip(VARIANCES, parts, strict=True)},
        "below_0": list(found.cut),
        "now": _with_topics(found, used),
        "next": [_with_topics(found, topics) for topics in next_topics],
        "topics_for_relative": _needed(found.relative),
        "topics_for_absolute": _needed(found.absolute),
    }


def _reason(measure: str, values: FloatArray, used: int, summary: Summary) -> str:
    if summary not in ("mean", "geometric mean", "sum"):
        return f"{measure} is the {summary} of its values by topic: the coefficients are about means."
    if len(values) < 2:
        return "There is one run: nothing varies between runs." if len(values) else "There is no run."
    if used < 2:
        return "Fewer than two topics have values of all runs."
    return ""


def _with_topics(found: Generalizability, topics: int) -> Row:
    return {
        "topics": topics,
        "relative": found.relative.coefficient(topics),
        "relative_interval": _listed(found.relative.coefficient_interval(topics)),
        "absolute": found.absolute.coefficient(topics),
        "absolute_interval": _listed(found.absolute.coefficient_interval(topics)),
        "standard_error": found.error_of_difference(topics),
        "standard_error_interval": _listed(found.error_interval(topics)),
    }


def _needed(ratio: SignalToNoise) -> list[Row]:
    return [
        {"coefficient": wanted, "topics": ratio.topics_for(wanted), "interval": _listed(ratio.topics_interval(wanted))}
        for wanted in WANTED
    ]


def _listed(bounds: Bounds | tuple[int | None, int | None] | None) -> list[Any] | None:
    return None if bounds is None else list(bounds)


def csv_rows(rows: Sequence[Row]) -> Iterator[tuple[object, ...]]:
    """Give the lines below `COLUMNS`: a line for each number; a measure without any has one line with the reason.

    `topics`: with how many topics the number holds. Topics needed above 100,000 are `>100000`.

    >>> list(csv_rows([component_row("AP", np.array([[0.5, 0.25]]), "mean")]))
    [('AP', 'There is one run: nothing varies between runs.', 2, None, None, None)]
    """
    for row in rows:
        measure = row["measure"]
        if row["reason"]:
            yield measure, row["reason"], row["topics"], None, None, None
            continue
        for name in VARIANCES:
            yield measure, name, row["topics"], row[name], *(row[f"{name}_interval"] or (None, None))
            yield (
                measure,
                name.replace("variance", "share"),
                row["topics"],
                row[name.replace("variance", "share")],
                None,
                None,
            )
        for one in (row["now"], *row["next"]):
            for name in COEFFICIENTS:
                yield measure, name, one["topics"], one[name], *(one[f"{name}_interval"] or (None, None))
        for name in ("topics_for_relative", "topics_for_absolute"):
            for one in row[name]:
                bounds = (None, None) if one["interval"] is None else map(_topics_cell, one["interval"])
                yield measure, f"{name}_{one['coefficient']:g}", None, _topics_cell(one["topics"]), *bounds


def _topics_cell(topics: int | None) -> int | str:
    return f">{MOST_TOPICS}" if topics is None else topics


def has_intervals(row: Row) -> bool:
    """Whether intervals are known of a measure's components.

    >>> has_intervals(component_row("AP", np.array([[0.5, 0.25]]), "mean"))
    False
    """
    return not row["reason"] and row["now"]["relative_interval"] is not None


def in_words(row: Row) -> Iterator[str]:
    """Say what the components of a measure mean, sentence by sentence.

    >>> list(in_words(component_row("AP", np.array([[0.5, 0.25]]), "mean")))
    ['There is one run: nothing varies between runs.']
    """
    if row["reason"]:
        yield row["reason"]
        return
    runs, topics, left_out = (
        number_of(row[name], noun) for name, noun in (("runs", "run"), ("topics", "topic"), LEFT_OUT)
    )
    of = f"the logarithms of {row['measure']}" if row["of"] == "logarithms" else row["measure"]
    yield (
        f"Of the variance of {of}, {_percent(row['share_of_runs'])} is between the {runs}, {_percent(row['share_of_topics'])} "
        f"between the {topics}, and {_percent(row['share_left'])} is left: runs that are better on some topics than on others, "
        "and all error, that of judging included."
    )
    for name in row["below_0"]:
        yield f"The estimate of the variance between {name} is below 0 and counts as 0."
    if row["topics_left_out"]:
        yield f"Left out: {left_out} on which some run has no value."
    if not row["variance_of_runs"]:
        yield "The runs differ by no more than chance: no number of topics is known with which their order could be relied on."
    else:
        yield from _coefficients_in_words(row, topics)
    now = row["now"]
    yield (
        f"With {topics} the standard error of a difference of two runs is {error_in_words(now['standard_error'])}"
        f"{interval_in_words(now['standard_error_interval'], 'error')}, as the root of the mean of its square over all pairs."
    )
    if not has_intervals(row):
        yield (
            "There are no intervals, so it is not known how far off these numbers are: intervals need 10 topics, values of every "
            "run on each, and two topics on which runs differ."
        )


def next_in_words(one: Row) -> str:
    """Say error and coefficients with another number of topics: a row of `next`.

    >>> row = component_row("AP", np.array([[0.5, 0.75, 0.5], [0.0, 0.25, 0.25]]), "mean")
    >>> next_in_words(row["next"][0])
    'With 25 topics: standard error 0.0289, E ρ² 0.995, Φ 0.990.'
    """
    error = f"{error_in_words(one['standard_error'])}{interval_in_words(one['standard_error_interval'], 'error')}"
    coefficients = (
        f"{name} {coefficient_in_words(one[key])}{interval_in_words(one[f'{key}_interval'])}"
        for name, key in (("E ρ²", "relative"), ("Φ", "absolute"))
    )
    return f"With {number_of(one['topics'], 'topic')}: standard error {error}, {', '.join(coefficients)}."


def _coefficients_in_words(row: Row, topics: str) -> Iterator[str]:
    relative, absolute = (
        f"{coefficient_in_words(row['now'][name])}{interval_in_words(row['now'][f'{name}_interval'])}"
        for name in ("relative", "absolute")
    )
    yield (
        f"With {topics} E ρ² is {relative}: of the variance of the runs’ means, the share that is not due to which topics were "
        f"taken. Φ is {absolute}: the same where it also counts as error that one set of topics is harder than another."
    )
    told = [
        f"{_topics(one['topics'])}{_topics_range(one['interval'])} for {one['coefficient']:.2f}"
        for one in row["topics_for_relative"]
    ]
    yield f"Topics needed for E ρ²: {', '.join(told)}."


def coefficient_in_words(value: float) -> str:
    """With three decimals, and never 1 where it is less.

    >>> coefficient_in_words(0.9), coefficient_in_words(0.99991), coefficient_in_words(1.0)
    ('0.900', '>0.999', '1.000')
    """
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def error_in_words(value: float) -> str:
    """With four decimals, and never 0 where it is more.

    >>> error_in_words(0.01234), error_in_words(0.0000123)
    ('0.0123', '1.2e-05')
    """
    return f"{value:.4f}" if value >= 0.001 else f"{value:.1e}"


def interval_in_words(bounds: list[float] | None, of: Literal["coefficient", "error"] = "coefficient") -> str:
    """An interval in brackets; nothing where there is none.

    >>> interval_in_words([0.25, 1.5], "error"), interval_in_words([0.8, 0.9999]), interval_in_words(None)
    (' (0.2500 to 1.5000)', ' (0.800 to >0.999)', '')
    """
    if bounds is None:
        return ""
    low, high = map(coefficient_in_words if of == "coefficient" else error_in_words, bounds)
    return f" ({low} to {high})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _topics(topics: int | None) -> str:
    return f"over {MOST_TOPICS:,}" if topics is None else f"{topics:,}"


def _topics_range(bounds: list[int | None] | None) -> str:
    return "" if bounds is None else f" ({_topics(bounds[0])} to {_topics(bounds[1])})"
