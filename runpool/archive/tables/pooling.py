"""What archives keep of pools."""

from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError

from campaign.formats.parquet import read_parquet_table
from campaign.models import Task
from pooling.core.strategies.frames import FRAME_SCHEMA
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import ESTIMATORS
from pooling.models import DuplicateSearch, Pool, PoolChoice, PoolEntry, PoolRun, Search, TopicStop, Twin
from pooling.selectors.pools import pool_text
from runpool.archive.table import JsonRow, Place, ReadFile, StoredColumn, Table


def _check_spec(values: JsonRow, read: ReadFile) -> None:
    """The spec of a strategy that this version has can be read; pages show that of another as it stands."""
    if values.get("sampled_by") not in (None, "", *ESTIMATORS):
        raise ValidationError("It is a sample of a kind that this version does not know.")
    if values.get("frame"):
        try:
            read_parquet_table(read("frame"), FRAME_SCHEMA)
        except ValueError as problem:
            raise ValidationError(f"The documents that were not drawn cannot be read. {problem}") from problem
    if values["strategy"] in STRATEGIES:
        try:
            PoolSpec.from_json(values.get("spec"))
        except PoolSpecError as problem:
            raise ValidationError(str(problem)) from problem


def _frame_place(row: JsonRow) -> Place:
    return ("pools", f"v{row['version']}-not-drawn")


def pool_files(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """Each version's file, whose SHA-256 the pool names."""
    for pool in Pool.objects.filter(task=task).order_by("version"):
        yield ("pools", f"v{pool.version}.txt"), [pool_text(pool)]


FRAME = StoredColumn("frame", "pools", ".parquet", _frame_place, ".parquet", "frame_sha256")
TABLES = (
    Table(Pool, "pools/pools", "task", key=("version",), files=(FRAME,), check=_check_spec),
    Table(PoolRun, "pools/runs", "pool__task", referred=False),
    Table(PoolEntry, "pools/entries", "pool__task", referred=False),
    Table(PoolChoice, "pools/choices", "pool__task", referred=False),
    Table(TopicStop, "pools/stops", "pool__task", referred=False),
    Table(Search, "pools/searches", "pool__task", referred=False),
    Table(DuplicateSearch, "pools/duplicate_searches", "pool__task"),
    Table(Twin, "pools/twins", "pool__task", referred=False),
)
