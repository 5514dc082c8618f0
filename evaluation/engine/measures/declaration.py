"""How a measure declares itself: name, parameters, judgments, range, source, aliases."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray
from evaluation.engine.judgment_kinds import DOCUMENTS, JudgmentKind
from evaluation.engine.measures.parameters import JUDGED_ONLY, MeasureNameError, Parameter, Value
from evaluation.engine.ranked_run import RankedRun

Relevance: TypeAlias = Literal["set", "binary", "graded"]
Summary: TypeAlias = Literal["mean", "sum", "geometric mean", "median", "weighted mean"]
Told: TypeAlias = Literal["relevance", "judged", "retrieved"]
Oracle: TypeAlias = Literal[
    "trec_eval",
    "ndeval",
    "gdeval",
    "sample_eval",
    "statAP_MQ_eval",
    "ntcireval",
    "cwl_eval",
    "ir_measures",
    "scipy",
    "second implementation",
    "worked example",
]
Missed: TypeAlias = Literal["worst", "left out", "empty ranking"] | Callable[..., FloatArray]
UNBOUNDED = (0.0, float("inf"))


@dataclass(frozen=True)
class Definition:
    """A measure before its parameters are fixed.

    `compute` takes a ranked run and the parameters by name, and gives float64 (n_groups,); its docstring is the
    measure's description.

    `over` names the parameter that makes a family of measures: `compute` then takes all values of it at once, as
    an ascending array without repetition (NO_CUTOFF for a missing cut-off), and gives float64 (n_values, n_groups).

    `relevance`: whether only the set of documents counts, or its order too, with relevance yes or no, or by grade.
    `judgments`: the kind of judgments that it is computed from.

    `recall_base`: whether the value depends on judged documents that the run does not retrieve, as by the number of relevant
    documents or by an ideal ranking: it then changes with the pool, whatever the cut-off.
    `tells`: what the value tells of a run: how relevant its documents are, how many are judged, or how many there are.

    `oracles` names what the tests compare the values with, or says in a sentence why there is nothing to compare them with.

    `missed`: what a topic that a run misses counts where runs are compared. "worst": the end of the range at which a run
    is worst. A function of the judgments and the parameters: the worst value of each topic, float64 (n_topics,), where
    that end is infinite. "left out": such topics are not averaged over, because the measure says how much of what a run
    retrieves is judged. "empty ranking": the value that is computed, because it is the worst, says nothing of the run,
    or because to retrieve nothing is one of the answers that the measure weighs.

    `takes_uniform_sample`: it estimates from the same share of all pooled documents of a topic, drawn at random.

    `weights`, for the summary "weighted mean": takes what `compute` takes, and gives the weights of the topics.
    """

    name: str
    compute: Callable[..., FloatArray]
    relevance: Relevance
    source: str
    own_parameters: tuple[Parameter, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    aliases: tuple[str, ...] = ()
    summary: Summary = "mean"
    over: str = ""
    lower_is_better: bool = False
    judgments: JudgmentKind = DOCUMENTS
    oracles: tuple[Oracle, ...] | str = ()
    missed: Missed = "worst"
    takes_uniform_sample: bool = False
    weights: Callable[..., FloatArray] | None = field(default=None, repr=False)
    recall_base: bool = False
    tells: Told = "relevance"

    @property
    def description(self) -> str:
        return inspect.getdoc(self.compute) or ""

    @property
    def kind(self) -> str:
        """The label under which listings and results show the measure."""
        section = self.judgments.section
        return self.relevance if section is None else section.label

    @property
    def needs(self) -> str:
        """What the judgments must hold beside grades, in words; empty for nothing."""
        return self.judgments.needs

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The measure's own parameters, and `judged_only`, which the engine gives to all but the counts."""
        return self.own_parameters if self.summary == "sum" else (*self.own_parameters, JUDGED_ONLY)

    @property
    def bounded(self) -> bool:
        return bool(np.isfinite(self.range).all())

    @property
    def after_at(self) -> str | None:
        """The parameter that is written after @, if there is one."""
        return next((parameter.name for parameter in self.parameters if parameter.follows_at), None)

    def parameter(self, name: str) -> Parameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def with_values(self, values: dict[str, Value]) -> "Measure":
        """Fix the parameters; those not given take their defaults."""
        for parameter in self.parameters:
            if parameter.required and parameter.name not in values:
                what = "a rank cut-off" if parameter.name == "k" else f"{parameter.name}, the {parameter.meaning}"
                raise MeasureNameError(f"{self.name} needs {what}: write {self.example}, for example.")
        complete = ((parameter.name, values.get(parameter.name, parameter.default)) for parameter in self.parameters)
        return Measure(self, tuple(complete))

    @property
    def example(self) -> str:
        """A name that is complete, with the example's value for every required parameter."""
        required = [parameter for parameter in self.parameters if parameter.required]
        inside = ",".join(f"{p.name}={p.example}" for p in required if not p.follows_at)
        after = next((f"@{p.example}" for p in required if p.follows_at), "")
        return self.name + (f"({inside})" if inside else "") + after


