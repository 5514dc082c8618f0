"""The curves of a board's runs, as files."""

from collections.abc import Iterator
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.curves.figures import Field, field_of, kinds_of, shown
from evaluation.boards.curves import BoardCurves
from evaluation.boards.snapshot import best_first
from evaluation.engine.analyses.curves import RECALL_LEVELS
from evaluation.selectors.board_views import BoardView


def curves_csv(seen: BoardView, curves: BoardCurves) -> str:
    """One line for each kind, run and point; curves of no run are the ideals, lines without x the areas."""
    return "".join(csv_lines(["curve", "run", "x", "y"], _lines(seen, curves)))


def _lines(seen: BoardView, curves: BoardCurves) -> Iterator[list[object]]:
    order = best_first(seen.board, seen.board.measures[0]).tolist()
    for kind in kinds_of(curves):
        found = shown(curves, kind)
        x = found.x.tolist()
        for place in order:
            tag = seen.board.runs[place].tag
            yield from ([kind, tag, at, y] for at, y in zip(x, found.y[place].tolist(), strict=True))
            if found.area is not None:
                yield ["area", tag, None, float(found.area[place])]
        if found.ideal is not None:
            yield from ([f"ideal {kind}", None, at, y] for at, y in zip(x, found.ideal.tolist(), strict=True))


def curves_json(seen: BoardView, curves: BoardCurves) -> dict[str, Any]:
    """All kinds: `x`, one list a run in the order of `runs`, and `ideal` or `area` where there is one."""
    kinds = {kind: shown(curves, kind) for kind in kinds_of(curves)}
    listed = {
        kind: {
            "x": found.x.tolist(),
            "y": found.y.tolist(),
            **({} if found.ideal is None else {"ideal": found.ideal.tolist()}),
            **({} if found.area is None else {"area": found.area.tolist()}),
        }
        for kind, found in kinds.items()
    }
    runs = [run.tag for run in seen.board.runs]
    settings = {"topics": len(seen.board.topics), **curves.settings.to_json()}
    return {"board": seen.name, "settings": settings, "runs": runs, "curves": listed}


def run_curve(curves: BoardCurves, place: int) -> list[dict[str, float]]:
    """The 11 points of a run beside the lowest, median and highest precision of all runs."""
    field: Field = field_of(curves)
    columns = (RECALL_LEVELS, curves.macro[place], field.low, field.median, field.high)
    names = ("recall", "precision", "low", "median", "high")
    return [dict(zip(names, row, strict=True)) for row in zip(*(of.tolist() for of in columns), strict=True)]


def run_curve_csv(curves: BoardCurves, place: int, tag: str) -> str:
    """One line a recall level."""
    head = ["run", "recall", "precision", "low", "median", "high"]
    rows = run_curve(curves, place)
    return "".join(csv_lines(head, ([tag, *(row[name] for name in head[1:])] for row in rows)))
