"""The shared cache on a real Redis of this test's own, which goes away and comes back."""

import ast
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.web import cache as shared
from campaign.web.cache import cache_settings, kept
from campaign.web.daily_limits import left_of_person, require_few_of_person
from tests.factories import make_user
from tests.places import REPOSITORY
from tests.redis_servers import RedisServer, own_redis

pytestmark = pytest.mark.sqlite


@pytest.fixture
def redis(db: None, settings, tmp_path: Path) -> Iterator[RedisServer]:
    with own_redis(tmp_path) as server:
        settings.CACHES = cache_settings(server.url)
        shared._availabilities.clear()
        yield server
        caches.close_all()


@pytest.fixture
def asks_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "LEFT_ALONE_SECONDS", 0.1)


def test_what_is_counted_while_redis_is_away_is_counted_in_the_database(redis: RedisServer) -> None:
    cache = caches["default"]
    cache.set("counter", 4, 60)
    assert cache.incr("counter") == 5
    redis.stop()
    assert cache.get("counter") is None
    assert cache.add("counter", 1, 60)
    assert cache.incr("counter") == 2
    assert caches["database"].get("counter") == 2


def test_a_limit_of_a_day_does_not_count_what_was_rolled_back(redis: RedisServer) -> None:
    user = make_user()
    for _ in range(3):
        with transaction.atomic():
            require_few_of_person(user, "things", 5, 2)
            transaction.set_rollback(True)
    with pytest.raises(ValidationError, match="your limit of 5 things within a day"), transaction.atomic():
        require_few_of_person(user, "things", 5, 6)
    assert left_of_person(user, "things", 5) == 5
    require_few_of_person(user, "things", 5, 5)
    assert left_of_person(user, "things", 5) == 0


def test_redis_is_asked_again_when_it_is_back(
    redis: RedisServer, asks_again_soon: None, caplog: pytest.LogCaptureFixture
) -> None:
    cache = caches["default"]
    cache.set("where", "redis", 60)
    redis.stop()
    for _ in range(3):
        cache.set("where", "database", 60)
    redis.start()
    time.sleep(0.15)
    cache.set("where", "redis again", 60)
    assert cache.get("where") == "redis again"
    assert caches["database"].get("where") == "database"
    told = [record.getMessage() for record in caplog.records if record.name == shared.__name__]
    assert len(told) == 2, told
    assert "the cache lies in the database" in told[0]
    assert "answers the cache again" in told[1]


def test_a_redis_that_hangs_slows_a_process_once(redis: RedisServer) -> None:
    cache = caches["default"]
    cache.set("a", 1)
    redis.hang()
    began = time.monotonic()
    for _ in range(20):
        cache.get("a")
    assert time.monotonic() - began < 4 * shared.SILENCE_SECONDS


def test_api_and_sign_in_answer_while_redis_is_away(redis: RedisServer) -> None:
    user, client = make_user(), Client()
    assert client.get("/api/v1/campaigns").status_code == 200
    redis.stop()
    began = time.monotonic()
    assert client.get("/api/v1/campaigns").status_code == 200
    assert client.post("/account/login/", {"login": user.username, "password": "wrong"}).status_code == 200
    signed_in = client.post("/account/login/", {"login": user.username, "password": "a long password"})
    assert signed_in.status_code == 302
    assert time.monotonic() - began < 3


@pytest.mark.sqlite("campaign.database.sqlite.base.DatabaseWrapper._set_wait")
@pytest.mark.django_db(transaction=True)
def test_what_is_cached_waits_for_another_writer_of_sqlite_for_a_moment_only() -> None:
    with CaptureQueriesContext(connection) as queries:
        caches["default"].set("name", "value", 60)
    waits = [query["sql"].rpartition("busy_timeout")[2] for query in queries if "busy_timeout" in query["sql"]]
    assert waits == ([" = 500", " = 20000"] if connection.vendor == "sqlite" else [])


@pytest.mark.sqlite("campaign.web.cache.CountingDatabaseCache._lock")
def test_a_counter_of_the_database_counts_on(db: None) -> None:
    cache = caches["default"]
    with pytest.raises(ValueError, match="not found"):
        cache.incr("nothing-yet")
    cache.add("counter", 0, 60)
    assert [cache.incr("counter") for _ in range(3)] == [1, 2, 3]


def test_megabytes_are_not_kept_in_the_database() -> None:
    for url in ("", "redis://127.0.0.1:1/0"):
        settings = cache_settings(url)
        fallback = settings["bulk"].get("OPTIONS", {}).get("fallback", "bulk")
        assert settings[fallback]["BACKEND"].endswith("LocMemCache")


def test_what_is_kept_is_made_once_for_each_key_and_none_is_kept_too() -> None:
    caches["bulk"].clear()
    made: list[str] = []

    def ask(key: str, value: int | None) -> int | None:
        return kept(key, lambda: made.append(key) or value)  # type: ignore[func-returns-value]

    assert [ask("a", 1), ask("a", 2), ask("b", None), ask("b", 3)] == [1, 1, None, None]
    assert made == ["a", "b"]


def test_during_an_upgrade_each_version_reads_what_it_kept_itself_and_counts_with_the_other(
    redis: RedisServer, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on(version: str) -> None:
        monkeypatch.setattr(shared, "VERSION", version)
        settings.CACHES = cache_settings(redis.url)

    on("1")
    caches["default"].set("counter", 4, 60)
    caches["bulk"].set("thing", "as 1 writes it")
    assert kept("made", lambda: "by 1") == "by 1"
    on("2")
    assert caches["default"].incr("counter") == 5
    assert caches["bulk"].get("thing") is None
    caches["bulk"].set("thing", "as 2 writes it")
    assert kept("made", lambda: "by 2") == "by 2"
    on("1")
    assert caches["bulk"].get("thing") == "as 1 writes it"
    assert kept("made", lambda: "by another") == "by 1"


def test_what_is_kept_is_made_anew_after_its_time() -> None:
    assert kept("short", lambda: 1, timeout=0) == 1
    assert kept("short", lambda: 2) == 2


def test_what_evaluation_keeps_names_its_time_since_it_may_be_large() -> None:
    calls = [
        node
        for path in (REPOSITORY / "evaluation").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "kept"
    ]
    assert calls
    assert [ast.unparse(call) for call in calls if len(call.args) != 3] == []
