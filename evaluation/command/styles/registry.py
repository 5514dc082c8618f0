"""All styles, by the names of the option --style."""

from collections.abc import Mapping

from evaluation.command.arguments import StyleName
from evaluation.command.styles import gdeval, ndeval, trec_eval
from evaluation.command.styles.declaration import Style

STYLES: Mapping[StyleName, Style] = {
    "trec_eval": trec_eval.STYLE,
    "ndeval": ndeval.STYLE,
    "gdeval": gdeval.STYLE,
}
