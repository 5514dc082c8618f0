"""The listing of all measures, made of their declarations: for the terminal, and as the page of reference."""

import math
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from evaluation.engine.judgment_kinds import Section
from evaluation.engine.measures.declaration import Definition, Relevance
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.measures.names.trec_eval import read_trec_eval_names
from evaluation.engine.measures.parameters import (
    CUTOFF,
    JUDGED_ONLY,
    OPTIONAL_CUTOFF,
    RELEVANCE_LEVEL,
    MeasureNameError,
    Parameter,
)
from evaluation.engine.ranked_run import DEFAULT_REFERENCE

MARKUP = re.compile(r"(?<! )\*|\*(?! )|(?<!\w)_|_(?!\w)|\](?=\()|<(?=[a-zA-Z/!?])")
PAGE = "docs/reference/measures.md"
COMMAND = f"python -m evaluation measures --format markdown > {PAGE}"
WIDTH = 100
RETURNS = re.compile(r"Returns float64 \([^)]*\)(,? (in |range )?(?P<range>[^:]+))?: (?P<formula>.*)", re.DOTALL)
RESULT_TYPE = re.compile(r": float64 \([^)]*\)\.$")

BY_RELEVANCE: Mapping[Relevance, Section] = {
    "set": Section("set", "Sets and counts", "The order of the documents does not matter."),
    "binary": Section(
        "binary", "Binary relevance", "A document is relevant, its grade being at least `rel`, or it is not."
    ),
    "graded": Section("graded", "Graded relevance", "The grade of a document tells how much it is worth."),
}

COMMON = (RELEVANCE_LEVEL, CUTOFF, OPTIONAL_CUTOFF)

INTRODUCTION = f"""# Measures

*Made by `{COMMAND}`: change the docstrings, not this page.*

A measure has one value for each topic and run; how the values of the topics become one number is said with each measure.
Parameters stand in parentheses, a rank cut-off after `@`; what is not given has its default:
`AP`, `AP(rel=2)`, `nDCG(gain=exponential)@10`. Where another name has braces, a number stands in their place: `P_{{k}}` is `P_10`
and means `P@10`.

[The concepts behind the measures](concepts.md): kinds of relevance, user models, macro and micro averages, E and F, what pooling
estimates, curves.

| parameters of many measures | default | |
| --- | --- | --- |
| `rel` | 1 | the lowest grade that counts as relevant |
| `@k` | the whole ranking | the rank cut-off |
| `judged_only` | false | with `judged_only=true` unjudged documents leave the ranking first (all measures but counts) |

| in formulas | stands for |
| --- | --- |
| R | the relevant documents of the topic in the qrels: those of a grade of at least `rel` |
| rank_j | the rank of the relevant document that is retrieved as the j-th |
| judged | of a grade of 0 or more; a negative grade says pooled, but not judged |
"""


@dataclass(frozen=True)
class Description:
    """What a docstring says: the meaning in a sentence, the range, and the formula with its undefined cases."""

    meaning: str
    range: str
    formula: str


def write(out: TextIO, names: Sequence[str], form: str, *, brief: bool = False) -> None:
    """Write the measures of these names, or all; MeasureNameError for a name that no measure has."""
    definitions = _named(names) if names else known_measures()
    if form == "markdown":
        out.write(page(definitions))
    elif brief:
        out.writelines(f"{_heading(d)}\n    {describe(d).meaning}\n" for d in definitions)
    else:
        out.write("\n".join(map(_entry, definitions)))


def describe(definition: Definition) -> Description:
    """Take the docstring of a measure apart; types and shapes of arrays are left out."""
    meaning, *rest = (" ".join(paragraph.split()) for paragraph in definition.description.split("\n\n"))
    value_range, formula = "", []
    for paragraph in rest:
        returns = RETURNS.match(paragraph)
        formula.append(returns["formula"] if returns else paragraph)
        value_range = (returns and returns["range"]) or value_range
    return Description(RESULT_TYPE.sub(".", meaning), value_range or _interval(*definition.range), " ".join(formula))


def page(definitions: Sequence[Definition]) -> str:
    """Give the page of reference in Markdown: the contents by section, then a part for each measure."""
    anchors = _Anchors()
    contents, sections = [], []
    for section, members in _by_section(definitions).items():
        anchor = anchors.of(section.title)
        links = ", ".join(f"[{_escaped(d.name)}](#{anchors.of(d.name)})" for d in members)
        contents.append(f"- [{section.title}](#{anchor}): {links}\n")
        sections += [f"\n## {section.title}\n\n{section.about}\n", *map(_part, members)]
    return "".join([INTRODUCTION, "\n", *contents, *sections])


