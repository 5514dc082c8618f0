"""What a checked file of qrels would become, for those who confirm it."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

import polars as pl

from campaign.measures import measure_answers
from campaign.models import Task
from campaign.text.plurals import listed, number_of
from judging.core.qrels_facts import pool_coverage, qrels_facts
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.selectors.differences import difference_to
from judging.qrels.selectors.releases import latest_qrels
from pooling.selectors.pools import latest_pairs

TOPICS_KEPT = 200
"""Topics with a difference that the import keeps for its page; of more the number is told."""


def import_facts(task: Task, table: pl.DataFrame, topics: Collection[str], set_name: str) -> dict[str, Any]:
    """As JSON. `table`: topic, docno, grade of the version that the file would become."""
    pool, before = pool_numbered(task), latest_qrels(task, set_name)
    facts = qrels_facts(table, topics, task.lowest_relevant_grade)
    if pool is not None:
        facts["pool"] = {"version": pool.version, **pool_coverage(table, latest_pairs(task))}
    if before is not None:
        difference = asdict(difference_to(before, table))
        differing = difference["topics"]
        facts["difference"] = {**difference, "topics": differing[:TOPICS_KEPT], "more": len(differing[TOPICS_KEPT:])}
    return facts


def without_nonrelevant(task: Task, facts: dict[str, Any]) -> str:
    """What qrels without a single judged non-relevant document mean for the measures of the task; "" where there is one."""
    if facts["nonrelevant"] or not facts["relevant"]:
        return ""
    lowest, graded = task.lowest_relevant_grade, number_of(facts["relevant"], "graded pair")
    said = f"No document is judged non-relevant: the lowest grade of {graded} is {lowest} or above."
    if names := measure_answers().need_nonrelevant(task):
        verb = "loses its" if len(names) == 1 else "lose their"
        return f"{said} {listed(names)} {verb} meaning, because what was judged cannot be told from what was not."
    return said
