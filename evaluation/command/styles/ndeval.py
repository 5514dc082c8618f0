"""The style of ndeval 4.5, the web track's program for novelty and diversity: a line for each topic of a run."""

import re
from dataclasses import dataclass

import numpy as np

from campaign.command.files import InputError, displayed
from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import RunFile
from evaluation.command.results import RunResult
from evaluation.command.styles.declaration import Request, RunTable, ScoredRun, Style
from evaluation.command.styles.web_track import alpha_in_tag, lines, weighted_difference
from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.judgment_kinds import SUBTOPICS
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.names.trec_eval import PrintedMeasure
from evaluation.engine.measures.parameters import Parameter
from evaluation.engine.measures.subtopic import ALPHA, BETA
from evaluation.engine.run_lines import RunLines

DEFAULT_MEASURES = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in (5, 10, 20)),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in (5, 10, 20)),
)
DEPTH = Parameter("-M", int, "how many documents of each ranking count", minimum=1)
RISK_ALPHA = Parameter("--risk-alpha", float, "how much more a loss counts than a gain", minimum=0)
NUMBER = re.compile(r"[0-9]{1,18}")
"""As many digits as fit into 64 bits; ndeval itself reads numbers to a million."""


@dataclass(frozen=True, eq=False)
class NumberedScores:
    """The values of a run for every topic that it retrieves documents for, with judgments or without.

    `topics`: int64 (n_topics,), the numbers of the topics, ascending. `n_judged`: how many of them have judgments.
    `values`: float64 (n_topics, n_measures), 0 for a topic without judgments.
    """

    topics: IntArray
    n_judged: int
    values: FloatArray

    @classmethod
    def of(cls, run: ScoredRun) -> "NumberedScores":
        judged = [run.scores.topics[place] for place in np.flatnonzero(run.scores.answered)]
        numbers = np.array([int(topic) for topic in (*judged, *run.unjudged_topics)], dtype=np.int64)
        values = np.zeros((len(numbers), len(run.scores.measures)))
        values[: len(judged)] = run.scores.values[:, run.scores.answered].T
        ascending = np.argsort(numbers)
        return cls(numbers[ascending], len(judged), values[ascending])

    def at(self, topics: IntArray) -> FloatArray:
        """Give the values of these topics, 0 for those that the run does not have: float64 (n, n_measures)."""
        place = np.minimum(np.searchsorted(self.topics, topics), len(self.topics) - 1)
        return np.where((self.topics[place] == topics)[:, np.newaxis], self.values[place], 0.0)


def measures(arguments: ScoreArguments) -> list[PrintedMeasure]:
    """Read the measures asked for, or all that ndeval prints; each is printed under the name that was given."""
    _check_options(arguments)
    return [
        PrintedMeasure(name, _measure(name, arguments), of_trec_eval=False)
        for name in arguments.measures or DEFAULT_MEASURES
    ]


def _check_options(arguments: ScoreArguments) -> None:
    options = {
        "--alpha": (ALPHA, arguments.alpha),
        "--beta": (BETA, arguments.beta),
        DEPTH.name: (DEPTH, arguments.depth),
        RISK_ALPHA.name: (RISK_ALPHA, arguments.risk_alpha),
    }
    problems = [
        f"{option} {value}: {parameter.expects}."
        for option, (parameter, value) in options.items()
        if value is not None and not parameter.admits(value)
    ]
    if problems:
        raise InputError(problems)


def _measure(name: str, arguments: ScoreArguments) -> Measure:
    """Read a measure: --alpha and --beta are the defaults of its parameters, if these are ndeval's and not other ones."""
    own_parameters = parse_measure(name, defaults=arguments.defaults).definition.own_parameters
    given = ((ALPHA, arguments.alpha), (BETA, arguments.beta))
    defaults = {
        parameter.name: value for parameter, value in given if value is not None and parameter in own_parameters
    }
    return parse_measure(name, defaults={**arguments.defaults, **defaults})


