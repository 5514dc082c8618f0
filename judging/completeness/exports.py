"""The completeness of a pool as a file."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from campaign.formats.spreadsheet import csv_lines
from campaign.models import Job
from campaign.text.natural_order import natural_order
from judging.completeness.selectors import JudgedPool
from pooling.core.completeness.holders import Holders
from pooling.core.completeness.outside import NoEstimate
from pooling.core.completeness.report import component_in_words
from pooling.models import Pool

COUNTS = ("pooled", "judged", "relevant", "unique", "unique_relevant")
ENDS = ("expected", "low", "high", "share", "share_low", "share_high")


def completeness_csv(judged: JudgedPool, holders: Holders | None, reading: Job | None) -> str:
    """One line a figure: the table and what it is of, counts, then the columns of estimates; empty where there is none.

    `reading`: the job that reads the pooled runs. As long as it is not done, figures of runs and teams are missing, and the
    last line says so.
    """
    head = ["table", "name", *COUNTS, *ENDS, "note"]
    rows = [*_rows(judged, holders)]
    if reading is not None:
        rows.append({"table": "reading of runs", "name": reading.state, "note": reading.message})
    return "".join(csv_lines(head, ([row.get(column) for column in head] for row in rows)))


def completeness_json(pool: Pool, judged: JudgedPool, holders: Holders | None, reading: Job | None) -> str:
    """`reading`: as in the CSV; null where the runs are read."""
    figures = judged.completeness.to_json()
    if holders is not None:
        named = [{"run": run.tag, "team": run.team, "priority": run.priority} for run in holders.runs]
        figures["runs"] = [{**row, **named[row["run"]]} for row in figures["runs"]]
    for table, name in (("topics", "topic"), ("teams", "team"), ("runs", "run")):
        if figures[table] is not None:
            figures[table].sort(key=lambda row: natural_order(row[name]))
    data = {
        "campaign": pool.task.campaign.slug,
        "task": pool.task.slug,
        "pool": pool.version,
        "sha256": pool.sha256,
        "engine": pool.engine or None,
        "lowest_relevant_grade": pool.task.lowest_relevant_grade,
        "judgments": judged.source,
        "cannot_judge": judged.cannot_judge,
        "grades_taken": judged.taken,
        "judged_through_another_version": judged.elsewhere,
        "reading": {"state": reading.state, "message": reading.message} if reading else None,
        **figures,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _rows(judged: JudgedPool, holders: Holders | None) -> Iterator[Mapping[str, Any]]:
    completeness = judged.completeness
    yield {
        "table": "pool",
        "name": "all",
        "pooled": completeness.pooled,
        "judged": completeness.judged,
        "relevant": completeness.relevant,
    }
    yield from _counted("slice", completeness.slices, lambda row: f"{row['first']}-{row['last']}")
    yield from _counted("component", completeness.components, _component)
    if holders is not None:
        yield from _counted("priority", completeness.priorities, lambda row: str(row["priority"]))
        yield from _counted("team", completeness.teams, lambda row: row["team"])
        yield from _counted("run", completeness.runs, lambda row: holders.runs[row["run"]].tag)
    yield from _counted("topic", completeness.topics, lambda row: row["topic"])
    yield from _counted("curve", completeness.curve, lambda row: str(row["per_topic"]))
    yield from _counted("depth", completeness.depths, lambda row: str(row["depth"]))
    for estimate in completeness.estimates or ():
        values = estimate.to_json()
        told = ("reason",) if isinstance(estimate, NoEstimate) else ("assumption", "caution")
        note = " ".join(filter(None, map(values.pop, told)))
        yield {"table": "outside", "name": estimate.method, "note": note, **values}
    for topic in completeness.tail.topics if completeness.tail else ():
        counts = {"judged": topic.judged, "relevant": topic.relevant, "share": topic.share}
        yield {
            "table": "not exhausted",
            "name": topic.topic,
            "note": completeness.tail and completeness.tail.part,
            **counts,
        }


def _counted(table: str, counts: pl.DataFrame | None, name: Any) -> Iterator[Mapping[str, Any]]:
    rows = [] if counts is None else counts.to_dicts()
    for row in sorted(rows, key=lambda row: natural_order(name(row))) if table in {"team", "run", "topic"} else rows:
        yield {**row, "table": table, "name": name(row)}


def _component(row: Mapping[str, Any]) -> str:
    return component_in_words(row["source"], row["stratum"], row["low"], row["high"])