@dataclass(frozen=True)
class Measure:
    """A measure with all its parameters fixed."""

    definition: Definition
    values: tuple[tuple[str, Value | None], ...]

    @cached_property
    def name(self) -> str:
        """The canonical name, as `nDCG@10` or `AP(rel=2)`; parameters at their defaults are not written."""
        after_at = self.definition.after_at
        inside, after = [], ""
        for parameter, (name, value) in zip(self.definition.parameters, self.values, strict=True):
            if name == after_at:
                after = "" if value is None else f"@{_written(value)}"
            elif value != parameter.default:
                inside.append(f"{name}={_written(value)}")
        return self.definition.name + (f"({','.join(inside)})" if inside else "") + after

    @property
    def given(self) -> dict[str, Value]:
        """The parameters that have a value."""
        return {name: value for name, value in self.values if value is not None}

    @cached_property
    def family(self) -> tuple[str, tuple[tuple[str, Value | None], ...]]:
        """What the measures share that are computed at once: all but the value that makes the family."""
        over = self.definition.over
        return self.definition.name, tuple((name, value) for name, value in self.values if name != over)

    @cached_property
    def family_in_order(self) -> str:
        """What sorts measures so that those of a family stand together."""
        return repr(self.family)

    @cached_property
    def place(self) -> float:
        """The value that tells the measure from the others of its family; 0 where it is one alone."""
        value = dict(self.values).get(self.definition.over, 0)
        return NO_CUTOFF if value is None else cast(float, value)

    def compute(self, ranked: RankedRun) -> FloatArray:
        """Compute the measure for every group of a ranked run: float64 (n_groups,), never NaN."""
        values: FloatArray = compute_all([self], ranked)[0]
        return values

    def topic_weights(self, ranked: RankedRun) -> FloatArray | None:
        """Give the weights of the groups in the weighted mean, float64 (n_groups,); None for every other summary."""
        if self.definition.weights is None:
            return None
        ranked, values = _view(ranked, dict(self.values))
        return self.definition.weights(ranked, **values)

    def __str__(self) -> str:
        return self.name


def compute_all(measures: Sequence[Measure], ranked: RankedRun) -> FloatArray:
    """Compute measures for every group of a ranked run: float64 (n_measures, n_groups), never NaN.

    The measures of a family, such as P@5 and P@10, are computed together.
    """
    values = np.empty((len(measures), ranked.n_groups))
    by_family = sorted(range(len(measures)), key=lambda row: measures[row].family_in_order)
    for _, rows in groupby(by_family, key=lambda row: measures[row].family_in_order):
        together = list(rows)
        values[together] = _compute_family([measures[row] for row in together], ranked)
    return values


def _compute_family(measures: list[Measure], ranked: RankedRun) -> FloatArray:
    definition = measures[0].definition
    ranked, values = _view(ranked, dict(measures[0].values))
    if not definition.over:
        return definition.compute(ranked, **values)
    places, place = np.unique([measure.place for measure in measures], return_inverse=True)
    values[definition.over] = places
    computed: FloatArray = definition.compute(ranked, **values)
    if computed.shape != (len(places), ranked.n_groups):  # it would be broadcast without an error
        raise ValueError(f"{definition.name} gives {computed.shape}, not (n_values, n_groups), for its family.")
    return computed[place]


def _view(ranked: RankedRun, values: dict[str, Any]) -> tuple[RankedRun, dict[str, Any]]:
    return (ranked.judged_only() if values.pop("judged_only", False) else ranked), values


def _written(value: Value | None) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
