"""From the arguments of the command to results: every run scored, with the values of its topics and their summary."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import InputError, RunFile, displayed, read_judgments, read_run, room_for
from evaluation.command.reading_ahead import map_ahead
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import summarise
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.declaration import MeasureNameError, Value
from evaluation.engine.measures.names.trec_eval import ToolMeasure, read_tool_names
from evaluation.engine.measures.trec_eval_only import relevance_strings
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_run
from evaluation.engine.scoring import Scores, score_ranked

Cell: TypeAlias = float | int | str
TOPICS_NAMED = 10


@dataclass(frozen=True, eq=False)
class RunResult:
    """The results of one run.

    `name`: the path as given; `tag`: the tag of the run's last line.
    `names`: the measures in the order in which they are printed.
    `topics`: the topics that the summary is made of, ascending by their UTF-8 bytes: those that the run answers, or with
    `-c` all of the qrels. `answered`: for each of them whether the run retrieves anything for it.
    `values`: float64 (n_topics, n_names); 1 for num_q, 0 where there is no number.
    `texts`: for each measure whose values are texts, its text of every topic.
    `totals`: float64 (n_names,), the summaries over the topics.
    """

    name: str
    tag: str
    names: tuple[ToolMeasure, ...]
    topics: tuple[str, ...]
    answered: tuple[bool, ...]
    values: FloatArray
    texts: Mapping[str, tuple[str, ...]]
    totals: FloatArray

    def of_topic(self, place: int) -> list[Cell]:
        """Give the values of the topic at this place in `topics`, parallel to `names`; counts are ints.

        A measure with `shown == "summary"` has no value that would mean anything for a single topic.
        """
        return self._cells(self.values[place], {name: texts[place] for name, texts in self.texts.items()})

    @property
    def summary(self) -> list[Cell]:
        """Give the summaries over the topics, parallel to `names`; one with `shown == "topic"` means nothing."""
        return self._cells(self.totals, {"runid": self.tag})

    def _cells(self, numbers: FloatArray, texts: Mapping[str, str]) -> list[Cell]:
        cells: list[Cell] = numbers.tolist()
        for place, measure in enumerate(self.names):
            if measure.form == "count":
                cells[place] = int(cells[place])
            elif measure.form == "text":
                cells[place] = texts.get(measure.name, "")
        return cells


@dataclass(frozen=True, eq=False)
class _Head:
    """What is kept of a run's file while its ranking waits to be scored with others."""

    name: str
    tag: str
    texts: Mapping[str, tuple[str, ...]]


def evaluate(arguments: ScoreArguments) -> list[RunResult]:
    """Score every run as the standard tool does; InputError when a file is not fit for it.

    A measure name that cannot be understood is a MeasureNameError.
    """
    names = _names(arguments)
    measures = [name.measure for name in names if name.measure is not None]
    kinds = [measure.definition.judgments for measure in measures]
    judgments = read_judgments(
        arguments.qrels,
        subtopics=arguments.judgment_groups or any(kind.by_subtopic for kind in kinds),
        sampled=any(kind.sampled for kind in kinds),
        comments=arguments.reference == "10",
        problems_shown=arguments.problems_shown,
    )
    reading = _Reading(arguments, names, judgments)
    try:
        scored = list(score_ranked(reading.ranked(), measures, view=arguments.view))
    except JudgmentError as problem:
        raise InputError([f"{displayed(arguments.qrels)}: {problem}"]) from None
    if reading.problems:
        raise InputError.joined(reading.problems)
    return [_result(arguments, names, head, scores) for head, scores in zip(reading.heads, scored, strict=True)]


def _names(arguments: ScoreArguments) -> list[ToolMeasure]:
    """Read the names asked for; where the size of the collection is all that one lacks, its option is told."""

    def read(defaults: Mapping[str, Value]) -> list[ToolMeasure]:
        return read_tool_names(
            arguments.measures, defaults, reference=arguments.reference, judgment_groups=arguments.judgment_groups
        )

    try:
        return read(arguments.defaults)
    except MeasureNameError as problem:
        told = str(problem)
        try:
            read({**arguments.defaults, "N": 1})
            with_size = ""
        except MeasureNameError as other:
            with_size = str(other)
        hint = "" if told == with_size else " -N gives the size of the collection to all measures."
        raise MeasureNameError(told + hint) from None