def _by_section(definitions: Sequence[Definition]) -> dict[Section, list[Definition]]:
    """Give the measures of each section: first those that use the grades of documents, then other kinds of judgments."""
    members: dict[Section, list[Definition]] = {section: [] for section in BY_RELEVANCE.values()}
    for definition in definitions:
        section = definition.judgments.section or BY_RELEVANCE[definition.relevance]
        members.setdefault(section, []).append(definition)
    return {section: listed for section, listed in members.items() if listed}


class _Anchors:
    """The anchors that Markdown viewers give to headings, in the order of the headings."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def of(self, heading: str) -> str:
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        times = self._used[plain]
        self._used[plain] += 1
        return f"{plain}-{times}" if times else plain


def _part(definition: Definition) -> str:
    description = describe(definition)
    lines = [f"\n### {_escaped(definition.name)}\n", _escaped(description.meaning), ""]
    if description.formula:
        lines += [f"*Value:* {_escaped(description.formula)}", ""]
    if special := [parameter for parameter in _own_parameters(definition) if parameter not in COMMON]:
        lines += ["| parameter | default | |", "| --- | --- | --- |", *map(_row, special), ""]
    if common := [parameter for parameter in _own_parameters(definition) if parameter in COMMON]:
        names = (
            f"`{_written(parameter)}`" + (", which must be given" if parameter.required else "") for parameter in common
        )
        lines.append(f"- takes {' and '.join(names)}")
    if definition.aliases:
        lines.append("- also " + ", ".join(f"`{alias}`" for alias in definition.aliases))
    lines.append(f"- {_escaped(_facts(definition, description))}")
    lines.append(f"- source: {_escaped(definition.source)}")
    return "\n".join(lines) + "\n"


def _row(parameter: Parameter) -> str:
    cells = (f"`{_written(parameter)}`", _default(parameter), f"{parameter.meaning}; {_values(parameter)}")
    return "| " + " | ".join(_escaped(cell).replace("|", "\\|") for cell in cells) + " |"


def _entry(definition: Definition) -> str:
    """Give a measure as lines for the terminal."""
    description = describe(definition)
    texts = [_heading(definition), description.meaning, description.formula and f"value: {description.formula}"]
    for parameter in definition.parameters:
        texts.append(
            f"{_written(parameter)}: {parameter.meaning}; {_values(parameter)} (default: {_default(parameter)})"
        )
    texts += [_facts(definition, description), f"source: {definition.source}"]
    first, *others = (text for text in texts if text)
    wrapped = (textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ") for text in others)
    return "\n".join([first, *wrapped]) + "\n"


def _heading(definition: Definition) -> str:
    return ", ".join((definition.name, *definition.aliases))


def _facts(definition: Definition, description: Description) -> str:
    better = "; lower is better" if definition.lower_is_better else ""
    needs = f"; needs judgments with {definition.needs}" if definition.needs else ""
    return f"{definition.kind}; range: {description.range}{better}; over topics: {definition.summary}{needs}"


def _own_parameters(definition: Definition) -> list[Parameter]:
    return [parameter for parameter in definition.parameters if parameter is not JUDGED_ONLY]


def _written(parameter: Parameter) -> str:
    return f"@{parameter.name}" if parameter.follows_at else parameter.name


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "none: it must be given"
    if parameter.default is None:
        return "none"
    return str(parameter.default).lower() if parameter.type is bool else str(parameter.default)


def _values(parameter: Parameter) -> str:
    return parameter.expects.removeprefix("expected ")


def _interval(low: float, high: float) -> str:
    left = "(-inf" if math.isinf(low) else f"[{low:g}"
    return f"{left}, inf)" if math.isinf(high) else f"{left}, {high:g}]"


def _escaped(text: str) -> str:
    """Protect what Markdown would take for emphasis, a link or a tag; code between backquotes stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def _named(names: Sequence[str]) -> list[Definition]:
    return list(dict.fromkeys(definition for name in names for definition in _of_name(name)))


def _of_name(name: str) -> list[Definition]:
    """Find the measures of a name: one of the names listed, a name with its parameters, or a name of trec_eval."""
    listed = [definition for definition in known_measures() if name in (definition.name, *definition.aliases)]
    if listed:
        return listed
    try:
        return [parse_measure(name).definition]
    except MeasureNameError as problem:
        try:
            printed = read_trec_eval_names([name], {}, reference=DEFAULT_REFERENCE, judgment_groups=False)
        except MeasureNameError:
            raise problem from None
        return [name.measure.definition for name in printed if name.measure is not None]
