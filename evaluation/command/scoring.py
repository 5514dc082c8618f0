"""From the arguments of the command to results: qrels and runs are read, ranked and scored by the rules of a style."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from campaign.command.files import InputError, displayed
from campaign.command.streams_and_signals import write_error
from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import read_judgments, read_run, room_for
from evaluation.command.results import RunResult
from evaluation.command.styles.declaration import Request, ScoredRun, Style, Texts
from evaluation.engine.arrays import IntArray
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.measures.sampling_fit import sampling_problem
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_lines
from evaluation.engine.run_lines import RunLines
from evaluation.engine.scoring import score_ranked


def score_files(arguments: ScoreArguments, style: Style) -> list[RunResult]:
    """Score every run by the rules of the style.

    An estimator that the sampling of the judgments does not fit is computed all the same, with a warning on stderr.
    InputError names all problems of files that cannot be scored; a name that no measure has is a MeasureNameError.
    """
    request = _request(arguments, style)
    runs = _score(request, style)
    if problem := sampling_problem(request.computed, request.judgments):
        write_error(f"{displayed(arguments.qrels)}: warning: {problem} It is computed as trec_eval does.\n")
    baseline = runs.pop(0) if arguments.baseline is not None else None
    return [style.result(run, baseline, request) for run in runs]


def _request(arguments: ScoreArguments, style: Style) -> Request:
    measures = tuple(style.measures(arguments))
    kinds = style.kinds(arguments, measures)
    judgments = read_judgments(
        arguments.qrels,
        subtopics=any(kind.by_subtopic for kind in kinds),
        sampled=any(kind.sampled for kind in kinds),
        comments=arguments.comments,
        problems_shown=arguments.problems_shown,
        small=arguments.are_files_small,
    )
    return Request(arguments, measures, style.judgments(judgments, arguments))


def _score(request: Request, style: Style) -> list[ScoredRun]:
    """Score the baseline, if there is one, and then the runs."""
    reading = _Reading(request, style)
    try:
        scored = list(score_ranked(reading.ranked(), request.computed, view=request.arguments.view))
    except JudgmentError as problem:
        raise InputError([f"{displayed(request.arguments.qrels)}: {problem}"]) from None
    if reading.problems:
        raise InputError.joined(reading.problems)
    return [
        ScoredRun(head.name, head.tag, scores, head.unjudged_topics, head.texts)
        for head, scores in zip(reading.heads, scored, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Head:
    """What is kept of a run's file while its ranking waits to be scored with others."""

    name: str
    tag: str
    unjudged_topics: tuple[str, ...]
    texts: Texts


class _Reading:
    """Reads and ranks the runs ahead of scoring; keeps their heads, and the problems of those that cannot be scored."""

    def __init__(self, request: Request, style: Style) -> None:
        self._request = request
        self._style = style
        self.heads: list[_Head] = []
        self.problems: list[InputError] = []

    def ranked(self) -> Iterator[RankedRun]:
        arguments = self._request.arguments
        baseline = () if arguments.baseline is None else (arguments.baseline,)
        for outcome in self._outcomes((*baseline, *arguments.runs)):
            if isinstance(outcome, InputError):
                self.problems.append(outcome)
            else:
                head, ranked = outcome
                self.heads.append(head)
                yield ranked

    def _outcomes(self, paths: Iterable[str]) -> Iterable[tuple[_Head, RankedRun] | InputError]:
        if self._request.arguments.are_files_small:
            return map(self._read, paths)
        from campaign.command.reading_ahead import map_ahead

        return map_ahead(self._read, paths)

    def _read(self, path: str) -> tuple[_Head, RankedRun] | InputError:
        request, style, arguments = self._request, self._style, self._request.arguments
        try:
            with room_for(path):
                file = read_run(
                    path,
                    with_rank=style.order_of(arguments) == "rank",
                    comments=arguments.comments,
                    problems_shown=arguments.problems_shown,
                    small=arguments.are_files_small,
                )
                prepared = style.prepare(file, request)
                ranked = self._rank(file.name, prepared.lines)
        except InputError as problem:
            return problem
        return _Head(file.name, style.tag(file), prepared.unjudged_topics, style.texts(ranked, request)), ranked

    def _rank(self, name: str, lines: RunLines) -> RankedRun:
        arguments, style = self._request.arguments, self._style
        if style.order_of(arguments) == "rank":
            _refuse_equal_ranks(name, lines)
        try:
            ranked = rank_lines(lines, self._request.judgments, style.reference(arguments), style.order_of(arguments))
        except RankingError as problem:
            raise InputError([f"{name}: {problem}"]) from None
        self._style.check_ranked(name, ranked, self._request)
        return ranked


def _refuse_equal_ranks(name: str, lines: RunLines) -> None:
    if lines.rank is None or _ranks_ascend(lines.topic, lines.rank):
        return
    order = np.lexsort((lines.rank, lines.topic))
    topic, rank = lines.topic[order], lines.rank[order]
    starts = np.flatnonzero((np.diff(topic, prepend=-1) != 0) | (np.diff(rank, prepend=rank[:1]) != 0))
    last = np.append(starts[1:], len(order)) - 1
    shared = np.flatnonzero(last > starts)
    first_lines, last_lines = order[starts[shared]], order[last[shared]]
    in_file = np.argsort(first_lines)
    if len(in_file):
        raise InputError(
            [
                f"{name}: topic {lines.topics[lines.topic[one]]}: {lines.docno[one]} and {lines.docno[other]} have the same "
                f"rank {lines.rank[one]}. Give every document its own, or order otherwise: --run-order score or line."
                for one, other in zip(first_lines[in_file].tolist(), last_lines[in_file].tolist(), strict=True)
            ]
        )


def _ranks_ascend(topic: IntArray, rank: IntArray) -> bool:
    """Whether each topic's lines stand together with ranks that ascend, as they do in most files."""
    new_topic = np.diff(topic) != 0
    together = int(np.count_nonzero(new_topic)) == int(topic.max(initial=0))
    return together and bool(((np.diff(rank) > 0) | new_topic).all())
