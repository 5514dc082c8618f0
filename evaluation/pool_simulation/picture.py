"""A picture of a simulation as SVG: the same input gives the same bytes."""

from __future__ import annotations

import io
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.pool_simulation.simulation import Row, Simulation, Spread

WIDTH, ROW, MARGIN = 9.0, 0.36, 1.15  # inches
CHARACTER, GAP = 0.082, 0.25
APART = 0.22  # of a row, between the marks of two costs
INK, LINE, PAPER = "#14191c", "#e0e5e6", "#ffffff"
SHADES = ("#9cc9d4", "#3d8fa6", "#0a4a5e")
MARKERS = ("o", "s", "D")
PANELS = (("found", "relevant documents found"), ("tau_ap", "agreement of the order of runs, tau_AP"))


def simulation_svg(simulation: Simulation) -> bytes:
    """Two panels with a line for each strategy and a mark for each cost, with the interval over the seeds."""
    names = list(dict.fromkeys(row.strategy for row in simulation.rows if not row.problem))
    height = ROW * max(len(names), 1) + MARGIN
    figure = Figure(figsize=(WIDTH, height), facecolor=PAPER)
    labels = (max((len(name) for name in names), default=0) * CHARACTER + GAP) / WIDTH
    width = (1 - labels - 0.06) / len(PANELS)
    for number, (value, title) in enumerate(PANELS):
        left = labels + number * (width + 0.03)
        axes = figure.add_axes((left, 0.62 / height, width, 1 - MARGIN / height))
        _draw(axes, simulation, names, value)
        axes.set_title(title, fontsize=9.5, color=INK, loc="left")
        axes.set_yticks(range(len(names)), names if number == 0 else [""] * len(names), fontsize=9, color=INK)
    handles, meanings = axes.get_legend_handles_labels()
    figure.legend(handles, meanings, loc="lower center", ncols=len(meanings), frameon=False, fontsize=8.5)
    return _as_svg(figure)


def _draw(axes: Axes, simulation: Simulation, names: list[str], value: str) -> None:
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.grid(axis="x", color=LINE, linewidth=0.7)
    axes.tick_params(length=0, labelsize=8.5, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    costs = simulation.plan.costs
    for number, cost in enumerate(costs):
        rows = [row for row in simulation.rows if row.cost == cost and getattr(row, value) is not None]
        style: dict[str, Any] = {"color": SHADES[number % len(SHADES)], "marker": MARKERS[number % len(MARKERS)]}
        spreads = [_spread(row, value) for row in rows]
        apart = APART * (number - (len(costs) - 1) / 2)  # intervals must not cover each other
        places = [names.index(row.strategy) + apart for row in rows]
        axes.hlines(places, [s.low for s in spreads], [s.high for s in spreads], color=style["color"], linewidth=1.6)
        label = f"{100 * cost:g} % of the cost of depth {simulation.plan.depth}"
        axes.scatter([s.mean for s in spreads], places, s=20, zorder=3, linewidth=0, label=label, **style)


def _spread(row: Row, value: str) -> Spread:
    spread: Spread = getattr(row, value)
    return spread


def _as_svg(figure: Figure) -> bytes:
    raw = io.BytesIO()
    settings: dict[Any, Any] = {"svg.hashsalt": "runpool", "svg.fonttype": "path", "font.family": "DejaVu Sans"}
    with rc_context(settings):
        figure.savefig(raw, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return raw.getvalue()
