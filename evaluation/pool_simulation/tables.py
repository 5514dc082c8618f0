"""The result of a simulation as text, CSV, JSON, or as a page in Markdown."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TextIO

from campaign.command.text_tables import aligned
from evaluation.pool_simulation.page import page
from evaluation.pool_simulation.simulation import Row, Simulation, Spread
from evaluation.pool_simulation.words import HEAD, METHODS, OTHER_TOPICS, cells

VALUES = ("judged", "found", "tau", "tau_ap")


def write_text(simulation: Simulation, out: TextIO) -> None:
    for cost in simulation.plan.costs:
        out.write(f"cost {100 * cost:g} % of a depth-{simulation.plan.depth} pool\n")
        rows = [cells(row) for row in simulation.rows if row.cost == cost]
        out.writelines(f"{line}\n" for line in aligned(HEAD, rows))
        out.write("\n")
    out.write(f"tau: other topics: {OTHER_TOPICS}\n")


def write_csv(simulation: Simulation, out: TextIO) -> None:
    """Write a line for each strategy, cost and value: mean, and the ends between which 95 % of the seeds lie.

    Of `tau_interval`: where the tau of seed 1 would lie with as many other topics; no mean, and no line where there is none.
    """
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["strategy", "settings", "cost", "value", "mean", "low", "high"])
    for row in simulation.rows:
        settings = " ".join(f"{name}={value}" for name, value in row.settings.items())
        for name, spread in _values(row):
            rows.writerow([row.strategy, settings, row.cost, name, spread.mean, spread.low, spread.high])
        if row.tau_interval is not None:
            rows.writerow([row.strategy, settings, row.cost, "tau_interval", "", *row.tau_interval])


def _values(row: Row) -> Iterator[tuple[str, Spread]]:
    for name in VALUES:
        if (spread := getattr(row, name)) is not None:
            yield name, spread
    for method, spread in row.errors.items():
        yield f"error of the share outside by {method}", spread


def write_json(simulation: Simulation, out: TextIO) -> None:
    values = asdict(simulation)
    del values["plan"]["processes"]  # it has no part in the result
    json.dump({**values, "methods": list(METHODS)}, out, indent=1, allow_nan=False)
    out.write("\n")


def write_page(simulation: Simulation, out: TextIO) -> None:
    out.write(page(simulation))


FORMS: dict[str, Callable[[Simulation, TextIO], None]] = {
    "text": write_text,
    "csv": write_csv,
    "json": write_json,
    "markdown": write_page,
}
