"""trec_eval's own measure names: with parameters after a dot, as `P.5,10`, and nicknames, as `all_trec`."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.names.trec_eval_parameters import (
    Parameters,
    assignments,
    plain,
    read_cutoffs,
    read_length,
    read_levels,
)
from evaluation.engine.measures.parameters import MeasureNameError, UnknownMeasureError, Value
from evaluation.engine.ranked_run import Reference

Shown: TypeAlias = Literal["both", "summary", "topic"]
Form: TypeAlias = Literal["number", "count", "text"]


@dataclass(frozen=True)
class PrintedMeasure:
    """A measure as it is printed.

    `name`: as printed. `measure`: None for runid, num_q and relstring, which are no numbers of a topic.
    `shown`: for topics, in the summary, or both. `of_trec_eval`: whether trec_eval prints it too.
    `length`: of relstring, how many documents it shows.
    """

    name: str
    measure: Measure | None
    shown: Shown = "both"
    form: Form = "number"
    of_trec_eval: bool = True
    length: int | None = None


@dataclass(frozen=True)
class _Entry:
    """A name in trec_eval's list: what is written after its dot, and what holds when nothing is."""

    parameters: Parameters = "none"
    defaults: str = ""
    shown: Shown = "both"
    form: Form = "number"


_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
_LEVELS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
_MULTIPLES = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"
_COUNT = _Entry(form="count")

# In the order in which trec_eval prints, whatever the order of the options.
_ENTRIES: Mapping[str, _Entry] = {
    "runid": _Entry(shown="summary", form="text"),
    "num_q": _Entry(shown="summary", form="count"),
    "num_ret": _COUNT,
    "num_rel": _COUNT,
    "num_rel_ret": _COUNT,
    "map": _Entry(),
    "gm_map": _Entry(shown="summary"),
    "Rprec": _Entry(),
    "bpref": _Entry(),
    "recip_rank": _Entry(),
    "iprec_at_recall": _Entry("levels", _LEVELS),
    "P": _Entry("cut-offs", _CUTOFFS),
    "relstring": _Entry("length", "10", shown="topic", form="text"),
    "recall": _Entry("cut-offs", _CUTOFFS),
    "infAP": _Entry(),
    "gm_bpref": _Entry(shown="summary"),
    "Rprec_mult": _Entry("levels", _MULTIPLES),
    "utility": _Entry("coefficients"),
    "11pt_avg": _Entry("points"),
    "binG": _Entry(),
    "G": _Entry("gains"),
    "dcg": _Entry("gains"),
    "ideal_dcg": _Entry("gains"),
    "ndcg": _Entry("gains"),
    "ndcg_rel": _Entry("gains"),
    "Rndcg": _Entry("gains"),
    "ndcg_cut": _Entry("cut-offs", _CUTOFFS),
    "map_cut": _Entry("cut-offs", _CUTOFFS),
    "relative_P": _Entry("cut-offs", _CUTOFFS),
    "success": _Entry("cut-offs", "1,5,10"),
    "set_P": _Entry(),
    "set_relative_P": _Entry(),
    "set_recall": _Entry(),
    "set_map": _Entry(),
    "set_F": _Entry("weight"),
    "num_nonrel_judged_ret": _COUNT,
    "map_avgjg": _Entry(),
    "P_avgjg": _Entry("cut-offs", _CUTOFFS),
    "Rprec_mult_avgjg": _Entry("levels", _MULTIPLES),
    "yaap": _Entry(),
    "rbp_resid": _Entry("persistence"),
    "unj": _Entry("cut-offs", "5,10,20"),
}
_JUDGMENT_GROUPS = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
_ONLY_IN_10 = ("rbp_resid", "unj")
_IN_NO_NICKNAME = ("dcg", "ideal_dcg", "yaap", *_JUDGMENT_GROUPS)
_OTHER_SPELLINGS = {"NumQ": "num_q"}
_BEGINS_WITH_NUMBER = re.compile(r"(p=)?[+-]?\.?\d", re.ASCII)
_NICKNAMES = ("official", "all_trec", "set", "qrels_jg")
_NOT_OFFERED = {
    "rbp": "Release 10.0 computes rbp from memory that it never sets, so its value means nothing. Write RBP(p=0.9).",
    "prefs": "Preference judgments are not read here.",
    "all_prefs": "Preference judgments are not read here.",
}


def read_trec_eval_names(
    names: Sequence[str], defaults: Mapping[str, Value], *, reference: Reference, judgment_groups: bool
) -> list[PrintedMeasure]:
    """Read the names given with -m: names and nicknames of trec_eval, and the canonical names of all measures.

    trec_eval's measures come first and in its own order, with the parameters of a name ascending; canonical names
    follow in the order given, and are printed as they were written. No name means `official`, and `qrels_jg` over judgment
    groups. The parameters given for a name replace its usual ones, also where a nickname stands for it. A name given
    twice with different parameters is printed with all of them. MeasureNameError says what to write instead.

    >>> found = read_trec_eval_names(["P.10,5", "map"], {}, reference="9", judgment_groups=False)
    >>> [measure.name for measure in found]
    ['map', 'P_5', 'P_10']
    """
    usual = "qrels_jg" if judgment_groups else "official"
    parameters_of: dict[str, list[str]] = {}
    others: dict[str, PrintedMeasure] = {}
    for text in (item.strip() for item in names or (usual,)):
        head, dot, parameters = _split(text)
        if head in _NICKNAMES and not dot:
            for name in _members(head, reference):
                parameters_of.setdefault(name, [])
        elif head in _ENTRIES:
            given = parameters_of.setdefault(head, [])
            given += [parameters] if dot else []
        else:
            others.setdefault(text, _canonical(text, defaults))
    measures = [
        measure
        for name in _ENTRIES
        if name in parameters_of
        for measure in _expand(name, parameters_of[name], defaults)
    ]
    measures += others.values()
    _refuse_wrong_judgments(measures, judgment_groups)
    return measures


