"""What a style declares: in what one program differs from another, from the names of measures to the printed lines."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import RunFile
from evaluation.command.results import RunResult
from evaluation.engine.judgment_kinds import JudgmentKind
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.trec_eval import PrintedMeasure
from evaluation.engine.ranked_run import RankedRun, Reference
from evaluation.engine.scoring import Scores

Texts = Mapping[str, tuple[str, ...]]
"""Values that are texts: by the name of the measure, the text of each topic of the qrels."""


@dataclass(frozen=True, eq=False)
class Request:
    """The arguments of the command, the measures that they name, and the judgments of their qrels."""

    arguments: ScoreArguments
    measures: tuple[PrintedMeasure, ...]
    judgments: Judgments

    @property
    def computed(self) -> list[Measure]:
        """The measures whose values are computed of the ranking: all but runid, num_q and relstring."""
        return [printed.measure for printed in self.measures if printed.measure is not None]


@dataclass(frozen=True, eq=False)
class RunTable:
    """The lines of a run as they are ranked: columns topic (as the qrels write it), docno, and score.

    `unjudged_topics`: topics of the run that are not in the qrels, for a style that prints them.
    """

    table: pl.DataFrame
    unjudged_topics: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """A run with its scores over all topics of the qrels. `name` is that of the file, as displayed."""

    name: str
    tag: str
    scores: Scores
    unjudged_topics: tuple[str, ...] = ()
    texts: Texts = field(default_factory=dict)


def as_read(file: RunFile, request: Request) -> RunTable:
    return RunTable(file.table)


def judgments_as_read(judgments: Judgments, arguments: ScoreArguments) -> Judgments:
    return judgments


def no_texts(ranked: RankedRun, request: Request) -> Texts:
    return {}


def admit(name: str, ranked: RankedRun, request: Request) -> None:
    """Admit every run, whatever topics it answers."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """One of the programs whose rules and output the command follows. What a file must not hold is an InputError.

    Reading: `measures` reads the names asked for (MeasureNameError, InputError); `kinds` says which kinds of judgments
    are read of the qrels; `judgments` checks them or writes their topics anew; `by_rank` says whether runs need a column
    of ranks; `prepare` makes of a run's file the table that is ranked; `tag` takes the tag of a run.

    Ranking: `reference` says how scores are compared; `admit` refuses a ranked run, given its name; `texts` gives the
    values that are texts.

    Results: `result` takes a scored run and the baseline, if there is one, and gives the topics that are printed, their
    values, and the averages; `lines` prints results with so many digits after the point, `digits` if none are asked for.

    Tables: `options` are the arguments that a table names; `averaged_over` adds to its words for the topics averaged over;
    with `all_topics_in_tables` they hold the topics unasked; `describes_measures` says whether they describe the measures,
    `decimals` to how many they round (None: not at all).
    """

    measures: Callable[[ScoreArguments], Sequence[PrintedMeasure]]
    kinds: Callable[[ScoreArguments, Sequence[PrintedMeasure]], Collection[JudgmentKind]]
    judgments: Callable[[Judgments, ScoreArguments], Judgments] = judgments_as_read
    by_rank: Callable[[ScoreArguments], bool] = lambda arguments: False
    prepare: Callable[[RunFile, Request], RunTable] = as_read
    tag: Callable[[RunFile], str] = lambda file: file.last_tag
    reference: Callable[[ScoreArguments], Reference] = lambda arguments: "10"
    admit: Callable[[str, RankedRun, Request], None] = admit
    texts: Callable[[RankedRun, Request], Texts] = no_texts
    result: Callable[[ScoredRun, ScoredRun | None, Request], RunResult]
    lines: Callable[[Sequence[RunResult], ScoreArguments, int], Iterable[str]]
    digits: int
    options: tuple[str, ...]
    averaged_over: str = ""
    all_topics_in_tables: bool = True
    describes_measures: bool = False
    decimals: int | None = 17
