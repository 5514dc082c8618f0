"""`python -m pooling strategies`: every strategy with its parameters, made of their declarations."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from campaign.command.options import HELP_WIDTH, Help
from campaign.command.program import FINE, print_whole, wrong_usage
from pooling.command.options import PROGRAM, spec_of
from pooling.core.strategies.declaration import Strategy
from pooling.core.strategies.judging_order import orders_of
from pooling.core.strategies.parameters import Parameter, PoolSpecError
from pooling.core.strategies.registry import STRATEGIES

SAMPLES = {
    "stratum": "a sample, drawn in strata: for xinfAP, infNDCG, infP",
    "probability": "a sample, drawn with a probability of each document: for statAP, statP, statDCG",
}


def run(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} strategies",
        description="List the strategies: what they take, their parameters with range and default, their orders.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (default: all)")
    parser.add_argument(
        "--format", dest="form", metavar="FORMAT", choices=tuple(FORMS), default="text", help="text, json, markdown"
    )
    given = parser.parse_args(words)
    try:
        chosen = [spec_of(name, ()).method for name in given.names] or list(STRATEGIES.values())
    except PoolSpecError as problem:
        return wrong_usage(f"{PROGRAM} strategies", problem)
    lines = FORMS[given.form](chosen)
    print_whole(lambda out: out.writelines(f"{line}\n" for line in lines))
    return FINE


def as_text(strategies: Sequence[Strategy]) -> Iterator[str]:
    for number, strategy in enumerate(strategies):
        yield from [""] if number else []
        yield f"{strategy.name}: {strategy.label}" if strategy.label != strategy.name else strategy.name
        for sentence in about(strategy):
            yield textwrap.fill(sentence, HELP_WIDTH, initial_indent="    ", subsequent_indent="    ")
        for parameter in strategy.parameters:
            text = f"{parameter.name}: {parameter.expected}; default {_default(parameter)}. {parameter.help}"
            yield textwrap.fill(text.strip(), HELP_WIDTH, initial_indent="    ", subsequent_indent="      ")
        yield f"    orders: {', '.join(orders_of(strategy))}"


def as_markdown(strategies: Sequence[Strategy]) -> Iterator[str]:
    for number, strategy in enumerate(strategies):
        yield from [""] if number else []
        yield f"### `{strategy.name}`"
        yield ""
        yield " ".join(about(strategy))
        if strategy.parameters:
            yield ""
            yield "| parameter | default | |"
            yield "| --- | --- | --- |"
        for parameter in strategy.parameters:
            cells = f"`{parameter.name}`", _default(parameter), f"{parameter.expected}. {parameter.help}".strip()
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def as_json(strategies: Sequence[Strategy]) -> Iterator[str]:
    yield json.dumps([described(strategy) for strategy in strategies], indent=1)


def described(strategy: Strategy) -> dict[str, Any]:
    return {
        "name": strategy.name,
        "label": strategy.label,
        "covers": list(strategy.covers(strategy.check(strategy.defaults))),
        "sampling": strategy.sampling,
        "adaptive": strategy.policy is not None,
        "reads_judgments": strategy.reads_judgments,
        "orders": list(orders_of(strategy)),
        "parameters": [
            {
                "name": parameter.name,
                "label": parameter.label,
                "expected": parameter.expected,
                "default": parameter.to_json(parameter.default),
                "default_as_text": parameter.to_text(parameter.default),
                "help": parameter.help,
            }
            for parameter in strategy.parameters
        ],
    }


def about(strategy: Strategy) -> list[str]:
    """What a pool of the strategy holds with its defaults, in sentences."""
    sentences = [*strategy.covers(strategy.check(strategy.defaults))]
    if strategy.policy is not None:
        sentences.append("Adaptive: the pool grows while it is judged; `draw` prints what is judged at the start.")
    elif strategy.sampling:
        sentences.append(f"The pool is {SAMPLES[strategy.sampling]}.")
    return sentences


def _default(parameter: Parameter) -> str:
    return parameter.to_text(parameter.default) or "none"


FORMS: dict[str, Callable[[Sequence[Strategy]], Iterator[str]]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
}
