"""Results in the CSV of the web track's program for novelty and diversity, ndeval 4.5: a line for each topic of a run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

import numpy as np
import polars as pl

from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import InputError, RunFile, displayed, read_judgments, read_run, room_for
from evaluation.command.reading_ahead import map_ahead
from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.measures.declaration import Measure, Parameter
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.subtopic import ALPHA, BETA
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_run
from evaluation.engine.scoring import Scores, score_ranked

COLUMNS = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in (5, 10, 20)),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in (5, 10, 20)),
)
DIGITS = 6
OVER_TOPICS = "amean"
DEPTH = Parameter("-M", int, "how many documents of each ranking count", minimum=1)
RISK_ALPHA = Parameter("--risk-alpha", float, "how much more a loss counts than a gain", minimum=0)
NUMBER = re.compile(r"[0-9]{1,18}")
"""As many digits as fit into 64 bits; ndeval itself reads numbers to a million."""


@dataclass(frozen=True, eq=False)
class NumberedScores:
    """The values of a run for every topic that it retrieves documents for, with judgments or without.

    `tag`: of the run's first line. `topics`: int64 (n_topics,), the numbers of the topics, ascending. `n_judged`: how many
    of them have judgments. `values`: float64 (n_topics, n_columns), 0 for a topic without judgments.
    """

    tag: str
    topics: IntArray
    n_judged: int
    values: FloatArray

    def at(self, topics: IntArray) -> FloatArray:
        """Give the values of these topics, 0 for those that the run does not have: float64 (n, n_columns)."""
        place = np.minimum(np.searchsorted(self.topics, topics), len(self.topics) - 1)
        return np.where((self.topics[place] == topics)[:, np.newaxis], self.values[place], 0.0)


def write(arguments: ScoreArguments, out: TextIO) -> None:
    """Score the runs and write what ndeval writes for the same options; InputError when a file is not fit for it.

    A topic without judgments has zeros and is not averaged over. Where ndeval divides 0 by 0 and writes nan, there is 0:
    nNRBP of a topic without relevant documents, and the mean of no topic. Of several runs there is one header, and the
    lines of one run after another. A column that was asked for has the name by which it was asked.
    """
    _check_options(arguments)
    columns = arguments.measures or COLUMNS
    reading = _Reading(arguments)
    scored = reading.score([_measure(column, arguments) for column in columns])
    baseline = scored.pop(0) if arguments.baseline is not None else None
    out.write(",".join(["runid", "topic", *map(_quoted, columns)]) + "\n")
    for run in scored:
        out.writelines(_lines(run, baseline, arguments, reading.judgments.n_topics))


def _check_options(arguments: ScoreArguments) -> None:
    asked = {
        "--alpha": (ALPHA, arguments.alpha),
        "--beta": (BETA, arguments.beta),
        DEPTH.name: (DEPTH, arguments.depth),
        RISK_ALPHA.name: (RISK_ALPHA, arguments.risk_alpha),
    }
    problems = [
        f"{option} {value}: {parameter.expects}."
        for option, (parameter, value) in asked.items()
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


def _quoted(column: str) -> str:
    return f'"{column}"' if "," in column else column


class _Reading:
    """Reads the baseline, if there is one, and the runs; keeps the problems of those that cannot be scored."""

    def __init__(self, arguments: ScoreArguments) -> None:
        self._arguments = arguments
        self._comments = arguments.reference == "10"
        self.judgments = read_judgments(
            arguments.qrels, subtopics=True, comments=self._comments, problems_shown=arguments.problems_shown
        )
        self._texts = _texts_of_numbers(self.judgments.topics, displayed(arguments.qrels))
        self._heads: list[tuple[str, IntArray]] = []
        self._problems: list[InputError] = []

    def score(self, measures: list[Measure]) -> list[NumberedScores]:
        scored = list(score_ranked(self._ranked(), measures, view=self._arguments.view))
        if self._problems:
            raise InputError.joined(self._problems)
        return [self._numbered(*head, scores) for head, scores in zip(self._heads, scored, strict=True)]

    def _ranked(self) -> Iterator[RankedRun]:
        baseline = self._arguments.baseline
        for found in map_ahead(self._found, (*(() if baseline is None else (baseline,)), *self._arguments.runs)):
            if isinstance(found, InputError):
                self._problems.append(found)
            else:
                tag, topics, ranked = found
                self._heads.append((tag, topics))
                yield ranked

    def _found(self, path: str) -> tuple[str, IntArray, RankedRun] | InputError:
        try:
            with room_for(path):
                file = self._read(path)
                numbers = _numbers_of_topics(file)
                ranked = self._rank(file, numbers)
        except InputError as problem:
            return problem
        return file.first_tag, np.unique(list(numbers.values())), ranked

    @property
    def _by_rank(self) -> bool:
        return self._arguments.by_rank is not False

    def _read(self, path: str) -> RunFile:
        shown = self._arguments.problems_shown
        return read_run(path, with_rank=self._by_rank, comments=self._comments, problems_shown=shown)

    def _rank(self, file: RunFile, numbers: dict[str, int]) -> RankedRun:
        table = _with_topics_of_qrels(file.table, numbers, self._texts)
        if self._by_rank:
            _refuse_equal_ranks(file.name, table)
            table = table.with_columns(score=-pl.col("rank").cast(pl.Float64))
        try:
            return rank_run(table, self.judgments, reference="10")
        except RankingError as problem:
            raise InputError([f"{file.name}: {problem}"]) from None

    def _numbered(self, tag: str, topics: IntArray, scores: Scores) -> NumberedScores:
        column = {text: place for place, text in enumerate(scores.topics)}
        judged = [place for place, number in enumerate(topics.tolist()) if number in self._texts]
        values = np.zeros((len(topics), len(scores.measures)))
        values[judged] = scores.values[:, [column[self._texts[number]] for number in topics[judged].tolist()]].T
        return NumberedScores(tag, topics, len(judged), values)


def _texts_of_numbers(topics: tuple[str, ...], qrels: str) -> dict[int, str]:
    """Give the text of each topic of the qrels by its number; a prefix is not admitted here."""
    problems = [
        f"{qrels}: topic {topic} is not a number. Only runs may write a prefix that ends in - before the number."
        for topic in topics
        if not NUMBER.fullmatch(topic)
    ]
    if problems:
        raise InputError(problems)
    texts: dict[int, str] = {}
    for topic in topics:
        other = texts.setdefault(int(topic), topic)
        if other != topic:
            problems.append(f"{qrels}: topics {other} and {topic} are one number. Write it in one way.")
    if problems:
        raise InputError(problems)
    return texts


def _number_of(topic: str) -> int | None:
    """Read a topic of a run: a number, or a prefix that ends in the first - and then a number."""
    number = topic if "0" <= topic[:1] <= "9" else topic.partition("-")[2]
    return int(number) if NUMBER.fullmatch(number) else None


def _numbers_of_topics(file: RunFile) -> dict[str, int]:
    """Read the number of each topic of a run, by its text."""
    numbers: dict[str, int] = {}
    problems = []
    for topic in file.table["topic"].rle().struct.field("value").unique(maintain_order=True).to_list():
        number = _number_of(topic)
        if number is None:
            remedy = "Write 1, or a prefix that ends in - and then the number, as wt09-1."
            problems.append(f"{file.name}: topic {topic} is not a number. {remedy}")
        else:
            numbers[topic] = number
    if problems:
        raise InputError(problems)
    return numbers


def _with_topics_of_qrels(table: pl.DataFrame, numbers: dict[str, int], texts: dict[int, str]) -> pl.DataFrame:
    """Write the run's topics as the qrels do, so that wt09-1 and 01 are the topic 1."""
    as_in_qrels = {topic: texts.get(number, str(number)) for topic, number in numbers.items()}
    if all(topic == text for topic, text in as_in_qrels.items()):
        return table
    return table.with_columns(topic=pl.col("topic").replace_strict(as_in_qrels))


