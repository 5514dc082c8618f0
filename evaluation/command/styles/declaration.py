"""What a style declares: in what one program differs from another, from the names of measures to the printed lines."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.command.arguments import RunOrder, ScoreArguments
from evaluation.command.files import RunFile
from evaluation.command.results import RunResult
from evaluation.engine.judgment_kinds import JudgmentKind
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.trec_eval import PrintedMeasure
from evaluation.engine.ranked_run import RankedRun, Reference
from evaluation.engine.run_lines import RunLines
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
    """The lines of a run as they are ranked: topics are as the qrels write them, and by rank there are ranks.

    `unjudged_topics`: topics of the run that are not in the qrels, for a style that prints them.
    """

    lines: RunLines
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
    return RunTable(file.lines)


def judgments_as_read(judgments: Judgments, arguments: ScoreArguments) -> Judgments:
    return judgments


def no_texts(ranked: RankedRun, request: Request) -> Texts:
    return {}


def no_check(name: str, ranked: RankedRun, request: Request) -> None:
    """Accept every run, whatever topics it answers."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """One of the programs whose rules and output the command follows. Bad files and options are an InputError.

    Reading:

    - `measures`: the measures to print, read from the arguments (MeasureNameError).
    - `kinds`: the kinds of judgments that are read from the qrels.
    - `judgments`: checks the judgments, or returns them with topics written in another way.
    - `prepare`: makes the table that is ranked from a run's file.
    - `tag`: the tag of a run's file.

    Ranking:

    - `run_order`: by what the program orders documents, where no option says otherwise.
    - `reference`: the release of trec_eval whose comparison of scores is used; 10 compares in double precision.
    - `check_ranked`: refuses a ranked run, given its name.
    - `texts`: the values of a ranked run that are texts.

    Results:

    - `result`: makes the result of a scored run, given the baseline, if there is one: topics, their values, averages.
    - `lines`: prints results with a number of digits after the decimal point; `digits` is its default.

    Tables:

    - `options`: the arguments that JSON names; `averaged_over` ends its phrase for the topics that are averaged over.
    - `all_topics_in_tables`: whether tables hold the values of topics without the option for it.
    - `describes_measures`: whether JSON describes the measures.
    """

    measures: Callable[[ScoreArguments], Sequence[PrintedMeasure]]
    kinds: Callable[[ScoreArguments, Sequence[PrintedMeasure]], Collection[JudgmentKind]]
    judgments: Callable[[Judgments, ScoreArguments], Judgments] = judgments_as_read
    prepare: Callable[[RunFile, Request], RunTable] = as_read
    tag: Callable[[RunFile], str] = lambda file: file.last_tag
    run_order: RunOrder = "score"
    reference: Callable[[ScoreArguments], Reference] = lambda arguments: "10"
    check_ranked: Callable[[str, RankedRun, Request], None] = no_check
    texts: Callable[[RankedRun, Request], Texts] = no_texts
    result: Callable[[ScoredRun, ScoredRun | None, Request], RunResult]
    lines: Callable[[Sequence[RunResult], ScoreArguments, int], Iterable[str]]
    digits: int
    options: tuple[str, ...]
    averaged_over: str = ""
    all_topics_in_tables: bool = True
    describes_measures: bool = False

    def order_of(self, arguments: ScoreArguments) -> RunOrder:
        return arguments.run_order or self.run_order
