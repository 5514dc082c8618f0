import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import wrap_session
from django.conf import settings as site_settings
from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.postgresql import base as postgresql
from django.db.backends.sqlite3 import base as sqlite
from hypothesis import settings

from runpool.frames import roomy
from runpool.operations import slow_requests
from tests.draws import LONG, USUAL
from tests.factories import Cast, make_cast
from tests.requirements import require_servers
from tests.sqlite_pass import runs_what_its_marks_name
from tests.stages import MeasuresTests, Stages, StopsEarly, sort_by_stage

# No deadline for a single example: on a loaded machine any of them may be slow.
settings.register_profile("ci", deadline=None, max_examples=USUAL)
settings.register_profile("long", deadline=None, max_examples=LONG)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Tests start hundreds of processes, each of which would compile the whole project again, and the workers all tests.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

roomy(wrap_session)  # in tests that ask pages, a sixth of the time or more went into mmap and munmap

MadeOnce = Callable[[Callable[[], Any]], AbstractContextManager[Any]]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests that need a database: only these run again on another database."""
    fixtures = {"db", "transactional_db", "made_once"} & set(getattr(item, "fixturenames", ()))
    if fixtures == {"made_once"}:
        item.add_marker(pytest.mark.django_db)  # without it no tables are made where it runs alone
    if fixtures or item.get_closest_marker("django_db"):
        item.add_marker(pytest.mark.database)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        require_servers()
        config.pluginmanager.register(Stages(config), "stages")
    else:
        config.pluginmanager.register(StopsEarly(config), "stops early")
    config.pluginmanager.register(MeasuresTests(), "measures tests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of tests that have these marks imports no file that names none of them."""
    marks = set(str(config.getoption("markexpr")).split(" or "))
    if not marks <= {"sqlite", "embedded"} or not collection_path.name.startswith("test_") or collection_path.is_dir():
        return None
    text = collection_path.read_text(encoding="utf-8")
    return True if not any(mark in text for mark in marks) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    if connection.vendor != "sqlite":
        return (yield)
    with runs_what_its_marks_name(item):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sort_by_stage(items)


def pytest_collection() -> None:
    """Nothing that is imported or collected is garbage: looking for some among it took a twentieth of the time."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)  # more would make single searches long, and some tests limit their time
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def no_page_is_noted_as_slow() -> Iterator[None]:
    """On a busy machine any page may be: the note is a row more, and statements that a test would count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slow_requests, "SLOW_SECONDS", float("inf"))
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> Iterator[None]:
    """A flush between tests empties the tables that hold rows, and turns their triggers off meanwhile: some refuse it."""
    with pytest.MonkeyPatch.context() as patch:
        for operations, triggers_off in (
            (sqlite.DatabaseOperations, _sqlite_triggers_off),
            (postgresql.DatabaseOperations, _postgresql_triggers_off),
        ):
            patch.setattr(operations, "sql_flush", _flush_with(triggers_off))
        yield


def _flush_with(triggers_off: Any) -> Any:
    def sql_flush(self: BaseDatabaseOperations, style: Any, tables: Any, **options: Any) -> list[str]:
        """Deleting few rows is much faster than truncating; foreign keys are checked when the transaction ends."""
        assert not options.get("reset_sequences"), "tests depend on no primary keys"
        with self.connection.cursor() as cursor:
            held = [table for table in tables if _has_rows(cursor, table)]
            off, on = triggers_off(cursor, held)
        return [*off, *(f'DELETE FROM "{table}"' for table in held), *on]

    return sql_flush


def _has_rows(cursor: Any, table: str) -> bool:
    cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}")')
    return bool(cursor.fetchone()[0])


def _sqlite_triggers_off(cursor: Any, tables: list[str]) -> tuple[list[str], list[str]]:
    cursor.execute("SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger'")
    triggers = [(name, sql) for table, name, sql in cursor.fetchall() if table in tables]
    return [f'DROP TRIGGER "{name}"' for name, _ in triggers], [sql for _, sql in triggers]


def _postgresql_triggers_off(cursor: Any, tables: list[str]) -> tuple[list[str], list[str]]:
    cursor.execute(
        "SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid WHERE NOT tgisinternal"
    )
    guarded = [table for (table,) in cursor.fetchall() if table in tables]
    off, on = ([f'ALTER TABLE "{table}" {what} TRIGGER USER' for table in guarded] for what in ("DISABLE", "ENABLE"))
    return off, ["SET CONSTRAINTS ALL IMMEDIATE", *on]  # no table is altered while checks of its rows are to come


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A database in memory, which is Django's choice, refuses readers while a thread writes; that of a site does not."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "tests.sqlite3")


@pytest.fixture(scope="session")
def first_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the workers of a run of tests find the data folder that embedded sites are copied from (tests/sites.py)."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "first-site"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="module")
def made_once(django_db_setup: None, django_db_blocker: Any) -> MadeOnce:
    """Rows for all tests of a module: made in a transaction around them, in which each test has its own savepoint."""

    @contextmanager
    def make(maker: Callable[[], Any]) -> Iterator[Any]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield maker()
            transaction.set_rollback(True)

    return make


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """At the end nothing else holds the database: a browser that just closed may leave a thread of the server behind."""
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def no_files_of_rows_that_are_gone() -> Iterator[None]:
    """SQLite gives out keys again that were rolled back: an index of docnos that outlives its test would serve another's.

    Each test is a site with another name: none is a second one in the storage of the next.
    """
    yield
    for folder in ("docnos", "sites"):
        shutil.rmtree(Path(site_settings.MEDIA_ROOT) / folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that a test calls ends quietly at a closed pipe; the process of the tests, whose site loses many, must not."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGPIPE)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