def _refuse_equal_ranks(name: str, table: pl.DataFrame) -> None:
    if _ranks_ascend(table):
        return
    twice = (
        table.group_by("topic", "rank", maintain_order=True)
        .agg(pl.col("docno").first().alias("one"), pl.col("docno").last().alias("other"), pl.len().alias("lines"))
        .filter(pl.col("lines") > 1)
    )
    if twice.height:
        raise InputError(
            [
                f"{name}: topic {topic}: {one} and {other} have the same rank {rank}. Give every document its own, "
                "or order by score with --by-score."
                for topic, rank, one, other, _ in twice.iter_rows()
            ]
        )


def _ranks_ascend(table: pl.DataFrame) -> bool:
    """Whether each topic's lines stand together with ranks that ascend, as they do in most files."""
    blocks = table["topic"].rle().struct
    if blocks.field("value").is_duplicated().any():
        return False
    new_topic = np.zeros(table.height, dtype=np.bool_)
    new_topic[np.cumsum(blocks.field("len").to_numpy())[:-1]] = True
    return bool(((np.diff(table["rank"].to_numpy()) > 0) | new_topic[1:]).all())


def _lines(run: NumberedScores, baseline: NumberedScores | None, arguments: ScoreArguments, n_topics: int) -> list[str]:
    """Give the lines of one run; `n_topics` is the number of topics of the qrels."""
    topics, values = _against_baseline(run, baseline, arguments)
    averaged_over = n_topics if arguments.all_topics else run.n_judged
    if baseline is not None:
        averaged_over = max(averaged_over, len(topics))
    label = run.tag if baseline is None else _label(run.tag, baseline.tag, arguments.risk_alpha or 0.0)
    digits = DIGITS if arguments.digits is None else arguments.digits
    numbers = ",".join([f"%.{digits}f"] * values.shape[1])
    mean = ratio(sum_over_topics(values.T), np.full(values.shape[1], averaged_over))
    rows = [*zip(topics.tolist(), values.tolist(), strict=True), (OVER_TOPICS, mean.tolist())]
    return [f"{label},{topic},{numbers % tuple(row)}\n" for topic, row in rows]


def _against_baseline(
    run: NumberedScores, baseline: NumberedScores | None, arguments: ScoreArguments
) -> tuple[IntArray, FloatArray]:
    """Give the topics to write and their values: with a baseline the gain over it, or the loss times 1 + risk alpha.

    The topics of the baseline that the run does not have count only when all topics do.
    """
    if baseline is None:
        return run.topics, run.values
    topics = np.union1d(run.topics, baseline.topics) if arguments.all_topics else run.topics
    gain = run.at(topics) - baseline.at(topics)
    return topics, np.where(gain >= 0.0, gain, (1.0 + (arguments.risk_alpha or 0.0)) * gain)


def _label(tag: str, baseline_tag: str, risk_alpha: float) -> str:
    return f"{tag} (rel to. {baseline_tag}; rs=1+a; a={np.format_float_positional(risk_alpha, trim='-')})"
