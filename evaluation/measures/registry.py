"""All measures, and the reading of their names: `nDCG@10`, `AP(rel=2)`, `ndcg_cut_10`."""

import difflib
import re

from evaluation.measures import binary, counts, graded, incomplete, subtopic
from evaluation.measures.declaration import Definition, Measure, MeasureNameError, Value

_DEFINITIONS = (*binary.MEASURES, *graded.MEASURES, *incomplete.MEASURES, *subtopic.MEASURES, *counts.MEASURES)
_BY_NAME = {name: definition for definition in _DEFINITIONS for name in (definition.name, *definition.aliases)}
_PATTERNS = tuple(
    (re.compile(alias.replace("{k}", "(?P<k>[0-9]+)")), definition)
    for definition in _DEFINITIONS
    for alias in definition.aliases
    if "{" in alias
)
_NAME = re.compile(r"(?P<head>[^@()]+)(\((?P<parameters>[^()]*)\))?(@(?P<k>.*))?")


def known_measures() -> tuple[Definition, ...]:
    """Give the definitions of all measures, in the order of the listing."""
    return _DEFINITIONS


def parse_measure(text: str, *, relevance_level: int = 1) -> Measure:
    """Read a measure name, canonical or an alias; MeasureNameError says what is wrong with it.

    `relevance_level` holds where the measure has one (its parameter `rel`) and the name does not set it.
    """
    text = text.strip()
    definition, written = _split(text)
    values: dict[str, Value] = {}
    if definition.parameter("rel"):
        values["rel"] = relevance_level
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
    written = dict(_assignment(text, item) for item in (parts["parameters"] or "").split(",") if item.strip())
    if parts["k"] is not None:
        written["k"] = parts["k"]
    return _BY_NAME[parts["head"]], written


def _assignment(text: str, item: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in item.partition("="))
    if not equals:
        raise MeasureNameError(f"{text}: write each parameter as name=value, not {item.strip()}.")
    return name, value


def _takes(definition: Definition) -> str:
    names = [parameter.name for parameter in definition.parameters]
    return "takes " + " and ".join(names) if names else "takes no parameters"


def _unknown(text: str) -> str:
    head, at, cutoff = text.partition("@")
    spelled = {name.lower(): name for name in _BY_NAME if "{" not in name}
    near = difflib.get_close_matches(head.partition("(")[0].lower(), spelled, n=3, cutoff=0.5)
    canonical = dict.fromkeys(_BY_NAME[spelled[name]].name for name in near)
    if canonical:
        return f"Unknown measure {text}. Near names: {', '.join(name + at + cutoff for name in canonical)}."
    return f"Unknown measure {text}. Known measures: {', '.join(definition.name for definition in _DEFINITIONS)}."