class _Reading:
    """Reads the runs one after another, keeping their names and the problems of those that cannot be scored."""

    def __init__(self, arguments: ScoreArguments, names: list[ToolMeasure], judgments: Judgments) -> None:
        self.arguments = arguments
        self.judgments = judgments
        self.lengths = {name.name: name.length for name in names if name.length is not None}
        self.heads: list[_Head] = []
        self.problems: list[InputError] = []

    def ranked(self) -> Iterator[RankedRun]:
        for found in map_ahead(self._found, self.arguments.runs):
            if isinstance(found, InputError):
                self.problems.append(found)
            else:
                head, ranked = found
                self.heads.append(head)
                yield ranked

    def _found(self, path: str) -> tuple[_Head, RankedRun] | InputError:
        try:
            with room_for(path):
                file = self._read(path)
                ranked = self._rank(file)
        except InputError as problem:
            return problem
        return _Head(file.name, file.last_tag, self._texts(ranked)), ranked

    def _texts(self, ranked: RankedRun) -> Mapping[str, tuple[str, ...]]:
        if not self.lengths:
            return {}
        seen = self.arguments.view(ranked)
        return {name: tuple(relevance_strings(seen, length)) for name, length in self.lengths.items()}

    def _read(self, path: str) -> RunFile:
        comments = self.arguments.reference == "10"
        return read_run(path, comments=comments, problems_shown=self.arguments.problems_shown)

    def _rank(self, file: RunFile) -> RankedRun:
        try:
            ranked = rank_run(file.table, self.judgments, self.arguments.reference)
        except RankingError as problem:
            raise InputError([f"{file.name}: {problem}"]) from None
        self._refuse_missing_topics(file.name, ranked)
        return ranked

    def _refuse_missing_topics(self, run: str, ranked: RankedRun) -> None:
        qrels = displayed(self.arguments.qrels)
        missing = [self.judgments.topics[place] for place in np.flatnonzero(ranked.num_ret == 0)]
        if self.arguments.reference == "9" and len(missing) == ranked.n_groups:
            raise InputError([f"{run}: no topic of it is in {qrels}. Give the qrels of its topics."])
        if self.arguments.reference == "10" and missing and not self.arguments.all_topics:
            raise InputError([_missing_topics(run, qrels, missing)])


def _missing_topics(run: str, qrels: str, missing: list[str]) -> str:
    named = ", ".join(missing[:TOPICS_NAMED])
    more = f" and {len(missing) - TOPICS_NAMED} more" if len(missing) > TOPICS_NAMED else ""
    return (
        f"{run}: topics of {qrels} are missing: {named}{more}. Release 10.0 does not score such a run: "
        "count them as 0 with -c, or leave them out with --reference 9."
    )


def _result(arguments: ScoreArguments, names: list[ToolMeasure], head: _Head, scores: Scores) -> RunResult:
    scores = replace(scores, values=_as_averaged(arguments, names, scores))
    summaries = summarise(scores, over="qrels" if arguments.all_topics else "answered")
    counted = np.ones_like(scores.answered) if arguments.all_topics else scores.answered
    places = np.flatnonzero(counted)
    values = np.zeros((len(places), len(names)))
    totals = np.zeros(len(names))
    computed = [column for column, name in enumerate(names) if name.measure is not None]
    values[:, computed] = scores.values[:, places].T
    totals[computed] = summaries
    for column, name in enumerate(names):
        if name.name == "num_q":
            values[:, column], totals[column] = 1.0, len(places)
    return RunResult(
        name=head.name,
        tag=head.tag,
        names=tuple(names),
        topics=tuple(scores.topics[place] for place in places),
        answered=tuple(scores.answered[places].tolist()),
        values=values,
        texts={name: tuple(texts[place] for place in places) for name, texts in head.texts.items()},
        totals=totals,
    )


def _as_averaged(arguments: ScoreArguments, names: list[ToolMeasure], scores: Scores) -> FloatArray:
    """Give the values as the chosen release averages them: a topic that the run misses adds 0.

    Only the tool's own measures are meant, and of those only the ones whose value of an empty ranking is not 0 anyway:
    with 9.0 all of them, with 10.0 utility alone.
    """
    measures = [name for name in names if name.measure is not None]
    zeroed = "" if arguments.reference == "9" else "utility"
    averaged = [name.own and name.form == "number" and name.name.startswith(zeroed) for name in measures]
    return np.where(np.outer(averaged, ~scores.answered), 0.0, scores.values)
