"""What the errors of a database mean: it is away, or takes no writes."""

from django.db import InterfaceError, InternalError, OperationalError

AWAY = ("08", "25006", "53300", "55P03", "57P")
"""SQLSTATE: no connection, no writes taken, too many connections, a lock not free in time, ended or not ready yet."""
NO_WRITES = ("25006", "SQLITE_READONLY")
AWAY_FOR_SQLITE = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY")


def database_is_away(problem: BaseException | None) -> bool:
    """Whether the database did not answer, ended the connection, takes no writes, or is busy for longer than requests wait."""
    if not isinstance(problem, (InterfaceError, InternalError, OperationalError)):
        return False
    cause = problem.__cause__
    if code := getattr(cause, "sqlite_errorname", ""):
        return code.startswith(AWAY_FOR_SQLITE)
    state = getattr(cause, "sqlstate", None)
    return not isinstance(problem, InternalError) if state is None else state.startswith(AWAY)


def takes_no_writes(problem: BaseException | None) -> bool:
    """Whether the database can only be read: a standby server after a failover, or a file on a disk that takes nothing."""
    cause = getattr(problem, "__cause__", None)
    state = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None) or ""
    return database_is_away(problem) and state.startswith(NO_WRITES)
