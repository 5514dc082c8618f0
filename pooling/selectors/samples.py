"""A sampled pool as estimators count it: what was drawn, what could have been, and what came in beside the draw."""

from dataclasses import dataclass
from typing import Literal, cast

import polars as pl

from campaign.storage.reading import verified_bytes
from pooling.core.strategies.declaration import PAIR
from pooling.core.strategies.frames import FRAME_SCHEMA, read_frame, sample_file
from pooling.core.strategies.strata import ELSEWHERE, FOUND, SAMPLE_SCHEMA, SampledBy, sampled_by, with_strata
from pooling.models import Pool, PoolEntry
from pooling.selectors.growth import chosen_documents
from pooling.selectors.pools import pool_table
from pooling.selectors.sizes import drawn_sizes


@dataclass(frozen=True, slots=True)
class PoolSample:
    """`documents` has SAMPLE_SCHEMA, as `with_strata` gives it. `sampled_by`: what estimators read of each document."""

    sampled_by: SampledBy
    documents: pl.DataFrame


def is_sample(pool: Pool) -> bool:
    """Whether the pool was drawn with recorded probabilities."""
    return drawn_sizes(pool).low is not None


def pool_sample(pool: Pool, elsewhere: pl.DataFrame) -> PoolSample | None:
    """Return the sample that the pool is, or None. `elsewhere`: topic, docno of documents judged through other versions."""
    if not is_sample(pool):
        return None
    drawn, frame = _drawn(pool), _frame(pool)
    beside = {FOUND: _entries(pool, PoolEntry.FOUND), ELSEWHERE: elsewhere}
    kind = cast(SampledBy | Literal[""], pool.sampled_by) or sampled_by(drawn, frame)
    return PoolSample(kind, with_strata(drawn, frame, chosen_documents(pool), beside))


def drawable_docnos(pool: Pool, topic_number: str) -> list[str]:
    """The documents of a topic that are in the pool or could have been drawn, by docno: nothing tells which were."""
    entries = PoolEntry.objects.filter(pool=pool, topic__number=topic_number).values_list("docno", flat=True)
    left = _frame(pool).filter(pl.col("topic") == topic_number)["docno"].to_list()
    return sorted({*entries, *left})


def sample_text(pool: Pool) -> bytes:
    """The file of all that a sampled pool was drawn from, as `sample_file` writes it."""
    return sample_file(pool_table(pool), _frame(pool))


def _drawn(pool: Pool) -> pl.DataFrame:
    entries = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).order_by()
    columns = ["topic__number", "docno", "stratum", "inclusion_probability"]
    return pl.DataFrame(list(entries.values_list(*columns)), schema=SAMPLE_SCHEMA, orient="row")


def _frame(pool: Pool) -> pl.DataFrame:
    if not pool.frame:
        return pl.DataFrame(schema=FRAME_SCHEMA)
    return read_frame(verified_bytes(str(pool.frame.name), found_by="a release of qrels"))


def _entries(pool: Pool, source: str) -> pl.DataFrame:
    pairs = PoolEntry.objects.filter(pool=pool, source=source).order_by().values_list("topic__number", "docno")
    return pl.DataFrame(list(pairs), schema=dict.fromkeys(PAIR, pl.String), orient="row")
