import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from campaign.models import AuditEvent, Job, Run, Task, Topic
from campaign.models.written_once import WrittenOnceError
from campaign.runs.selectors.reading import run_table
from pooling.core.chunked import drawing as parts
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolEntry, PoolRun
from pooling.selectors import pool_preview, pool_table
from pooling.selectors.pools import FREEZE_POOL, pool_delta, pool_text
from pooling.selectors.previews import previewed
from pooling.services import pools
from pooling.services.pools import Confirmed, pool_freeze
from tests.factories import Cast, make_task, make_topics
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_runs(cast: Cast) -> list[Run]:
    make_topics(cast.task, ["2", "10"])
    return [
        make_valid_run(cast.task, cast.team, "alpha", {"2": ["a", "b", "c"], "10": ["x"]}),
        make_valid_run(cast.task, cast.other_team, "beta", {"2": ["b", "d", "a"]}, priority=2),
    ]


def freeze(cast: Cast, *, confirmed: Confirmed | None = None, **settings: Any) -> Pool:
    return pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(**settings), confirmed=confirmed)


@pytest.mark.sqlite("pooling.services.entries.entries_store")
def test_freezing_keeps_the_pool_its_runs_and_who_did_it(cast: Cast, two_runs: list[Run]) -> None:
    pool = freeze(cast, depth=2, order="docno", seed=4)
    entries = pool.entries.values_list("topic__number", "docno", "position", "best_position", "run_count")
    assert list(entries.order_by("topic__position", "position")) == [
        ("2", "a", 1, 1, 1),
        ("2", "b", 2, 1, 2),
        ("2", "d", 3, 2, 1),
        ("10", "x", 1, 1, 1),
    ]
    assert (pool.version, pool.size, pool.strategy, pool.order, pool.seed) == (1, 4, "depth-k", "docno", 4)
    assert PoolSpec.from_json(pool.spec) == depth_k(depth=2, order="docno", seed=4).ordered_by(cast.task.ordering)
    runs = pool.pool_runs.order_by("run__tag").values_list("run__tag", "sha256", "contributed", "unique")
    assert list(runs) == [("alpha", two_runs[0].sha256, 3, 2), ("beta", two_runs[1].sha256, 2, 1)]
    event = AuditEvent.objects.get(verb="freeze")
    assert (event.actor, event.object_id, event.data["size"]) == (cast.organiser, str(pool.pk), 4)


def test_freezing_moves_the_task_on_to_judging(cast: Cast, two_runs: list[Run]) -> None:
    freeze(cast)
    assert Task.objects.get(pk=cast.task.pk).phase == Task.JUDGING


def test_the_checksum_is_that_of_the_file(cast: Cast, two_runs: list[Run]) -> None:
    pool = freeze(cast, depth=2, order="docno")
    assert pool_text(pool) == b"2 a\n2 b\n2 d\n10 x\n"
    assert pool.sha256 == hashlib.sha256(pool_text(pool)).hexdigest()


def test_the_same_runs_and_settings_give_the_same_file_again(cast: Cast, two_runs: list[Run]) -> None:
    first, _, third = freeze(cast, depth=3, seed=1), freeze(cast, depth=1, seed=2), freeze(cast, depth=3, seed=1)
    assert (first.version, third.version) == (1, 3)
    assert pool_text(first) == pool_text(third)
    assert first.sha256 == third.sha256


def test_freezing_the_latest_pool_again_makes_no_new_version(cast: Cast, two_runs: list[Run]) -> None:
    first = freeze(cast, seed=1)
    assert freeze(cast, seed=1) == first
    assert freeze(cast, seed=2).version == 2


def test_the_preview_shows_what_freezing_then_keeps(cast: Cast, two_runs: list[Run]) -> None:
    spec = depth_k(depth=2)
    preview = pool_preview(cast.task, spec)
    pool = freeze(cast, depth=2)
    assert preview.size == preview.figures.new == pool.size
    assert {(run.tag, row.contributed, row.unique) for run, row in preview.runs} == set(
        pool.pool_runs.values_list("run__tag", "contributed", "unique")
    )


