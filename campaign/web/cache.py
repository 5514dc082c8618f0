"""The cache that all processes share, for the counters of limits: Redis where there is one, else a table of the database.

A Redis that is away takes neither pages nor the API with it: the cache then lies in the database, until Redis is back.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, TypeVar

from django.conf import settings
from django.core.cache import BaseCache, cache, caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.redis import RedisCache
from django.db import DatabaseError, connections, router, transaction

from campaign.database.sqlite import base as sqlite
from campaign.version import VERSION

log = logging.getLogger(__name__)

SILENCE_SECONDS = 0.3
"""How long one request waits for a Redis that does not answer."""
LEFT_ALONE_SECONDS = 5.0
"""How long Redis is not asked again after a failure, so that a hanging one slows a process once in this time."""

WRITER_WAITED_FOR_SECONDS = 0.5
KEPT_SECONDS = 24 * 3600
SCORES_KEPT = 300
"""Seconds, of what is made from boards and released qrels: it may be large, and each board, measure and margin has its own."""

T = TypeVar("T")


def kept(key: str, make: Callable[[], T], timeout: int = KEPT_SECONDS) -> T:
    """What is kept under this key, which must name all that it rests on; made where it is not there. None is kept too."""
    name = f"kept:{sha256(key.encode()).hexdigest()}"
    held: tuple[T] | None = caches["bulk"].get(name)
    if held is None:
        held = (make(),)
        caches["bulk"].set(name, held, timeout=timeout)
    return held[0]


class CountingDatabaseCache(DatabaseCache):
    """Django's cache in a table, with counters that lose no count to a second request at the same moment.

    SQLite has one writer: while a long import writes, a count is given up rather than kept waiting.
    """

    def _base_set(self, mode: str, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT) -> bool:
        with _short_wait_for_writer(router.db_for_write(self.cache_model_class)):
            return bool(super()._base_set(mode, key, value, timeout))  # type: ignore[misc]  # missing from the stubs

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        database = router.db_for_write(self.cache_model_class)
        with _short_wait_for_writer(database), transaction.atomic(using=database):
            self._lock(database, self.make_and_validate_key(key, version=version))
            return super().incr(key, delta, version=version)

    def _lock(self, database: str, made_key: str) -> None:
        connection = connections[database]
        if not connection.features.has_select_for_update:  # SQLite: the transaction itself is the lock
            return
        table = connection.ops.quote_name(self._table)  # type: ignore[attr-defined]  # missing from the stubs
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT 1 FROM {table} WHERE cache_key = %s FOR UPDATE", [made_key])  # noqa: S608 - our own table
            if cursor.fetchone() is None:  # nothing to lock: one that is added meanwhile must not be read unlocked
                raise ValueError(f"Key '{made_key}' not found")


@contextmanager
def _short_wait_for_writer(database: str) -> Iterator[None]:
    connection = connections[database]
    if isinstance(connection, sqlite.DatabaseWrapper) and not connection.in_atomic_block:
        with connection.waiting(WRITER_WAITED_FOR_SECONDS):
            yield
    else:  # in a transaction the wait is over, or goes on anyway
        yield


class Availability:
    """What one process knows of a Redis: whether to ask it now. A failure and a return are logged once each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._away = False
        self._ask_again_at = 0.0

    def may_be_asked(self) -> bool:
        return not self._away or time.monotonic() >= self._ask_again_at

    def failed(self, problem: Exception) -> None:
        with self._lock:
            self._ask_again_at = time.monotonic() + LEFT_ALONE_SECONDS
            is_news, self._away = not self._away, True
        if is_news:
            log.warning("Redis does not answer the cache (%s). Until it does, the cache lies in the database.", problem)

    def answered(self) -> None:
        if not self._away:
            return
        with self._lock:
            is_news, self._away = self._away, False
        if is_news:
            log.warning("Redis answers the cache again.")


_availabilities: dict[str, Availability] = {}


