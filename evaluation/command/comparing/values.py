"""From files to the values that are compared: one matrix of runs by topics for each measure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from campaign.command.files import InputError, displayed
from campaign.command.reading_ahead import map_ahead
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.files import read_judgments, read_run, room_for
from evaluation.engine.analyses.bounds import meaning_of_bounds, unjudged_best
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.sampling_fit import sampling_problem
from evaluation.engine.missing_topics import compared_values, summary_of_compared
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_lines
from evaluation.engine.scoring import score_ranked


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared by one measure: `summaries` float64 (n_runs,); `by_topic` float64 (n_runs, n_topics), NaN: left out."""

    measure: Measure
    summaries: FloatArray
    by_topic: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """What tests go by: `by_topic`, and its logarithms where the summary is a geometric mean."""
        return logarithms(self.by_topic) if self.measure.definition.summary == "geometric mean" else self.by_topic


@dataclass(frozen=True, eq=False)
class RunsByTopics:
    """`names`: the tags of the runs where they differ, and their files otherwise.

    `highest_grade`: of the scale. `if_best`: float64 (n_runs, n_topics), by the first measure, if all unjudged documents that it
    looks at had this grade; None where that was not asked for, or would mean nothing.
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Compared, ...]
    highest_grade: int
    if_best: FloatArray | None


def read_values(arguments: CompareArguments) -> RunsByTopics:
    """Score every run; InputError names all problems of files, MeasureNameError a measure that does not exist."""
    measures = [parse_measure(name, defaults={"rel": arguments.level}) for name in arguments.measures]
    judgments = read_all_judgments(arguments, measures)
    grade = highest_grade(arguments, judgments)
    reading, best = RunReading(arguments, judgments), IfBest(measures[0], grade)
    ranked = (_view(run, arguments) for run in reading.ranked())
    scored = list(score_ranked(best.looking_at(ranked) if arguments.unjudged else ranked, measures))
    if reading.problems:
        raise InputError.joined(reading.problems)
    values = np.array([compared_values(scores, judgments) for scores in scored])
    compared = tuple(_compared(measure, values[:, place]) for place, measure in enumerate(measures))
    names = run_names(reading.tags, arguments.runs)
    return RunsByTopics(names, judgments.topics, compared, grade, np.array(best.values) if best.values else None)


def highest_grade(arguments: CompareArguments, judgments: Judgments) -> int:
    """That of the scale, as given or else of the judgments, at least 1; InputError where the judgments have a higher one."""
    highest = int(judgments.grade.max(initial=1))
    if arguments.highest_grade is not None and arguments.highest_grade < highest:
        problem = f"it has the grade {highest}, above --highest-grade {arguments.highest_grade}"
        raise InputError([f"{displayed(arguments.qrels)}: {problem}"])
    return arguments.highest_grade or highest


class IfBest:
    """Keeps the values of runs by a measure if all unjudged documents had a grade; none where they would mean nothing."""

    def __init__(self, measure: Measure, grade: int) -> None:
        self._measures = [measure] if meaning_of_bounds(measure) != "none" else []
        self._grade = grade
        self.values: list[FloatArray] = []

    def looking_at(self, ranked: Iterable[RankedRun]) -> Iterator[RankedRun]:
        """The same runs, one after another."""
        for run in ranked:
            best = unjudged_best(run, self._measures, self._grade)
            if best is not None:
                self.values.append(compared_values(best, run.judgments)[0])
            yield run


def read_all_judgments(arguments: CompareArguments, measures: list[Measure]) -> Judgments:
    """The judgments, with what the measures need of them; InputError where an estimator does not fit the sample."""
    kinds = [measure.definition.judgments for measure in measures]
    judgments = read_judgments(
        arguments.qrels,
        subtopics=any(kind.by_subtopic for kind in kinds),
        sampled=any(kind.sampled for kind in kinds),
        comments=arguments.reference == "10",
        problems_shown=arguments.problems_shown,
    )
    if problem := sampling_problem(measures, judgments):
        raise InputError([f"{displayed(arguments.qrels)}: {problem}"])
    return judgments


def _view(run: RankedRun, arguments: CompareArguments) -> RankedRun:
    return run if arguments.depth is None else run.first(arguments.depth)


def _compared(measure: Measure, values: FloatArray) -> Compared:
    definition = measure.definition
    summaries = np.array([summary_of_compared(of_run, definition) for of_run in values])
    return Compared(measure, summaries, values)


def run_names(tags: list[str], paths: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of runs where they differ, and their files otherwise."""
    return tuple(tags) if all(tags) and len(set(tags)) == len(tags) else tuple(map(displayed, paths))


class RunReading:
    """Reads and ranks the runs ahead of scoring; keeps their tags, and the problems of those that cannot be scored.

    `further`: other judgments that each run is ranked under as well; `ranked_further` has the runs by each of them.
    """

    def __init__(self, arguments: CompareArguments, judgments: Judgments, further: Sequence[Judgments] = ()) -> None:
        self._arguments = arguments
        self._judgments = (judgments, *further)
        self.tags: list[str] = []
        self.problems: list[InputError] = []
        self.ranked_further: list[list[RankedRun]] = [[] for _ in further]

    def ranked(self) -> Iterator[RankedRun]:
        for outcome in map_ahead(self._read, self._arguments.runs):
            if isinstance(outcome, InputError):
                self.problems.append(outcome)
            else:
                tag, (ranked, *further) = outcome
                self.tags.append(tag)
                for runs, one in zip(self.ranked_further, further, strict=True):
                    runs.append(one)
                yield ranked

    def _read(self, path: str) -> tuple[str, list[RankedRun]] | InputError:
        arguments = self._arguments
        try:
            with room_for(path):
                file = read_run(
                    path,
                    with_rank=arguments.run_order == "rank",
                    comments=arguments.reference == "10",
                    problems_shown=arguments.problems_shown,
                )
                ranked = [
                    rank_lines(file.lines, judgments, arguments.reference, arguments.run_order)
                    for judgments in self._judgments
                ]
        except RankingError as problem:
            return InputError([f"{displayed(path)}: {problem}"])
        except InputError as problem:
            return problem
        return file.first_tag, ranked
