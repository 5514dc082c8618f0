"""Comparisons as a LaTeX table (booktabs): a row a run, a column a measure, groups or signs of significance beside the means."""

from collections.abc import Iterator, Sequence

from campaign.formats.latex import escaped
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.results import Result
from evaluation.engine.significance.declarations import TESTS, ranks_do_not_follow

BETTER, WORSE = r"\(^\blacktriangle\)", r"\(^\blacktriangledown\)"


def lines(results: Sequence[Result], arguments: CompareArguments) -> Iterator[str]:
    """The table, for a document that uses booktabs and amssymb; runs in the order of the first measure."""
    first = results[0]
    captioned = next((result for result in results if result.has_ranks or result.has_triangles), first)
    yield f"% {escaped(_caption(captioned, arguments))}\n"
    yield "\\begin{tabular}{l" + "r" * len(results) + "}\n\\toprule\n"
    yield " & ".join(("Run", *(escaped(result.measure) for result in results))) + " \\\\\n\\midrule\n"
    for run in first.standing.order.tolist():
        cells = (_cell(result, run) for result in results)
        yield " & ".join((escaped(first.names[run]), *cells)) + " \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n"


def _cell(result: Result, run: int) -> str:
    mean = f"{result.compared.summaries[run]:.4f}"
    if result.has_ranks:
        return f"{mean}\\(^{{\\mathrm{{{result.standing.letters[run]}}}}}\\)"
    if not result.has_triangles or run == result.baseline:
        return mean
    place = result.comparisons.pairs[:, 0].tolist().index(run)
    return mean + {True: BETTER, False: WORSE, None: ""}[result.is_better(place)]


def _caption(result: Result, arguments: CompareArguments) -> str:
    found = result.comparisons
    drawn = f", {found.resamples} resamples, seed {found.seed}" if found.resamples else ""
    test = f"{TESTS[found.test].label}{drawn}, correction: {found.correction}"
    level = f"{1 - arguments.confidence:.3g}"
    if result.has_ranks:
        return f"Runs that share a letter are not significantly different ({test}, level {level})."
    if result.has_triangles and result.baseline is not None:
        name = result.names[result.baseline]
        return f"Triangles: better or worse than {name} ({test}, level {level})."
    return f"{test}. {ranks_do_not_follow(result.why_no_ranks)}"
