"""Results in the lines of the standard tool: measure, topic and value, separated by tabs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from evaluation.command.arguments import ScoreArguments
from evaluation.command.results import Cell, RunResult, evaluate
from evaluation.engine.measures.names.trec_eval import ToolMeasure

DIGITS = 4
OVER_ALL_TOPICS = "all"
TOPIC = "\0"


def write(arguments: ScoreArguments, out: TextIO) -> None:
    """Score the runs and write what the standard tool writes for the same options.

    With several runs every line has a fourth field, the path of its run.
    """
    results = evaluate(arguments)
    for result in results:
        out.writelines(_lines(result, arguments, after=f"\t{result.name}" if len(results) > 1 else ""))


def _lines(result: RunResult, arguments: ScoreArguments, after: str) -> Iterator[str]:
    """Give the lines of every topic, a block at a time, then those of the summary."""
    digits = DIGITS if arguments.digits is None else arguments.digits
    if arguments.per_topic:
        block = _Block(result.names, "topic", digits, after)
        for place, topic in enumerate(result.topics):
            if result.answered[place] or arguments.reference == "10":
                yield block.filled(topic, result.of_topic(place))
    if arguments.summary:
        yield _Block(result.names, "summary", digits, after).filled(OVER_ALL_TOPICS, result.summary)


class _Block:
    """The lines of one topic, or of the summary, as one format string with a mark where the topic stands."""

    def __init__(self, names: Iterable[ToolMeasure], part: str, digits: int, after: str) -> None:
        shown = [(place, measure) for place, measure in enumerate(names) if measure.shown in ("both", part)]
        self._places = [place for place, _ in shown]
        self._lines = "".join(
            f"{_literal(f'{measure.name:<22}')}\t{TOPIC}\t{_form(measure, digits)}{_literal(after)}\n"
            for _, measure in shown
        )

    def filled(self, topic: str, cells: Sequence[Cell]) -> str:
        return self._lines.replace(TOPIC, _literal(topic)) % tuple([cells[place] for place in self._places])


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _form(measure: ToolMeasure, digits: int) -> str:
    if measure.form == "number":
        return f"%{digits + 2}.{digits}f"
    if measure.form == "count":
        return "%d"
    return "%s" if measure.name == "runid" else "'%s'"
