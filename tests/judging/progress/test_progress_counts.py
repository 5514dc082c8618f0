"""What is judged and left is kept, and counted anew when something has happened; pages of large pools hold few rows."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from django.core.cache import caches
from django.db import transaction
from django.test import Client

from judging.desk.services.judgments import judgment_undo
from judging.models import Assignment
from judging.progress.selectors.progress import Progress, progress_of
from judging.progress.selectors.progress_counts import own_counts
from pooling.core.preview import coverage
from pooling.models import PoolEntry
from pooling.selectors import tables
from pooling.selectors.sizes import entry_count, topic_sizes
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment, make_pool

pytestmark = pytest.mark.django_db


def counts(assignment: Assignment) -> tuple[Any, ...]:
    rows: list[Progress] = progress_of(
        Assignment.objects.filter(topic=assignment.topic_id).select_related("pool__task")
    )
    held = [
        (row.total, row.left, row.left_to_all, dict(row.grades), row.cannot_judge, row.mean_seconds) for row in rows
    ]
    return tuple(held)


def test_what_is_kept_is_what_would_be_counted_after_every_act(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    own = make_assignment(cast, ["D1", "D2", "D3"])
    second = cast.other_member

    def add() -> None:
        entry = {"pool": own.pool, "topic": own.topic, "docno": "D9", "position": 9, "best_position": 0, "run_count": 0}
        PoolEntry.objects.create(**entry, source=PoolEntry.FOUND)

    acts: list[Callable[[], object]] = [
        lambda: judge(own, "D1", 2, active_ms=4000),
        lambda: judge(own, "D2", None),
        lambda: judge(own, "D1", 0),
        lambda: judgment_undo(assessor=own.assessor, assignment=own),
        lambda: assign(own.pool, own.topic, second, cast.organiser),
        lambda: judge(Assignment.objects.get(assessor=second), "D3", 1),
        add,
    ]
    seen = [counts(own)]
    for act in acts:
        with django_capture_on_commit_callbacks(execute=True):
            act()
            kept = counts(own)
        caches["bulk"].clear()
        assert kept == counts(own)
        seen.append(kept)
    assert all(before != after for before, after in pairwise(seen))
    assert (entry_count(own.pool), topic_sizes(own.pool)) == (4, {own.topic_id: 4})


def test_a_judgment_that_is_rolled_back_is_in_no_count(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    own = make_assignment(cast, ["D1", "D2", "D3"])
    with django_capture_on_commit_callbacks(execute=True):
        judge(own, "D3", 1)
        with transaction.atomic():
            judge(own, "D1", 2)
            transaction.set_rollback(True)
        judge(own, "D2", 1)
        assert (own_counts(own).grades, own_counts(own).left) == ({1: 2}, 1)


def test_topics_of_a_large_pool_are_assigned_by_their_numbers(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.assigning.forms.TOPICS_LISTED", 2)
    topics = make_topics(cast.task, ["401", "402", "403", "404"])
    make_pool(cast.task, {topic: ["D1"] for topic in topics[:3]}, cast.organiser)
    client, address = client_of(cast, "organiser"), cast.task.url("assignment_create")
    assert re.findall(r'<(\w+) [^>]*name="topics"', client.get(address).content.decode()) == ["input"]
    sent = {"assessor": cast.assessor.pk, "pass_number": 1}
    for typed in ("401 404", " , ", "", "x" * 300):
        assert client.post(address, {**sent, "topics": typed}).status_code == 422
    refused = client.post(address, {**sent, "topics": "401 404"})
    assert "The pool has no topic 404." in refused.content.decode()
    assert client.post(address, {**sent, "topics": "403, 401 403"}).status_code == 302
    assert sorted(Assignment.objects.values_list("topic__number", flat=True)) == ["401", "403"]


def shown(client: Client, address: str) -> str:
    """The words of the page without lists to choose from."""
    main = client.get(address).content.decode().partition("<main")[2]
    return " ".join(re.sub(r"<select.*?</select>", "", main, flags=re.DOTALL).split())


def test_pages_of_a_pool_with_many_topics_show_them_in_pages(cast: Cast) -> None:
    topics = make_topics(cast.task, [str(number) for number in range(1001, 1121)])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    judges = [cast.assessor, make_user()]
    rows = [assign(pool, topic, judges[number % 2], cast.organiser) for number, topic in enumerate(topics)]
    judge(rows[0], "D1", 1)
    client = client_of(cast, "organiser")
    for name, named in (("pool_detail", {"version": 1}), ("judging_progress", {})):
        address = cast.task.url(name, **named)
        first, last = shown(client, address), shown(client, f"{address}?page=99")
        assert ("1001" in first, "1120" in first) == (True, False), name
        assert "1120" in last, name
        assert "of 120" in last, name
    assert "1 of 120 documents of pool 1" in shown(client, cast.task.url("judging_progress"))


def test_a_table_is_the_same_in_however_many_parts_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(str(number), None if number % 3 else number) for number in range(10)]
    schema = {"topic": pl.String, "grade": pl.Int32}
    whole = tables.table_of(iter(rows), schema)
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 3)
    assert tables.table_of(iter(rows), schema).equals(whole)
    assert whole.rows() == rows
    assert tables.table_of([], schema).schema == whole.schema


def test_pairs_are_numbered_alike_with_a_table_of_all_codes_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"topic": ["2", "1", "2", "1", "3"], "docno": ["a", "b", "a", "a", "b"]})
    numbered = coverage.with_pair_numbers(table)["pair"].to_list()
    monkeypatch.setattr(coverage, "TABLED", -1)
    assert coverage.with_pair_numbers(table)["pair"].to_list() == numbered
    assert sorted(set(numbered)) == [0, 1, 2, 3]
    assert numbered[0] == numbered[2]