def refuse_topics_without_number(judgments: Judgments, arguments: ScoreArguments) -> Judgments:
    """Refuse qrels whose topics are not numbers, all different; a prefix is not admitted here."""
    qrels = displayed(arguments.qrels)
    problems = [
        f"{qrels}: topic {topic} is not a number. Only runs may write a prefix that ends in - before the number."
        for topic in judgments.topics
        if not NUMBER.fullmatch(topic)
    ]
    if problems:
        raise InputError(problems)
    first: dict[int, str] = {}
    for topic in judgments.topics:
        other = first.setdefault(int(topic), topic)
        if other != topic:
            problems.append(f"{qrels}: topics {other} and {topic} are one number. Write it in one way.")
    if problems:
        raise InputError(problems)
    return judgments


def prepare(file: RunFile, request: Request) -> RunTable:
    """Write the run's topics as the qrels do, so that wt09-1 and 01 are the topic 1."""
    numbers = _numbers_of_topics(file)
    judged = {int(topic): topic for topic in request.judgments.topics}
    lines = _with_topics_of_qrels(file.lines, numbers, judged)
    return RunTable(lines, tuple(str(number) for number in set(numbers.values()) - set(judged)))


def _number_of(topic: str) -> int | None:
    """Read a topic of a run: a number, or a prefix that ends in the first - and then a number."""
    number = topic if "0" <= topic[:1] <= "9" else topic.partition("-")[2]
    return int(number) if NUMBER.fullmatch(number) else None


def _numbers_of_topics(file: RunFile) -> dict[str, int]:
    """Read the number of each topic of a run, by its text."""
    numbers: dict[str, int] = {}
    problems = []
    for topic in file.lines.topics:
        number = _number_of(topic)
        if number is None:
            remedy = "Write 1, or a prefix that ends in - and then the number, as wt09-1."
            problems.append(f"{file.name}: topic {topic} is not a number. {remedy}")
        else:
            numbers[topic] = number
    if problems:
        raise InputError(problems)
    return numbers


def _with_topics_of_qrels(lines: RunLines, numbers: dict[str, int], judged: dict[int, str]) -> RunLines:
    as_in_qrels = {topic: judged.get(number, str(number)) for topic, number in numbers.items()}
    if all(topic == text for topic, text in as_in_qrels.items()):
        return lines
    return lines.with_topics(as_in_qrels)


def result(run: ScoredRun, baseline: ScoredRun | None, request: Request) -> RunResult:
    """Give the values of the topics of the run, ascending by number; with a baseline the weighted difference to it.

    A topic without judgments has zeros and is not averaged over. The topics of the baseline that the run does not have
    count only when all topics do. Where ndeval divides 0 by 0 and writes nan, there is 0: nNRBP of a topic without
    relevant documents, and the mean of no topic.
    """
    arguments, own = request.arguments, NumberedScores.of(run)
    tag, topics, values = run.tag, own.topics, own.values
    averaged_over = request.judgments.n_topics if arguments.all_topics else own.n_judged
    if baseline is not None:
        other = NumberedScores.of(baseline)
        topics = np.union1d(own.topics, other.topics) if arguments.all_topics else own.topics
        values = weighted_difference(own.at(topics), other.at(topics), arguments.risk_alpha)
        averaged_over = max(averaged_over, len(topics))
        tag = f"{run.tag} (rel to. {baseline.tag}; rs=1+a; a={alpha_in_tag(arguments.risk_alpha)})"
    return RunResult(
        name=run.name,
        tag=tag,
        measures=request.measures,
        topics=tuple(map(str, topics.tolist())),
        answered=tuple(np.isin(topics, own.topics).tolist()),
        values=values,
        totals=ratio(sum_over_topics(values.T), np.full(values.shape[1], averaged_over)),
    )


STYLE = Style(
    measures=measures,
    kinds=lambda arguments, measures: {SUBTOPICS},
    judgments=refuse_topics_without_number,
    run_order="rank",
    prepare=prepare,
    tag=lambda file: file.first_tag,
    result=result,
    lines=lines,
    digits=6,
    options=("alpha", "beta", "run_order", "depth", "baseline", "risk_alpha"),
)
