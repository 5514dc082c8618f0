"""All analyses of one collection together, as one object that can be printed, stored and shown."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missed_topics import compared_values
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.scoring import score_ranked
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.trust.saturation import last_gain, saturation
from evaluation.engine.trust.topics_left_out import topics_left_out
from evaluation.engine.trust.topics_needed import topics_needed
from evaluation.engine.trust.unique_documents import found_by, groups_left_out

JUDGED_AT: Final = (10, 100)
FEW: Final = 5
"""A topic with fewer relevant documents tells runs apart by chance."""
LEVEL: Final = 0.05

Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class TrustSettings:
    """`depth`: to which runs count as having found a document. `level`: lowest relevant grade.

    `difference`: of means, that next year's topics should be enough to tell. `seed`: of the permutations.
    """

    depth: int = 100
    level: int = 1
    difference: float = 0.05
    seed: int = 1


@dataclass(frozen=True)
class TrustReport:
    """`data`: what `to_json` gives. Numbers that are not defined are null; `reasons` says why, by the name of the part."""

    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Plain data with stable keys, without NaN."""
        return self.data


def trust_report(
    runs: Sequence[RankedRun],
    names: Sequence[str],
    teams: Sequence[str],
    measures: Sequence[Measure],
    settings: TrustSettings = TrustSettings(),
    progress: Report = lambda done, total, what: None,
) -> TrustReport:
    """Judge how far the order of these runs can be trusted, by the first measure, and what all measures can tell apart.

    `teams`: of each run. Parts that the runs do not allow are null, with a reason.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judged = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = rank_run(pl.DataFrame({"topic": "1", "docno": ["x", "b"], "score": [2.0, 1.0]}), judged)
    >>> data = trust_report([run], ["bm25"], ["north"], [parse_measure("AP")]).to_json()
    >>> data["without_a_topic"], data["reasons"]["without_a_topic"], data["topics_with_few_relevant"]["one_or_two"]
    (None, 'Two runs and two topics are needed.', ['1'])
    """
    first, judgments = measures[0], runs[0].judgments
    values = _values(runs, measures)
    reasons: dict[str, str] = {}
    data = _about(names, teams, first, settings)
    data["judged"] = _judged(values[:, len(measures) :], names)
    data["topics_with_few_relevant"] = _few_relevant(judgments.num_rel(settings.level), judgments.topics)
    parts = _parts(runs, names, teams, measures, values, settings, reasons)
    for done, (name, part) in enumerate(parts.items()):
        progress(done, len(parts), name.replace("_", " "))
        data[name] = part()
    progress(len(parts), len(parts), "done")
    return TrustReport({**data, "topics": len(judgments.topics), "reasons": reasons})


def _parts(
    runs: Sequence[RankedRun],
    names: Sequence[str],
    teams: Sequence[str],
    measures: Sequence[Measure],
    values: FloatArray,
    settings: TrustSettings,
    reasons: dict[str, str],
) -> dict[str, Callable[[], Any]]:
    """The analyses that take time, by their names in the report."""
    first, depth, level = measures[0], settings.depth, settings.level
    return {
        "without_unique_documents": lambda: _unique_documents(runs, names, teams, first, depth, level, reasons),
        "without_a_topic": lambda: _topics(values[:, 0], names, first, runs[0].judgments.topics, reasons),
        "measures": lambda: [
            _told_apart(values[:, row], measure, settings.difference, settings.seed)
            for row, measure in enumerate(measures)
        ],
        "saturation": lambda: _saturation(runs, teams, depth, level, reasons),
    }


def _about(names: Sequence[str], teams: Sequence[str], measure: Measure, settings: TrustSettings) -> dict[str, Any]:
    read_by = {"measure": measure.name, "depth": settings.depth, "lowest_relevant_grade": settings.level}
    return {"runs": list(names), "teams": sorted(set(teams)), **read_by}


def _values(runs: Sequence[RankedRun], measures: Sequence[Measure]) -> FloatArray:
    """Values of runs by the measures, then by those of how much is judged, by topic; NaN for a topic that is left out."""
    judged = [parse_measure(f"Judged@{k}") for k in JUDGED_AT]
    scored = score_ranked(runs, [*measures, *judged])
    return np.array([compared_values(one, runs[0].judgments) for one in scored])


def _judged(values: FloatArray, names: Sequence[str]) -> list[dict[str, Any]]:
    """The share of the first documents that is judged, mean over the topics that a run answers."""
    return [
        {"run": name, **{f"first_{k}": _mean(of_run[place]) for place, k in enumerate(JUDGED_AT)}}
        for name, of_run in zip(names, values, strict=True)
    ]


