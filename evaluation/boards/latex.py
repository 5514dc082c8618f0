"""Drafts of the tables of an overview paper: LaTeX with booktabs; triangles against a baseline need amssymb."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from campaign.formats.latex import escaped
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from evaluation.boards.board import Board, Column
from evaluation.boards.measures_in_words import written
from evaluation.boards.snapshot import best_first

BETTER, WORSE = r"\(^\blacktriangle\)", r"\(^\blacktriangledown\)"


def results_table(board: Board, measures: Sequence[str] | None = None) -> str:
    r"""A row a run, the best by the first measure first; beside the numbers letters of groups, or triangles against the baseline.

    >>> from evaluation.boards.choice import Choice
    >>> results_table(Board((), ("1",), (), Choice()), []).splitlines()[1]
    '\\begin{tabular}{ll}'
    """
    columns = [board.shown_column(measure) for measure in (board.measures if measures is None else measures)]
    order = best_first(board, board.measures[0]).tolist() if board.columns else []
    rows = (
        [
            escaped(board.runs[run].tag),
            escaped(board.runs[run].team),
            *(_cell(board, column, run) for column in columns),
        ]
        for run in order
    )
    heads = ["Run", "Team", *(escaped(column.measure) for column in columns)]
    return "".join(_table(_caption(board, columns), "ll" + "r" * len(columns), heads, rows))


def participants_table(board: Board) -> str:
    r"""A row a team: its runs, by kind.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> "North & 1 & 0 & 1" in participants_table(Board((RunFacts("a", "North", "manual", 1),), ("1",), (), Choice()))
    True
    """
    kinds = sorted({"automatic", "manual", *(run.kind for run in board.runs)})
    counts = Counter((run.team, run.kind) for run in board.runs)
    teams = sorted({run.team for run in board.runs}, key=natural_order)
    rows = (
        [escaped(team), str(sum(counts[team, kind] for kind in kinds)), *(str(counts[team, kind]) for kind in kinds)]
        for team in teams
    )
    heads = ["Team", "Runs", *(escaped(kind) for kind in kinds)]
    return "".join(_table("Participants and their runs.", "l" + "r" * (len(kinds) + 1), heads, rows))


def figures_table(caption: str, figures: Mapping[str, str]) -> str:
    r"""A row a figure: what it counts, and the number.

    >>> "Judgments & 1,200 \\\\" in figures_table("Judgments.", {"Judgments": "1,200"})
    True
    """
    rows = ([escaped(name), escaped(figure)] for name, figure in figures.items())
    return "".join(_table(caption, "lr", ["", ""], rows))


def _table(caption: str, columns: str, heads: Sequence[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"% {caption}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
    if any(heads):
        yield " & ".join(heads) + " \\\\\n\\midrule\n"
    for row in rows:
        yield " & ".join(row) + " \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n"


def _cell(board: Board, column: Column, run: int) -> str:
    mean = written(float(column.mean[run]), column.summary)
    if column.letters[run] and column.rank_best[run]:
        return f"{mean}\\(^{{\\mathrm{{{column.letters[run]}}}}}\\)"
    is_better = column.better_than_baseline(run, board.choice.level)
    return mean + {True: BETTER, False: WORSE, None: ""}[is_better]


def _caption(board: Board, columns: Sequence[Column]) -> str:
    drawn = max((column.resamples for column in columns), default=0)
    how = f"{board.choice.in_words}{f', {drawn:,} resamples' if drawn else ''}, {number_of(len(board.topics), 'topic')}"
    if any(any(column.letters) and column.rank_best.any() for column in columns):
        return escaped(f"Runs that share a letter are not significantly different ({how}).")
    if board.choice.baseline:
        return escaped(f"Triangles: better or worse than {board.choice.baseline} ({how}).")
    return escaped(f"Results ({how}).")
