"""All measures, and the reading of their names: `nDCG@10`, `AP(rel=2)`, `ndcg_cut_10`."""

import difflib
import re
from collections.abc import Mapping
from functools import lru_cache

from evaluation.measures import (
    binary,
    counts,
    drawn,
    graded,
    graded_tool,
    incomplete,
    interpolated,
    judgment_groups,
    rank_order,
    rank_overlap,
    sampled,
    sets,
    subtopic,
    tool_specials,
    user_models,
)
from evaluation.measures.declaration import Definition, Measure, MeasureNameError, Value

_ROOMS = (
    binary,
    interpolated,
    graded,
    graded_tool,
    user_models,
    rank_overlap,
    incomplete,
    sampled,
    drawn,
    subtopic,
    judgment_groups,
    sets,
    rank_order,
    tool_specials,
    counts,
)
_DEFINITIONS: tuple[Definition, ...] = tuple(definition for room in _ROOMS for definition in room.MEASURES)
_BY_NAME = {name: definition for definition in _DEFINITIONS for name in (definition.name, *definition.aliases)}
_PATTERNS = tuple(
    (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[0-9.]+)", re.escape(alias))), definition)
    for definition in _DEFINITIONS
    for alias in definition.aliases
    if "{" in alias
)
_NAME = re.compile(r"(?P<head>[^@()]+)(\((?P<parameters>[^()]*)\))?(@(?P<after>.*))?")
_NO_DEFAULTS: Mapping[str, Value] = {}


def known_measures() -> tuple[Definition, ...]:
    """Give the definitions of all measures, in the order of the listing."""
    return _DEFINITIONS


def parse_measure(text: str, *, defaults: Mapping[str, Value] = _NO_DEFAULTS) -> Measure:
    """Read a measure name, canonical or an alias; MeasureNameError says what is wrong with it.

    `defaults` hold where the measure has such a parameter and the name does not set it: `{"rel": 2, "N": 528155}`.
    """
    return _parse(text.strip(), tuple(defaults.items()))


@lru_cache(maxsize=4096)
def _parse(text: str, defaults: tuple[tuple[str, Value], ...]) -> Measure:
    definition, written = _split(text)
    values = {name: value for name, value in defaults if definition.parameter(name)}
    for name, value in written.items():
        parameter = definition.parameter(name)
        if parameter is None:
            raise MeasureNameError(f"{text}: {definition.name} {_takes(definition)}, not {name}.")
        try:
            values[name] = parameter.read(value)
        except MeasureNameError as problem:
            raise MeasureNameError(f"{text}: {problem}") from None
    return definition.with_values(values)


def _split(text: str) -> tuple[Definition, dict[str, str]]:
    for pattern, definition in _PATTERNS:
        if whole := pattern.fullmatch(text):
            return definition, whole.groupdict()
    parts = _NAME.fullmatch(text)
    if parts is None or parts["head"] not in _BY_NAME:
        raise MeasureNameError(_unknown(text))
    definition = _BY_NAME[parts["head"]]
    written = dict(_assignment(text, item) for item in (parts["parameters"] or "").split(",") if item.strip())
    if parts["after"] is not None:
        written[definition.after_at or "k"] = parts["after"]
    return definition, written


def _assignment(text: str, item: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in item.partition("="))
    if not equals:
        raise MeasureNameError(f"{text}: write each parameter as name=value, not {item.strip()}.")
    return name, value


def _takes(definition: Definition) -> str:
    names = [parameter.name for parameter in definition.parameters]
    if not names:
        return "takes no parameters"
    return "takes " + " and ".join([", ".join(names[:-1]), names[-1]] if names[:-1] else names)


def _unknown(text: str) -> str:
    head, at, cutoff = text.partition("@")
    spelled = {name.lower(): name for name in _BY_NAME if "{" not in name}
    near = difflib.get_close_matches(head.partition("(")[0].lower(), spelled, n=3, cutoff=0.5)
    canonical = dict.fromkeys(_BY_NAME[spelled[name]].name for name in near)
    if canonical:
        return f"Unknown measure {text}. Near names: {', '.join(name + at + cutoff for name in canonical)}."
    return f"Unknown measure {text}. Known measures: {', '.join(definition.name for definition in _DEFINITIONS)}."
