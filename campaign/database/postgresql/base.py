"""Django's backend for PostgreSQL, where a connection that breaks while rows are streamed is an error of Django's, as elsewhere.

Django lets through what psycopg raises when the cursor of `.iterator()` is closed. Whether a database is away, and whether a job
is tried again, is asked of Django's errors.

Moments and days are read by `read_nearest`.
"""

from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.db.backends.utils import CursorWrapper
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap
from psycopg.pq import Format
from psycopg.types.datetime import DateLoader

from campaign.database.nearest_moments import day_of, read_nearest


class MomentLoader(BaseTzLoader):  # type: ignore[misc]  # missing from the stubs
    def load(self, data: Buffer) -> datetime:
        found = read_nearest(lambda: super(MomentLoader, self).load(data), bytes(data).decode())
        return found.replace(tzinfo=self.timezone)  # type: ignore[no-any-return]


class DayLoader(DateLoader):
    def load(self, data: Buffer) -> date:
        return day_of(read_nearest(lambda: super(DayLoader, self).load(data), bytes(data).decode()))


@lru_cache
def _adapters(of_django: AdaptersMap) -> AdaptersMap:
    adapters = AdaptersMap(of_django)
    zone = of_django.get_loader(base.TIMESTAMPTZ_OID, Format.TEXT).timezone  # type: ignore[union-attr]  # Django's
    adapters.register_loader("timestamptz", type("Loader", (MomentLoader,), {"timezone": zone}))
    adapters.register_loader("date", DayLoader)
    return adapters


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_connection_params()
        return {**parameters, "context": _adapters(parameters["context"])}

    def chunked_cursor(self) -> CursorWrapper:
        cursor: Any = super().chunked_cursor()
        cursor.close = self.wrap_database_errors(cursor.cursor.close)
        return cursor  # type: ignore[no-any-return]
