"""Many rows of the database as one table, without all of them as Python objects at once."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import polars as pl

ROWS_AT_ONCE = 20_000


def table_of(rows: Iterable[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """`rows`: with the columns of the schema, as `values_list(...).iterator(ROWS_AT_ONCE)` gives them."""
    read, parts = iter(rows), [pl.DataFrame(schema=schema)]
    while some := list(islice(read, ROWS_AT_ONCE)):
        parts.append(pl.DataFrame(some, schema=schema, orient="row"))
    return pl.concat(parts)
