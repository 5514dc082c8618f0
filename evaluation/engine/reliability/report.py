"""All analyses of one collection together, as one object that can be printed, stored and shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.missing_topics import compared_values
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.reliability.collection import (
    Collection,
    Judging,
    OtherJudgments,
    PartMissing,
    ReliabilitySettings,
    Step,
)
from evaluation.engine.reliability.parts import (
    discriminative_power,
    error_budget,
    judged_fraction,
    leave_one_out,
    rank_stability,
    saturation,
)
from evaluation.engine.scoring import score_ranked

DEFAULTS: Final = ReliabilitySettings()
NOT_TOLD: Final = Judging()
Report = Callable[[int, int, str], None]
Part = Callable[[Collection, Step], Any]

PARTS: Final[Mapping[str, Part]] = {
    "judged": lambda of, step: judged_fraction.judged(of),
    "without_unique_documents": leave_one_out.by_teams,
    "without_unique_documents_by_kind": leave_one_out.by_kinds,
    "without_a_topic": lambda of, step: leave_one_out.without_a_topic(of),
    "split_half": lambda of, step: rank_stability.split_half(of),
    "measures": discriminative_power.measures,
    "saturation": lambda of, step: saturation.saturation(of),
    "assessor_effect": lambda of, step: rank_stability.assessor_effect(of),
    "error_budget": error_budget.error_budget,
    "topics_with_few_relevant": lambda of, step: judged_fraction.few_relevant(of),
    "topics_nearly_all_relevant": lambda of, step: judged_fraction.nearly_all_relevant(of),
}
"""By the names that the report has them under, in the order of computing."""
STEPS: Final[Mapping[str, Callable[[Collection], int]]] = {
    "without_unique_documents": lambda of: len(set(of.teams)),
    "without_unique_documents_by_kind": lambda of: len(set(of.kinds)),
    "measures": lambda of: len(of.measures),
    "error_budget": error_budget.steps,
}
"""How many steps a part has that takes more than one."""


@dataclass(frozen=True)
class ReliabilityReport:
    """`data`: what `to_json` gives. Numbers that are not defined are null; `reasons` says why, by the name of the part."""

    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Plain data with stable keys, without NaN."""
        return self.data


def reliability_report(
    runs: Sequence[RankedRun],
    names: Sequence[str],
    teams: Sequence[str],
    measures: Sequence[Measure],
    settings: ReliabilitySettings = DEFAULTS,
    progress: Report = lambda done, total, what: None,
    *,
    kinds: Sequence[str] = (),
    values: FloatArray | None = None,
    others: OtherJudgments | None = None,
    judging: Judging = NOT_TOLD,
) -> ReliabilityReport:
    """Judge how far the order of these runs can be trusted, by the first measure, and what all measures can tell apart.

    `teams`, `kinds`: of each run; a team that is not told is "". `values`: float64 (n_runs, n_measures, n_topics) if known,
    by the topics of the judgments. `others`: judgments by several assessors. Parts that are not possible are null, with a reason.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> from evaluation.engine.ranking import rank_run
    >>> judged = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = rank_run(pl.DataFrame({"topic": "1", "docno": ["x", "b"], "score": [2.0, 1.0]}), judged)
    >>> data = reliability_report([run], ["bm25"], ["north"], [parse_measure("AP")]).to_json()
    >>> data["without_a_topic"], data["reasons"]["without_a_topic"], data["topics_with_few_relevant"]["one_or_two"]
    (None, 'Two runs and two topics are needed.', ['1'])
    """
    values = _values(runs, measures) if values is None else values
    of = Collection(runs, names, teams, kinds, measures, values, settings, others, judging)
    data, reasons, counter = _about(of), {}, _Counter(sum(_steps(name, of) for name in PARTS), progress)
    for name, part in PARTS.items():
        counter.begin(name, _steps(name, of))
        try:
            data[name] = part(of, counter.step)
        except PartMissing as missing:
            data[name], reasons[name] = None, str(missing)
    counter.begin("done", 0)
    return ReliabilityReport({**data, "topics": len(of.judgments.topics), "reasons": reasons})


class _Counter:
    """Tells how many steps of all parts are done; a part that ends before its last step has done them all."""

    def __init__(self, total: int, progress: Report) -> None:
        self._total, self._progress = total, progress
        self._done, self._ends, self._what = 0, 0, ""

    def begin(self, name: str, steps: int) -> None:
        self._done, self._what = self._ends, name.replace("_", " ")
        self._ends += steps
        self._progress(self._done, self._total, self._what)

    def step(self) -> None:
        self._done = min(self._done + 1, self._ends)
        self._progress(self._done, self._total, self._what)


def _steps(name: str, of: Collection) -> int:
    return STEPS[name](of) if name in STEPS else 1


def _about(of: Collection) -> dict[str, Any]:
    return {
        "runs": list(of.names),
        "teams": sorted(set(of.teams) - {""}),
        "kinds": sorted(set(of.kinds) - {""}),
        "measure": of.first.name,
        **_depths(of),
        "lowest_relevant_grade": of.settings.level,
    }


def _depths(of: Collection) -> dict[str, Any]:
    """`depth`: of all pooled runs, null for whole runs; `depths`: the smallest and the largest where they differ."""
    known = [None if depth == NO_CUTOFF else depth for depth in sorted(set(of.depths[of.depths > 0].tolist()))]
    came_from = "judgments" if of.settings.depth is None else "pool"
    return {
        "depth": known[0] if len(known) == 1 else None,
        "depths": [known[0], known[-1]] if len(known) > 1 else None,
        "depth_from": came_from if known else None,
        "is_exact": of.settings.is_exact,
        "is_redrawn": of.settings.redrawn is not None,
        "not_pooled": [name for name, depth in zip(of.names, of.depths.tolist(), strict=True) if known and not depth],
    }


def _values(runs: Sequence[RankedRun], measures: Sequence[Measure]) -> FloatArray:
    """float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out."""
    return np.array([compared_values(one, runs[0].judgments) for one in score_ranked(runs, list(measures))])
