"""What adjudicators decided: a layer of its own over the judgments, which it never changes."""

import polars as pl

from judging.core.resolution import CANNOT_JUDGE
from judging.models import Adjudication
from pooling.models import Pool
from pooling.selectors.tables import table_of

ADJUDICATED_SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}


def adjudicated_table(pool: Pool) -> pl.DataFrame:
    """One row (topic, docno, grade) for each current decision about a topic of this pool's task, -2 for "cannot be judged"."""
    current = Adjudication.objects.filter(topic__task=pool.task_id, is_current=True)
    decided = current.exclude(verdict=Adjudication.WITHDRAWN).order_by("topic__number", "docno")
    table = table_of(decided.values_list("topic__number", "docno", "grade"), ADJUDICATED_SCHEMA)
    return table.with_columns(pl.col("grade").fill_null(CANNOT_JUDGE))
