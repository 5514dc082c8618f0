"""Django's backend for PostgreSQL, where a connection that breaks while rows are streamed is an error of Django's, as elsewhere.

Django lets through what psycopg raises when the cursor of `.iterator()` is closed. Whether a database is away, and whether a job
is tried again, is asked of Django's errors.
"""

from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper


class DatabaseWrapper(base.DatabaseWrapper):
    def chunked_cursor(self) -> CursorWrapper:
        cursor: Any = super().chunked_cursor()
        cursor.close = self.wrap_database_errors(cursor.cursor.close)
        return cursor  # type: ignore[no-any-return]
