"""All measures, and the reading of their names: `nDCG@10`, `AP(rel=2)`, `ndcg_cut_10`."""

import difflib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from evaluation.engine.measures import (
    average_precisions,
    binary,
    counts,
    drawn_by_probability,
    graded,
    graded_trec_eval,
    ideal_ranking,
    incomplete,
    interpolated,
    judgment_groups,
    rank_order,
    sampled,
    sets,
    subtopic,
    trec_eval_only,
    user_models,
)
from evaluation.engine.measures.declaration import Definition, Measure
from evaluation.engine.measures.names.other_spellings import SYNONYMS, canonical_measure, canonical_parameter
from evaluation.engine.measures.names.syntax import Assignments, give_once, take_apart
from evaluation.engine.measures.parameters import MeasureNameError, Parameter, UnknownMeasureError, Value

_MODULES = (
    binary,
    interpolated,
    graded,
    graded_trec_eval,
    user_models,
    ideal_ranking,
    incomplete,
    sampled,
    drawn_by_probability,
    subtopic,
    judgment_groups,
    sets,
    rank_order,
    average_precisions,
    trec_eval_only,
    counts,
)
_DEFINITIONS: tuple[Definition, ...] = tuple(definition for module in _MODULES for definition in module.MEASURES)
_BY_NAME = {name: definition for definition in _DEFINITIONS for name in (definition.name, *definition.aliases)}
_PATTERNS = tuple(
    (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[0-9.]+)", re.escape(alias))), definition)
    for definition in _DEFINITIONS
    for alias in definition.aliases
    if "{" in alias
)
_BY_ANY_CASE = {re.sub("_?{.*", "", name).lower(): definition for name, definition in reversed(_BY_NAME.items())}
_ENDING_IN_NUMBER = re.compile(r"(?P<stem>.+?)[-_ ]?(?P<number>\d+)", re.ASCII)
_NO_DEFAULTS: Mapping[str, Value] = {}
LONGEST_NAME, MOST_NAMED = 2_000, 10
"""Characters of a name: gains of twenty grades take a few hundred; and how many names an answer proposes."""


def known_measures() -> tuple[Definition, ...]:
    """Give the definitions of all measures, in the order of the listing.

    >>> [definition.name for definition in known_measures()][:4]
    ['AP', 'P', 'R', 'RR']
    """
    return _DEFINITIONS


def parse_measure(text: str, *, defaults: Mapping[str, Value] = _NO_DEFAULTS) -> Measure:
    """Read a measure name, canonical or an alias; MeasureNameError says what is wrong with it.

    `defaults` hold where the measure has such a parameter and the name does not set it: `{"rel": 2, "N": 528155}`; not where
    leaving it out is a form of the measure, as for RBP without `max_rel`.

    >>> parse_measure("ndcg_cut_10").name, parse_measure("P@5", defaults={"rel": 2}).name
    ('nDCG@10', 'P(rel=2)@5')
    """
    if len(text) > LONGEST_NAME:
        raise MeasureNameError(
            f"{text[:40]}…: a measure has at most {LONGEST_NAME:,} characters, this has {len(text):,}."
        )
    return _parse(text.strip(), tuple(defaults.items()))


@lru_cache(maxsize=4096)
def _parse(text: str, defaults: tuple[tuple[str, Value], ...]) -> Measure:
    definition, written = _split(text)
    values = {name: value for name, value in defaults if _takes_default(definition.parameter(name))}
    for name, value in _canonical_parameters(text, definition, written).items():
        parameter = definition.parameter(name)
        if parameter is None:
            raise MeasureNameError(f"{text}: {definition.name} {_takes(definition)}, not {name}.")
        with _about(text):
            values[name] = parameter.read(value)
    return definition.with_values(values)


def _takes_default(parameter: Parameter | None) -> bool:
    return parameter is not None and (parameter.required or parameter.default is not None)


def _split(text: str) -> tuple[Definition, Assignments]:
    for pattern, definition in _PATTERNS:
        if whole := pattern.fullmatch(text):
            return definition, whole.groupdict()
    parts = take_apart(text)
    if parts is None or parts.head not in _BY_NAME:
        raise UnknownMeasureError(text, _near(text))
    with _about(text):
        name, written = canonical_measure(parts.head, parts.parameters)
    definition = _BY_NAME[name]
    if parts.after is not None:
        _refuse_several(text, parts.after, definition)
        give_once(text, written, definition.after_at or "k", parts.after.strip())
    return definition, written


def _canonical_parameters(text: str, definition: Definition, written: Assignments) -> Assignments:
    canonical: Assignments = {}
    for name, value in written.items():
        with _about(text):
            parameter = canonical_parameter(definition, name, value)
        if parameter is not None:
            give_once(text, canonical, *parameter)
    return canonical


@contextmanager
def _about(text: str) -> Iterator[None]:
    """Put the name in front of the message of a MeasureNameError."""
    try:
        yield
    except MeasureNameError as problem:
        raise MeasureNameError(f"{text}: {problem}") from None


def _refuse_several(text: str, after: str, definition: Definition) -> None:
    values = [value.strip() for value in after.split(",")]
    if len(values) > 1 and all(values):
        before = text.partition("@")[0]
        alone = ", ".join(f"{before}@{value}" for value in values[:MOST_NAMED])
        alone += ", and so on" if len(values) > MOST_NAMED else ""
        what = "cut-off" if definition.after_at == "k" else "value after @"
        raise MeasureNameError(f"{text}: one {what} for each name: {alone}.")


def _takes(definition: Definition) -> str:
    names = [parameter.name for parameter in definition.parameters]
    if not names:
        return "takes no parameters"
    return "takes " + " and ".join([", ".join(names[:-1]), names[-1]] if names[:-1] else names)


def _near(text: str) -> list[str]:
    """Give complete names that could be meant: first what differs by case only, or is another word for a measure."""
    head = re.split("[@(]", text, maxsplit=1)[0]
    rest, lowered = text[len(head) :], head.strip().lower()
    if head.strip() in _BY_NAME:
        return [_BY_NAME[head.strip()].example]
    if definition := _by_any_spelling(lowered):
        return [_complete(definition, rest)]
    if parts := _ENDING_IN_NUMBER.fullmatch(lowered):
        definition = _by_any_spelling(parts["stem"])
        if definition is not None and definition.after_at == "k":
            return [_complete(definition, f"{rest.partition('@')[0]}@{parts['number']}")]
    near = difflib.get_close_matches(lowered, _BY_ANY_CASE, n=3, cutoff=0.5)
    return list(dict.fromkeys(_complete(_BY_ANY_CASE[name], rest) for name in near))


def _by_any_spelling(lowered: str) -> Definition | None:
    synonym = SYNONYMS.get(re.sub("[-_ ]", "", lowered), "")
    return _BY_ANY_CASE.get(lowered) or _BY_NAME.get(synonym)


def _complete(definition: Definition, rest: str) -> str:
    """Write the measure with the parameters of another name, or as an example where it does not take them."""
    name = definition.name + rest
    try:
        _parse(name, ())
    except MeasureNameError:
        return definition.example
    return name
