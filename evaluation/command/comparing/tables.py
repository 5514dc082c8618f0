"""Comparisons for other programs: a row a pair as CSV, everything as JSON, and a table for papers as LaTeX."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, TextIO

from campaign.command.files import displayed
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.spreadsheet import guarded
from evaluation.boards.unjudged import CELLS
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.results import Result
from evaluation.engine.significance.declarations import ranks_do_not_follow

OF_EQUIVALENCE = ("margin", "p_equivalence", "equivalence")
HEADER = (
    *("measure", "a", "b", "mean_a", "mean_b", "difference", "low", "high", "effect_size", "p", "p_corrected"),
    *("test", "correction", "seed", "resamples"),
)


def write_csv(results: Sequence[Result], out: TextIO) -> None:
    """A row for each pair; an interval or effect size without bounds is empty or infinite, never a wrong number.

    With a margin, the equivalence of each pair: empty of measures that are no means. With --unjudged what unjudged documents
    would change of it: empty of all measures but the first, and where it cannot be told.
    """
    of_equivalence = OF_EQUIVALENCE if any(result.margin is not None for result in results) else ()
    of_unjudged = CELLS if any(result.unjudged_words for result in results) else ()
    rows = csv.DictWriter(out, (*HEADER, *of_equivalence, *of_unjudged), lineterminator="\n")
    rows.writeheader()
    for result in results:
        rows.writerows({**pair, "a": guarded(pair["a"]), "b": guarded(pair["b"])} for pair in _pairs(result))


def write_json(results: Sequence[Result], arguments: CompareArguments, out: TextIO) -> None:
    head = {
        "qrels": displayed(arguments.qrels),
        "runs": [displayed(path) for path in arguments.runs],
        "runs_ordered_by": Ordering(arguments.run_order, arguments.reference).in_words,
        "confidence": arguments.confidence,
        "baseline": None if arguments.baseline is None else displayed(arguments.baseline),
        **({} if arguments.margin is None else {"margin": arguments.margin}),
        **({"highest_grade": results[0].highest_grade} if arguments.unjudged else {}),
    }
    measures = [_measure(result) for result in results]
    out.write(json.dumps(_finite({**head, "measures": measures}), indent=1, allow_nan=False) + "\n")


def _measure(result: Result) -> dict[str, Any]:
    definition = result.compared.measure.definition
    return {
        "measure": result.measure,
        "over_topics": definition.summary,
        "lower_is_better": definition.lower_is_better,
        "topics": result.topics,
        "notes": [*result.notes, *([ranks_do_not_follow(result.why_no_ranks)] if result.why_no_ranks else [])],
        **({"unjudged_documents": list(result.unjudged_words)} if result.unjudged_words else {}),
        "runs": list(_runs(result)),
        "pairs": list(_pairs(result)),
    }


def _runs(result: Result) -> Iterator[dict[str, Any]]:
    found = result.standing
    for run in found.order.tolist():
        sets = {"group": found.letters[run], "ranks": [int(found.best[run]), int(found.worst[run])]}
        yield {
            "run": result.names[run],
            "rank": [int(found.rank_first[run]), int(found.rank_last[run])] if result.is_of_quality else None,
            "mean": float(result.compared.summaries[run]),
            "low": float(result.low[run]),
            "high": float(result.high[run]),
            **(sets if result.has_ranks else {}),
        }


def _pairs(result: Result) -> Iterator[dict[str, Any]]:
    found = result.comparisons
    unjudged = repeat({}) if result.unjudged is None else result.unjudged.cells()
    for place, (one, other) in enumerate(found.pairs.tolist()):
        yield {
            "measure": result.measure,
            "a": result.names[one],
            "b": result.names[other],
            "mean_a": float(result.compared.summaries[one]),
            "mean_b": float(result.compared.summaries[other]),
            "difference": float(found.difference[place]),
            "low": float(found.low[place]),
            "high": float(found.high[place]),
            "effect_size": float(found.effect_size[place]),
            "p": float(found.p[place]),
            "p_corrected": float(found.p_corrected[place]),
            "test": found.test,
            "correction": found.correction,
            "seed": found.seed,
            "resamples": found.resamples,
            **_equivalence(result, place),
            **next(unjudged),
        }


def _equivalence(result: Result, place: int) -> dict[str, Any]:
    if result.equivalence is None:
        return {}
    p = float(result.equivalence.p_corrected[place])
    return {
        "margin": result.margin,
        "p_equivalence": None if math.isnan(p) else p,
        "equivalence": result.equivalent[place],
    }


def _finite(value: Any) -> Any:
    """JSON knows no infinity: null."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