class SharedCache(BaseCache):
    """Redis, and another of the site's caches while Redis is away. `OPTIONS["fallback"]` names that other cache."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        from redis.backoff import NoBackoff  # the client of Redis is slow to load, and many sites need none
        from redis.exceptions import RedisError
        from redis.retry import Retry

        super().__init__(params)
        self._failures = (RedisError, OSError)
        options = dict(params.get("OPTIONS", {}))
        self._fallback = options.pop("fallback")
        waits = {"socket_timeout": SILENCE_SECONDS, "socket_connect_timeout": SILENCE_SECONDS}
        options.update(
            waits, retry=Retry(NoBackoff(), 1)
        )  # once more: a restarted Redis has closed the kept connection
        self._redis = RedisCache(server, {**params, "OPTIONS": options})
        self._availability = _availabilities.setdefault(server, Availability())

    def _do(self, act: Callable[[BaseCache], T]) -> T:
        if self._availability.may_be_asked():
            try:
                done = act(self._redis)
            except self._failures as problem:
                self._availability.failed(problem)
            else:
                self._availability.answered()
                return done
        return act(caches[self._fallback])

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._do(lambda cache: cache.add(key, value, timeout, version))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._do(lambda cache: cache.get(key, default, version))

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        wanted = list(keys)
        return self._do(lambda cache: dict(cache.get_many(wanted, version=version)))

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._do(lambda cache: cache.set(key, value, timeout, version))

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._do(lambda cache: cache.touch(key, timeout, version))

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._do(lambda cache: cache.delete(key, version))

    def has_key(self, key: str, version: int | None = None) -> bool:
        return self._do(lambda cache: cache.has_key(key, version))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        return self._do(lambda cache: cache.incr(key, delta, version))

    def clear(self) -> None:
        self._do(lambda cache: cache.clear())


def redis_refusal(url: str) -> str | None:
    """Ask a Redis anew: what it refuses this address for good; empty where it answers, None where it is away or in trouble.

    A Redis that cannot save answers by an error too, and will be well again.
    """
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.exceptions import AuthenticationError, NoPermissionError, RedisError, ResponseError
    from redis.retry import Retry

    waits = {"socket_timeout": SILENCE_SECONDS, "socket_connect_timeout": SILENCE_SECONDS}
    try:
        with Redis.from_url(url, retry=Retry(NoBackoff(), 0), **waits) as own:
            own.ping()
    except NoPermissionError:  # its words may name the user
        return "the user of the address may not ask it"
    except (AuthenticationError, ResponseError) as problem:
        is_wrong = isinstance(problem, AuthenticationError) or "DB index" in str(problem)
        return str(problem).rstrip(".") if is_wrong else None
    except (RedisError, OSError):
        return None
    return ""


def count_up(key: str, seconds: int, by: int = 1, *, store: BaseCache = cache) -> int:
    """Count so many more of what `key` names; the count begins anew after so many seconds, or a few minutes more.

    Where the cache cannot count, this is 0, so that a limit never stops the site.
    """
    try:
        try:
            return int(store.incr(key, by))
        except ValueError:  # the first one, or the first since the cache was emptied
            return by if store.add(key, by, timeout=seconds) else int(store.incr(key, by))
    except (ValueError, DatabaseError) as problem:
        log.warning("Something is let through uncounted, since the cache does not count: %s", problem)
        return 0


def count_of(key: str, *, store: BaseCache = cache) -> int:
    """How many were counted; 0 where the cache does not say."""
    try:
        with transaction.atomic():  # what the database refuses must not end the transaction around this
            return int(store.get(key) or 0)
    except (ValueError, DatabaseError) as problem:
        log.warning("Nothing is known to be counted, since the cache does not answer: %s", problem)
        return 0


def transactional_cache() -> BaseCache:
    """That in the database, also where there is a Redis: what a transaction counts is not counted if it is rolled back."""
    return caches["database" if "database" in settings.CACHES else "default"]


def cache_settings(redis_url: str) -> dict[str, dict[str, Any]]:
    """Settings of the caches: `default` is shared and small; `bulk` may hold megabytes, which no database should keep.

    In `bulk`, a version of Runpool reads only what it kept itself: its classes may have changed, and during an upgrade both
    versions run. Counters in `default` are those of all versions.
    """
    in_database = {
        "BACKEND": "campaign.web.cache.CountingDatabaseCache",
        "LOCATION": "cache_entries",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    }
    in_memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "bulk"}
    if not redis_url:
        return {"default": in_database, "bulk": in_memory}
    in_redis = {"BACKEND": "campaign.web.cache.SharedCache", "LOCATION": redis_url}
    return {
        "default": {**in_redis, "OPTIONS": {"fallback": "database"}},
        "bulk": {**in_redis, "KEY_PREFIX": VERSION, "OPTIONS": {"fallback": "memory"}},
        "database": in_database,
        "memory": in_memory,
    }
