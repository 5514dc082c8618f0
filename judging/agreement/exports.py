"""Figures of agreement as rows of a CSV file and as one object."""

from collections.abc import Iterator
from dataclasses import asdict
from math import isnan
from typing import Any

from judging.agreement.days import so_far
from judging.agreement.report import Report

COLUMNS = ("table", "name", "other", "figure", "value")


def figures_as_rows(report: Report) -> Iterator[tuple[str, str, str, str, Any]]:
    """Every figure once: the table, what it is of (and the other assessor), its name, its value; None where undefined."""
    for topic, figures in (("", report.whole), *report.topics):
        for name, value in asdict(figures).items():
            yield ("topic" if topic else "task", topic, "", name, _number(value))
    for pair in report.pairs:
        values = asdict(pair)
        for name in ("documents", "agreed", "overlap", "kappa", "kappa_linear", "kappa_quadratic"):
            yield ("pair", pair.first, pair.second, name, _number(values[name]))
        for grade, row in zip(report.scale, pair.table.tolist(), strict=True):
            for other, count in zip(report.scale, row, strict=True):
                yield ("confusion", pair.first, pair.second, f"{grade} by the first, {other} by the second", count)
    for person in report.people:
        values = asdict(person)
        for name in ("documents", "strictness", "repeats", "repeats_agreed", "repeats_kappa"):
            yield ("assessor", person.name, "", name, _number(values[name]))
        for number, value in enumerate(person.thirds, 1):
            yield ("assessor", person.name, "", f"strictness in third {number}", _number(value))
    yield from _rows_of_days(report)


def _rows_of_days(report: Report) -> Iterator[tuple[str, str, str, str, Any]]:
    for one, upto in zip(report.days, so_far(report.days), strict=True):
        named = {"pairs": one.pairs, "equal": one.equal, "pairs so far": upto.pairs, "equal so far": upto.equal}
        for name, value in named.items():
            yield ("day", one.day.isoformat(), "", name, value)


def as_json(report: Report) -> dict[str, Any]:
    """The same as one object, tables of two assessors as lists of rows."""
    tables: dict[str, Any] = {
        "scale": list(report.scale),
        "task": asdict(report.whole),
        "topics": [{"topic": topic, **asdict(figures)} for topic, figures in report.topics],
        "pairs": [{**asdict(pair), "table": pair.table.tolist()} for pair in report.pairs],
        "assessors": [asdict(person) for person in report.people],
        "days": [{"day": one.day.isoformat(), "equal": one.equal, "pairs": one.pairs} for one in report.days],
    }
    plain: dict[str, Any] = _without_nan(tables)
    return plain


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(held) for held in value]
    return _number(value)


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value