def _unique_documents(
    runs: Sequence[RankedRun],
    names: Sequence[str],
    teams: Sequence[str],
    measure: Measure,
    depth: int,
    level: int,
    reasons: dict[str, str],
) -> list[dict[str, Any]] | None:
    named = sorted(set(teams))
    if len(named) < 2:
        reasons["without_unique_documents"] = "There is one team only: everything was found by it alone."
        return None
    if measure.definition.judgments.by_subtopic:
        reasons["without_unique_documents"] = f"{measure.name} is computed from subtopics, which cannot be left out."
        return None
    groups = np.array([named.index(team) for team in teams], dtype=np.int64)
    return [
        {
            "team": team,
            "unique": found.unique,
            "tau": _finite(found.tau),
            "largest_fall": found.largest_fall,
            "falling_run": names[found.falling_run] if found.largest_fall else None,
            "change_of_best_run": found.change,
        }
        for team, found in zip(named, groups_left_out(runs, groups, measure, depth, level), strict=True)
    ]


def _topics(
    values: FloatArray, names: Sequence[str], measure: Measure, topics: Sequence[str], reasons: dict[str, str]
) -> list[dict[str, Any]] | None:
    if len(names) < 2 or len(topics) < 2:
        reasons["without_a_topic"] = "Two runs and two topics are needed."
        return None
    if np.isnan(values).any() or measure.definition.summary != "mean":
        reasons["without_a_topic"] = f"{measure.name} is not a mean over all topics."
        return None
    found = topics_left_out(-values if measure.definition.lower_is_better else values)
    return [
        {
            "topic": topic,
            "tau": _finite(found.tau[place]),
            "tau_ap": _finite(found.tau_ap[place]) if math.isfinite(found.tau[place]) else None,
            "largest_fall": int(found.largest_fall[place]),
            "falling_run": names[int(found.falling_run[place])] if found.largest_fall[place] else None,
        }
        for place, topic in enumerate(topics)
    ]


def _told_apart(values: FloatArray, measure: Measure, difference: float, seed: int) -> dict[str, Any]:
    """What randomised Tukey HSD tells apart, and how many topics would tell a difference of means for nine of ten pairs."""
    pairs = all_pairs(len(values))
    if not len(pairs):
        return {"measure": measure.name, "pairs": 0, "shown": None, "smallest_shown": None, "topics_needed": None}
    tested = compare(values, pairs, "randomised-tukey", seed=seed)
    shown = tested.p < LEVEL
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    deviations = _deviations(differences)
    usual = float(np.quantile(deviations, 0.9)) if len(deviations) else math.nan
    return {
        "measure": measure.name,
        "pairs": len(pairs),
        "shown": float(shown.mean()),
        "smallest_shown": _finite(np.abs(tested.difference[shown]).min()) if shown.any() else None,
        "topics_needed": topics_needed(usual, difference) if math.isfinite(usual) else None,
        "difference": difference,
    }


def _deviations(differences: FloatArray) -> FloatArray:
    counts = (~np.isnan(differences)).sum(axis=1)
    kept = differences[counts > 1]
    return np.nanstd(kept, axis=1, ddof=1) if len(kept) else np.zeros(0)


def _saturation(
    runs: Sequence[RankedRun], teams: Sequence[str], depth: int, level: int, reasons: dict[str, str]
) -> dict[str, Any] | None:
    of_runs = found_by(runs, depth, level)
    if not of_runs.shape[1]:
        reasons["saturation"] = "The judgments hold no relevant document."
        return None
    named = sorted(set(teams))
    rows = np.array(list(teams))
    of_teams = np.array([of_runs[rows == team].any(axis=0) for team in named])
    curves = {}
    for what, found in (("runs", of_runs), ("teams", of_teams)):
        finders: IntArray = found.sum(axis=0)
        shares = saturation(finders, len(found))
        curves[what] = {"shares": shares.tolist(), "last_adds": last_gain(shares, len(finders))}
    return {"relevant": int(of_runs.shape[1]), **curves}


def _few_relevant(num_rel: IntArray, topics: Sequence[str]) -> dict[str, list[str]]:
    named = np.array(topics)
    return {
        "none": named[num_rel == 0].tolist(),
        "one_or_two": named[(num_rel > 0) & (num_rel <= 2)].tolist(),
        "below_five": named[(num_rel > 2) & (num_rel < FEW)].tolist(),
    }


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
