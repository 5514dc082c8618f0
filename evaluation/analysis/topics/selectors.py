"""What was judged for a topic, and how many runs retrieve it."""

import polars as pl
from django.core.cache import caches

from campaign.formats.runs.table import ordered_columns, ranked
from campaign.models import Run
from campaign.runs.selectors.reading import run_table
from evaluation.analysis.topics.figures import DEPTHS, retrieved_counts
from evaluation.selectors.board_views import BoardView
from judging.qrels.selectors.releases import released_table

MOST_READ = 300
"""Runs whose lines are read for the counts: reading more would take too long for a page."""


def counts_are_kept(seen: BoardView, topic: str) -> bool:
    """Whether `judged_documents` answers without reading the lines of all runs."""
    return not _has_counts(seen) or _key(seen, topic) in caches["bulk"]


def judged_documents(seen: BoardView, topic: str) -> pl.DataFrame | None:
    """The judged documents of a topic with the number of runs that retrieve each; None without grades that the reader may see.

    The counts are of all runs of the board, also those whose lines the reader may not see. Kept for each content of a board.
    """
    if not _has_counts(seen):
        return None
    key = _key(seen, topic)
    kept: bytes | None = caches["bulk"].get(key)
    if kept is not None:
        return pl.DataFrame.deserialize(kept)
    grades = released_table(seen.qrels, "overall").filter((pl.col("topic") == topic) & (pl.col("grade") >= 0))
    found = retrieved_counts(_lists(seen, topic), grades)
    caches["bulk"].set(key, found.serialize())
    return found


def _has_counts(seen: BoardView) -> bool:
    return "overall" in seen.qrels.files and seen.shows_judgments


def _key(seen: BoardView, topic: str) -> str:
    return f"evaluation:retrieved:{seen.key}:{seen.qrels.pk}:{topic.encode().hex()}"


def _lists(seen: BoardView, topic: str) -> dict[int, pl.DataFrame]:
    ids = [pk for pk in seen.run_ids if pk is not None][:MOST_READ]
    lists = {}
    for run in Run.objects.filter(pk__in=ids).exclude(table="").select_related("task"):
        table = run_table(run, ordered_columns(seen.ordering)).filter(pl.col("topic") == topic)
        lists[run.pk] = ranked(table, seen.ordering, depth=max(DEPTHS)).select("docno", "position")
    return lists