def test_a_late_run_makes_a_second_version_whose_delta_is_counted(cast: Cast, two_runs: list[Run]) -> None:
    freeze(cast, depth=2)
    make_valid_run(cast.task, cast.other_team, "late", {"2": ["a", "z"], "10": ["y"]})
    assert pool_preview(cast.task, depth_k(depth=2)).figures.new == 2
    second = freeze(cast, depth=2)
    delta = pool_delta(second)
    assert delta is not None
    assert (second.version, second.size, delta.before.version, delta.added, delta.removed) == (2, 6, 1, 2, 0)


def test_a_shallower_version_counts_what_it_no_longer_holds(cast: Cast, two_runs: list[Run]) -> None:
    freeze(cast, depth=3)
    delta = pool_delta(freeze(cast, depth=1))
    assert delta is not None
    assert (delta.added, delta.removed) == (0, 2)


@pytest.mark.parametrize("state", [Run.RECEIVED, Run.REJECTED, Run.WITHDRAWN])
def test_only_valid_runs_are_pooled(cast: Cast, two_runs: list[Run], state: str) -> None:
    make_valid_run(cast.task, cast.team, "other", {"2": ["unwanted"]}, state=state)
    pool = freeze(cast)
    assert not pool.entries.filter(docno="unwanted").exists()
    assert not pool.pool_runs.filter(run__tag="other").exists()


def test_runs_of_other_tasks_stay_out(cast: Cast, two_runs: list[Run]) -> None:
    other = make_task(cast.campaign)
    make_topics(other, ["2"])
    make_valid_run(other, cast.team, "elsewhere", {"2": ["unwanted"]})
    assert not freeze(cast).entries.filter(docno="unwanted").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"runs": ("gamma",)}, "no valid run gamma"),
        ({"runs": ("beta",), "max_priority": 1}, "no valid run beta"),
    ],
)
def test_settings_that_fit_no_run_are_refused(
    cast: Cast, two_runs: list[Run], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        freeze(cast, **settings)
    assert not Pool.objects.exists()


def test_a_task_without_valid_runs_has_nothing_to_freeze(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="at least one valid run"):
        freeze(cast)


def test_runs_that_hold_no_topic_of_the_task_have_nothing_to_judge(cast: Cast) -> None:
    make_valid_run(cast.task, cast.team, "alpha", {"2": ["a"]})
    with pytest.raises(ValidationError, match="no document for any topic"):
        freeze(cast)


def test_a_run_withdrawn_while_the_pool_is_drawn_stops_the_freezing(
    cast: Cast, two_runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def withdraw_meanwhile(*arguments: Any) -> Any:
        Run.objects.filter(tag="beta").update(state=Run.WITHDRAWN)
        return draw_in_parts(*arguments)

    draw_in_parts = pools.draw_in_parts
    monkeypatch.setattr(pools, "draw_in_parts", withdraw_meanwhile)
    with pytest.raises(ValidationError, match="changed while the pool was drawn"):
        freeze(cast)
    assert not Pool.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda cast: Run.objects.filter(tag="beta").update(state=Run.WITHDRAWN),
        lambda cast: Run.objects.filter(tag="beta").update(priority=7),
        lambda cast: Topic.objects.create(task=cast.task, number="77", position=77, title="late"),
    ],
    ids=["a run is withdrawn", "a priority is changed", "a topic is added"],
)
def test_what_changes_before_the_job_begins_stops_the_freezing(
    cast: Cast, two_runs: list[Run], change: Callable[[Cast], object]
) -> None:
    seen = previewed(cast.task, depth_k(depth=2)).fingerprint
    change(cast)
    with pytest.raises(ValidationError, match="changed since the freezing was asked for"):
        freeze(cast, depth=2, confirmed=Confirmed(seen, 0))
    assert not Pool.objects.exists()


def test_a_pool_that_came_before_the_job_begins_stops_the_freezing_unless_it_is_this_very_one(
    cast: Cast, two_runs: list[Run]
) -> None:
    confirmed = Confirmed(previewed(cast.task, depth_k(depth=2)).fingerprint, 0)
    first = freeze(cast, depth=2, confirmed=confirmed)
    assert freeze(cast, depth=2, confirmed=confirmed) == first
    with pytest.raises(ValidationError, match="Pool 1 came since the freezing was asked for"):
        freeze(cast, depth=1, confirmed=confirmed)
    assert Pool.objects.get() == first


