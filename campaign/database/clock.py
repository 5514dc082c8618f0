"""The one clock of the site: the database's. Machines differ, and a clock may jump; what machines compare is read here.

SQLite has one machine, whose own clock it is. What only one process looks at (a limit, a wait) goes by `time.monotonic`.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import connection, models
from django.utils import timezone

MACHINES_DIFFER = timedelta(minutes=10)
"""By which the clocks of two machines may differ."""


def now() -> datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def within(column: str, length: timedelta, at: datetime) -> models.Q:
    """The rows whose moment in the column lies less than `length` before `at`, which is now.

    One that lies further ahead than that was dated by a clock that was set back since: nothing waits until that time has come.
    """
    return models.Q(**{f"{column}__gt": at - length, f"{column}__lte": at + length})


class Moment(models.Func):
    """The moment of a statement, told by the statement itself: no query of its own."""

    output_field = models.DateTimeField()
    template = "statement_timestamp()"

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        return compiler.compile(models.Value(timezone.now(), output_field=models.DateTimeField()))


class MadeAtField(models.DateTimeField[datetime, datetime]):
    """When a row was inserted, by the database's clock. In migrations it is the DateTimeField that it is in the database."""

    db_returning = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "auto_now_add": True})

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, kwargs

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return Moment() if add else getattr(model_instance, self.attname)
