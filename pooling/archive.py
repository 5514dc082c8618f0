"""What archives keep of pools. Declared when the app starts: what reads runs and draws pools is loaded when it is needed."""

from collections.abc import Iterable, Iterator

from campaign.archive.registry import JsonRow, Place, StoredColumn, Table, keep, write_besides
from campaign.models import Task
from pooling.models import DuplicateSearch, Pool, PoolChoice, PoolEntry, PoolRun, Search, TopicStop, Twin


def declare() -> None:
    frame = StoredColumn("frame", "pools", ".parquet", _frame_place, ".parquet", "frame_sha256")
    keep(
        Table(Pool, "pools/pools", "task", key=("version",), files=(frame,)),
        Table(PoolRun, "pools/runs", "pool__task", referred=False),
        Table(PoolEntry, "pools/entries", "pool__task", referred=False),
        Table(PoolChoice, "pools/choices", "pool__task", referred=False),
        Table(TopicStop, "pools/stops", "pool__task", referred=False),
        Table(Search, "pools/searches", "pool__task", referred=False),
        Table(DuplicateSearch, "pools/duplicate_searches", "pool__task"),
        Table(Twin, "pools/twins", "pool__task", referred=False),
    )
    write_besides(pool_files)


def _frame_place(row: JsonRow) -> Place:
    return ("pools", f"v{row['version']}-not-drawn")


def pool_files(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """Each version's file, whose SHA-256 the pool names."""
    from pooling.selectors.pools import pool_text

    for pool in Pool.objects.filter(task=task).order_by("version"):
        yield ("pools", f"v{pool.version}.txt"), [pool_text(pool)]
