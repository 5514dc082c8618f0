"""How processes of a site start, and how they refuse to: by a sentence that says what to set, without a traceback."""

import gc
import os
import select
import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeVar

import django
from django.apps import apps
from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, OperationalError, ProgrammingError
from django.urls import get_resolver

from campaign.text.terminal import escape_unencodable
from runpool import REFUSED

T = TypeVar("T")
AT_START = "start"
"""The tag of checks that ask others, run by web servers, workers, beat and `check --deploy`, and by no other command."""
INTERRUPTED = 130
"""As shells say it of what SIGINT ends."""


def web_application(make: Callable[[], T], *, prepare: Callable[[], None]) -> T:
    """`prepare`: done before the application is made, on a site that may start."""

    def make_checked() -> T:
        django.setup(set_prefix=False)
        # Before the first request: else each of the first ones waits a second for the import of all pages, in the middle
        # of a burst. The checks have hardly more to do then.
        get_resolver().url_patterns  # noqa: B018
        require_checked()
        prepare()
        application = make()
        gc.collect()
        gc.freeze()  # what lies here now is looked at by no process that forks from this one: it would copy it
        return application

    return end_if_refused(make_checked)


def run_command(words: Sequence[str]) -> int:
    """Run what `manage.py` is asked for, and give its status; what is to be set or started is said without a traceback."""
    escape_unencodable()
    try:
        execute_from_command_line([*words])
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        _tell("Interrupted.")
        return INTERRUPTED
    except Exception as problem:
        if isinstance(problem, BrokenPipeError) and _is_output_closed():
            return 1
        if not (said := _in_words(problem)):
            raise
        _tell(said)
    else:
        return 0
    return 1


def _in_words(problem: Exception) -> str:
    """What an operator can mend, where Python met it helps nobody; nothing if the fault is the program's."""
    if isinstance(problem, ImproperlyConfigured):
        return str(problem)
    if isinstance(problem, DatabaseError):
        reason = str(problem).strip().partition("\n")[0].rstrip(".")
        remedy = _remedy(problem)
        return remedy and f"The database cannot be used: {reason}. {remedy}"
    if not apps.ready:  # no model can be imported yet
        return ""
    from campaign.storage.interface import StorageAwayError
    from campaign.storage.quarantine import DamagedFileError
    from campaign.storage.room import is_disk_full
    from runpool.backup.targets import OF_PLACES, reason_of

    if isinstance(problem, DamagedFileError):
        return str(problem)
    if isinstance(problem, StorageAwayError):
        return f"{problem} {problem.reason}"
    if isinstance(problem, OSError) and (problem.errno in OF_PLACES or is_disk_full(problem)):
        return f"{reason_of(problem)}."
    return ""


def _is_output_closed() -> bool:
    """Whether nobody reads the output any more, as behind `head`; what is left of it is dropped then."""
    output = select.poll()
    output.register(sys.stdout, 0)
    if not any(events & select.POLLERR for _, events in output.poll(0)):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _remedy(problem: DatabaseError) -> str:
    """What an operator does about it; nothing if the fault is the program's."""
    from runpool.postgresql import REMEDIES

    state = _state_of(problem)
    if state in REMEDIES:
        return REMEDIES[state]
    if state in ("42P01", "42703") or str(problem).startswith(("no such table", "no such column")):
        return "Its tables are not those of this version. Run “manage.py migrate”."
    if isinstance(problem, OperationalError) or (isinstance(problem, ProgrammingError) and state is None):
        return "See that it runs and has room on its disk, and check RUNPOOL_DATABASE_URL."
    return ""


def _state_of(problem: BaseException | None) -> str | None:
    """What the server says, of which Django makes an error of its own, and `migrate` another one of that."""
    while problem is not None and getattr(problem, "sqlstate", None) is None:
        problem = problem.__cause__ or problem.__context__
    return getattr(problem, "sqlstate", None)


def end_if_refused(begin: Callable[[], T]) -> T:
    """End the process with a sentence and its status: gunicorn and Celery's signals would log an exception, and go on."""
    try:
        return begin()
    except ImproperlyConfigured as problem:
        _tell(problem)
        raise SystemExit(REFUSED) from None


def require_checked(tags: Sequence[str] | None = None) -> None:
    """Refuse what `manage.py check` refuses, with tags what checks of these refuse, and what others refuse who are asked."""
    from runpool import site_key  # no model can be imported before the apps are ready

    _refuse_serious(run_checks(tags=tags))
    site_key.keep_first()
    _refuse_serious(run_checks(tags=[AT_START], include_deployment_checks=True))


def _refuse_serious(messages: Sequence[CheckMessage]) -> None:
    serious = [found for found in messages if found.is_serious() and not found.is_silenced()]
    refuse([f"{found.msg} {found.hint or ''} ({found.id})" for found in serious])


def refuse(problems: list[str]) -> None:
    """Raise ImproperlyConfigured if there are problems, with all of them."""
    if len(problems) > 1:
        raise ImproperlyConfigured("\n- ".join(("These problems keep the site from starting:", *problems)))
    if problems:
        raise ImproperlyConfigured(problems[0])


def tell_uncaught(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """In place of `sys.excepthook`."""
    if isinstance(problem, ImproperlyConfigured):
        _tell(problem)
    else:
        sys.__excepthook__(kind, problem, trace)


def _tell(problem: ImproperlyConfigured | str) -> None:
    sys.stderr.write(f"error: {problem}\n")