def _split(text: str) -> tuple[str, str, str]:
    """Split `P.5,10` into P and 5,10; the printed form `P_5` reads as `P.5`, where a number follows as in print."""
    text = _OTHER_SPELLINGS.get(text, text)
    head, dot, parameters = text.partition(".")
    if head in _ENTRIES or head in _NICKNAMES:
        return head, dot, parameters
    printed, underscore, parameter = text.rpartition("_")
    if printed in _ENTRIES and _ENTRIES[printed].parameters != "none" and _BEGINS_WITH_NUMBER.match(parameter):
        return printed, underscore, parameter
    return text, "", ""


def _members(nickname: str, reference: Reference) -> Sequence[str]:
    if nickname == "official":
        return _OFFICIAL.split()
    if nickname == "set":
        return _SET.split()
    if nickname == "qrels_jg":
        return ("runid", "num_q", *_JUDGMENT_GROUPS)
    left_out = _IN_NO_NICKNAME if reference == "10" else (*_IN_NO_NICKNAME, *_ONLY_IN_10)
    return [name for name in _ENTRIES if name not in left_out]


def _canonical(text: str, defaults: Mapping[str, Value]) -> PrintedMeasure:
    """Read a name that trec_eval does not know, printed as it was written but for blanks."""
    if text in _NOT_OFFERED or text.startswith("prefs_"):
        raise MeasureNameError(f"{text}: {_NOT_OFFERED.get(text, _NOT_OFFERED['prefs'])}")
    head = text.partition(".")[0]
    if head in _NICKNAMES:
        raise MeasureNameError(f"{text}: {head} takes no parameters. Write {head}.")
    try:
        measure = parse_measure(text, defaults=defaults)
    except UnknownMeasureError as unknown:
        near = difflib.get_close_matches(head, (*_ENTRIES, *_NICKNAMES), n=3, cutoff=0.75)
        if not near:
            raise
        sentences = (unknown.opening, unknown.near, f"Near names of trec_eval: {', '.join(near)}.")
        raise MeasureNameError(" ".join(filter(None, sentences))) from None
    summary = measure.definition.summary
    return PrintedMeasure(
        name="".join(text.split()),
        measure=measure,
        shown="summary" if summary == "geometric mean" else "both",
        form="count" if summary == "sum" else "number",
        of_trec_eval=False,
    )


def _expand(name: str, given: Sequence[str], defaults: Mapping[str, Value]) -> Iterator[PrintedMeasure]:
    """Give the measures that trec_eval prints for one of its names, with these parameters or its usual ones."""
    entry = _ENTRIES[name]
    if entry.parameters == "cut-offs":
        cutoffs = {k for text in given or (entry.defaults,) for k in read_cutoffs(name, text)}
        for k in sorted(cutoffs):
            yield PrintedMeasure(f"{name}_{k}", parse_measure(f"{name}_{k}", defaults=defaults))
    elif entry.parameters == "levels":
        levels = {level for text in given or (entry.defaults,) for level in read_levels(name, text)}
        for level in sorted(levels):
            yield PrintedMeasure(f"{name}_{level:.2f}", parse_measure(f"{name}_{plain(level)}", defaults=defaults))
    elif not given:
        length = int(entry.defaults) if entry.parameters == "length" else None
        measure = None if entry.form == "text" or name == "num_q" else parse_measure(name, defaults=defaults)
        yield PrintedMeasure(name, measure, entry.shown, entry.form, length=length)
    else:
        for text in dict.fromkeys(given):
            yield _with_parameters(name, text, defaults)


def _with_parameters(name: str, text: str, defaults: Mapping[str, Value]) -> PrintedMeasure:
    """Read a name that is printed with its parameters as they were written."""
    entry = _ENTRIES[name]
    printed = f"{name}_{text}"
    if entry.parameters == "length":
        return PrintedMeasure(printed, None, entry.shown, entry.form, length=read_length(name, text))
    written = assignments(name, text, entry.parameters)
    try:
        measure = parse_measure(f"{name}({written})", defaults=defaults)
    except MeasureNameError as problem:
        raise MeasureNameError(f"{name}.{text}: {problem}") from None
    return PrintedMeasure(printed, measure, entry.shown, entry.form)


def _refuse_wrong_judgments(measures: Sequence[PrintedMeasure], judgment_groups: bool) -> None:
    """Over judgment groups only what is averaged over them has a meaning, and without them that has none."""
    for measure in measures:
        if measure.measure is None:
            if measure.length is not None and judgment_groups:
                raise _not_over_groups(measure.name)
        elif measure.measure.definition.judgments.trec_eval_format == "qrels_jg":
            if not judgment_groups:
                raise MeasureNameError(f"{measure.name} is averaged over judgment groups: add -R qrels_jg.")
        elif judgment_groups:
            raise _not_over_groups(measure.name)


def _not_over_groups(name: str) -> MeasureNameError:
    return MeasureNameError(
        f"{name} takes one judgment of each document, not one of each judgment group. "
        f"Leave -R qrels_jg out, or write {', '.join(_JUDGMENT_GROUPS)}."
    )