def test_the_job_freezes_only_what_was_confirmed(
    cast: Cast, two_runs: list[Run], django_capture_on_commit_callbacks: Any
) -> None:
    asked = previewed(cast.task, depth_k(depth=2))
    with django_capture_on_commit_callbacks() as callbacks:
        pools.pool_freeze_request(
            actor=cast.organiser, task=cast.task, spec=asked.spec, confirmed=Confirmed(asked.fingerprint, 0)
        )
    Run.objects.filter(tag="beta").update(state=Run.WITHDRAWN)
    for callback in callbacks:
        callback()
    job = Job.objects.get(name=FREEZE_POOL)
    assert (job.state, Pool.objects.exists()) == (Job.FAILED, False)
    assert "changed since the freezing was asked for" in job.message


def test_a_failure_halfway_leaves_nothing_behind(
    cast: Cast, two_runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*arguments: Any) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(pools, "entries_store", break_down)
    with pytest.raises(RuntimeError):
        freeze(cast)
    assert not Pool.objects.exists()
    assert not PoolRun.objects.exists()
    assert Task.objects.get(pk=cast.task.pk).phase == Task.RUNS


@pytest.mark.parametrize("model", [Pool, PoolRun, PoolEntry])
def test_nothing_of_a_frozen_pool_can_be_changed_or_deleted(cast: Cast, two_runs: list[Run], model: Any) -> None:
    freeze(cast)
    row = model.objects.first()
    with pytest.raises(WrittenOnceError):
        row.save()
    with pytest.raises(WrittenOnceError):
        row.delete()
    with pytest.raises(WrittenOnceError):
        model.objects.update(pk=7)
    with pytest.raises(WrittenOnceError):
        model.objects.filter(pk=row.pk).delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        model(**{field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}).save()
    with pytest.raises(WrittenOnceError):
        model.objects.bulk_create([row], update_conflicts=True, update_fields=["pool"], unique_fields=["pk"])


def test_a_large_pool_is_frozen_part_by_part_and_is_the_same_pool(
    cast: Cast, two_runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = freeze(cast, depth=2)
    monkeypatch.setattr(parts, "ROWS_AT_ONCE", 1)
    assert freeze(cast, depth=2) == at_once
    freeze(cast, depth=1)
    in_parts = freeze(cast, depth=2)
    assert pool_text(in_parts) == pool_text(at_once)
    assert in_parts.sha256 == at_once.sha256
    of_runs = [list(pool.pool_runs.values_list("run", "contributed", "unique")) for pool in (at_once, in_parts)]
    assert of_runs[0] == of_runs[1]


def test_freezing_tells_how_far_it_is_and_leaves_no_file_behind(cast: Cast, two_runs: list[Run]) -> None:
    told: list[tuple[int, int, str]] = []
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2), report=lambda *news: told.append(news))
    assert told == [
        (0, 2, "runs read"),
        (1, 2, "runs read"),
        (0, 2, "topics drawn"),
        (4, 4, "pairs drawn, being stored"),
    ]
    assert list(settings.FILE_UPLOAD_TEMP_DIR.iterdir()) == []


def test_docnos_that_mean_something_to_the_database_are_stored_as_they_are(cast: Cast) -> None:
    make_topics(cast.task, ["2"])
    docnos = ["\\.", "\\N", '"', "a,b", "';--", '"",""', "é", "{}", "%s", "null"]
    make_valid_run(cast.task, cast.team, "alpha", {"2": docnos})
    pool = freeze(cast, order="best_position")
    assert list(pool.entries.order_by("position").values_list("docno", flat=True)) == docnos
    assert hashlib.sha256(pool_text(pool)).hexdigest() == pool.sha256


def test_the_stored_table_is_the_drawn_one(cast: Cast, two_runs: list[Run]) -> None:
    assert run_table(two_runs[0]).height == 4
    table = pool_table(freeze(cast, depth=2, order="docno"))
    assert table["docno"].to_list() == ["a", "b", "d", "x"]
    assert table["topic"].to_list() == ["2", "2", "2", "10"]
