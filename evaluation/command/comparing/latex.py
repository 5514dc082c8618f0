"""Comparisons as a LaTeX table (booktabs): a row a run, a column a measure, groups or signs of significance beside the means."""

from collections.abc import Iterator, Sequence

from campaign.formats.latex import escaped
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.results import Result
from evaluation.engine.significance.declarations import TESTS

BETTER, WORSE = r"\(^\blacktriangle\)", r"\(^\blacktriangledown\)"


def lines(results: Sequence[Result], arguments: CompareArguments) -> Iterator[str]:
    """The table, for a document that uses booktabs and amssymb; runs in the order of the first measure."""
    first = results[0]
    yield f"% {escaped(_caption(first, arguments))}\n"
    yield "\\begin{tabular}{l" + "r" * len(results) + "}\n\\toprule\n"
    yield " & ".join(("Run", *(escaped(result.measure) for result in results))) + " \\\\\n\\midrule\n"
    for run in first.standing.order.tolist():
        cells = (_cell(result, run) for result in results)
        yield " & ".join((escaped(first.names[run]), *cells)) + " \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n"


def _cell(result: Result, run: int) -> str:
    mean = f"{result.compared.summaries[run]:.4f}"
    if result.holds_together:
        return f"{mean}\\(^{{\\mathrm{{{result.standing.letters[run]}}}}}\\)"
    if result.baseline is None or run == result.baseline:
        return mean
    place = result.comparisons.pairs[:, 0].tolist().index(run)
    return mean + {True: BETTER, False: WORSE, None: ""}[result.is_better(place)]


def _caption(result: Result, arguments: CompareArguments) -> str:
    found = result.comparisons
    drawn = f", {found.resamples} resamples, seed {found.seed}" if found.resamples else ""
    test = f"{TESTS[found.test].label}{drawn}, correction: {found.correction}"
    level = f"{1 - arguments.confidence:.3g}"
    if result.holds_together:
        return f"Runs that share a letter are not shown to differ ({test}, level {level})."
    if result.baseline is not None:
        name = result.names[result.baseline]
        return f"Triangles: above or below {name} ({test}, level {level})."
    return f"{test}: no groups, which need a test or a correction that holds for all pairs together."
