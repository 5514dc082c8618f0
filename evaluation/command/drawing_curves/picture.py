"""The curves of runs as a picture, drawn as the pages of the site draw them."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from campaign.charts import PictureFormat
from campaign.text.plurals import number_of
from evaluation.analysis.curves.picture import Line, Plot, curves_picture
from evaluation.command.drawing_curves.options import CurvesArguments
from evaluation.command.drawing_curves.series import Series

TITLES = {
    "recall-precision": "Precision against recall",
    "roc": "ROC",
    "gain": "Cumulated gain",
    "f": "F down the ranks",
}


def picture_of(found: Sequence[Series], arguments: CurvesArguments) -> bytes:
    """An SVG, PDF or PNG document by the ending of the picture's name; the same curves give the same bytes."""
    over = (
        f"topic {arguments.topic}" if arguments.topic is not None else "all topics together" if arguments.micro else ""
    )
    title = f"{TITLES[arguments.kind]} of {number_of(len(arguments.runs), 'run')}, {over or 'mean over topics'}"
    ending = os.path.splitext(arguments.picture or "")[1].removeprefix(".").lower()
    plots, said = PLOTS[arguments.kind](found)
    return curves_picture(plots, title, said, picture_format=cast(PictureFormat, ending))


def _lines(found: Sequence[Series], curve: str) -> list[Line]:
    return [Line(series.run, series.x, series.y) for series in found if series.curve == curve]


def _recall_precision(found: Sequence[Series]) -> tuple[list[Plot], str]:
    said = "Interpolated at 11 recall levels. Dotted: points of equal F."
    return [Plot("recall", "precision", _lines(found, "recall-precision"), unit_square=True, equal_f=True)], said


def _roc(found: Sequence[Series]) -> tuple[list[Plot], str]:
    areas = {series.run: series.y[0] for series in found if series.curve == "roc-area"}
    lines = [replace(line, told=f"area {areas[line.name]:.3f}") for line in _lines(found, "roc")]
    plot = Plot("false positive rate", "true positive rate", lines, unit_square=True, diagonal=True)
    return [plot], "Thin line: chance, with an area of .5."


def _gain(found: Sequence[Series]) -> tuple[list[Plot], str]:
    plots = []
    for curve, name in (("gain", "cumulated gain"), ("discounted-gain", "discounted cumulated gain")):
        [ideal] = [series for series in found if series.curve == f"ideal-{curve}"]
        plots.append(Plot("rank", name, _lines(found, curve), reference=Line("ideal ranking", ideal.x, ideal.y)))
    return plots, "Broad line: the judged documents in their best order."


def _f(found: Sequence[Series]) -> tuple[list[Plot], str]:
    best = {series.run: series for series in found if series.curve == "f-maximum"}
    lines = [
        replace(line, told=f"highest {best[line.name].y[0]:.3f} at rank {best[line.name].x[0]:.0f}")
        for line in _lines(found, "f")
    ]
    return [Plot("rank", "F", lines)], "Of the documents down to the rank, as a set."


PLOTS = {"recall-precision": _recall_precision, "roc": _roc, "gain": _gain, "f": _f}
